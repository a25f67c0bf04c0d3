import { describe, expect, it } from 'vitest';
import { countdownAt, isRunning, menuShift, next, type FlowEvent, type Phase } from './flow';

function walk(from: Phase, ...events: FlowEvent['type'][]): Phase {
  return events.reduce((phase, type) => next(phase, { type }), from);
}

describe('the flow', () => {
  it('goes from the menu down to the result and again', () => {
    expect(walk('menu', 'start', 'go', 'seated', 'finished', 'shown')).toBe('result');
    expect(walk('result', 'start', 'go', 'seated', 'crashed', 'shown', 'replay')).toBe('replay');
    expect(walk('replay', 'leave')).toBe('menu');
  });
  it('restarts at once from everywhere but the menu', () => {
    for (const phase of ['countdown', 'push', 'drive', 'finish', 'crash', 'result', 'replay'] as const) expect(walk(phase, 'restart')).toBe('push');
    expect(walk('menu', 'restart')).toBe('menu');
  });
  it('takes no notice of what does not belong to a phase', () => {
    expect(walk('menu', 'finished', 'seated', 'shown')).toBe('menu');
    expect(walk('drive', 'seated', 'go')).toBe('drive');
  });
  it('can be left from everywhere', () => {
    for (const phase of ['countdown', 'push', 'drive', 'finish', 'crash', 'result', 'replay'] as const) expect(walk(phase, 'leave')).toBe('menu');
  });
  it('has hands on the ropes only between push and finish', () => {
    expect((['menu', 'countdown', 'push', 'drive', 'finish', 'crash', 'result', 'replay'] as const).filter(isRunning)).toEqual(['push', 'drive']);
  });
});

it('counts 3, 2, 1 and is over', () => {
  expect([0, 0.9, 1, 1.5, 2.99, 3, 9].map(countdownAt)).toEqual([3, 3, 2, 2, 1, null, null]);
});

it('the picture stands beside the menu where there is room', () => {
  expect([menuShift(1280), menuShift(640)]).toEqual([308, 0]);
});
