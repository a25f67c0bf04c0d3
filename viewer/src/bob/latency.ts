// From a hand's move to the picture that shows it: measured for every change that was sent.

const KEPT = 120;

export class LatencyMeter {
  readonly milliseconds: number[] = [];
  private waiting: { id: number; at: number }[] = [];

  sent(id: number, at: number): void {
    this.waiting.push({ id, at });
    if (this.waiting.length > KEPT) this.waiting.shift();
  }

  /** A picture was drawn from a frame that has seen everything up to `id`. */
  drew(id: number, now: number): void {
    while (this.waiting.length > 0 && this.waiting[0]!.id <= id) {
      this.milliseconds.push(now - this.waiting.shift()!.at);
      if (this.milliseconds.length > KEPT) this.milliseconds.shift();
    }
  }

  restart(): void {
    this.waiting = [];
    this.milliseconds.length = 0;
  }

  /** Median and largest of late, in ms; null before the first. */
  get summary(): { median: number; largest: number } | null {
    if (this.milliseconds.length === 0) return null;
    const sorted = [...this.milliseconds].sort((a, b) => a - b);
    return { median: sorted[sorted.length >> 1]!, largest: sorted.at(-1)! };
  }
}
