// A pinch of thumb and index finger: it grasps a body where both tips are at it, and nothing in the air (Buck 1999, section 10.2).

import type { Vector3 } from 'three';

/** Where the tips are, in the world. */
export interface Fingertips {
  thumb: Vector3;
  index: Vector3;
}

/** How far a point is from a body's surface, in m, negative inside; null of a body that is not there. */
export type DistanceTo = (body: number, point: Vector3) => number | null;

/** A tip within this distance of a surface, in real metres, is at it: tracked fingers tremble. */
export const AT_SURFACE = 0.008;
/** A grasp ends when the tips are farther apart than when it began by this, or farther than this times that. */
const OPENED = 0.015;
const OPENED_SHARE = 1.25;
/** Tips farther apart than this grasp nothing: that is a hand that lies about something. */
const WIDEST = 0.16;

/** What a pinch has just done. */
export type PinchChange = { kind: 'grasps'; body: number; at: Vector3 } | { kind: 'lets go' } | null;

export class Pinch {
  /** The distance of the tips when it grasped; null while it holds nothing. */
  private grasped: number | null = null;
  /** Tips that were at a body must leave it before they grasp again: a hand that lets go does not take hold at once. */
  private armed = true;

  get holds(): boolean {
    return this.grasped !== null;
  }

  /** Looks at the tips; `scale` is metres of the world per real metre. A hand that is not seen lets go. */
  update(tips: Fingertips | null, bodies: readonly number[], distance: DistanceTo, scale = 1): PinchChange {
    if (!tips) return this.letGo();
    const width = tips.thumb.distanceTo(tips.index) / scale;
    if (this.grasped !== null) {
      const open = width > this.grasped + OPENED || width > OPENED_SHARE * this.grasped + 0.5 * OPENED;
      return open ? this.letGo() : null;
    }
    const body = width <= WIDEST ? this.between(tips, bodies, distance, AT_SURFACE * scale) : null;
    if (body === null) this.armed = true;
    if (body === null || !this.armed) return null;
    this.grasped = width;
    this.armed = false;
    return { kind: 'grasps', body, at: tips.thumb.clone().add(tips.index).multiplyScalar(0.5) };
  }

  private letGo(): PinchChange {
    if (this.grasped === null) return null;
    this.grasped = null;
    return { kind: 'lets go' };
  }

  /** The body that both tips are at; the nearest of several. */
  private between({ thumb, index }: Fingertips, bodies: readonly number[], distance: DistanceTo, reach: number): number | null {
    let best: number | null = null;
    let least = reach;
    for (const body of bodies) {
      const [a, b] = [distance(body, thumb), distance(body, index)];
      if (a === null || b === null) continue;
      const farther = Math.max(a, b);
      if (farther < least || (farther === least && best === null)) [best, least] = [body, farther];
    }
    return best;
  }
}
