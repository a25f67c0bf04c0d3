import { describe, expect, it } from 'vitest';
import { decimalsOfStep, fieldText, fixed, powerOfTen, prefixFor, quantityText, significant } from './format';
import { decades, niceAbove, niceBelow, ticks } from './nice';
import { CalmRange } from './range';

describe('nice numbers', () => {
  it.each([[1, 1, 1], [1.5, 1, 2], [2, 2, 2], [4.9, 2, 5], [5, 5, 5], [7, 5, 10], [0.03, 0.02, 0.05], [999, 500, 1000], [1e-9, 1e-9, 1e-9]])(
    'around %f are %f and %f',
    (x, below, above) => {
      expect(niceBelow(x)).toBe(below);
      expect(niceAbove(x)).toBe(above);
    },
  );

  it('enclose every number within a factor of 2.5', () => {
    for (let x = 1e-7; x < 1e7; x *= 1.013) {
      expect(niceBelow(x)).toBeLessThanOrEqual(x * (1 + 1e-8));
      expect(niceAbove(x)).toBeGreaterThanOrEqual(x * (1 - 1e-8));
      expect(niceAbove(x) / niceBelow(x)).toBeLessThanOrEqual(2.5 + 1e-9);
    }
  });
});

describe('ticks', () => {
  it('are multiples of a nice step inside the range', () => {
    expect(ticks(0, 12, 3)).toEqual([0, 5, 10]);
    expect(ticks(8.3, 20.3, 3)).toEqual([10, 15, 20]);
    expect(ticks(0, 0.3, 3)).toEqual([0, 0.1, 0.2, 0.3]);
  });
  it('of a range without extent are its one value', () => expect(ticks(2, 2, 3)).toEqual([2]));
  it('of a log axis are powers of ten, thinned where there are many', () => {
    expect(decades(1e-6, 1e-4, 2)).toEqual([1e-6, 1e-5, 1e-4]);
    expect(decades(1e-12, 1e-4, 2)).toEqual([1e-12, 1e-8, 1e-4]);
  });
});

describe('a calm range', () => {
  it('grows at once', () => {
    const range = new CalmRange(1);
    expect(range.fit(0.2, 0)).toBe(1);
    expect(range.fit(7, 0.1)).toBe(10);
  });
  it('shrinks only after three seconds of small data', () => {
    const range = new CalmRange(1);
    range.fit(90, 0);
    expect(range.fit(3, 1)).toBe(100);
    expect(range.fit(3, 3.9)).toBe(100);
    expect(range.fit(3, 4)).toBe(5);
  });
  it('starts waiting anew when large data comes between', () => {
    const range = new CalmRange(1);
    range.fit(90, 0);
    range.fit(3, 1);
    range.fit(90, 3);
    range.fit(3, 3.5);
    expect(range.fit(3, 6)).toBe(100);
    expect(range.fit(3, 6.5)).toBe(5);
  });
});

describe('numbers as text', () => {
  it('carry a true minus and no negative zero', () => {
    expect(fixed(-1.25, 1)).toBe('−1.3');
    expect(fixed(-0.001, 2)).toBe('0.00');
    expect(fixed(NaN, 2)).toBe('–');
  });
  it('have the digits that were asked for', () => {
    expect(significant(3.14159)).toBe('3.14');
    expect(significant(0.00271828)).toBe('0.00272');
    expect(significant(1234.5)).toBe('1235');
  });
  it.each([[1.8e-5, 'm', '18.0 µm'], [67_000, 'J', '67.0 kJ'], [0.999_96, 'N', '1.00 N'], [999.96, 'N', '1.00 kN'], [0, 'm', '0 m'], [3e-16, 'm', '0 m'], [-0.25, 'J', '−250 mJ']])(
    'choose the prefix: %f %s is %s',
    (value, unit, text) => expect(quantityText(value, unit)).toBe(text),
  );
  it('share a prefix where they are compared', () => expect(prefixFor(2830)).toEqual({ factor: 1e3, prefix: 'k' }));
  it('raise powers of ten', () => {
    expect(powerOfTen(1e-12)).toBe('10⁻¹²');
    expect(powerOfTen(1000)).toBe('10³');
  });
  it('show a field to the digit of its step', () => {
    expect(decimalsOfStep(0.01)).toBe(2);
    expect(decimalsOfStep(5)).toBe(0);
    expect(fieldText(0.8, 0.01, 'linear')).toBe('0.80');
    expect(fieldText(9.81, 0.1, 'linear')).toBe('9.81');
    expect(fieldText(1 / 3, 0.1, 'linear')).toBe('0.333');
    expect(fieldText(2e-7, 1e-9, 'log')).toBe('2.00e−7');
  });
});
