// A machine that needs long for a picture would draw without pause and leave no time for keys and clicks. After a slow
// picture the drawing rests for as long as that took, so that at least half of the time belongs to the person. While a hand moves something the picture is what the person waits for:
// then it does not rest, and where several pictures took long they are coarse until the hand lets go: another size costs a picture by itself.

const SLOW_MS = 80;
const LONGEST_REST_MS = 250;

/** So many pictures in turn that take longer than this under a hand make the next ones coarse: this share of the pixels along each side. */
const HURRIED_MS = 50;
const IN_TURN = 4;
const COARSE = 0.5;

export class Breather {
  private drawnAt: number | null = null;
  private restUntil = -Infinity;
  private slowInTurn = 0;

  /** Share of the pixels along each side that a picture should have now. */
  get share(): number {
    return this.slowInTurn >= IN_TURN ? COARSE : 1;
  }

  /** Called at each turn of the frame loop, in ms; whether this turn may draw. `hurries` while a hand moves something. */
  mayDraw(now: number, hurries = false): boolean {
    if (!hurries) this.slowInTurn = 0;
    if (this.drawnAt !== null) {
      // The turn after a drawn one comes when the picture is done.
      const took = now - this.drawnAt;
      this.drawnAt = null;
      if (hurries && this.slowInTurn < IN_TURN) this.slowInTurn = took > HURRIED_MS ? this.slowInTurn + 1 : 0;
      if (!hurries && took > SLOW_MS) this.restUntil = now + Math.min(LONGEST_REST_MS, took);
    }
    return hurries || now >= this.restUntil;
  }

  drew(now: number): void {
    this.drawnAt = now;
  }
}
