import { expect, test } from 'vitest';
import type { HandReading } from './reading';
import { knock, scrape } from './sound';

const reading = (standing: HandReading['standing'], force: number): HandReading => ({ held: 0, standing, force, moment: 0, ahead: 0, turned: 0, gap: null, interval: 0, allowed: 1, words: '' });

test('a contact clicks, a harder one thuds, and a lasting one does neither', () => {
  expect(knock(null, reading('touching', 5))).toBe(0);
  expect(knock(reading('free', 0), reading('touching', 1))).toBeCloseTo(0.05);
  expect(knock(reading('free', 0), reading('touching', 60))).toBeGreaterThan(0.2);
  expect(knock(reading('touching', 10), reading('touching', 11))).toBe(0);
  expect(knock(reading('free', 0), reading('touching', 1e6))).toBeLessThanOrEqual(0.35);
});

test('only a part that touches and goes on scrapes', () => {
  expect(scrape(reading('free', 10))).toBe(0);
  expect(scrape(reading('jammed', 10))).toBe(0);
  expect(scrape(reading('touching', 10))).toBeGreaterThan(scrape(reading('touching', 2)));
});
