// While a hand moves something, the picture that a person waits for shows the simulation's answer to the newest motion. A picture that is begun just before the
// answer comes shows the old state and delays the new one by all that it takes; so pictures wait for answers, as long as these come soon.

/** An answer that is not there after this time is not waited for. */
const PATIENCE_MS = 40;

export class AnswerWait {
  /** The last message that a picture has shown the answer to. */
  private shown = 0;
  private since: number | null = null;

  /** Whether a picture should be drawn now, in ms; `sent` is the number of the newest message, `answered` the largest that the newest frame has seen. */
  isDue(sent: number, answered: number, now: number): boolean {
    if (sent < this.shown) this.shown = 0; // a new connection counts from the start
    if (answered > this.shown || answered >= sent) return true;
    this.since ??= now;
    return now - this.since >= PATIENCE_MS;
  }

  /** Whether the newest frame shows an answer that no picture has shown. */
  hasNews(answered: number): boolean {
    return answered > this.shown;
  }

  drew(answered: number): void {
    this.shown = answered;
    this.since = null;
  }
}
