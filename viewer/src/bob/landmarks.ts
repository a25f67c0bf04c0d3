// The pilot's own landmarks, placed and moved in the page and kept for each track on this machine.

import { remembered } from '../settings';
import type { Landmark } from './track';

const SIDES = ['left', 'right'];
const KINDS = ['board', 'flag', 'post'];

export function isLandmark(value: unknown): value is Landmark {
  const l = value as Landmark | null;
  return l !== null && typeof l === 'object' && Number.isFinite(l.s) && Number.isFinite(l.height) && SIDES.includes(l.side) && KINDS.includes(l.kind) && typeof l.text === 'string' && /^#[0-9a-f]{6}$/i.test(l.colour);
}

const isBook = (value: unknown): value is Record<string, Landmark[]> => typeof value === 'object' && value !== null && !Array.isArray(value) && Object.values(value).every((list) => Array.isArray(list) && list.every(isLandmark));

/** By the track's name. A track without an entry has those of its file. */
export const book = remembered<Record<string, Landmark[]>>('bob.landmarks', {}, isBook);

/** Landmarks of a track: the pilot's own, or those of its file. */
export const landmarksOf = (track: { name: string; landmarks: readonly Landmark[] }, own = book.value): readonly Landmark[] => own[track.name] ?? track.landmarks;

export function keep(track: string, landmarks: readonly Landmark[]): void {
  book.value = { ...book.value, [track]: [...landmarks].sort((a, b) => a.s - b.s) };
}

/** Back to those of the file. */
export function reset(track: string): void {
  const { [track]: _, ...others } = book.value;
  book.value = others;
}

/** As the track file has them: to be copied there, for everybody who drives it. */
export function toml(landmarks: readonly Landmark[]): string {
  const one = ({ s, side, height, kind, text, colour }: Landmark) =>
    ['[[landmark]]', `s = ${s.toFixed(1)}`, `side = "${side}"`, `height = ${height.toFixed(2)}`, `kind = "${kind}"`, ...(kind === 'board' ? [`text = ${JSON.stringify(text)}`] : []), `colour = "${colour}"`].join('\n');
  return `${landmarks.map(one).join('\n\n')}\n`;
}
