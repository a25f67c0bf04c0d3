import { expect, it } from 'vitest';
import { lossText } from './loss';

it('says how long the server was away and names everything that is gone', () => {
  const loss = { restarted: true, away: 2.04, time: 12.34, snapshots: 0, recording: null, values: {} };
  expect(lossText(loss)).toBe('Away for 2.0 s. Gone: 12.3 s of simulation and what was done in it. The scene begins from its start.');
  expect(lossText({ ...loss, away: 75.3, snapshots: 2, recording: 'a.mcap', values: { speed: 3 } })).toBe(
    'Away for 75 s. Gone: 12.3 s of simulation and what was done in it, 2 snapshots and 1 changed parameter (speed). The recording a.mcap ends where the connection was lost. The scene begins from its start.');
});
