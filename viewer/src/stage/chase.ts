// A camera that turns with the body it follows, softly, and leaves looking around to the viewer.

import { Quaternion } from 'three';

/** Simulated seconds in which the camera makes up for most of a turn. */
const LAG = 0.35;

export class Chase {
  private readonly before = new Quaternion();
  private time: number | null = null;
  /** Turn about the vertical that the camera still owes. */
  private owed = 0;

  constructor(turn: Quaternion) {
    this.before.copy(turn);
  }

  /** By how much the camera is to turn about the vertical now that the body has this turn. */
  turn(now: Quaternion, time: number): number {
    const change = now.clone().multiply(this.before.invert());
    this.before.copy(now);
    const yaw = 2 * Math.atan2(change.y, change.w);
    const seconds = this.time === null ? 0 : time - this.time;
    this.time = time;
    // Back in time, or to the start: the camera goes along at once.
    if (seconds < 0) {
      this.owed = 0;
      return wrapped(yaw);
    }
    this.owed += wrapped(yaw);
    const paid = this.owed * (1 - Math.exp(-seconds / LAG));
    this.owed -= paid;
    return paid;
  }
}

/** The same angle between -π and π. */
function wrapped(angle: number): number {
  return angle - 2 * Math.PI * Math.round(angle / (2 * Math.PI));
}
