// The numbers that a handling scene reports with every frame, by name.

import { ITEM_WORDS, OverlayKind } from '../protocol/frame';

export interface HandReading {
  /** Number of the part in hand. */
  held: number;
  standing: 'free' | 'touching' | 'jammed';
  /** What the contacts press with, in N and N m. */
  force: number;
  moment: number;
  /** How far the hand is ahead, in m and rad. */
  ahead: number;
  turned: number;
  /** The smallest proven gap in m; null where nothing is near. */
  gap: number | null;
  /** Clock time of an interval of the filter, and what it may take, in s. */
  interval: number;
  allowed: number;
  /** Speed of the contact that slides fastest in m/s, and the impulse in N s of contacts that are new; 0 in recordings of before they were written. */
  sliding: number;
  struck: number;
  /** Why the part stands and what would free it. */
  words: string;
}

type Items = { itemCount: number; items: Float32Array; itemWords: Uint32Array; labels: { text: string }[] };

const KEYS = ['held', 'standing', 'force', 'moment', 'ahead', 'turned', 'gap', 'interval', 'allowed'] as const;
const MORE_KEYS = ['sliding', 'struck'] as const;
const FAR = 1;

/** Whether a scene's channels are those of a part in hand. */
export function isHandling(channels: readonly { key: string }[]): boolean {
  return channels.length >= KEYS.length && channels.every(({ key }, i) => key === [...KEYS, ...MORE_KEYS][i]);
}

/** What a frame says of the part in hand; null where it says nothing. */
export function readingOf(frame: Items): HandReading | null {
  const values: number[] = [];
  for (let item = 0; item < frame.itemCount; item += 1) {
    if (frame.itemWords[ITEM_WORDS * item] !== OverlayKind.channels) continue;
    for (let i = 1; i < ITEM_WORDS; i += 1) values.push(frame.items[ITEM_WORDS * item + i]!);
  }
  if (values.length < KEYS.length) return null;
  const [held, standing, force, moment, ahead, turned, gap, interval, allowed] = values as [number, number, number, number, number, number, number, number, number];
  const [sliding = 0, struck = 0] = values.slice(KEYS.length);
  const state = standing >= 2 ? 'jammed' : standing >= 1 ? 'touching' : 'free';
  return {
    held, standing: state, force, moment, ahead, turned, gap: gap >= FAR ? null : gap, interval, allowed, sliding, struck,
    words: state === 'jammed' ? (frame.labels[0]?.text ?? '') : '',
  };
}
