// Frames of the sled's bodies, from the poses of the parts that the scene draws.

import { Matrix4, Quaternion, Vector3 } from 'three';
import type { SledPart } from './track';

/** Bodies of the sled's file; frames are where the file's frame is moved to by each of them. */
export const bodyNames = ['rear_hull', 'front_hull', 'crew', 'steering_head', 'front_axle', 'runner_1', 'runner_2', 'runner_3', 'runner_4'] as const;
export type BodyName = (typeof bodyNames)[number];

/** For each body the first part that belongs to it, and what brings its pose to the body's frame. */
export class BodyFrames {
  private readonly found: { part: number; back: Matrix4 }[];
  readonly matrices = bodyNames.map(() => new Matrix4());
  private readonly position = new Vector3();
  private readonly turn = new Quaternion();
  private readonly unit = new Vector3(1, 1, 1);

  constructor(parts: readonly SledPart[]) {
    this.found = bodyNames.map((name) => {
      const part = parts.findIndex(({ body }) => body === name);
      if (part < 0) throw new Error(`the server draws no part of the sled's ${name}`);
      const [x, y, z, a, b, c, d] = parts[part]!.place as [number, number, number, number, number, number, number];
      return { part, back: new Matrix4().compose(new Vector3(x, y, z), new Quaternion(a, b, c, d), this.unit).invert() };
    });
  }

  /** Takes poses as frames have them: position and quaternion of each part. */
  take(poses: Float32Array): void {
    this.found.forEach(({ part, back }, i) => {
      const at = 7 * part;
      this.position.fromArray(poses, at);
      this.turn.fromArray(poses, at + 3);
      this.matrices[i]!.compose(this.position, this.turn, this.unit).multiply(back);
    });
  }

  matrix(name: BodyName): Matrix4 {
    return this.matrices[bodyNames.indexOf(name)]!;
  }
}
