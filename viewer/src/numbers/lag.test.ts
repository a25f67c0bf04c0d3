import { describe, expect, it } from 'vitest';
import { LagMeter } from './lag';

describe('the age of a picture', () => {
  it('is the time since its state was computed, whatever the clocks say', () => {
    const meter = new LagMeter();
    // The page's clock is 100 s ahead, and a message takes 10 ms.
    meter.report({ time: 1, clock: 1, factor: 1 }, 101.01);
    expect(meter.ageOf(1, 101.01)).toBeCloseTo(0, 9);
    expect(meter.ageOf(1, 101.51)).toBeCloseTo(0.5, 9);
    // This one was held up for two seconds: so is what came with it.
    meter.report({ time: 3, clock: 3, factor: 1 }, 105.01);
    expect(meter.ageOf(3, 105.01)).toBeCloseTo(2, 9);
    expect(meter.ageOf(5, 105.01)).toBeCloseTo(0, 9);
  });

  it('counts real seconds where the simulation runs slower', () => {
    const meter = new LagMeter();
    meter.report({ time: 1, clock: 10, factor: 0.5 }, 10);
    expect(meter.ageOf(0.5, 10)).toBeCloseTo(1, 9);
  });

  it('is nothing where nothing is known', () => {
    const meter = new LagMeter();
    expect(meter.ageOf(0, 5)).toBe(0);
    meter.report({ time: 1, clock: 1, factor: 1 }, 1);
    meter.forget();
    expect(meter.ageOf(0, 5)).toBe(0);
    meter.report({ time: 1, clock: 1, factor: 0 }, 1);
    expect(meter.ageOf(0, 5)).toBe(0);
  });
});
