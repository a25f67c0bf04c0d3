import { describe, expect, it } from 'vitest';
import { PaceMeter, slownessOf } from './real-time';

const running = { connected: true, greeted: true, running: true, slowed: false };

describe('the pace', () => {
  it('calls itself slowed only after a whole second of slowness', () => {
    const meter = new PaceMeter();
    meter.update(running, 0);
    expect(meter.pace).toBe('on-time');
    meter.update({ ...running, slowed: true }, 1);
    meter.update({ ...running, slowed: true }, 1.9);
    expect(meter.pace).toBe('on-time');
    meter.update({ ...running, slowed: true }, 2);
    expect(meter.pace).toBe('slowed');
  });

  it('is on time again at once, so that nobody at full speed is called slowed', () => {
    const meter = new PaceMeter();
    meter.update(running, 0);
    for (const time of [1, 2]) meter.update({ ...running, slowed: true }, time);
    expect(meter.pace).toBe('slowed');
    meter.update(running, 2.01);
    expect(meter.pace).toBe('on-time');
  });

  it('is below its speed only where that can be seen', () => {
    const meter = new PaceMeter();
    meter.report(1.05, 0);
    expect(meter.isBelow(1)).toBe(false);
    expect(meter.isBelow(2)).toBe(true);
  });

  it('blames the steps only where they take their time', () => {
    expect(slownessOf({ step_ms: 12, aim_ms: 4.2 })).toBe('simulation');
    expect(slownessOf({ step_ms: 0.6, aim_ms: 4.2 })).toBe('machine');
  });

  it('forgets slowness that does not last', () => {
    const meter = new PaceMeter();
    meter.update(running, 0);
    for (let time = 0; time < 10; time += 0.5) meter.update({ ...running, slowed: time % 1 === 0 }, time);
    expect(meter.pace).toBe('on-time');
  });

  it('shows a pause and a lost server at once', () => {
    const meter = new PaceMeter();
    meter.update(running, 0);
    meter.update({ ...running, running: false }, 0.1);
    expect(meter.pace).toBe('paused');
    meter.update({ ...running, connected: false }, 0.2);
    expect(meter.pace).toBe('lost');
  });

  it('is connecting until the server has said hello', () => {
    const meter = new PaceMeter();
    meter.update({ ...running, connected: false, greeted: false }, 0);
    expect(meter.pace).toBe('connecting');
  });

  it('takes the first factor as it is and smooths the later ones over half a second', () => {
    const meter = new PaceMeter();
    meter.report(0.5, 0);
    expect(meter.factor).toBe(0.5);
    meter.report(1, 0.5);
    expect(meter.factor).toBeCloseTo(1 - 0.5 / Math.E, 12);
  });
});
