// What the badge says of the simulation's pace: smoothed over half a second, and changing between on time
// and slowed only after the new state has held for a second. A pause or a lost server shows at once.

export type Pace = 'connecting' | 'on-time' | 'slowed' | 'paused' | 'lost';

const SMOOTHING_SECONDS = 0.5;
const HOLD_SECONDS = 1;

export class PaceMeter {
  pace: Pace = 'connecting';
  factor = 1;
  private candidateSince: number | null = null;
  private lastTime: number | null = null;

  /** Takes a report's real-time factor, seen at clock time `now` in seconds. */
  report(factor: number, now: number): void {
    const elapsed = this.lastTime === null ? Infinity : now - this.lastTime;
    this.lastTime = now;
    const weight = 1 - Math.exp(-elapsed / SMOOTHING_SECONDS);
    this.factor += weight * (factor - this.factor);
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
    this.candidateSince ??= now;
    if (now - this.candidateSince >= HOLD_SECONDS) {
      this.pace = wanted;
      this.candidateSince = null;
    }
  }
}
