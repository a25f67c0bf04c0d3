// Notices that a running scene has come to rest: time passes, and nothing moves.

/** Simulated seconds without motion after which a scene is at rest. */
const REST_SECONDS = 2;

export class Stillness {
  private since: number | null = null;

  /** Told of each frame: its time in s, whether time passes, and whether any body has moved since the frame before. */
  isStill(time: number, running: boolean, moved: boolean): boolean {
    if (!running || moved || this.since === null || time < this.since) {
      this.since = time;
      return false;
    }
    return time - this.since >= REST_SECONDS;
  }
}
