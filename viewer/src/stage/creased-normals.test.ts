import { describe, expect, it } from 'vitest';
import { creasedNormals } from './creased-normals';

const DEGREE = Math.PI / 180;

/** Two unit triangles that share an edge along x and are bent by `angle` about it; the shared vertices are repeated if `soup`. */
function folded(angle: number, soup: boolean) {
  const positions = [0, 0, 0, 1, 0, 0, 0, 0, 1, 0, -Math.sin(angle), -Math.cos(angle)];
  const indices = soup ? [0, 2, 1, 4, 5, 3] : [0, 2, 1, 0, 1, 3];
  return { positions: new Float32Array(soup ? [...positions, 0, 0, 0, 1, 0, 0] : positions), indices: new Uint32Array(indices) };
}

const normalAt = (normals: Float32Array, corner: number) => [...normals.subarray(3 * corner, 3 * corner + 3)];

describe('creased normals', () => {
  it('stay those of the faces at a sharp edge', () => {
    const { positions, indices } = folded(90 * DEGREE, false);
    const { normals } = creasedNormals(positions, indices, 28 * DEGREE);
    expect(normalAt(normals, 0)).toEqual([0, 1, 0].map((x) => expect.closeTo(x, 6)));
    expect(normalAt(normals, 3)).toEqual([0, 0, -1].map((x) => expect.closeTo(x, 6)));
  });

  it.each([false, true])('are shared across a shallow edge, repeated vertices %s', (soup) => {
    const { positions, indices } = folded(20 * DEGREE, soup);
    const { normals } = creasedNormals(positions, indices, 28 * DEGREE);
    const middle = [0, Math.cos(10 * DEGREE), -Math.sin(10 * DEGREE)].map((x) => expect.closeTo(x, 5));
    expect(normalAt(normals, 0)).toEqual(middle);
    expect(normalAt(normals, 3)).toEqual(middle);
  });

  it('are of unit length, but for faces without area', () => {
    const { normals } = creasedNormals(new Float32Array([0, 0, 0, 1, 0, 0, 2, 0, 0]), new Uint32Array([0, 1, 2]), 1);
    expect(normalAt(normals, 0)).toEqual([0, 0, 0]);
  });
});
