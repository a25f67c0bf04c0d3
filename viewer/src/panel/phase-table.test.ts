import { expect, it } from 'vitest';
import type { Report } from '../protocol/messages';
import { History } from '../session/history';
import { phaseTable } from './phase-table';

const report = (time: number, phases: Report['phases'], step_ms: number): Report => ({
  track: 0, time, steps: 1, step_ms, aim_ms: 16, phases, real_time_factor: 1, clock: 0, contacts: 0, position_error: 0, velocity_error: 0,
  position_tolerance: null, velocity_tolerance: null, work: 0, lost_time: 0, budget_cut: false, energy: { kinetic: 0, potential: 0 },
});

it('phases and the rest add up to the step', () => {
  const history = new History();
  expect(phaseTable(history)).toBeNull();
  history.add(report(1, { detect: 1, contacts: 2, solve: 3, commit: 0.5 }, 8));
  history.add(report(2, { detect: 3, contacts: 2, solve: 5, commit: 0.5 }, 12));
  const rows = phaseTable(history)!;
  const of = (name: string) => rows.find((row) => row.name === name)!;
  expect(of('Detect')).toEqual({ name: 'Detect', now: 3, mean: 2, most: 3, share: 0.2 });
  expect(of('Other')).toMatchObject({ now: 1.5, mean: 1.5 });
  expect(of('Step')).toMatchObject({ now: 12, mean: 10, most: 12, share: 1 });
  const parts = rows.filter(({ name }) => name !== 'Step');
  expect(parts.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1);
});
