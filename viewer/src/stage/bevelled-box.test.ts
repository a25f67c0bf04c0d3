import { describe, expect, it } from 'vitest';
import { bevelledBox } from './bevelled-box';

describe('a bevelled box', () => {
  const half = [0.5, 0.2, 0.3] as const;
  const bevel = 0.02;
  const geometry = bevelledBox(half, bevel);
  const position = geometry.getAttribute('position')!;
  const index = [...geometry.getIndex()!.array];

  it('is closed: each directed edge has exactly one partner the other way round', () => {
    const edges = new Map<string, number>();
    for (let i = 0; i < index.length; i += 3) {
      for (const [a, b] of [[0, 1], [1, 2], [2, 0]]) {
        const key = `${index[i + a!]}-${index[i + b!]}`;
        edges.set(key, (edges.get(key) ?? 0) + 1);
      }
    }
    for (const [key, count] of edges) {
      expect(count).toBe(1);
      expect(edges.get(key.split('-').reverse().join('-'))).toBe(1);
    }
    expect(index.length / 3).toBe(44);
  });

  it('has the volume of the box less its twelve edges and eight corners', () => {
    let volume = 0;
    const at = (i: number) => [position.getX(i), position.getY(i), position.getZ(i)] as const;
    for (let i = 0; i < index.length; i += 3) {
      const [a, b, c] = [at(index[i]!), at(index[i + 1]!), at(index[i + 2]!)];
      volume += (a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0])) / 6;
    }
    // Core, six plates, twelve half prisms of bevel^2 / 2, eight corner pyramids of bevel^3 / 6.
    const [x, y, z] = half.map((h) => 2 * (h - bevel)) as [number, number, number];
    const expected = x * y * z + 2 * bevel * (x * y + y * z + z * x) + 4 * (bevel ** 2 / 2) * (x + y + z) + 8 * (bevel ** 3 / 6);
    expect(volume).toBeCloseTo(expected, 7);
  });
});
