import { describe, expect, it } from 'vitest';
import { TrailBuffer } from './trail-buffer';

const pose = (x: number) => new Float32Array([0, 0, 0, x, 2 * x, 0]);

describe('trails', () => {
  it('keep the newest places and run from old to new', () => {
    const trail = new TrailBuffer([1], 3, 0.1);
    for (let i = 0; i < 5; i += 1) expect(trail.add(0.1 * i, pose(i), 3)).toBe(true);
    const points = new Float32Array(100);
    const ages = new Float32Array(100);
    expect(trail.segments(points, ages)).toBe(4);
    expect([...points.slice(0, 12)]).toEqual([2, 4, 0, 3, 6, 0, 3, 6, 0, 4, 8, 0]);
    expect(ages[3]).toBe(0);
    expect(ages[0]).toBeGreaterThan(ages[1]!);
  });

  it('take one place per interval and begin anew when time goes back', () => {
    const trail = new TrailBuffer([0], 8, 0.1);
    trail.add(1, pose(1), 3);
    expect(trail.add(1.05, pose(2), 3)).toBe(false);
    trail.add(1.2, pose(3), 3);
    expect(trail.count).toBe(2);
    trail.add(0.4, pose(4), 3);
    expect(trail.count).toBe(1);
  });
});
