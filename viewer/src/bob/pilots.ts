// Who sits in the seat: each pilot has a name, how directly the ropes steer, devices, a view and best times, on this machine.

import { effect } from '@preact/signals';
import { remembered } from '../settings';
import { views, type View } from './cameras';
import type { RunEntry } from './runs';
import { seat } from './seat-settings';
import { isCalibration, type Calibration } from './steering';

export interface Pilot {
  name: string;
  /** Null is the sled's own. */
  directness: number | null;
  calibrations: Record<string, Calibration>;
  view: View;
}

const isText = (value: unknown): value is string => typeof value === 'string';
const isTexts = (value: unknown): value is Record<string, string> => typeof value === 'object' && value !== null && !Array.isArray(value) && Object.values(value).every(isText);

export function isPilot(value: unknown): value is Pilot {
  const p = value as Pilot | null;
  if (p === null || typeof p !== 'object' || !isText(p.name) || p.name === '') return false;
  const direct = p.directness === null || (typeof p.directness === 'number' && p.directness > 0);
  return direct && views.includes(p.view) && typeof p.calibrations === 'object' && p.calibrations !== null && Object.values(p.calibrations).every(isCalibration);
}

const isPilots = (value: unknown): value is Pilot[] => Array.isArray(value) && value.every(isPilot);

export const pilots = remembered<Pilot[]>('bob.pilots', [], isPilots);
/** Name of who sits there; empty is a visitor. */
export const seated = remembered('bob.pilot', '', isText);
/** Who drove which run, by its file. */
export const drivenBy = remembered<Record<string, string>>('bob.driven-by', {}, isTexts);

/** A name as it is kept: without spaces around, at most this long. */
const LONGEST = 24;
export const cleanName = (name: string) => name.trim().replace(/\s+/g, ' ').slice(0, LONGEST);

/** A pilot sits down with what is set at the moment, or, if known, with what he left. */
export function sitDown(name: string): void {
  const wanted = cleanName(name);
  const known = pilots.value.find((pilot) => pilot.name === wanted);
  seated.value = '';
  if (known) {
    seat.view.value = known.view;
    seat.calibrations.value = known.calibrations;
    const { directness: _, ...others } = seat.setup.value;
    seat.setup.value = known.directness === null ? others : { ...others, directness: known.directness };
  } else if (wanted !== '') pilots.value = [...pilots.value, present(wanted)];
  seated.value = wanted;
}

/** A pilot is forgotten; runs keep the name. */
export function forget(name: string): void {
  if (seated.value === name) seated.value = '';
  pilots.value = pilots.value.filter((pilot) => pilot.name !== name);
}

const present = (name: string): Pilot => ({ name, directness: seat.setup.value.directness ?? null, calibrations: seat.calibrations.value, view: seat.view.value });

// What a seated pilot changes is kept at once.
effect(() => {
  const name = seated.value;
  if (name === '') return;
  const now = present(name);
  const list = pilots.peek();
  const before = list.find((pilot) => pilot.name === name);
  if (before && JSON.stringify(before) !== JSON.stringify(now)) pilots.value = list.map((pilot) => (pilot.name === name ? now : pilot));
});

/** A run was driven by whoever sits there. */
export function sign(run: RunEntry): void {
  if (seated.value !== '' && run.driven) drivenBy.value = { ...drivenBy.value, [run.name]: seated.value };
}

/** The fastest whole run of each track by a pilot, by the track's number. */
export function bestTimes(runs: readonly RunEntry[], by: Record<string, string>, name: string): Map<number, RunEntry> {
  const best = new Map<number, RunEntry>();
  for (const run of runs) {
    if (by[run.name] !== name || run.time === null || run.curve !== 0) continue;
    const known = best.get(run.track);
    if (!known || run.time < known.time!) best.set(run.track, run);
  }
  return best;
}
