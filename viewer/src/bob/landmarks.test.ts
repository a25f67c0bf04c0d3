import { beforeEach, expect, it } from 'vitest';
import { book, isLandmark, keep, landmarksOf, reset, toml } from './landmarks';
import type { Landmark } from './track';

const board: Landmark = { s: 120, side: 'left', height: 1.5, kind: 'board', text: 'A "B"', colour: '#ff6a13' };
const post: Landmark = { s: 40, side: 'right', height: 2, kind: 'post', text: '', colour: '#00ff00' };

beforeEach(() => (book.value = {}));

it('a track has those of its file until own ones are kept, in the order of stations', () => {
  const track = { name: 'hill', landmarks: [post] };
  expect(landmarksOf(track)).toEqual([post]);
  keep('hill', [board, post]);
  expect(landmarksOf(track)).toEqual([post, board]);
  expect(landmarksOf({ name: 'other', landmarks: [] })).toEqual([]);
  reset('hill');
  expect(landmarksOf(track)).toEqual([post]);
});

it('are written as a track file has them', () => {
  expect(toml([board, post])).toBe(`[[landmark]]
s = 120.0
side = "left"
height = 1.50
kind = "board"
text = "A \\"B\\""
colour = "#ff6a13"

[[landmark]]
s = 40.0
side = "right"
height = 2.00
kind = "post"
colour = "#00ff00"
`);
});

it('damaged ones are not taken from the storage', () => {
  expect(isLandmark(board)).toBe(true);
  for (const wrong of [{ ...board, s: 'x' }, { ...board, kind: 'tree' }, { ...board, colour: 'red' }, null]) expect(isLandmark(wrong)).toBe(false);
});
