import { describe, expect, it } from 'vitest';
import { keys } from './channels';
import { ghostSplitGap } from './ghosts';
import { diagram } from './diagrams';
import { bestOf, board, gap, RunData, splitGaps, type RunEntry } from './runs';

/** A run with a constant speed from station -5 at time 0; one part that turns about y. */
function run(speed: number, frames = 61, name = 'a.mcap'): RunData {
  const stride = 1 + keys.length + 7;
  const buffer = new ArrayBuffer(16 + 4 * frames * stride);
  const head = new DataView(buffer);
  [...'PRB1'].forEach((letter, i) => head.setUint8(i, letter.charCodeAt(0)));
  [frames, keys.length, 1].forEach((n, i) => head.setUint32(4 + 4 * i, n, true));
  const numbers = new Float32Array(buffer, 16);
  for (let i = 0; i < frames; i += 1) {
    const time = i / 10;
    const station = -5 + speed * time;
    const at = i * stride;
    numbers[at] = time;
    numbers[at + 1 + keys.indexOf('station')] = station;
    numbers[at + 1 + keys.indexOf('clock')] = station >= 0 ? station / speed : -1;
    numbers.set([0, 0, -station, 0, Math.sin(time / 2), 0, Math.cos(time / 2)], at + 1 + keys.length);
  }
  return new RunData(name, buffer);
}

describe('a run', () => {
  it('is shown between its frames', () => {
    const pose = run(10).poses(1.23, new Float32Array(7));
    expect(pose[2]).toBeCloseTo(5 - 12.3, 4);
    expect(2 * Math.asin(pose[4]!)).toBeCloseTo(1.23, 3);
    expect(Math.hypot(...pose.slice(3))).toBeCloseTo(1, 6);
  });
  it('knows its clock at every station, whatever its frames', () => {
    const data = run(10);
    expect(data.zero).toBeCloseTo(0.5, 5);
    expect(data.clockAt(20)).toBeCloseTo(2, 4);
    expect(data.clockAt(1000)).toBeNull();
    expect(data.timeAt(20)).toBeCloseTo(2.5, 4);
  });
  it('is as far from another as their clocks say', () => {
    const [slow, fast] = [run(10), run(12.5)];
    for (const station of [5, 20, 40]) expect(Math.abs(gap(station / 10, station, fast)! - (station / 10 - station / 12.5))).toBeLessThan(1e-3);
    expect(gap(-1, 3, slow)).toBeNull();
  });
  it('is refused where it is cut short or something else', () => {
    expect(() => new RunData('x', new ArrayBuffer(4))).toThrow('not with "PRB1"');
    const buffer = new ArrayBuffer(20);
    [...'PRB1'].forEach((letter, i) => new DataView(buffer).setUint8(i, letter.charCodeAt(0)));
    new DataView(buffer).setUint32(4, 3, true);
    expect(() => new RunData('x', buffer)).toThrow('needs');
  });
  it('is a table', () => {
    const lines = run(10, 3).csv().split('\n');
    expect(lines[0]).toBe(['time', ...keys].join(','));
    expect(lines).toHaveLength(5);
  });
});

const entry = (track: number, time: number | null, curve = 0): RunEntry => ({
  name: `${track}-${time}`, recorded: 0, seconds: 1, bytes: 1, warning: null, track, track_name: '', time, splits: [], crash: null, top_speed: 0, largest_load: 0, hits: 0, curve, help: 0, driven: true, changed: {},
});

it('the best is the fastest whole run of the track', () => {
  const runs = [entry(1, 53), entry(1, 52), entry(1, 40, 9), entry(2, 30), entry(1, null)];
  expect(bestOf(runs, 1)?.time).toBe(52);
  expect(bestOf(runs, 3)).toBeNull();
  expect(board(runs, 1).map(({ time }) => time)).toEqual([52, 53]);
});

it('splits are compared at the same barriers', () => {
  const other = [{ s: 50, time: 5, speed: 10 }];
  expect(splitGaps([{ s: 50, time: 5.25, speed: 9 }, { s: 280, time: 16, speed: 20 }], other)).toEqual([{ s: 50, time: 5.25, gap: 0.25 }, { s: 280, time: 16, gap: null }]);
});

/** Two runs of other speeds whose frames are 1/60 s apart: at a barrier the gap shown is the difference of the splits, to a millisecond. */
it('a ghost is as far away at a light barrier as the splits differ', () => {
  const [own, ghost] = [run(12.3), run(11.7, 61, 'ghost.mcap')];
  for (const s of [10, 23, 41.5]) {
    const [mine, other] = [{ s, time: s / 12.3, speed: 12.3 }, { s, time: s / 11.7, speed: 11.7 }];
    expect(Math.abs(ghostSplitGap(mine, ghost, [other])! - (mine.time - other.time))).toBeLessThan(1e-9);
    // By its frames, where its splits are not known, and on the display beside the track.
    expect(Math.abs(ghostSplitGap(mine, ghost, [])! - (mine.time - other.time))).toBeLessThan(1e-3);
    expect(Math.abs(gap(own.clockAt(s)!, s, ghost)! - (mine.time - other.time))).toBeLessThan(1e-3);
  }
});

it('diagrams go over time or station with the cursor where the sled is', () => {
  const data = run(10);
  const [time, station] = [diagram(data, 'station', 'time'), diagram(data, 'station', 'station', [run(12.5)])];
  expect(time.x(data.seconds / 4)).toBeCloseTo(25, 5);
  // The station grows evenly with either: a straight line from the lower to the upper edge.
  for (const { lines } of [time, station]) {
    const points = lines[0]!.split(' ').map((pair) => pair.split(',').map(Number) as [number, number]);
    expect(points[0]![1]).toBeGreaterThan(19);
    expect(points.at(-1)![1]).toBeLessThan(1);
  }
  expect([station.lines.length, time.hits]).toEqual([2, []]);
});
