import { expect, it } from 'vitest';
import { Vector3 } from 'three';
import { RunnerTraces } from './traces';
import { crewOutside, runnerSoles } from './sled-model';
import setup from '../../../../scenes/sleds/two-man.toml?raw';

it('a runner leaves a line, with a gap where it lifts', () => {
  const traces = new RunnerTraces(1);
  const up = new Vector3(0, 1, 0);
  const drawn = Array.from({ length: 20 }, (_, i) => traces.add(0, new Vector3(0, 0, -0.5 * i), up, i < 8 || i > 12));
  // The first place on the ice begins a line, after the jump too.
  expect(drawn.map(Number).join('')).toBe('01111111000000111111');
});

it('runners reach down to the ice and no further', () => {
  for (const { body, point } of runnerSoles()) {
    expect(Math.abs(point.y), body).toBeLessThan(0.003);
    expect(Math.abs(Math.abs(point.x) - 0.335)).toBeLessThan(0.02);
  }
});

it('the crew stays in the hull however far it may lean', () => {
  // Where the sled's file has the joint, and where it stops: no run leans further than the stop gives way, by a degree.
  const delta = /name = "delta"[^]*?\npoint = \[([^\]]+)\][^]*?\nlimit_deg = ([\d.]+)/.exec(setup)!;
  const [hips, limit] = [delta[1]!.split(',').map(Number), Number(delta[2])];
  expect(hips).toHaveLength(3);
  for (let degrees = -limit - 1; degrees <= limit + 1; degrees += 1) expect(crewOutside(hips, (degrees * Math.PI) / 180), `${degrees} degrees`).toBeLessThan(0);
  // The same question sees a crew that is turned half over.
  expect(crewOutside(hips, 0.9)).toBeGreaterThan(0.05);
});
