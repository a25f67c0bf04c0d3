// How old the picture is: the time between a state of the simulation and the moment at which it is seen.
//
// The server's clock comes with its reports. A report may be late, but never early, so the smallest difference of both
// clocks that was ever seen is the best estimate of the true one; what a picture is behind it is its age.

/** Below this the simulation hardly moves, and an age cannot be told from its time. */
const SLOWEST = 0.05;

interface Known {
  /** Simulated time, and the server's clock at it, in s. */
  time: number;
  clock: number;
  /** Simulated seconds per second. */
  factor: number;
}

export class LagMeter {
  private offset = Infinity;
  private known: Known | null = null;

  /** Takes a report that arrives at `now`, in seconds of this page's clock. */
  report(known: Known, now: number): void {
    this.offset = Math.min(this.offset, now - known.clock);
    this.known = known.factor >= SLOWEST ? known : null;
  }

  /** The simulation was paused or brought to another time: nothing is known until the next report. */
  forget(): void {
    this.known = null;
  }

  /** A new connection may be one to another server, with another clock. */
  restart(): void {
    this.offset = Infinity;
    this.known = null;
  }

  /** Age in s at `now` of a picture of this simulated time; 0 where nothing is known. */
  ageOf(time: number, now: number): number {
    if (!this.known) return 0;
    const since = now - this.offset - this.known.clock;
    return Math.max(0, since + (this.known.time - time) / this.known.factor);
  }
}
