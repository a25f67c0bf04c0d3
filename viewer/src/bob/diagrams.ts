// A channel of a run as a line under the picture.

import type { ChannelKey } from './channels';
import type { RunData } from './runs';

export type Over = 'time' | 'station';

/** A diagram of one channel over time or station in a box of 100 by 20. */
export function diagram(run: RunData, channel: ChannelKey, over: Over, others: readonly RunData[] = [], points = 300): { lines: string[]; hits: number[]; x: (time: number) => number } {
  const [first, last] = [run.valueOf(0, 'station'), run.valueOf(run.count - 1, 'station')];
  const x = (time: number) => 100 * (over === 'time' ? time / run.seconds : (run.at(time).station - first) / (last - first || 1));
  const timeOf = (share: number, of: RunData) => (over === 'time' ? Math.max(0, Math.min(of.seconds, run.seconds * share - run.zero + of.zero)) : of.timeAt(first + share * (last - first)));
  const series = [run, ...others].map((of) => Array.from({ length: points }, (_, i) => of.at(timeOf(i / (points - 1), of))[channel]));
  const [low, high] = [Math.min(...series.flat()), Math.max(...series.flat())];
  const span = high - low || 1;
  const lines = series.map((values) => values.map((value, i) => `${((100 * i) / (points - 1)).toFixed(2)},${(19.5 - (19 * (value - low)) / span).toFixed(2)}`).join(' '));
  return { lines, hits: run.hitTimes().map(x), x };
}
