// A small track for tests: a half-pipe that goes straight for 60 m, then turns left on a circle of 40 m, falling by a tenth.

import { TrackShape, type TrackData } from './track';

const RADIUS = 40;
const STRAIGHT = 60;
const SLOPE = -0.1;
const COLUMNS = 13;

export function courseAt(s: number): { x: number; y: number; z: number; heading: number; curvature: number } {
  const arc = Math.max(0, s - STRAIGHT);
  const heading = arc / RADIUS;
  const straight = Math.min(s, STRAIGHT);
  return {
    x: -RADIUS * (1 - Math.cos(heading)),
    y: SLOPE * s,
    z: -straight - RADIUS * Math.sin(heading),
    heading,
    curvature: s > STRAIGHT ? 1 / RADIUS : 0,
  };
}

/** A half circle of radius 1.5 m in every row. */
export function makeTrack(length = 120): TrackShape {
  const rows = Array.from({ length: 2 * length + 1 }, (_, i) => -10 + 0.5 * i);
  const ice: number[] = [];
  const course = rows.map((s) => {
    const { x, y, z, heading, curvature } = courseAt(s);
    for (let c = 0; c < COLUMNS; c += 1) {
      const angle = (Math.PI * c) / (COLUMNS - 1);
      const across = -1.5 * Math.cos(angle);
      ice.push(x + across * Math.cos(heading), y + 1.5 * (1 - Math.sin(angle)), z - across * Math.sin(heading));
    }
    return [x, y, z, heading, curvature, SLOPE];
  });
  const data: TrackData = {
    name: 'test', description: '', curves: 1, finish: 90, drop: 9, number: 1, rows, course,
    bends: [{ number: 1, name: 'Only', side: 'left', begin: STRAIGHT, end: 90, radius: RADIUS }],
    timing: { stations: [20, 50, 90], race: [] }, start: { block: -5, load: 10, speed: 8 }, brake: 92,
    landmarks: [{ s: 40, side: 'right', height: 1.5, kind: 'flag', text: '', colour: '#ff6a13' }, { s: 50, side: 'left', height: 1, kind: 'post', text: '', colour: '#ffd400' }],
  };
  return new TrackShape(data, new Float32Array(ice));
}
