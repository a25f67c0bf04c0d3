// The upper end of an axis or of an arrow scale, in nice steps: it grows at once, and shrinks only after
// the data has stayed small for three seconds, so that nothing jumps to and fro.

import { niceAbove } from './nice';

const SHRINK_AFTER_SECONDS = 3;

export class CalmRange {
  private current: number;
  private smallSince: number | null = null;

  constructor(private readonly least: number) {
    this.current = least;
  }

  /** The upper end for data that reaches up to `largest`, seen at clock time `now` in seconds. */
  fit(largest: number, now: number): number {
    const wanted = Math.max(this.least, largest > 0 && Number.isFinite(largest) ? niceAbove(largest) : this.least);
    if (wanted >= this.current) {
      this.current = wanted;
      this.smallSince = null;
    } else if (this.smallSince === null) {
      this.smallSince = now;
    } else if (now - this.smallSince >= SHRINK_AFTER_SECONDS) {
      this.current = wanted;
      this.smallSince = null;
    }
    return this.current;
  }
}
