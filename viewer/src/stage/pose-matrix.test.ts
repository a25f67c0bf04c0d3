import { Matrix4, Quaternion, Vector3 } from 'three';
import { describe, expect, it } from 'vitest';
import { writePoseMatrix } from './pose-matrix';

describe('a pose as a matrix', () => {
  it('equals what three composes from position and quaternion', () => {
    const poses = new Float32Array(14);
    const turn = new Quaternion(0.3, -0.5, 0.2, 0.7).normalize();
    poses.set([9, 9, 9, 0, 0, 0, 1, 1.5, -2, 0.25, turn.x, turn.y, turn.z, turn.w]);
    const out = new Float32Array(32);
    writePoseMatrix(out, 0, poses, 1);
    const expected = new Matrix4().compose(new Vector3(1.5, -2, 0.25), turn, new Vector3(1, 1, 1)).elements;
    // f32 has seven digits; a product of two rounds twice.
    expected.forEach((value, i) => expect(out[i]).toBeCloseTo(value, 6));
  });

  it('that is not finite draws nothing', () => {
    const out = new Float32Array(16).fill(3);
    writePoseMatrix(out, 0, new Float32Array([NaN, 0, 0, 0, 0, 0, 1]), 0);
    expect([...out]).toEqual(new Array(16).fill(0));
  });
});
