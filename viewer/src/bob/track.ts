// A track as the server has it: rows of the ice, its course, its curves and its clocks. Everything drawn is made from this.

import type { TriangleData } from '../protocol/geometry';

export interface Bend {
  number: number;
  name: string;
  side: 'left' | 'right';
  begin: number;
  end: number;
  radius: number;
}

export interface TrackBrief {
  name: string;
  description: string;
  curves: number;
  finish: number;
  drop: number;
}

/** What a pilot steers by, beside an edge of the ice. */
export interface Landmark {
  s: number;
  side: 'left' | 'right';
  /** Of its middle above the edge, in m. */
  height: number;
  kind: 'board' | 'flag' | 'post';
  text: string;
  colour: string;
}

export interface TrackData extends TrackBrief {
  number: number;
  /** Station of each row of the ice in m. */
  rows: number[];
  /** Position, heading, curvature (both to the left above zero) and slope of the course at each row. */
  course: number[][];
  bends: Bend[];
  timing: { stations: number[]; race: number[] };
  start: { block: number; load: number; speed: number };
  brake: number;
  landmarks: Landmark[];
}

export type Triple = [number, number, number];

/** A place of the course. */
export interface Place {
  s: number;
  /** Lowest place of the ice. */
  floor: Triple;
  right: Triple;
  ahead: Triple;
  /** To the left above zero, in 1/m. */
  curvature: number;
  /** Edges of the ice. */
  leftEdge: Triple;
  rightEdge: Triple;
}

/** How near to the lowest vertex of a row the floor is, in m. */
const FLOOR = 0.03;

export class TrackShape {
  readonly columns: number;
  readonly count: number;
  /** Three numbers for each row. */
  readonly floors: Float32Array;
  /** Arc along the ice from the course to the right, in m, for each vertex. */
  readonly arcs: Float32Array;

  constructor(
    readonly data: TrackData,
    readonly ice: Float32Array,
    /** Boards above the edges, where they are hit. */
    readonly boards: TriangleData = { positions: new Float32Array(), indices: new Uint32Array() },
  ) {
    this.count = data.rows.length;
    this.columns = ice.length / 3 / this.count;
    if (!Number.isInteger(this.columns) || this.columns < 3) throw new Error(`the ice has ${ice.length / 3} vertices for ${this.count} rows`);
    this.floors = new Float32Array(3 * this.count);
    this.arcs = new Float32Array(this.count * this.columns);
    for (let row = 0; row < this.count; row += 1) {
      this.findFloor(row);
      this.measureArcs(row);
    }
  }

  get first(): number {
    return this.data.rows[0]!;
  }

  get last(): number {
    return this.data.rows.at(-1)!;
  }

  vertex(row: number, column: number): Triple {
    const at = 3 * (row * this.columns + column);
    return [this.ice[at]!, this.ice[at + 1]!, this.ice[at + 2]!];
  }

  /** Flat unit vector to the right of the course. */
  right(row: number): Triple {
    const heading = this.data.course[row]![3]!;
    return [Math.cos(heading), 0, -Math.sin(heading)];
  }

  private findFloor(row: number): void {
    let lowest = Infinity;
    for (let c = 0; c < this.columns; c += 1) lowest = Math.min(lowest, this.vertex(row, c)[1]);
    const sum: Triple = [0, 0, 0];
    let count = 0;
    for (let c = 0; c < this.columns; c += 1) {
      const v = this.vertex(row, c);
      if (v[1] > lowest + FLOOR) continue;
      count += 1;
      for (let k = 0; k < 3; k += 1) sum[k]! += v[k]!;
    }
    for (let k = 0; k < 3; k += 1) this.floors[3 * row + k] = sum[k]! / count;
  }

  private measureArcs(row: number): void {
    const [x, , z] = this.data.course[row]!;
    const right = this.right(row);
    const offset = (c: number) => {
      const v = this.vertex(row, c);
      return (v[0] - x!) * right[0] + (v[2] - z!) * right[2];
    };
    const from = row * this.columns;
    let zero = 0;
    let found = false;
    for (let c = 1; c < this.columns; c += 1) {
      const [a, b] = [this.vertex(row, c - 1), this.vertex(row, c)];
      this.arcs[from + c] = this.arcs[from + c - 1]! + Math.hypot(b[0] - a[0], b[1] - a[1], b[2] - a[2]);
      const [p, q] = [offset(c - 1), offset(c)];
      if (!found && p <= 0 && q > 0) {
        zero = this.arcs[from + c - 1]! + (p / (p - q)) * (this.arcs[from + c]! - this.arcs[from + c - 1]!);
        found = true;
      }
    }
    for (let c = 0; c < this.columns; c += 1) this.arcs[from + c]! -= zero;
  }

  /** Row before a station and the share of the way to the next one. */
  rowAt(s: number): [number, number] {
    const { rows } = this.data;
    let [low, high] = [0, rows.length - 1];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (rows[middle]! <= s) low = middle;
      else high = middle;
    }
    const share = (s - rows[low]!) / (rows[high]! - rows[low]!);
    return [low, Math.max(0, Math.min(1, share))];
  }

  /** The place at a station, clamped to the track. */
  at(s: number): Place {
    const [row, share] = this.rowAt(s);
    const next = Math.min(this.count - 1, row + 1);
    const mix = (a: Triple, b: Triple): Triple => [0, 1, 2].map((k) => a[k]! * (1 - share) + b[k]! * share) as Triple;
    const floorOf = (r: number): Triple => [this.floors[3 * r]!, this.floors[3 * r + 1]!, this.floors[3 * r + 2]!];
    const [a, b] = [this.data.course[row]!, this.data.course[next]!];
    const heading = a[3]! + share * (b[3]! - a[3]!);
    const slope = a[5]! + share * (b[5]! - a[5]!);
    const length = Math.hypot(1, slope);
    return {
      s,
      floor: mix(floorOf(row), floorOf(next)),
      right: [Math.cos(heading), 0, -Math.sin(heading)],
      ahead: [-Math.sin(heading) / length, slope / length, -Math.cos(heading) / length],
      curvature: a[4]! + share * (b[4]! - a[4]!),
      leftEdge: mix(this.vertex(row, 0), this.vertex(next, 0)),
      rightEdge: mix(this.vertex(row, this.columns - 1), this.vertex(next, this.columns - 1)),
    };
  }

  /** A place on the ice by station and arc to the right of the course. */
  onIce(s: number, arc: number): Triple {
    const [row, share] = this.rowAt(s);
    const one = (r: number): Triple => {
      const from = r * this.columns;
      for (let c = 1; c < this.columns; c += 1) {
        if (this.arcs[from + c]! < arc && c < this.columns - 1) continue;
        const [p, q] = [this.arcs[from + c - 1]!, this.arcs[from + c]!];
        const t = Math.max(0, Math.min(1, (arc - p) / Math.max(1e-9, q - p)));
        const [a, b] = [this.vertex(r, c - 1), this.vertex(r, c)];
        return [0, 1, 2].map((k) => a[k]! + t * (b[k]! - a[k]!)) as Triple;
      }
      return this.vertex(r, this.columns - 1);
    };
    const [a, b] = [one(row), one(Math.min(this.count - 1, row + 1))];
    return [0, 1, 2].map((k) => a[k]! * (1 - share) + b[k]! * share) as Triple;
  }

  /** The curve at a station, its straight after it included; null before the first. */
  bendAt(s: number): Bend | null {
    return this.data.bends.findLast(({ begin }) => begin <= s) ?? null;
  }
}

/** A part of the drawn sled: which body it belongs to, and its place in that body's frame (position, quaternion). */
export interface SledPart {
  body: string;
  place: number[];
}

export interface Contact {
  name: string;
  law: 'runner' | 'bumper' | 'rim';
  body: string;
  point: Triple;
}

export interface Offer {
  tracks: TrackBrief[];
  channels: { key: string; unit: string; text: string }[];
  sled: { name: string; parts: SledPart[]; contacts: Contact[] };
}

/** The line that costs least: station, arc to the right of the course, speed, load. */
export type LinePoint = [number, number, number, number];

/** The value of a column of the line at a station, linear between its points. */
export function lineAt(line: readonly LinePoint[], s: number, column: 1 | 2 | 3): number {
  if (line.length === 0) return 0;
  let [low, high] = [0, line.length - 1];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (line[middle]![0] <= s) low = middle;
    else high = middle;
  }
  const [a, b] = [line[low]!, line[high]!];
  const share = b[0] > a[0] ? Math.max(0, Math.min(1, (s - a[0]) / (b[0] - a[0]))) : 0;
  return a[column] + share * (b[column] - a[column]);
}
