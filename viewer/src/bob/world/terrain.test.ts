import { describe, expect, it } from 'vitest';
import { makeTrack } from '../test-track';
import { hash, noise, ridged } from './noise';
import { Terrain } from './terrain';

describe('the hill', () => {
  const track = makeTrack();
  const terrain = new Terrain(track);
  it('never comes through the ice', () => {
    for (let row = 0; row < track.count; row += 5) {
      for (let column = 0; column < track.columns; column += 1) {
        const [x, y, z] = track.vertex(row, column);
        expect(terrain.height(x, z)).toBeLessThan(y - 0.5);
      }
    }
  });
  it('carries the track: 15 m beside it the ground is as high as the course, within the noise', () => {
    for (const s of [10, 30, 50]) {
      const { floor } = track.at(s);
      expect(Math.abs(terrain.height(floor[0] + 15, floor[2]) - floor[1])).toBeLessThan(4);
    }
  });
  it('has mountains only far away', () => {
    expect(terrain.mountain(...terrain.middle)).toBe(0);
    const highest = Math.max(...Array.from({ length: 200 }, (_, i) => terrain.mountain(terrain.middle[0] + 4000 * Math.cos(i), terrain.middle[1] + 4000 * Math.sin(i))));
    expect(highest).toBeGreaterThan(400);
    expect(highest).toBeLessThan(1500);
  });
});

it('noise is even, between 0 and 1, smooth, and the same twice', () => {
  const values = Array.from({ length: 4000 }, (_, i) => hash(i, 7 * i));
  expect(values.reduce((a, b) => a + b) / values.length).toBeCloseTo(0.5, 1);
  expect(Math.min(...values)).toBeGreaterThanOrEqual(0);
  expect(Math.max(...values)).toBeLessThan(1);
  expect(noise(3.2, 1.7, 4)).toBe(noise(3.2, 1.7, 4));
  for (let i = 0; i < 100; i += 1) expect(Math.abs(noise(0.1 * i, 0.3) - noise(0.1 * i + 1e-4, 0.3))).toBeLessThan(1e-3);
  expect(noise(0.3, 5.5, 1, 8)).toBeCloseTo(noise(8.3, 13.5, 1, 8), 12);
  expect(ridged(1.3, 2.4, 5)).toBeLessThanOrEqual(1);
});
