import { expect, it } from 'vitest';
import { COASTING, Mapping } from './mapping';
import { isStill, still } from './six-axes';

const pushed = { ...still, right: 1, aboutUp: -0.5 };
const DT = 1 / 60;

it('a velocity ends with the deflection', () => {
  const mapping = new Mapping();
  expect(mapping.next(pushed, 'velocity', DT)).toEqual(pushed);
  expect(isStill(mapping.next(still, 'velocity', DT))).toBe(true);
});

it('a force gathers speed and coasts by its speed times its time', () => {
  for (const dt of [DT, 0.1]) {
    const mapping = new Mapping();
    expect(mapping.next(pushed, 'force', dt).right).toBeLessThan(0.2);
    for (let i = 0; i < 10 / dt; i += 1) mapping.next(pushed, 'force', dt);
    expect(mapping.next(pushed, 'force', dt).aboutUp).toBeCloseTo(-0.5, 4);
    let way = 0;
    for (let i = 0; i < 10 / dt; i += 1) way += dt * mapping.next(still, 'force', dt).right;
    expect(way).toBeCloseTo(COASTING, 2);
    expect(isStill(mapping.next(still, 'force', dt))).toBe(true);
  }
});

it('what is stopped does not coast', () => {
  const mapping = new Mapping();
  for (let i = 0; i < 60; i += 1) mapping.next(pushed, 'force', DT);
  mapping.stop();
  expect(isStill(mapping.next(still, 'force', DT))).toBe(true);
});
