// A pose as the sixteen numbers of an instance's matrix, written in place: ten thousand bodies make no garbage.

import { POSE_FLOATS } from '../protocol/frame';

const MATRIX_FLOATS = 16;

/** Writes the matrix of pose `body` as instance `instance`. The quaternion q = (x, y, z, w) need not be of exact unit length.
 *
 * R = I + s (q q-products) with s = 2 / |q|^2, column by column as WebGL wants it. A pose that is not finite becomes
 * a matrix of zeros: nothing is drawn. */
export function writePoseMatrix(out: Float32Array, instance: number, poses: Float32Array, body: number): void {
  const from = POSE_FLOATS * body;
  const at = MATRIX_FLOATS * instance;
  const x = poses[from + 3]!;
  const y = poses[from + 4]!;
  const z = poses[from + 5]!;
  const w = poses[from + 6]!;
  const s = 2 / (x * x + y * y + z * z + w * w);
  if (!Number.isFinite(s + poses[from]! + poses[from + 1]! + poses[from + 2]!)) {
    out.fill(0, at, at + MATRIX_FLOATS);
    return;
  }
  out[at] = 1 - s * (y * y + z * z);
  out[at + 1] = s * (x * y + w * z);
  out[at + 2] = s * (x * z - w * y);
  out[at + 3] = 0;
  out[at + 4] = s * (x * y - w * z);
  out[at + 5] = 1 - s * (x * x + z * z);
  out[at + 6] = s * (y * z + w * x);
  out[at + 7] = 0;
  out[at + 8] = s * (x * z + w * y);
  out[at + 9] = s * (y * z - w * x);
  out[at + 10] = 1 - s * (x * x + y * y);
  out[at + 11] = 0;
  out[at + 12] = poses[from]!;
  out[at + 13] = poses[from + 1]!;
  out[at + 14] = poses[from + 2]!;
  out[at + 15] = 1;
}
