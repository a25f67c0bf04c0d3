// What the seat remembers between visits: view, light, sound, devices and the pilot's own setup.

import { isBoolean, oneOf, remembered } from '../settings';
import { views, type View } from './cameras';
import { isCalibration, type Calibration } from './steering';

const isNumber = (low: number, high: number) => (value: unknown): value is number => typeof value === 'number' && value >= low && value <= high;
export const isNumbers = (value: unknown): value is Record<string, number> => typeof value === 'object' && value !== null && !Array.isArray(value) && Object.values(value).every((x) => typeof x === 'number' && Number.isFinite(x));
const isCalibrations = (value: unknown): value is Record<string, Calibration> => typeof value === 'object' && value !== null && Object.values(value).every(isCalibration);

export type Driver = 'helped' | 'alone' | 'pilot';

export const seat = {
  driver: remembered<Driver>('bob.driver', 'helped', oneOf('helped', 'alone', 'pilot')),
  view: remembered<View>('bob.view', 'cockpit', oneOf(...views)),
  hud: remembered('bob.hud', true, isBoolean),
  hour: remembered('bob.hour', 11, isNumber(0, 24)),
  sails: remembered('bob.sails', false, isBoolean),
  head: remembered('bob.head', true, isBoolean),
  mouse: remembered('bob.mouse', false, isBoolean),
  ideal: remembered('bob.ideal', false, isBoolean),
  handPush: remembered('bob.hand-push', false, isBoolean),
  volume: remembered('bob.volume', 0.8, isNumber(0, 1)),
  muted: remembered('bob.muted', false, isBoolean),
  bass: remembered('bob.bass', true, isBoolean),
  rumble: remembered('bob.rumble', true, isBoolean),
  /** Calibrated devices by their name. */
  calibrations: remembered<Record<string, Calibration>>('bob.calibrations', {}, isCalibrations),
  /** Values of the setup that are not at their places. */
  setup: remembered<Record<string, number>>('bob.setup', {}, isNumbers),
  /** Vertical angle of the cockpit in degrees; 0 is the view's own. */
  fov: remembered('bob.fov', 0, isNumber(0, 120)),
};
