// The rows of the table of phases.

import type { Column, History } from '../session/history';

export interface PhaseRow {
  name: string;
  /** In ms. */
  now: number;
  mean: number;
  most: number;
  /** Of the whole step, on average. */
  share: number;
}

const phases: [string, Column][] = [['Detect', 'detect'], ['Contacts', 'contacts_phase'], ['Solve', 'solve'], ['Commit', 'commit']];

/** One row for each phase, one for what is in none of them, one for the whole; null before the first report. */
export function phaseTable(history: History): PhaseRow[] | null {
  const whole = history.column('step_ms');
  if (whole.length === 0) return null;
  const columns = phases.map(([, column]) => history.column(column));
  const rest = whole.map((total, i) => Math.max(0, total - columns.reduce((sum, column) => sum + column[i]!, 0)));
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const all = mean(whole);
  const row = (name: string, values: readonly number[]): PhaseRow => ({
    name, now: values.at(-1)!, mean: mean(values), most: values.reduce((most, value) => Math.max(most, value), 0), share: all > 0 ? mean(values) / all : 0,
  });
  return [...phases.map(([name], i) => row(name, columns[i]!)), row('Other', rest), row('Step', whole)];
}
