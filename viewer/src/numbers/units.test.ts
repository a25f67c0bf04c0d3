import { describe, expect, it } from 'vitest';
import { parseQuantity, unitText } from './units';

const value = (text: string, unit: string) => (parseQuantity(text, unit) as { value: number }).value;

describe('what is typed into a field', () => {
  it.each([
    ['5 mm', 'm', 0.005], ['5mm', 'm', 0.005], ['0,5', 'm', 0.5], ['1.5 km', 'm', 1500], ['20 µm', 'm', 2e-5], ['20 um', 'm', 2e-5],
    ['3 ms', 's', 0.003], ['250 g', 'kg', 0.25], ['2 kN', 'N', 2000], ['36 km/h', 'm/s', 10], ['1 g', 'm/s^2', 9.80665], ['1 g', 'm/s²', 9.80665],
    ['80 %', '', 0.8], ['90 deg', 'rad', Math.PI / 2], ['90°', 'rad', Math.PI / 2], ['1.2 g/cm³', 'kg/m³', 1200], ['1e-3', 'm', 0.001], ['−4', 'm', -4], ['.5', '', 0.5], [' 7 m ', 'm', 7],
  ])('%s in a field of %s is %f', (text, unit, expected) => {
    expect(value(text, unit)).toBeCloseTo(expected, 12);
  });

  it('converts exactly where the factor is a power of ten', () => expect(value('5 mm', 'm')).toBe(0.005));

  it.each(['', 'abc', '--3', '1.2.3', 'mm'])('refuses %j as no number', (text) => {
    expect(parseQuantity(text, 'm')).toHaveProperty('error');
  });

  it('refuses a unit of another kind and names those that fit', () => {
    expect(parseQuantity('5 kg', 'm')).toEqual({ error: 'Unknown unit kg; try m, km, dm, cm' });
    expect(parseQuantity('5 mm', '')).toEqual({ error: 'Unknown unit mm; this is a plain number' });
  });

  it('keeps a unit that it does not know itself', () => expect(value('3 N·s/m', 'N·s/m')).toBe(3));
});

it('shows squares and cubes raised', () => {
  expect(unitText('m/s^2')).toBe('m/s²');
  expect(unitText('kg/m^3')).toBe('kg/m³');
});
