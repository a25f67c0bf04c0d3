import { expect, it } from 'vitest';
import type { Report } from '../protocol/messages';
import { History } from '../session/history';
import { summarise } from './summary';

function history(count: number): History {
  const made = new History();
  for (let i = 0; i < count; i += 1) {
    made.add({
      track: 0, time: 0.1 * i, steps: 1, step_ms: i + 1, aim_ms: 4, phases: { detect: 0, contacts: 0, solve: 0, commit: 0 }, real_time_factor: 1, clock: 0, contacts: 0,
      position_error: i === 3 ? 5e-6 : 1e-6, velocity_error: 0, position_tolerance: null, velocity_tolerance: null, work: 0, lost_time: 0.01 * i,
      budget_cut: i % 2 === 1, energy: { kinetic: 10 - 0.01 * i, potential: 0 },
    } satisfies Report);
  }
  return made;
}

it('sums a run up', () => {
  const summary = summarise(history(200))!;
  expect(summary.stepMean).toBeCloseTo(0.1005, 12);
  expect(summary.stepP99).toBeCloseTo(0.198, 12);
  expect(summary.positionError).toBe(5e-6);
  expect(summary.energyDrift).toBeCloseTo(-0.199, 12);
  expect(summary.lostTime).toBeCloseTo(1.99, 12);
  expect(summary.cut).toBe(0.5);
});

it('of nothing is nothing', () => expect(summarise(new History())).toBeNull());
