// What a deflection means: a velocity, which ends with it, or a force, which moves something with a mass through something viscous.

import { still, type SixAxes } from './six-axes';

export type MappingName = 'velocity' | 'force';

/** Time in s in which a force brings the hand to all but 1/e of its speed, and in which that fades. What coasts goes on by its speed times this. */
export const COASTING = 0.4;
/** Shares of the full speed below this are rest. */
const CREEP = 1e-3;

const names = Object.keys(still) as (keyof SixAxes)[];

export class Mapping {
  private velocity: SixAxes = still;

  /** Mean velocity of the next `seconds`, in shares of the full speed, under this deflection. */
  next(deflection: SixAxes, mapping: MappingName, seconds: number): SixAxes {
    if (mapping === 'velocity' || seconds <= 0) {
      this.velocity = mapping === 'velocity' ? deflection : this.velocity;
      return this.velocity;
    }
    // m v' = F - c v with F = c times the deflection and m / c the time above: the exact solution, and its mean.
    const fade = Math.exp(-seconds / COASTING);
    const mean = { ...still };
    const after = { ...still };
    for (const name of names) {
      const gap = this.velocity[name] - deflection[name];
      after[name] = deflection[name] + gap * fade;
      mean[name] = deflection[name] + (gap * COASTING * (1 - fade)) / seconds;
    }
    const rests = names.every((name) => deflection[name] === 0 && Math.abs(after[name]) < CREEP);
    this.velocity = rests ? still : after;
    return rests ? still : mean;
  }

  /** Nothing is held, or what is held has met something: there is no speed to go on with. */
  stop(): void {
    this.velocity = still;
  }
}
