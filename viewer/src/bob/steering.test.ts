import { describe, expect, it } from 'vitest';
import { calibrated, Calibrator, isCalibration, KeySteering, mouseSteering, plainStick, quantised, ropes, touchSteering } from './steering';

describe('keys', () => {
  it('turn slowly at first, then faster, and never beyond the end', () => {
    const keys = new KeySteering();
    const values = Array.from({ length: 100 }, () => keys.update(0.01, 1));
    const gained = (from: number) => values[from + 10]! - values[from]!;
    expect(gained(20)).toBeGreaterThan(1.5 * gained(0));
    expect(values.at(-1)).toBe(1);
    expect(Math.max(...values)).toBe(1);
  });
  it('give the same way for the same time, in large and small ticks, but for the first order of the tick', () => {
    const [fine, coarse] = [new KeySteering(), new KeySteering()];
    for (let i = 0; i < 300; i += 1) fine.update(0.001, -1);
    for (let i = 0; i < 30; i += 1) coarse.update(0.01, -1);
    expect(Math.abs(fine.value - coarse.value)).toBeLessThan(0.02);
  });
  it('come back to the middle and stay there', () => {
    const keys = new KeySteering();
    for (let i = 0; i < 50; i += 1) keys.update(0.01, 1);
    for (let i = 0; i < 60; i += 1) keys.update(0.01, 0);
    expect(keys.value).toBe(0);
  });
  it('cross the middle faster than they leave it', () => {
    const [from, to] = [new KeySteering(), new KeySteering()];
    for (let i = 0; i < 30; i += 1) from.update(0.01, 1);
    const before = from.value;
    from.update(0.01, -1);
    expect(before - from.value).toBeGreaterThan(2 * Math.abs(to.update(0.01, -1)));
  });
});

describe('an axis', () => {
  const wheel = { axis: 2, left: 0.9, centre: 0.1, right: -0.7, dead: 0.02 };
  it('goes from the right end to the left end as calibrated, whichever way it counts', () => {
    const at = (raw: number) => calibrated(wheel, [9, 9, raw]);
    expect(at(0.9)).toBe(1);
    expect(at(-0.7)).toBe(-1);
    expect(at(0.1)).toBe(0);
    expect(at(0.5)).toBeCloseTo((0.5 - 0.02) / 0.98, 9);
    expect(at(5)).toBe(1);
  });
  it('is 0 in the dead zone and where it is not there', () => {
    expect(calibrated(wheel, [0, 0, 0.11])).toBe(0);
    expect(calibrated(wheel, [])).toBe(0);
    expect(calibrated(plainStick, [Number.NaN])).toBe(0);
  });
  it('is found by turning it', () => {
    const calibrator = new Calibrator();
    for (const x of [0, -0.8, 0.1, 0.9, 0.05]) calibrator.see([0.01 * x, x]);
    expect(calibrator.finish([0, 0.05])).toEqual({ axis: 1, left: -0.8, centre: 0.05, right: 0.9, dead: 0.02 });
    const idle = new Calibrator();
    idle.see([0, 0.1]);
    idle.see([0.05, 0.1]);
    expect(idle.finish([0, 0.1])).toBeNull();
  });
  it('is refused from storage where it makes no sense', () => {
    expect(isCalibration(plainStick)).toBe(true);
    for (const wrong of [null, {}, { ...plainStick, left: 0 }, { ...plainStick, dead: 2 }, { ...plainStick, axis: 'x' }]) expect(isCalibration(wrong)).toBe(false);
  });
});

it('ropes, fingers and mouse turn to the left above zero', () => {
  expect(ropes([0, 0, 0], [0, 0, -0.15], [0, 0, -1])).toBeCloseTo(0.5);
  expect(touchSteering(300, 200, 600)).toBeCloseTo(0.5);
  expect(mouseSteering(0, 800)).toBe(1);
  expect(mouseSteering(800, 800)).toBe(-1);
  expect(mouseSteering(400, 800)).toBe(0);
});

it('keeps 12 bits', () => {
  const seen = new Set(Array.from({ length: 4097 }, (_, i) => quantised(-1 + i / 2048)));
  expect(seen.size).toBe(4097);
});
