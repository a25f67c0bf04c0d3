import { expect, test } from 'vitest';
import type { HandReading } from './reading';
import { knock, pitchOfScrape, scrape } from './sound';

const still: HandReading = { held: 0, standing: 'touching', force: 10, moment: 0, ahead: 0, turned: 0, gap: null, interval: 0, allowed: 1, sliding: 0, struck: 0, words: '' };
const reading = (change: Partial<HandReading>): HandReading => ({ ...still, ...change });

test('a light contact clicks, a hard one thuds by its impulse, and a lasting one does neither', () => {
  expect(knock(reading({ force: 1e6 }))).toBe(0);
  expect(knock(reading({ struck: 1e-4 }))).toBeCloseTo(0.05, 3);
  expect(knock(reading({ struck: 0.1 }))).toBeCloseTo(0.2);
  expect(knock(reading({ struck: 1e6 }))).toBe(0.35);
});

test('a part scrapes the louder and brighter the faster it slides, and the louder the harder it is pressed', () => {
  expect(scrape(reading({ sliding: 0 }))).toBe(0);
  expect(scrape(reading({ standing: 'free', sliding: 0.1 }))).toBe(0);
  const [slow, fast] = [reading({ sliding: 0.02 }), reading({ sliding: 0.2 })];
  expect(scrape(fast)).toBeGreaterThan(2 * scrape(slow));
  expect(pitchOfScrape(fast)).toBeGreaterThan(1.5 * pitchOfScrape(slow));
  expect(scrape(reading({ sliding: 0.2, force: 60 }))).toBeGreaterThan(2 * scrape(reading({ sliding: 0.2, force: 8 })));
  expect(scrape(reading({ sliding: 10, force: 1e6 }))).toBeLessThanOrEqual(0.08);
});
