import { expect, it } from 'vitest';
import type { Report } from '../protocol/messages';
import { History } from './history';

function report(time: number, more: Partial<Report> = {}): Report {
  return {
    track: 0, time, steps: 1, step_ms: 1, aim_ms: 4, phases: { detect: 1, contacts: 2, solve: 3, commit: 4 }, real_time_factor: 1, clock: 0,
    contacts: 5, position_error: 0, velocity_error: 0, position_tolerance: 1e-4, velocity_tolerance: null, work: 10, lost_time: 0, budget_cut: false, energy: { kinetic: 6, potential: 7 }, ...more,
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

it('drops what lay ahead when time goes back', () => {
  const history = new History();
  for (const time of [1, 2, 3, 4]) history.add(report(time));
  history.add(report(2.5));
  expect(history.column('time')).toEqual([1, 2, 2.5]);
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
  expect(history.csv(['time', 'position_tolerance', 'velocity_tolerance'], 2)).toBe('time,position_tolerance,velocity_tolerance\n2,0.0001,\n');
});

it('finds the value at a time', () => {
  const history = new History();
  for (let i = 0; i < 9; i += 1) history.add(report(0.1 * i, { contacts: i }));
  expect(history.valueAt('contacts', 0.3)).toBe(3);
  expect(history.valueAt('contacts', 0.35)).toBeNaN();
  expect(history.valueAt('contacts', 2)).toBeNaN();
});
