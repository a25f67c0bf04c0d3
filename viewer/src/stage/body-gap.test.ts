import { BoxGeometry, SphereGeometry, Vector3 } from 'three';
import { expect, it } from 'vitest';
import { gapOf } from './body-gap';

it('is the distance from a box, negative inside', () => {
  const box = new BoxGeometry(2, 4, 6);
  expect(gapOf(box, new Vector3(1.5, 0, 0))).toBeCloseTo(0.5, 6);
  expect(gapOf(box, new Vector3(4, 6, 3))).toBeCloseTo(5, 6);
  expect(gapOf(box, new Vector3(0.7, 0.1, 0.2))).toBeCloseTo(-0.3, 6);
  expect(gapOf(box.toNonIndexed(), new Vector3(0, 1.9, 0))).toBeCloseTo(-0.1, 6);
});

it('is that of a ball, as fine as its triangles', () => {
  const ball = new SphereGeometry(0.1, 64, 48);
  for (const [x, y, z] of [[0.15, 0, 0], [0.02, 0.03, -0.05], [-0.3, 0.2, 0.1]] as const) {
    const point = new Vector3(x, y, z);
    expect(gapOf(ball, point)).toBeCloseTo(point.length() - 0.1, 3);
  }
});
