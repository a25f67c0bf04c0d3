import { expect, it } from 'vitest';
import { lossText } from './loss';

it('names everything that is gone', () => {
  const loss = { restarted: true, time: 12.34, snapshots: 0, recording: null, values: {} };
  expect(lossText(loss)).toBe('Gone: 12.3 s of simulation and what was done in it. The scene begins from its start.');
  expect(lossText({ ...loss, snapshots: 2, recording: 'a.mcap', values: { speed: 3 } })).toBe(
    'Gone: 12.3 s of simulation and what was done in it, 2 snapshots and 1 changed parameter (speed). The recording a.mcap ends where the connection was lost. The scene begins from its start.');
});
