import { expect, it } from 'vitest';
import { DAY_HOUR, daylightAt, elevationAt, NIGHT_HOUR } from './daylight';

it('the sun rises in the east, stands in the south and sets in the west', () => {
  expect(elevationAt(6)).toBeCloseTo(0, 9);
  expect(elevationAt(12)).toBeCloseTo(40, 9);
  expect(daylightAt(8).direction.x).toBeGreaterThan(0.5);
  expect(daylightAt(12).direction.z).toBeGreaterThan(0.5);
  expect(daylightAt(16).direction.x).toBeLessThan(-0.5);
});

it('day is bright, night is dark, and nothing jumps in between', () => {
  const bright = (hour: number) => {
    const { sun, sunIntensity, hemisphereSky, hemisphereIntensity } = daylightAt(hour);
    return sun.g * sunIntensity + hemisphereSky.g * hemisphereIntensity;
  };
  expect(bright(DAY_HOUR)).toBeGreaterThan(8 * bright(NIGHT_HOUR));
  for (let hour = 0; hour < 24; hour += 0.05) expect(Math.abs(bright(hour + 0.05) - bright(hour))).toBeLessThan(0.25);
  expect(daylightAt(DAY_HOUR).day).toBe(1);
  expect(daylightAt(NIGHT_HOUR).day).toBe(0);
});

it('light always comes from above', () => {
  for (let hour = 0; hour < 24; hour += 0.25) {
    expect(daylightAt(hour).direction.y).toBeGreaterThan(0);
    expect(daylightAt(hour).direction.length()).toBeCloseTo(1, 9);
  }
});
