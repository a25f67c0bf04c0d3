// Notices that pictures come too slowly: less than 28 a second over three seconds of drawing.

const WINDOW_SECONDS = 3;
const SLOWEST_PER_SECOND = 28;
/** A longer gap is a hidden page or a sleeping machine and says nothing. */
const LONGEST_GAP = 0.5;

export class PaceGovernor {
  private last: number | null = null;
  private seconds = 0;
  private pictures = 0;

  /** Told of each turn of the frame loop, in ms, and whether it drew; true once after a window that was too slow. */
  tooSlow(now: number, drawn: boolean): boolean {
    const gap = this.last === null ? Infinity : (now - this.last) / 1000;
    this.last = now;
    if (!drawn || gap > LONGEST_GAP) {
      if (gap > LONGEST_GAP) this.restart();
      return false;
    }
    this.seconds += gap;
    this.pictures += 1;
    if (this.seconds < WINDOW_SECONDS) return false;
    const slow = this.pictures < SLOWEST_PER_SECOND * this.seconds;
    this.restart();
    return slow;
  }

  private restart(): void {
    this.seconds = 0;
    this.pictures = 0;
  }
}
