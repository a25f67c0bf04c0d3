import { describe, expect, it } from 'vitest';
import { addedBody, throwRate, usualSize } from './tool';

describe('what is added', () => {
  it('has the size that was asked for, across', () => {
    expect(addedBody('ball', 0.4, null)).toEqual({ ball: { radius: 0.2 } });
    expect(addedBody('box', 0.4, null)).toEqual({ box: { half: [0.2, 0.2, 0.2] } });
    const hull = addedBody('hull', 0.4, null) as { hull: { points: number[][] } };
    for (let axis = 0; axis < 3; axis += 1) {
      const places = hull.hull.points.map((point) => point[axis]!);
      expect(Math.max(...places) - Math.min(...places)).toBeCloseTo(0.4);
    }
    expect(new Set(hull.hull.points.map(String)).size).toBe(24);
  });

  it('is nothing while no gallery body is chosen', () => {
    expect(addedBody('gallery', 1, null)).toBeNull();
    expect(addedBody('gallery', 1, { scene: 'wall', body: 'brick 1-1' })).toEqual({ gallery: { scene: 'wall', body: 'brick 1-1' } });
  });
});

it('an arrow across the scene throws as fast as a fall through it', () => {
  const radius = 3;
  expect(radius * throwRate(radius)).toBeCloseTo(Math.sqrt(2 * 9.81 * radius));
  expect(usualSize(radius)).toBeLessThan(0.2 * radius);
});
