import { expect, it } from 'vitest';
import type { Report } from '../protocol/messages';
import { History, columns } from '../session/history';
import { choiceOf, choices, chosenSpec } from './chosen';

const report: Report = {
  track: 0, time: 1, steps: 1, step_ms: 8, aim_ms: 16, phases: { detect: 1, contacts: 2, solve: 3, commit: 0.5 }, real_time_factor: 1, clock: 0, contacts: 7,
  position_error: 0, velocity_error: 0, position_tolerance: null, velocity_tolerance: null, work: 0, lost_time: 0, budget_cut: false, energy: { kinetic: 5, potential: 2 },
};

it('draws every choice in the unit that it names', () => {
  const history = new History();
  history.add(report, { body_y: 1.25 });
  for (const choice of choices) expect(columns).toContain(choice.column);
  const value = (column: string) => chosenSpec(choiceOf(column)).lines[0]!.values(history, 0);
  expect(value('step_ms')).toBeCloseTo(0.008);
  expect(value('kinetic')).toBe(5);
  expect(value('body_y')).toBe(1.25);
  expect(value('body_x')).toBeNaN();
  expect(choiceOf('nonsense')).toBe(choices[0]);
});
