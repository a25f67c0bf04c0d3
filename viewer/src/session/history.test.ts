import { expect, it } from 'vitest';
import type { Report } from '../protocol/messages';
import { History } from './history';

function report(time: number, more: Partial<Report> = {}): Report {
  return {
    track: 0, time, steps: 1, step_ms: 1, aim_ms: 4, phases: { detect: 1, contacts: 2, solve: 3, commit: 4 }, real_time_factor: 1,
    contacts: 5, position_error: 0, velocity_error: 0, lost_time: 0, budget_cut: false, energy: { kinetic: 6, potential: 7 }, ...more,
  };
}

it('keeps reports in columns', () => {
  const history = new History();
  history.add(report(0.1));
  history.add(report(0.2, { contacts: 9 }));
  expect(history.column('time')).toEqual([0.1, 0.2]);
  expect(history.column('contacts')).toEqual([5, 9]);
  expect(history.column('contacts_phase')).toEqual([2, 2]);
});

it('begins anew when time goes back', () => {
  const history = new History();
  history.add(report(5));
  history.add(report(0.1));
  expect(history.column('time')).toEqual([0.1]);
});

it('holds one row for each time', () => {
  const history = new History();
  history.add(report(1));
  history.add(report(1, { contacts: 8 }));
  expect(history.column('contacts')).toEqual([8]);
});

it('forgets what is older than its capacity', () => {
  const history = new History();
  for (let i = 0; i < 1500; i += 1) history.add(report(i));
  expect(history.length).toBe(1200);
  expect(history.column('time')[0]).toBe(300);
});

it('writes a table from a time on', () => {
  const history = new History();
  for (let i = 0; i < 3; i += 1) history.add(report(i));
  expect(history.csv(['time', 'contacts'], 1)).toBe('time,contacts\n1,5\n2,5\n');
});
