import { beforeEach, expect, it } from 'vitest';
import { bestTimes, drivenBy, forget, pilots, seated, sign, sitDown } from './pilots';
import type { RunEntry } from './runs';
import { seat } from './seat-settings';

beforeEach(() => {
  seated.value = '';
  pilots.value = [];
  drivenBy.value = {};
  seat.view.value = 'cockpit';
  seat.setup.value = {};
  seat.calibrations.value = {};
});

it('a pilot finds view and directness and devices as they were left', () => {
  sitDown('  Ann  Bo ');
  expect(seated.value).toBe('Ann Bo');
  seat.view.value = 'follow';
  seat.setup.value = { directness: 0.8, restitution: 0.1 };
  seat.calibrations.value = { wheel: { axis: 2, left: -1, centre: 0, right: 1, dead: 0 } };
  sitDown('Cy');
  seat.view.value = 'tv';
  seat.setup.value = { restitution: 0.1 };
  seat.calibrations.value = {};
  sitDown('Ann Bo');
  expect([seat.view.value, seat.setup.value, Object.keys(seat.calibrations.value)]).toEqual(['follow', { restitution: 0.1, directness: 0.8 }, ['wheel']]);
  sitDown('Cy');
  expect([seat.view.value, seat.setup.value]).toEqual(['tv', { restitution: 0.1 }]);
  forget('Cy');
  expect([seated.value, pilots.value.map(({ name }) => name)]).toEqual(['', ['Ann Bo']]);
});

it('best times are those of own whole runs on each track', () => {
  const run = (name: string, track: number, time: number | null, more: Partial<RunEntry> = {}) => ({ name, track, time, curve: 0, driven: true, ...more }) as RunEntry;
  const runs = [run('a', 1, 55), run('b', 1, 54), run('c', 1, 53), run('d', 2, 60), run('e', 1, 50, { curve: 4 }), run('f', 1, 40, { driven: false })];
  sitDown('Ann');
  runs.filter(({ name }) => name !== 'c').forEach(sign);
  expect(drivenBy.value).not.toHaveProperty('f');
  const best = bestTimes(runs, drivenBy.value, 'Ann');
  expect([best.get(1)?.name, best.get(2)?.name, best.size]).toEqual(['b', 'd', 2]);
});
