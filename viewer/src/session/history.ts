// The reports of the last two minutes, column by column, as the plots and the download want them.

import type { Report } from '../protocol/messages';

const CAPACITY = 1200;
/** Times of tracks in step differ by rounding only, in s. */
const SAME_TIME = 1e-6;

export const columns = [
  'time', 'step_ms', 'aim_ms', 'detect', 'contacts_phase', 'solve', 'commit',
  'contacts', 'position_error', 'velocity_error', 'position_tolerance', 'velocity_tolerance', 'kinetic', 'potential', 'energy_gained', 'energy_unexplained', 'work', 'lost_time', 'budget_cut', 'real_time_factor',
  'body_x', 'body_y', 'body_z', 'body_speed', 'hand_force', 'hand_torque',
] as const;
export type Column = (typeof columns)[number];

/** What the page adds to a report: the chosen body and its own hand. */
export type Sample = Partial<Record<'body_x' | 'body_y' | 'body_z' | 'body_speed' | 'hand_force' | 'hand_torque', number>>;
const NOT_SAMPLED = { body_x: NaN, body_y: NaN, body_z: NaN, body_speed: NaN, hand_force: NaN, hand_torque: NaN };

/** A tolerance that a solver does not promise is not a number: a gap in the plot, an empty cell in the file. */
function rowOf(report: Report, sample: Sample): Record<Column, number> {
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
    position_tolerance: report.position_tolerance ?? NaN,
    velocity_tolerance: report.velocity_tolerance ?? NaN,
    kinetic: report.energy.kinetic,
    potential: report.energy.potential,
    energy_gained: report.energy_gained ?? NaN,
    energy_unexplained: report.energy_unexplained ?? NaN,
    work: report.work,
    lost_time: report.lost_time,
    budget_cut: report.budget_cut ? 1 : 0,
    real_time_factor: report.real_time_factor,
    ...NOT_SAMPLED,
    ...sample,
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

  /** Takes a report. Reports later than it are dropped: the simulation went back and takes another way from here. */
  add(report: Report, sample: Sample = {}): void {
    const row = rowOf(report, sample);
    while (this.length > 0 && this.data.time.at(-1)! >= report.time) for (const name of columns) this.data[name].pop();
    for (const name of columns) {
      this.data[name].push(row[name]);
      if (this.data[name].length > CAPACITY) this.data[name].shift();
    }
  }

  /** The value at a time; not a number where no report is of that time. */
  valueAt(name: Column, time: number): number {
    const { time: times } = this.data;
    let [low, high] = [0, times.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (times[middle]! < time - SAME_TIME) low = middle + 1;
      else high = middle;
    }
    return low < times.length && times[low]! <= time + SAME_TIME ? this.data[name][low]! : NaN;
  }

  clear(): void {
    for (const name of columns) this.data[name].length = 0;
  }

  /** The named columns from simulated time `from` on, as a table with a heading line. */
  csv(names: readonly Column[], from: number): string {
    const lines = [names.join(',')];
    for (let i = 0; i < this.length; i += 1) {
      if (this.data.time[i]! >= from) lines.push(names.map((name) => cell(this.data[name][i]!)).join(','));
    }
    return `${lines.join('\n')}\n`;
  }
}

function cell(value: number): string {
  return Number.isNaN(value) ? '' : String(value);
}
