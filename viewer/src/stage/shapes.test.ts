import { Vector3, type BufferGeometry } from 'three';
import { describe, expect, it } from 'vitest';
import type { Shape } from '../protocol/messages';
import { boundingRadius, primitiveGeometry } from './shapes';

const shapes: Exclude<Shape, { kind: 'mesh' }>[] = [
  { kind: 'sphere', radius: 0.3 },
  { kind: 'box', half: [0.5, 0.1, 0.2] },
  { kind: 'capsule', radius: 0.1, half_height: 0.4 },
  { kind: 'cylinder', radius: 0.1, half_height: 0.4 },
  { kind: 'cone', radius: 0.2, half_height: 0.4 },
];

function extents(geometry: BufferGeometry): Vector3[] {
  geometry.computeBoundingBox();
  return [geometry.boundingBox!.min, geometry.boundingBox!.max];
}

describe('a drawn shape', () => {
  const cases = shapes.flatMap((shape) => [1, 5000].map((bodies) => ({ ...shape, bodies })));
  it.each(cases)('of kind $kind, one of $bodies, lies within its bounding radius', ({ bodies, ...shape }) => {
    const geometry = primitiveGeometry(shape, bodies);
    const radius = boundingRadius(shape, geometry)!;
    const points = geometry.getAttribute('position');
    for (let i = 0; i < points.count; i += 1) expect(new Vector3().fromBufferAttribute(points, i).length()).toBeLessThanOrEqual(radius * (1 + 1e-6));
  });

  it('fills the extents it was declared with', () => {
    const [min, max] = extents(primitiveGeometry({ kind: 'box', half: [0.5, 0.1, 0.2] }, 1));
    expect(max!.toArray()).toEqual([0.5, 0.1, 0.2].map((x) => expect.closeTo(x, 6)));
    expect(min!.y).toBeCloseTo(-0.1, 6);
    expect(extents(primitiveGeometry({ kind: 'capsule', radius: 0.1, half_height: 0.4 }, 1))[1]!.y).toBeCloseTo(0.5, 6);
    expect(extents(primitiveGeometry({ kind: 'cylinder', radius: 0.1, half_height: 0.4 }, 1))[1]!.y).toBeCloseTo(0.4, 6);
  });

  it('of a cone has its tip up and a rounded rim no wider than its base', () => {
    const [min, max] = extents(primitiveGeometry({ kind: 'cone', radius: 0.2, half_height: 0.4 }, 1));
    expect(max!.y).toBeCloseTo(0.4, 6);
    expect(min!.y).toBeCloseTo(-0.4, 6);
    expect(max!.x).toBeLessThan(0.2);
    expect(max!.x).toBeGreaterThan(0.17);
  });
});
