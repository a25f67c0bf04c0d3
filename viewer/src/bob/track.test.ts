import { describe, expect, it } from 'vitest';
import { courseAt, makeTrack } from './test-track';
import { lineAt, TrackShape } from './track';

describe('a track', () => {
  const track = makeTrack();
  it('has its floor where the course is', () => {
    for (const s of [0, 33.3, 75.1]) {
      const { x, y, z } = courseAt(s);
      const { floor } = track.at(s);
      expect(Math.hypot(floor[0] - x, floor[1] - y, floor[2] - z)).toBeLessThan(0.02);
    }
  });
  it('looks along the tangent of the course', () => {
    for (const s of [10, 80]) {
      const [a, b] = [courseAt(s - 0.01), courseAt(s + 0.01)];
      const length = Math.hypot(b.x - a.x, b.y - a.y, b.z - a.z);
      const { ahead, right } = track.at(s);
      [b.x - a.x, b.y - a.y, b.z - a.z].forEach((d, k) => expect(ahead[k]!).toBeCloseTo(d / length, 3));
      expect(ahead[0] * right[0] + ahead[2] * right[2]).toBeCloseTo(0, 9);
    }
  });
  it('measures arcs along the ice from the course, to the right above zero', () => {
    const last = track.columns - 1;
    // Half of a half circle of 1.5 m in six chords.
    const chords = 6 * 2 * 1.5 * Math.sin(Math.PI / 24);
    expect(track.arcs[last]!).toBeCloseTo(chords, 3);
    expect(track.arcs[0]!).toBeCloseTo(-chords, 3);
    const place = track.onIce(40, chords / 2);
    expect(track.at(40).floor[0]).toBeCloseTo(0, 2);
    expect(place[0]).toBeCloseTo(1.5 * Math.sin(Math.PI / 4), 1);
  });
  it('knows its curve', () => {
    expect(track.bendAt(10)).toBeNull();
    expect(track.bendAt(70)?.number).toBe(1);
  });
  it('refuses ice that does not fit its rows', () => {
    expect(() => new TrackShape(track.data, track.ice.slice(0, -3))).toThrow('vertices for');
  });
});

it('a line is linear between its points', () => {
  const line = [[0, 0, 10, 1], [10, 1, 20, 2]] as [number, number, number, number][];
  expect(lineAt(line, 5, 1)).toBe(0.5);
  expect(lineAt(line, -3, 2)).toBe(10);
  expect(lineAt([], 3, 2)).toBe(0);
});
