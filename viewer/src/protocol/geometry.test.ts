import { describe, expect, it } from 'vitest';
import { parseLines, parseTriangles } from './geometry';

function bytes(magic: string, integers: number[], floats: number[], indices: number[] = []): ArrayBuffer {
  const buffer = new ArrayBuffer(4 + 4 * (integers.length + floats.length + indices.length));
  const view = new DataView(buffer);
  [...magic].forEach((letter, i) => view.setUint8(i, letter.charCodeAt(0)));
  let at = 4;
  for (const x of integers) view.setUint32((at += 4) - 4, x, true);
  for (const x of floats) view.setFloat32((at += 4) - 4, x, true);
  for (const x of indices) view.setUint32((at += 4) - 4, x, true);
  return buffer;
}

const triangle = [0, 0, 0, 1, 0, 0, 0, 1, 0];

describe('triangles', () => {
  it('come back as they were written', () => {
    const { positions, indices } = parseTriangles(bytes('PRM1', [3, 1], triangle, [0, 1, 2]));
    expect([...positions]).toEqual(triangle);
    expect([...indices]).toEqual([0, 1, 2]);
  });
  it('that name a vertex which is not there are refused', () => {
    expect(() => parseTriangles(bytes('PRM1', [3, 1], triangle, [0, 1, 3]))).toThrow('vertex 3 of 3');
  });
  it('that end early are refused', () => {
    expect(() => parseTriangles(bytes('PRM1', [3, 2], triangle, [0, 1, 2]))).toThrow('need 72 bytes, there are 60');
  });
  it('with a foreign head are refused', () => {
    expect(() => parseTriangles(bytes('PRL1', [3, 1], triangle, [0, 1, 2]))).toThrow('"PRL1", not with "PRM1"');
    expect(() => parseTriangles(new ArrayBuffer(2))).toThrow('not with "PRM1"');
  });
});

describe('lines', () => {
  it('come back as they were written', () => {
    expect([...parseLines(bytes('PRL1', [1], [1, 2, 3, 4, 5, 6]))]).toEqual([1, 2, 3, 4, 5, 6]);
  });
  it('that end early are refused', () => {
    expect(() => parseLines(bytes('PRL1', [2], [1, 2, 3, 4, 5, 6]))).toThrow('need 56 bytes');
    expect(() => parseLines(bytes('PRL1', [], []))).toThrow('head of 8 bytes');
  });
});
