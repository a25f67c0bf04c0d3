// Rumble by contact force: it repeats what is shown, never replaces it.

import { CalmRange } from '../numbers/range';

const EVERY_MS = 60;
const LAST_MS = 90;
const WEAKEST = 0.04;

/** As much of a gamepad's actuator as is used; a headset's controllers have another one. */
export interface Actuator {
  playEffect?(kind: 'dual-rumble', effect: { duration: number; strongMagnitude: number; weakMagnitude: number }): Promise<unknown>;
  pulse?(strength: number, duration: number): Promise<unknown>;
}

export class Rumble {
  private readonly range = new CalmRange(1);
  private playedAt = -Infinity;

  /** Plays a force in N on a device; the strongest force of late is full strength. */
  play(force: number, actuator: Actuator | null | undefined, now: number): void {
    if (!actuator || now - this.playedAt < EVERY_MS) return;
    const strength = Math.sqrt(Math.max(0, force) / this.range.fit(force, now / 1000));
    if (strength < WEAKEST) return;
    this.playedAt = now;
    void actuator.playEffect?.('dual-rumble', { duration: LAST_MS, strongMagnitude: strength * strength, weakMagnitude: strength })?.catch(() => {});
    if (!actuator.playEffect) void actuator.pulse?.(strength, LAST_MS)?.catch(() => {});
  }
}
