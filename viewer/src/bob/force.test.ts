import { describe, expect, it, vi } from 'vitest';
import { constantForce, ForceWheel, leverForce, PID, rumbleOf, SeatRumble, type ForceDevice } from './force';

it('a torque is a force at a lever of ten centimetres', () => {
  expect(leverForce(3)).toBeCloseTo(30);
});

it('rumble grows with the force and does not know its direction', () => {
  const strengths = [0, 20, 100, 300, 1000].map((force) => rumbleOf(force, 0).strong);
  expect(strengths).toEqual([...strengths].sort((a, b) => a - b));
  expect(strengths[0]).toBe(0);
  expect(strengths.at(-1)).toBe(1);
  expect(rumbleOf(-100, 0)).toEqual(rumbleOf(100, 0));
  expect(rumbleOf(0, 1.5).weak).toBe(1);
});

it('a pad shakes by force and at once with a hit, not more often than it should', () => {
  const playEffect = vi.fn(async () => {});
  const rumble = new SeatRumble();
  rumble.play({ playEffect }, 10, 0, 0, 0);
  rumble.play({ playEffect }, 10, 0, 0, 20);
  expect(playEffect).toHaveBeenCalledTimes(1);
  rumble.play({ playEffect }, 10, 1, 1.2, 25);
  expect(playEffect).toHaveBeenCalledTimes(2);
  rumble.play({ playEffect }, 0, 1, 1.2, 200);
  expect(playEffect).toHaveBeenCalledTimes(2);
  rumble.play(null, 50, 2, 1, 400);
});

describe('a wheel with a motor', () => {
  it('gets a signed constant force in 16 bits', () => {
    expect([...constantForce(0)]).toEqual([1, 0, 0]);
    expect([...constantForce(200)]).toEqual([1, 0x88, 0x13]); // 5000
    expect([...constantForce(-400)]).toEqual([1, 0xf0, 0xd8]); // -10000
    expect(constantForce(9999)).toEqual(constantForce(400));
  });
  it('is started once, is not waited for, and is let go of when it vanishes', async () => {
    const reports: number[] = [];
    let answer: (() => void) | null = null;
    let refuse: (() => void) | null = null;
    const device: ForceDevice = {
      productName: 'Fake wheel', opened: false,
      open: async () => { device.opened = true; },
      sendReport: (id) => {
        reports.push(id);
        return reports.length <= 3 ? Promise.resolve() : new Promise((resolve, reject) => { answer = resolve; refuse = () => reject(new Error('gone')); });
      },
    };
    const lost = vi.fn();
    const wheel = new ForceWheel(device, lost);
    await wheel.start();
    expect(reports).toEqual([PID.setEffect, PID.setConstantForce, PID.operation]);
    wheel.push(5, 100);
    wheel.push(6, 200); // the first is still under way
    expect(reports).toHaveLength(4);
    answer!();
    await Promise.resolve();
    await Promise.resolve();
    wheel.push(7, 300);
    expect(reports).toHaveLength(5);
    refuse!();
    await new Promise((resolve) => setTimeout(resolve, 0));
    expect(lost).toHaveBeenCalledTimes(1);
  });
});
