// The plot whose quantity a person chooses.

import type { Column, History } from '../session/history';
import type { PlotSpec } from './specs';

export interface Choice {
  column: Column;
  label: string;
  unit: string;
  /** From the report's unit to that of the plot. */
  factor?: number;
  /** Of the body that was last held, followed or looked at. */
  ofBody?: boolean;
}

export const choices: Choice[] = [
  { column: 'body_y', label: 'Height of the chosen body', unit: 'm', ofBody: true },
  { column: 'body_x', label: 'Place of the chosen body, x', unit: 'm', ofBody: true },
  { column: 'body_z', label: 'Place of the chosen body, z', unit: 'm', ofBody: true },
  { column: 'body_speed', label: 'Speed of the chosen body', unit: 'm/s', ofBody: true },
  { column: 'hand_force', label: 'Force of the hand', unit: 'N' },
  { column: 'hand_torque', label: 'Torque of the hand', unit: 'N m' },
  { column: 'kinetic', label: 'Kinetic energy', unit: 'J' },
  { column: 'potential', label: 'Energy of height', unit: 'J' },
  { column: 'contacts', label: 'Contacts', unit: '' },
  { column: 'position_error', label: 'Position error', unit: 'm' },
  { column: 'velocity_error', label: 'Velocity error', unit: 'm/s' },
  { column: 'work', label: 'Work of a step, units', unit: '' },
  { column: 'real_time_factor', label: 'Simulated over real time', unit: '' },
  { column: 'lost_time', label: 'Lost time', unit: 's' },
  { column: 'step_ms', label: 'Time of a step', unit: 's', factor: 1e-3 },
  { column: 'detect', label: 'Detection', unit: 's', factor: 1e-3 },
  { column: 'contacts_phase', label: 'Making contacts', unit: 's', factor: 1e-3 },
  { column: 'solve', label: 'Solving', unit: 's', factor: 1e-3 },
  { column: 'commit', label: 'Committing', unit: 's', factor: 1e-3 },
];

export function choiceOf(column: string): Choice {
  return choices.find((choice) => choice.column === column) ?? choices[0]!;
}

export function chosenSpec({ column, label, unit, factor = 1 }: Choice): PlotSpec {
  const values = (history: History, i: number) => factor * history.column(column)[i]!;
  return { key: 'chosen', title: label, unit, log: false, least: 1e-6, heading: 0, columns: ['time', column], lines: [{ label, values, color: 'accent', width: 1.75, unnamed: true }] };
}
