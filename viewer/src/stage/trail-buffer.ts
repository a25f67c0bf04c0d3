// Where bodies have been: the last places of each, in a ring that is written in place.

export class TrailBuffer {
  /** x, y, z of `length` places for each body; the newest is at `head - 1`. */
  readonly places: Float32Array;
  private head = 0;
  private filled = 0;
  private lastTime = -Infinity;

  constructor(
    readonly bodies: readonly number[],
    readonly length: number,
    /** Simulated seconds between two places. */
    private readonly interval: number,
  ) {
    this.places = new Float32Array(3 * length * bodies.length);
  }

  /** How many places each body has. */
  get count(): number {
    return this.filled;
  }

  clear(): void {
    this.head = this.filled = 0;
    this.lastTime = -Infinity;
  }

  /** Takes a frame's poses if its time has moved on; a step back in time begins anew. Returns whether it was taken. */
  add(time: number, poses: Float32Array, stride: number): boolean {
    if (time < this.lastTime) this.clear();
    if (time - this.lastTime < 0.999 * this.interval) return false; // times are sums and round
    this.lastTime = time;
    this.bodies.forEach((body, i) => {
      for (let k = 0; k < 3; k += 1) this.places[3 * (i * this.length + this.head) + k] = poses[stride * body + k]!;
    });
    this.head = (this.head + 1) % this.length;
    this.filled = Math.min(this.length, this.filled + 1);
    return true;
  }

  /** Writes the trails as segments from old to new: two points each into `points`, and how old each is (0 new to 1) into `ages`. */
  segments(points: Float32Array, ages: Float32Array): number {
    let written = 0;
    const oldest = (this.head - this.filled + this.length) % this.length;
    for (let i = 0; i < this.bodies.length; i += 1) {
      for (let k = 0; k + 1 < this.filled; k += 1) {
        for (const step of [k, k + 1]) {
          const from = 3 * (i * this.length + ((oldest + step) % this.length));
          points[3 * written] = this.places[from]!;
          points[3 * written + 1] = this.places[from + 1]!;
          points[3 * written + 2] = this.places[from + 2]!;
          ages[written] = 1 - (step + 1) / this.filled;
          written += 1;
        }
      }
    }
    return written;
  }
}
