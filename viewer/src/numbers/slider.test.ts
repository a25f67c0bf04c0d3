import { describe, expect, it } from 'vitest';
import { positionOf, stepped, valueAt, type SliderScale } from './slider';

const linear: SliderScale = { min: 0, max: 1, step: 0.01, scale: 'linear' };
const log: SliderScale = { min: 0.1, max: 1000, step: 0.1, scale: 'log' };

describe('a linear slider', () => {
  it('snaps to its step', () => expect(valueAt(0.333, linear)).toBe(0.33));
  it('finds the position of its value again', () => expect(positionOf(valueAt(0.42, linear), linear)).toBeCloseTo(0.42, 12));
});

describe('a log slider', () => {
  it('gives each decade the same way', () => {
    expect(positionOf(0.1, log)).toBe(0);
    expect(positionOf(1, log)).toBeCloseTo(0.25, 12);
    expect(positionOf(10, log)).toBeCloseTo(0.5, 12);
    expect(positionOf(1000, log)).toBe(1);
  });
  it('shows round values and finds their position within a percent', () => {
    for (let position = 0; position <= 1; position += 0.01) {
      const value = valueAt(position, log);
      expect(Number(value.toPrecision(2))).toBe(value);
      expect(Math.abs(positionOf(value, log) - position)).toBeLessThan(0.01);
    }
  });
  it('over a range that touches zero is linear', () => expect(valueAt(0.5, { ...log, min: 0 })).toBe(500));
});

describe('every slider', () => {
  it.each([linear, log])('reaches both its ends', (range) => {
    expect(valueAt(0, range)).toBe(range.min);
    expect(valueAt(1, range)).toBe(range.max);
  });
  it.each([linear, log])('never leaves its range by a key', (range) => {
    expect(stepped(range.max, 1, 10, range)).toBe(range.max);
    expect(stepped(range.min, -1, 10, range)).toBe(range.min);
  });
  it('steps by its step, ten times and a tenth of it', () => {
    expect(stepped(0.5, 1, 1, linear)).toBe(0.51);
    expect(stepped(0.5, -1, 10, linear)).toBe(0.4);
    expect(stepped(0.5, 1, 0.1, linear)).toBe(0.501);
  });
  it('on a log scale rises by a factor of ten in forty steps', () => {
    let value = 1;
    for (let i = 0; i < 40; i += 1) value = stepped(value, 1, 1, log);
    expect(value).toBeCloseTo(10, 1);
  });
});
