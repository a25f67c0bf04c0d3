// A machine that needs long for a picture would draw without pause and leave no time for keys and clicks. After a slow
// picture the drawing rests for as long as that took, so that at least half of the time belongs to the person.

const SLOW_MS = 80;
const LONGEST_REST_MS = 250;

export class Breather {
  private drawnAt: number | null = null;
  private restUntil = -Infinity;

  /** Called at each turn of the frame loop, in ms; whether this turn may draw. */
  mayDraw(now: number): boolean {
    if (this.drawnAt !== null) {
      // The turn after a drawn one comes when the picture is done.
      const took = now - this.drawnAt;
      this.drawnAt = null;
      if (took > SLOW_MS) this.restUntil = now + Math.min(LONGEST_REST_MS, took);
    }
    return now >= this.restUntil;
  }

  drew(now: number): void {
    this.drawnAt = now;
  }
}
