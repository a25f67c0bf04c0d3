import { Box3, PerspectiveCamera, Vector3 } from 'three';
import { describe, expect, it } from 'vitest';
import { framing } from './framing';

/** Every corner of the box as a camera there sees it, from -1 to 1. */
function seen(box: Box3, away: Vector3, aspect: number, share: number): Vector3[] {
  const { position, target } = framing(box, away, { fieldOfView: 32, width: share * aspect, height: share });
  const camera = new PerspectiveCamera(32, aspect, 0.001, 1e5);
  camera.position.copy(position);
  camera.lookAt(target);
  camera.updateMatrixWorld();
  const { min, max } = box;
  return [min.x, max.x].flatMap((x) => [min.y, max.y].flatMap((y) => [min.z, max.z].map((z) => new Vector3(x, y, z).project(camera))));
}

describe('framing', () => {
  const boxes = [
    new Box3(new Vector3(-2, 0, -0.1), new Vector3(2, 4.8, 11.7)),
    new Box3(new Vector3(-5, 0, -3), new Vector3(40, 9.6, 3)),
    new Box3(new Vector3(-50, 0, -0.5), new Vector3(50, 100, 0.5)),
    new Box3(new Vector3(-0.1, 0, -0.1), new Vector3(0.1, 1.2, 0.1)),
  ];
  const sides = [new Vector3(9, 5, 7), new Vector3(0.4, 0.2, 8), new Vector3(-3, 1, 2)];

  it('shows all of a box in windows of any shape', () => {
    for (const box of boxes) for (const away of sides) for (const aspect of [0.46, 1, 1.8, 3.5]) {
      for (const { x, y } of seen(box, away, aspect, 0.84)) {
        expect(Math.abs(x)).toBeLessThan(0.88);
        expect(Math.abs(y)).toBeLessThan(0.88);
      }
    }
  });

  it('comes as near as that allows', () => {
    for (const box of boxes) for (const away of sides) for (const aspect of [0.46, 1, 1.8]) {
      const largest = Math.max(...seen(box, away, aspect, 0.84).flatMap(({ x, y }) => [Math.abs(x), Math.abs(y)]));
      expect(largest).toBeGreaterThan(0.8);
    }
  });
});
