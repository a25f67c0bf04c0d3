// The numbers that the sled reports with every frame, by name.

import { ITEM_WORDS, OverlayKind } from '../protocol/frame';

export const keys = [
  'station', 'clock', 'speed', 'load', 'steering', 'torque', 'slip_rear', 'slip_front', 'runner_1', 'runner_2', 'runner_3', 'runner_4', 'shake', 'bumpers',
  'hits', 'hit_speed', 'hit_side', 'wood', 'splits', 'split_time', 'split_speed', 'finish', 'crash', 'crash_cause', 'over', 'top_speed', 'largest_load',
  'acceleration', 'driven', 'advice', 'track', 'curve', 'left', 'height', 'help',
] as const;
export type ChannelKey = (typeof keys)[number];
export type Telemetry = Record<ChannelKey, number>;

const PER_ITEM = ITEM_WORDS - 1;

export function noTelemetry(): Telemetry {
  const empty = Object.fromEntries(keys.map((key) => [key, 0])) as Telemetry;
  return { ...empty, clock: -1, split_time: -1, finish: -1, crash: -1, load: 1 };
}

/** Fills `into` from numbers in the order of the channels. */
export function telemetryOf(numbers: ArrayLike<number>, from: number, into: Telemetry): Telemetry {
  keys.forEach((key, i) => (into[key] = numbers[from + i] ?? 0));
  return into;
}

/** Reads the channel items of a frame; false where it has none. */
export function readTelemetry(frame: { itemCount: number; items: Float32Array; itemWords: Uint32Array }, into: Telemetry): boolean {
  let found = 0;
  for (let item = 0; item < frame.itemCount; item += 1) {
    if (frame.itemWords[ITEM_WORDS * item] !== OverlayKind.channels) continue;
    for (let i = 0; i < PER_ITEM && found < keys.length; i += 1, found += 1) into[keys[found]!] = frame.items[ITEM_WORDS * item + 1 + i]!;
  }
  return found > 0;
}

/** Whether a server's list of channels is the one that this page reads. */
export function fits(channels: readonly { key: string }[]): boolean {
  return channels.length === keys.length && channels.every(({ key }, i) => key === keys[i]);
}
