// How each device moves a hand: gains, dead zone, dominant axis and pivot, remembered in the browser.

import type { Signal } from '@preact/signals';
import { isBoolean, oneOf, remembered } from '../settings';
import type { MappingName } from './mapping';
import type { SixAxes } from './six-axes';

/** What a turn leaves where it is: the point that the hand holds, the middle of the part, or a point of the part that the person has chosen. */
export type Pivot = 'hand' | 'centre' | 'point';

export interface DeviceSettings {
  /** Factors of the usual speeds. */
  move: number;
  turn: number;
  /** Share of the full deflection that counts as rest. */
  deadZone: number;
  /** Only the axis that is deflected most moves anything. */
  dominant: boolean;
  pivot: Pivot;
  /** What a deflection is: a velocity if left out. */
  mapping?: MappingName;
}

export type DeviceName = 'mouse' | 'keyboard' | 'gamepad' | 'space-mouse';

export const GAINS = { least: 0.1, most: 4 };
export const DEAD_ZONES = { least: 0, most: 0.4 };

export interface DeviceInfo {
  name: DeviceName;
  title: string;
  /** What `move` is the gain of. */
  moves: string;
  /** Whether it has axes that rest: then it has a dead zone and a dominant axis. */
  axes: boolean;
  usual: DeviceSettings;
}

const usual: DeviceSettings = { move: 1, turn: 1, deadZone: 0, dominant: false, pivot: 'hand' };

export const deviceInfos: readonly DeviceInfo[] = [
  { name: 'mouse', title: 'Mouse and touch', moves: 'Wheel', axes: false, usual },
  { name: 'keyboard', title: 'Keyboard', moves: 'Moving', axes: false, usual },
  { name: 'gamepad', title: 'Gamepad', moves: 'Moving', axes: true, usual: { ...usual, deadZone: 0.12 } },
  { name: 'space-mouse', title: 'SpaceMouse', moves: 'Moving', axes: true, usual: { ...usual, deadZone: 0.04 } },
];

const within = (value: unknown, { least, most }: { least: number; most: number }) => typeof value === 'number' && value >= least && value <= most;
const isMapping = oneOf<MappingName>('velocity', 'force');
const isPivot = oneOf<Pivot>('hand', 'centre', 'point');

export function isDeviceSettings(value: unknown): value is DeviceSettings {
  const candidate = value as DeviceSettings | null;
  return typeof candidate === 'object' && candidate !== null && within(candidate.move, GAINS) && within(candidate.turn, GAINS)
    && within(candidate.deadZone, DEAD_ZONES) && isBoolean(candidate.dominant) && isPivot(candidate.pivot)
    && (candidate.mapping === undefined || isMapping(candidate.mapping));
}

export const deviceSettings = Object.fromEntries(
  deviceInfos.map(({ name, usual: start }) => [name, remembered(`device.${name}`, start, isDeviceSettings)]),
) as Record<DeviceName, Signal<DeviceSettings>>;

/** The axis that is deflected most, alone. */
export function dominantOf(axes: SixAxes): SixAxes {
  const names = Object.keys(axes) as (keyof SixAxes)[];
  const largest = names.reduce((best, name) => (Math.abs(axes[name]) > Math.abs(axes[best]) ? name : best));
  return Object.fromEntries(names.map((name) => [name, name === largest ? axes[name] : 0])) as unknown as SixAxes;
}

/** What a device's deflection asks for, with its gains. */
export function tuned(axes: SixAxes, { move, turn, dominant }: DeviceSettings): SixAxes {
  const { right, up, away, aboutRight, aboutUp, aboutForward } = dominant ? dominantOf(axes) : axes;
  return { right: move * right, up: move * up, away: move * away, aboutRight: turn * aboutRight, aboutUp: turn * aboutUp, aboutForward: turn * aboutForward };
}
