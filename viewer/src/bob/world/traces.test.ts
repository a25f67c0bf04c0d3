import { expect, it } from 'vitest';
import { Vector3 } from 'three';
import { RunnerTraces } from './traces';
import { crewInside, runnerSoles } from './sled-model';

it('a runner leaves a line, with a gap where it lifts', () => {
  const traces = new RunnerTraces(1);
  const up = new Vector3(0, 1, 0);
  const drawn = Array.from({ length: 20 }, (_, i) => traces.add(0, new Vector3(0, 0, -0.5 * i), up, i < 8 || i > 12));
  // The first place on the ice begins a line, after the jump too.
  expect(drawn.map(Number).join('')).toBe('01111111000000111111');
});

it('runners reach down to the ice and no further, and the crew sits within the hull', () => {
  for (const { body, point } of runnerSoles()) {
    expect(Math.abs(point.y), body).toBeLessThan(0.003);
    expect(Math.abs(Math.abs(point.x) - 0.335)).toBeLessThan(0.02);
  }
  expect(crewInside()).toBe(true);
});
