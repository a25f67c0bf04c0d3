// Recorded runs: listed by the server, read as numbers, shown at any time; ghosts and distances in time come from them.

import { keys, noTelemetry, telemetryOf, type Telemetry } from './channels';

export interface Split {
  s: number;
  time: number;
  speed: number;
}

export interface RunEntry {
  name: string;
  /** Unix time in s. */
  recorded: number;
  seconds: number;
  bytes: number;
  warning: string | null;
  track: number;
  track_name: string;
  time: number | null;
  splits: Split[];
  crash: [number, number] | null;
  top_speed: number;
  largest_load: number;
  hits: number;
  curve: number;
  help: number;
  driven: boolean;
  changed: Record<string, number>;
}

/** The fastest whole run of a track, by own hands or by the pilot's; without help it counts more than with. */
export function bestOf(runs: readonly RunEntry[], track: number): RunEntry | null {
  const whole = runs.filter((run) => run.track === track && run.time !== null && run.curve === 0);
  return whole.sort((a, b) => a.time! - b.time!)[0] ?? null;
}

/** The board of a track: the fastest first. */
export function board(runs: readonly RunEntry[], track: number, most = 8): RunEntry[] {
  return runs.filter((run) => run.track === track && run.time !== null && run.curve === 0).sort((a, b) => a.time! - b.time!).slice(0, most);
}

const POSE = 7;

/** A run in memory. */
export class RunData {
  private readonly numbers: Float32Array;
  readonly count: number;
  readonly parts: number;
  private readonly channels: number;
  private readonly stride: number;
  private readonly telemetry = noTelemetry();

  constructor(
    readonly name: string,
    buffer: ArrayBuffer,
  ) {
    const head = new DataView(buffer);
    const magic = buffer.byteLength >= 16 ? [0, 1, 2, 3].map((i) => String.fromCharCode(head.getUint8(i))).join('') : '';
    if (magic !== 'PRB1') throw new Error(`the run ${name} starts with "${magic}", not with "PRB1"`);
    [this.count, this.channels, this.parts] = [4, 8, 12].map((at) => head.getUint32(at, true)) as [number, number, number];
    this.stride = 1 + this.channels + POSE * this.parts;
    const expected = 16 + 4 * this.count * this.stride;
    if (buffer.byteLength !== expected) throw new Error(`the run ${name} needs ${expected} bytes, there are ${buffer.byteLength}`);
    if (this.count === 0 || this.channels !== keys.length) throw new Error(`the run ${name} has ${this.channels} channels, not ${keys.length}`);
    this.numbers = new Float32Array(buffer, 16);
  }

  timeOf(frame: number): number {
    return this.numbers[frame * this.stride]!;
  }

  valueOf(frame: number, key: (typeof keys)[number]): number {
    return this.numbers[frame * this.stride + 1 + keys.indexOf(key)]!;
  }

  get seconds(): number {
    return this.timeOf(this.count - 1);
  }

  /** Last frame at or before a value of something that grows, by bisection. */
  private frameBefore(grows: (frame: number) => number, value: number): number {
    let [low, high] = [0, this.count - 1];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (grows(middle) <= value) low = middle;
      else high = middle;
    }
    return this.count > 1 && grows(high) <= value ? high : low;
  }

  /** Channels at a time since the recording began; numbers that count or happen are those of the frame before. */
  at(time: number): Telemetry {
    const frame = this.frameBefore((i) => this.timeOf(i), time);
    return telemetryOf(this.numbers, frame * this.stride + 1, this.telemetry);
  }

  /** Poses of the sled's parts at a time, between two frames: positions on the line, quaternions normalised. */
  poses(time: number, into: Float32Array): Float32Array {
    const frame = this.frameBefore((i) => this.timeOf(i), time);
    const next = Math.min(this.count - 1, frame + 1);
    const [t0, t1] = [this.timeOf(frame), this.timeOf(next)];
    const share = t1 > t0 ? Math.max(0, Math.min(1, (time - t0) / (t1 - t0))) : 0;
    const at = (f: number) => f * this.stride + 1 + this.channels;
    for (let part = 0; part < this.parts; part += 1) {
      const [a, b, to] = [at(frame) + POSE * part, at(next) + POSE * part, POSE * part];
      const { numbers } = this;
      for (let k = 0; k < 3; k += 1) into[to + k] = numbers[a + k]! + share * (numbers[b + k]! - numbers[a + k]!);
      let dot = 0;
      for (let k = 3; k < POSE; k += 1) dot += numbers[a + k]! * numbers[b + k]!;
      let length = 0;
      for (let k = 3; k < POSE; k += 1) {
        const value = numbers[a + k]! * (1 - share) + Math.sign(dot || 1) * share * numbers[b + k]!;
        into[to + k] = value;
        length += value * value;
      }
      length = Math.sqrt(length) || 1;
      for (let k = 3; k < POSE; k += 1) into[to + k]! /= length;
    }
    return into;
  }

  /** When its clock was zero, on the recording's own time: ghosts run from there. A run that began further down has its clock already. */
  get zero(): number {
    for (let i = 0; i < this.count; i += 1) {
      const clock = this.valueOf(i, 'clock');
      if (clock >= 0) return this.timeOf(i) - clock;
    }
    return 0;
  }

  /** Clock at which it passed a station; null where it never was. */
  clockAt(station: number): number | null {
    if (station < this.valueOf(0, 'station') || station > this.valueOf(this.count - 1, 'station')) return null;
    const frame = this.frameBefore((i) => this.valueOf(i, 'station'), station);
    const next = Math.min(this.count - 1, frame + 1);
    const [s0, s1] = [this.valueOf(frame, 'station'), this.valueOf(next, 'station')];
    const share = s1 > s0 ? (station - s0) / (s1 - s0) : 0;
    return this.timeOf(frame) + share * (this.timeOf(next) - this.timeOf(frame)) - this.zero;
  }

  /** Time on the recording at which a station was passed; its end where it never was. */
  timeAt(station: number): number {
    const clock = this.clockAt(station);
    return clock === null ? (station < this.valueOf(0, 'station') ? 0 : this.seconds) : clock + this.zero;
  }

  /** Times on the recording at which a bumper hit something. */
  hitTimes(): number[] {
    const times: number[] = [];
    for (let i = 1; i < this.count; i += 1) if (this.valueOf(i, 'hits') > this.valueOf(i - 1, 'hits')) times.push(this.timeOf(i));
    return times;
  }

  /** All channels as a table. */
  csv(): string {
    const lines = [['time', ...keys].join(',')];
    for (let i = 0; i < this.count; i += 1) lines.push(Array.from(this.numbers.subarray(i * this.stride, i * this.stride + 1 + keys.length), (x) => String(Number(x.toPrecision(7)))).join(','));
    return `${lines.join('\n')}\n`;
  }
}

/** How far the present run is behind another, in s; below zero it is ahead. Null where either has no clock there. */
export function gap(clock: number, station: number, other: RunData): number | null {
  if (clock < 0) return null;
  const then = other.clockAt(station);
  return then === null || then < 0 ? null : clock - then;
}

/** Differences of splits at the same barriers. */
export function splitGaps(own: readonly Split[], other: readonly Split[]): { s: number; time: number; gap: number | null }[] {
  return own.map(({ s, time }) => {
    const match = other.find((split) => Math.abs(split.s - s) < 0.5);
    return { s, time, gap: match ? time - match.time : null };
  });
}

/** Name of a file that is made of a run. */
export function fileName(run: RunEntry, ending: string): string {
  return `${run.name.replace(/\.mcap$/, '')}.${ending}`;
}
