import { describe, expect, it } from 'vitest';
import { deviceInfos, dominantOf, isDeviceSettings, tuned } from './device-settings';
import { handMotion } from './gamepad';
import { still } from './six-axes';
import { fromDeviceAxes } from './space-mouse';

const usual = deviceInfos[2]!.usual;
const twist = { ...still, right: 0.3, aboutUp: -0.8, away: 0.5 };

describe('a device', () => {
  it('moves and turns by its gains', () => {
    expect(tuned(twist, { ...usual, move: 2, turn: 0.5 })).toEqual({ ...still, right: 0.6, away: 1, aboutUp: -0.4 });
  });

  it('moves by its strongest axis alone where that is wanted', () => {
    expect(dominantOf(twist)).toEqual({ ...still, aboutUp: -0.8 });
    expect(tuned(twist, { ...usual, dominant: true, turn: 2 })).toEqual({ ...still, aboutUp: -1.6 });
    expect(dominantOf(still)).toEqual(still);
  });

  it('rests within its own dead zone', () => {
    const pad = { axes: [0.3, 0, 0, 0], buttons: [] };
    expect(handMotion(pad, 0.35).right).toBe(0);
    expect(handMotion(pad, 0.1).right).toBeGreaterThan(0);
    expect(fromDeviceAxes([0.1, 0, 0, 0, 0, 0], 0.15).right).toBe(0);
    expect(fromDeviceAxes([0.1, 0, 0, 0, 0, 0], 0.05).right).toBeGreaterThan(0);
  });

  it('remembers only what is possible', () => {
    for (const { usual: start } of deviceInfos) expect(isDeviceSettings(start)).toBe(true);
    for (const wrong of [null, {}, { ...usual, move: 0 }, { ...usual, deadZone: 0.9 }, { ...usual, pivot: 'moon' }, { ...usual, turn: NaN }]) {
      expect(isDeviceSettings(wrong)).toBe(false);
    }
  });
});
