import { describe, expect, it } from 'vitest';
import { PadButtons, cameraMotion, handMotion, type PadLike } from './gamepad';
import { isStill, response } from './six-axes';
import { SpaceMouseState, fromDeviceAxes, isSpaceMouse } from './space-mouse';

function pad(axes: number[], held: Record<number, number> = {}): PadLike {
  return { axes, buttons: Array.from({ length: 17 }, (_, i) => ({ pressed: (held[i] ?? 0) > 0.5, value: held[i] ?? 0 })) };
}

describe('an axis', () => {
  it('rests within its dead zone and where it is no number', () => {
    for (const value of [0, 0.1, -0.1, NaN, undefined]) expect(response(value, 0.12)).toBe(0);
  });

  it('grows steadily to full deflection, the same to both sides', () => {
    let before = 0;
    for (let x = 0.13; x <= 1; x += 0.01) {
      const now = response(x, 0.12);
      expect(now).toBeGreaterThan(before);
      expect(response(-x, 0.12)).toBe(-now);
      before = now;
    }
    expect(response(1, 0.12)).toBeCloseTo(1, 12);
    expect(response(3, 0.12)).toBeCloseTo(1, 12);
  });
});

describe('a gamepad', () => {
  it('moves the hand by the left stick and the triggers', () => {
    const motion = handMotion(pad([1, -1, 1, 0], { 7: 1 }));
    expect(motion).toMatchObject({ right: 1, away: 1, up: 1, aboutUp: 0 });
  });

  it('turns the body while the left shoulder is held, and the camera otherwise', () => {
    expect(handMotion(pad([0, 0, 1, 0], { 4: 1 })).aboutUp).toBeCloseTo(1);
    expect(isStill(cameraMotion(pad([0, 0, 1, 0], { 4: 1 }), true))).toBe(true);
    expect(cameraMotion(pad([0, 0, 1, 0]), true).aboutUp).toBeCloseTo(1);
  });

  it('counts a press once', () => {
    const buttons = new PadButtons();
    expect(buttons.pressed(pad([], { 0: 1 }))).toEqual([0]);
    expect(buttons.pressed(pad([], { 0: 1 }))).toEqual([]);
    expect(buttons.pressed(pad([]))).toEqual([]);
    expect(buttons.pressed(pad([], { 0: 1, 9: 1 }))).toEqual([0, 9]);
  });
});

describe('a SpaceMouse', () => {
  const words = (...values: number[]) => new DataView(Int16Array.from(values).buffer);

  it('reports translation and rotation in two parts', () => {
    const state = new SpaceMouseState();
    state.take(1, words(350, 0, 0));
    state.take(2, words(0, 0, -350));
    expect(state.motion()).toMatchObject({ right: 1, up: 0, away: 0, aboutUp: 1 });
  });

  it('or all six in one report', () => {
    const state = new SpaceMouseState();
    state.take(1, words(0, -350, -700, 350, 0, 0));
    expect(state.motion()).toMatchObject({ away: 1, up: 1, aboutRight: 1 });
  });

  it('lets its buttons be told apart', () => {
    const state = new SpaceMouseState();
    state.take(3, new DataView(Uint8Array.of(2).buffer));
    expect([state.pressed(0), state.pressed(1)]).toEqual([false, true]);
  });

  it('turns right-handed about its own axes: a twist to the left, seen from above, is positive about up', () => {
    expect(fromDeviceAxes([0, 0, 0, 0, 0, -1]).aboutUp).toBeCloseTo(1);
    expect(fromDeviceAxes([0, 0, 0, 0, -1, 0]).aboutForward).toBeCloseTo(1);
  });

  it('is known by name and by its six axes', () => {
    expect(isSpaceMouse({ id: '3Dconnexion SpaceMouse Compact (Vendor: 256f Product: c635)', axes: [0, 0, 0, 0, 0, 0] })).toBe(true);
    expect(isSpaceMouse({ id: 'Xbox Controller', axes: [0, 0, 0, 0] })).toBe(false);
  });
});
