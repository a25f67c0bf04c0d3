import { describe, expect, it } from 'vitest';
import { logRange, timeRange } from './specs';

describe('a log axis', () => {
  it('ends at whole decades around the data', () => expect(logRange([3e-6, 2e-4])).toEqual({ min: 1e-6, max: expect.closeTo(1e-3, 12), hasZero: false }));
  it('keeps a decade below the data for zeros', () => expect(logRange([0, 3e-6, 2e-4])).toMatchObject({ min: expect.closeTo(1e-7, 15), hasZero: true }));
  it('spans two decades even for one value', () => {
    const { min, max } = logRange([2e-5]);
    expect(max / min).toBeGreaterThanOrEqual(99);
  });
  it('has a place for zeros alone, and for nothing', () => {
    expect(logRange([0, 0]).hasZero).toBe(true);
    expect(logRange([]).hasZero).toBe(true);
  });
  it('is not stretched by noise beyond twelve decades', () => {
    const { min, max } = logRange([1, 1e-30]);
    expect(max / min).toBeLessThan(1.1e12);
  });
});

describe('the time axis', () => {
  it('waits at its start, then follows', () => {
    expect(timeRange(3)).toEqual([0, 5]);
    expect(timeRange(7)).toEqual([0, 12]);
    expect(timeRange(20)).toEqual([8, 20]);
  });
});
