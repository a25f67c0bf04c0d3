// How long it takes until a frame shows that the simulation has seen what was sent.

const KEPT = 240;
/** So many delays have a 95th part in a hundred. */
const ENOUGH = 20;

export class Acknowledgements {
  /** Milliseconds of the last messages, oldest first. */
  readonly delays: number[] = [];
  private lastId = 0;
  private waiting: { id: number; at: number }[] = [];

  /** The number of the last message. */
  get sent(): number {
    return this.lastId;
  }

  /** The number of the next message, sent at `now` (ms). */
  next(now: number): number {
    this.lastId += 1;
    this.waiting.push({ id: this.lastId, at: now });
    if (this.waiting.length > KEPT) this.waiting.shift();
    return this.lastId;
  }

  /** A frame says that everything up to `id` was seen. */
  seen(id: number, now: number): void {
    while (this.waiting.length > 0 && this.waiting[0]!.id <= id) {
      this.delays.push(now - this.waiting.shift()!.at);
      if (this.delays.length > KEPT) this.delays.shift();
    }
  }

  /** What 95 % of the last delays stay below, in ms; null before there are enough to tell. */
  get nearlyAll(): number | null {
    if (this.delays.length < ENOUGH) return null;
    return [...this.delays].sort((a, b) => a - b)[Math.floor(0.95 * (this.delays.length - 1))]!;
  }

  /** A new connection counts from the start. */
  restart(): void {
    this.lastId = 0;
    this.waiting = [];
  }
}
