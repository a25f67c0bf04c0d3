// The four plots: what each draws of the reports, and how its axis reads.

import { decades } from '../numbers/nice';
import type { Column, History } from '../session/history';

export interface Line {
  label: string;
  /** Values in SI units for each report. */
  values: (history: History, i: number) => number;
  /** A token's name. */
  color: string;
  width: number;
  dash?: [number, number];
  /** Token of the area below; layers are drawn from the topmost down. */
  fill?: string;
  /** Not named in the legend. */
  unnamed?: boolean;
}

export interface PlotSpec {
  key: string;
  title: string;
  unit: string;
  log: boolean;
  /** The smallest upper end of the axis, in SI units. */
  least: number;
  lines: Line[];
  /** Which line's value stands in the heading. */
  heading: number;
  /** A second one beside it. */
  secondHeading?: number;
  /** What the download and the table hold. */
  columns: Column[];
  /** A line that is drawn only when it is in range, from the newest report. */
  limit?: Column;
}

const value = (column: Column, factor = 1) => (history: History, i: number) => factor * history.column(column)[i]!;
const sum = (columns: Column[], factor: number) => (history: History, i: number) => columns.reduce((total, column) => total + factor * history.column(column)[i]!, 0);

const MS = 1e-3;

export const plotSpecs: PlotSpec[] = [
  {
    key: 'step-time',
    title: 'Step time',
    unit: 's',
    log: false,
    least: 1e-6,
    heading: 4,
    columns: ['time', 'step_ms', 'detect', 'contacts_phase', 'solve', 'commit', 'aim_ms'],
    limit: 'aim_ms',
    lines: [
      { label: 'commit', values: sum(['detect', 'contacts_phase', 'solve', 'commit'], MS), color: 'surface', width: 1, fill: 'phase4' },
      { label: 'solve', values: sum(['detect', 'contacts_phase', 'solve'], MS), color: 'surface', width: 1, fill: 'phase3' },
      { label: 'contacts', values: sum(['detect', 'contacts_phase'], MS), color: 'surface', width: 1, fill: 'phase2' },
      { label: 'detect', values: sum(['detect'], MS), color: 'surface', width: 1, fill: 'phase1' },
      { label: 'step', values: value('step_ms', MS), color: 'ink2', width: 1.25, unnamed: true },
    ],
  },
  {
    key: 'contacts',
    title: 'Contacts',
    unit: '',
    log: false,
    least: 2,
    heading: 0,
    columns: ['time', 'contacts'],
    lines: [{ label: 'active points', values: value('contacts'), color: 'accent', width: 1.75 }],
  },
  {
    key: 'error',
    title: 'Remaining error',
    unit: 'm',
    log: true,
    least: 1e-6,
    heading: 0,
    columns: ['time', 'position_error', 'position_tolerance', 'velocity_error', 'velocity_tolerance'],
    lines: [
      { label: 'position, m', values: value('position_error'), color: 'accent', width: 1.75 },
      { label: 'velocity, m/s', values: value('velocity_error'), color: 'second', width: 1.75, dash: [6, 2.5] },
      { label: 'tolerance', values: value('position_tolerance'), color: 'accent', width: 1.25, dash: [3, 3] },
      { label: 'tolerance of velocity', values: value('velocity_tolerance'), color: 'second', width: 1.25, dash: [3, 3], unnamed: true },
    ],
  },
  {
    key: 'account',
    title: 'Energy from nothing',
    unit: 'J',
    log: true,
    least: 1e-12,
    heading: 0,
    columns: ['time', 'energy_gained', 'energy_unexplained'],
    lines: [
      { label: 'gained in a step', values: value('energy_gained'), color: 'accent', width: 1.75 },
      { label: 'unexplained', values: value('energy_unexplained'), color: 'second', width: 1.75, dash: [6, 2.5] },
    ],
  },
  {
    key: 'energy',
    title: 'Energy',
    unit: 'J',
    log: false,
    least: 1e-6,
    heading: 0,
    columns: ['time', 'kinetic', 'potential'],
    lines: [
      { label: 'total', values: (history, i) => history.column('kinetic')[i]! + history.column('potential')[i]!, color: 'ink', width: 1.75 },
      { label: 'kinetic', values: value('kinetic'), color: 'accent', width: 1.25 },
      { label: 'potential', values: value('potential'), color: 'ink3', width: 1.25, dash: [3, 2] },
    ],
  },
];

/** The error of two solvers that run in step: A solid, B dashed, and what A promises. */
export function compareSpec(other: History, names: { a: string; b: string }): PlotSpec {
  const ofOther = (column: Column) => (history: History, i: number) => other.valueAt(column, history.column('time')[i]!);
  return {
    key: 'compare',
    title: 'Largest position error',
    unit: 'm',
    log: true,
    least: 1e-6,
    heading: 0,
    secondHeading: 1,
    columns: ['time', 'position_error', 'position_tolerance'],
    lines: [
      { label: `A ${names.a}`, values: value('position_error'), color: 'accent', width: 1.75 },
      { label: `B ${names.b}`, values: ofOther('position_error'), color: 'second', width: 1.75, dash: [6, 2.5] },
      { label: 'tolerance of A', values: value('position_tolerance'), color: 'ink3', width: 1.25, dash: [3, 3] },
    ],
  };
}

/** Seconds of simulated time that a plot shows: few at first, more when there is more to show, then it moves along. */
const WINDOWS = [5, 12];

export function timeRange(last: number): [number, number] {
  const end = WINDOWS.find((seconds) => last <= seconds);
  return end === undefined ? [last - WINDOWS.at(-1)!, last] : [0, end];
}

/** Ends of a log axis in whole decades, at least two of them; zeros are drawn at its lower end. */
export function logRange(values: number[]): { min: number; max: number; hasZero: boolean } {
  const positive = values.filter((x) => x > 0 && Number.isFinite(x));
  const hasZero = values.some((x) => x <= 0); // what is not a number is a gap, not a zero
  // Nothing to show yet is drawn like nothing but zeros.
  if (positive.length === 0) return { min: 1e-12, max: 1e-8, hasZero: true };
  const high = Math.ceil(Math.log10(Math.max(...positive)) + 1e-9);
  // Twelve decades are all that rounding leaves between the size of a scene and its noise.
  const low = Math.max(high - 12, Math.min(high - 2, Math.floor(Math.log10(Math.min(...positive))) - (hasZero ? 1 : 0)));
  return { min: 10 ** low, max: 10 ** high, hasZero };
}

export function logTicks(min: number, max: number): number[] {
  return decades(min, max, 2);
}
