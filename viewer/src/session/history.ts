// The reports of the last two minutes, column by column, as the plots and the download want them.

import type { Report } from '../protocol/messages';

const CAPACITY = 1200;

export const columns = [
  'time', 'step_ms', 'aim_ms', 'detect', 'contacts_phase', 'solve', 'commit',
  'contacts', 'position_error', 'velocity_error', 'kinetic', 'potential', 'lost_time', 'budget_cut',
] as const;
export type Column = (typeof columns)[number];

function rowOf(report: Report): Record<Column, number> {
  return {
    time: report.time,
    step_ms: report.step_ms,
    aim_ms: report.aim_ms,
    detect: report.phases.detect,
    contacts_phase: report.phases.contacts,
    solve: report.phases.solve,
    commit: report.phases.commit,
    contacts: report.contacts,
    position_error: report.position_error,
    velocity_error: report.velocity_error,
    kinetic: report.energy.kinetic,
    potential: report.energy.potential,
    lost_time: report.lost_time,
    budget_cut: report.budget_cut ? 1 : 0,
  };
}

export class History {
  private readonly data = Object.fromEntries(columns.map((name) => [name, [] as number[]])) as Record<Column, number[]>;

  get length(): number {
    return this.data.time.length;
  }

  column(name: Column): readonly number[] {
    return this.data[name];
  }

  /** Takes a report. One whose time lies before the last one begins a new history: the scene was reset. */
  add(report: Report): void {
    const last = this.data.time.at(-1);
    if (last !== undefined && report.time < last) this.clear();
    const row = rowOf(report);
    const repeated = report.time === this.data.time.at(-1);
    for (const name of columns) {
      if (repeated) this.data[name].pop();
      this.data[name].push(row[name]);
      if (this.data[name].length > CAPACITY) this.data[name].shift();
    }
  }

  clear(): void {
    for (const name of columns) this.data[name].length = 0;
  }

  /** The named columns from simulated time `from` on, as a table with a heading line. */
  csv(names: readonly Column[], from: number): string {
    const lines = [names.join(',')];
    for (let i = 0; i < this.length; i += 1) {
      if (this.data.time[i]! >= from) lines.push(names.map((name) => String(this.data[name][i])).join(','));
    }
    return `${lines.join('\n')}\n`;
  }
}
