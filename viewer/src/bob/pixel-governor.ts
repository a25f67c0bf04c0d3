// Fewer pixels where pictures come too slowly, more again where they come fast: the last step of the automatic quality, taken while one drives, because
// it builds nothing anew.

/** Share of both sides of the picture that is drawn. */
export const PIXEL_SHARES = [1, 0.75, 0.5, 0.35] as const;
/** A picture longer than this, in ms, is too slow; shorter than that, it may grow. */
const SLOW_MS = 75;
const FAST_MS = 55;
/** Pictures in a judgement, and the shortest time that it takes in ms. */
const PICTURES = 6;
const WINDOW_MS = 700;
/** A longer gap is a hidden page, or one that is being built, in ms. */
const LONGEST_MS = 4000;

export class PixelGovernor {
  private level = 0;
  private last: number | null = null;
  private passed = 0;
  private pictures = 0;

  get share(): number {
    return PIXEL_SHARES[this.level]!;
  }

  /** Told of every picture at a time in ms; true where the share has changed. */
  drew(now: number): boolean {
    const gap = this.last === null ? Infinity : now - this.last;
    this.last = now;
    if (gap > LONGEST_MS) {
      this.restart();
      return false;
    }
    this.passed += gap;
    this.pictures += 1;
    if (this.pictures < PICTURES || this.passed < WINDOW_MS) return false;
    const mean = this.passed / this.pictures;
    this.restart();
    const before = this.level;
    if (mean > SLOW_MS && this.level < PIXEL_SHARES.length - 1) this.level += 1;
    else if (this.level > 0) {
      // As if all of a picture went into its pixels: then it stays fast after it has grown.
      const growth = (PIXEL_SHARES[this.level - 1]! / this.share) ** 2;
      if (mean * growth < FAST_MS) this.level -= 1;
    }
    return this.level !== before;
  }

  private restart(): void {
    this.passed = 0;
    this.pictures = 0;
  }
}
