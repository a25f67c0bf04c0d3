// From the hands to the sled: what is held is looked at often and told when it changed.

import type { Hands, Held } from './hands';

/** Time between two looks at the hands, in ms: the least that browsers keep to. Keys are looked at when they are pressed. */
export const LOOK_MS = 4;
/** A longer pause than this is not made up for, in s. */
const LONGEST = 0.1;

export class HandLink {
  private looked: number;
  private told: Held | null = null;

  /** `tell` sends what is held; false where nobody listens. */
  constructor(
    private readonly hands: Pick<Hands, 'update'>,
    private readonly tell: (held: Held) => boolean,
    now: number,
  ) {
    this.looked = now;
  }

  /** Whatever was told before does not count any more. */
  forget(): void {
    this.told = null;
  }

  /** What is held at a time in ms. */
  look(now: number): Held {
    const seconds = Math.min(LONGEST, (now - this.looked) / 1000);
    this.looked = now;
    return this.hands.update(seconds);
  }

  /** Tells what is held, unless it was told already; true where it was sent. */
  pass(held: Held): boolean {
    const { told } = this;
    if (told && told.steering === held.steering && told.push === held.push && told.brake === held.brake) return false;
    this.told = held;
    return this.tell({ ...held });
  }
}
