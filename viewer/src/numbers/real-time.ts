// What the badge says of the simulation's pace: smoothed over half a second, and called slowed only
// after that has held for a second. On time again, a pause or a lost server show at once.

export type Pace = 'connecting' | 'on-time' | 'slowed' | 'paused' | 'lost';

const SMOOTHING_SECONDS = 0.5;
const HOLD_SECONDS = 1;
/** A simulation that reaches this share of its speed is on time: less cannot be seen. */
const ON_TIME = 0.97;
/** Where steps take this share of their time or more, they are the reason for being late. */
const BUSY_STEPS = 0.8;

/** What makes a simulation slow: its own steps, or others that take the processor from it. */
export type Slowness = 'simulation' | 'machine';

export function slownessOf({ step_ms, aim_ms }: { step_ms: number; aim_ms: number }): Slowness {
  return step_ms >= BUSY_STEPS * aim_ms ? 'simulation' : 'machine';
}

export class PaceMeter {
  pace: Pace = 'connecting';
  factor = 1;
  /** Age of the picture in s, smoothed. */
  lag = 0;
  private lookedAt: number | null = null;
  private candidateSince: number | null = null;
  private lastTime: number | null = null;

  /** Takes a report's real-time factor, seen at clock time `now` in seconds. */
  report(factor: number, now: number): void {
    const elapsed = this.lastTime === null ? Infinity : now - this.lastTime;
    this.lastTime = now;
    const weight = 1 - Math.exp(-elapsed / SMOOTHING_SECONDS);
    this.factor += weight * (factor - this.factor);
  }

  /** Takes the age of the picture, seen at clock time `now` in seconds. */
  look(age: number, now: number): void {
    const elapsed = this.lookedAt === null ? 0 : now - this.lookedAt;
    this.lookedAt = now;
    this.lag += (1 - Math.exp(-elapsed / SMOOTHING_SECONDS)) * (age - this.lag);
  }

  /** Whether the simulation falls short of a speed. */
  isBelow(speed: number): boolean {
    return this.factor < ON_TIME * speed;
  }

  /** Takes what is known of the session right now; returns whether the pace changed. */
  update(known: { connected: boolean; greeted: boolean; running: boolean; slowed: boolean }, now: number): boolean {
    const before = this.pace;
    if (!known.connected) this.pace = known.greeted ? 'lost' : 'connecting';
    else if (!known.running) this.pace = 'paused';
    else this.settle(known.slowed ? 'slowed' : 'on-time', now);
    if (this.pace !== 'on-time' && this.pace !== 'slowed') {
      this.candidateSince = null;
      this.lastTime = null;
    }
    return this.pace !== before;
  }

  private settle(wanted: 'on-time' | 'slowed', now: number): void {
    const runs = this.pace === 'on-time' || this.pace === 'slowed';
    if (wanted === this.pace || !runs) {
      // A start is on time until a second of slowness says otherwise.
      if (!runs) this.pace = 'on-time';
      if (wanted === this.pace) this.candidateSince = null;
    }
    if (wanted === this.pace) return;
    // Whoever is on time again is not called slowed for another second.
    if (wanted === 'on-time') {
      this.pace = wanted;
      this.candidateSince = null;
      return;
    }
    this.candidateSince ??= now;
    if (now - this.candidateSince >= HOLD_SECONDS) {
      this.pace = wanted;
      this.candidateSince = null;
    }
  }
}
