import { expect, it } from 'vitest';
import { Stillness } from './stillness';

it('is still after two seconds in which time passes and nothing moves', () => {
  const stillness = new Stillness();
  expect(stillness.isStill(0, true, false)).toBe(false);
  expect(stillness.isStill(1.9, true, false)).toBe(false);
  expect(stillness.isStill(2, true, false)).toBe(true);
  expect(stillness.isStill(2.1, true, true)).toBe(false);
  expect(stillness.isStill(4, true, false)).toBe(false);
  expect(stillness.isStill(4.2, true, false)).toBe(true);
});

it('is not still while it is paused, and counts anew when time goes back', () => {
  const stillness = new Stillness();
  stillness.isStill(0, true, false);
  expect(stillness.isStill(3, false, false)).toBe(false);
  expect(stillness.isStill(5, true, false)).toBe(true);
  expect(stillness.isStill(1, true, false)).toBe(false);
});
