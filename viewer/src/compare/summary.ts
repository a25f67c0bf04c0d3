// A run in a few numbers, the same rows as the command's report, from the reports that this page has seen.

import type { History } from '../session/history';

export interface Summary {
  stepMean: number;
  stepP99: number;
  positionError: number;
  velocityError: number;
  /** Change of the total energy since the first report, as a share of it; not a number where there was none. */
  energyDrift: number;
  lostTime: number;
  /** Share of the reports whose steps the budget cut. */
  cut: number;
}

export function summarise(history: History): Summary | null {
  const steps = history.column('step_ms');
  if (steps.length === 0) return null;
  const sorted = [...steps].sort((a, b) => a - b);
  const energies = history.column('kinetic').map((kinetic, i) => kinetic + history.column('potential')[i]!);
  const first = energies[0]!;
  return {
    stepMean: steps.reduce((sum, ms) => sum + ms, 0) / steps.length / 1000,
    stepP99: sorted[Math.min(sorted.length - 1, Math.ceil(0.99 * sorted.length) - 1)]! / 1000,
    positionError: largest(history.column('position_error')),
    velocityError: largest(history.column('velocity_error')),
    energyDrift: first === 0 ? NaN : (energies.at(-1)! - first) / Math.abs(first),
    lostTime: history.column('lost_time').at(-1)!,
    cut: history.column('budget_cut').reduce((sum, cut) => sum + cut, 0) / steps.length,
  };
}

function largest(values: readonly number[]): number {
  return values.reduce((most, value) => Math.max(most, value), 0);
}
