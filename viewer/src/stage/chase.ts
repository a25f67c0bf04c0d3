// A camera that comes round behind the body it follows, softly, and leaves looking around to the viewer.
//
// Where the body goes is behind what it has left: the way says so, whatever the body does about its own axes (a sled lies on its side
// in a steep curve, and turns about three axes do not add up to a heading). Which end of the way is ahead is the
// body's own turn to say: one that goes backwards has not turned round.

import { Quaternion, Vector3 } from 'three';

/** Simulated seconds in which the camera makes up for most of a turn. */
const LAG = 0.35;

/** Way over the ground, in m, after which a heading is taken: less is jitter of a body that stands. */
const STRETCH = 0.5;

export class Chase {
  private readonly turned = new Quaternion();
  private readonly left = new Vector3();
  private time: number | null = null;
  /** Where the camera should be, seen from the body: an angle about the vertical. Unknown until the body has gone somewhere. */
  private behind: number | null = null;
  /** What the body has turned about the vertical since then. */
  private yaw = 0;
  /** Turn about the vertical that the camera still owes. */
  private owed = 0;

  constructor(position: Vector3, turn: Quaternion) {
    this.left.copy(position);
    this.turned.copy(turn);
  }

  /** By how much the camera, which is at this angle about the vertical, is to turn now that the body is here. */
  turn(position: Vector3, turn: Quaternion, time: number, angle: number): number {
    const change = turn.clone().multiply(this.turned.invert());
    this.turned.copy(turn);
    const yaw = wrapped(2 * Math.atan2(change.y, change.w));
    const seconds = this.time === null ? 0 : time - this.time;
    this.time = time;
    // Back in time, or to the start: the camera goes along at once.
    if (seconds < 0) {
      this.left.copy(position);
      if (this.behind !== null) this.behind += this.yaw + yaw;
      [this.yaw, this.owed] = [0, 0];
      return yaw;
    }
    this.yaw += yaw;
    const [x, z] = [position.x - this.left.x, position.z - this.left.z];
    if (Math.hypot(x, z) > STRETCH) {
      // The view that the viewer has is taken to be more or less from behind.
      const [held, expected] = this.behind === null ? [angle, angle] : [this.behind, this.behind + this.yaw];
      const off = wrapped(Math.atan2(-x, -z) - expected);
      const behind = expected + (Math.abs(off) > Math.PI / 2 ? wrapped(off + Math.PI) : off);
      this.owed += behind - held;
      [this.behind, this.yaw] = [behind, 0];
      this.left.copy(position);
    }
    const paid = this.owed * (1 - Math.exp(-seconds / LAG));
    this.owed -= paid;
    return paid;
  }
}

/** The same angle between -π and π. */
function wrapped(angle: number): number {
  return angle - 2 * Math.PI * Math.round(angle / (2 * Math.PI));
}
