import { describe, expect, it } from 'vitest';
import type { DriveControl } from '../protocol/messages';
import { ControlHands, driveKeys, keyCap, padValue, padWithoutDriving } from './controls';

const steering: DriveControl = { key: 'steering', label: 'Steering', kind: 'axis', more: ['KeyA', 'ArrowLeft'], less: ['KeyD'], pad: { reversed: 0 }, ramp: 0.2, text: '' };
const brake: DriveControl = { ...steering, key: 'brake', label: 'Brake', kind: 'pedal', more: ['Space'], less: [], pad: { button: 0 } };
const trim: DriveControl = { ...steering, key: 'trim', label: 'Trim', kind: 'lever', more: ['KeyE'], less: ['KeyQ'], pad: null };
const horn: DriveControl = { ...steering, key: 'horn', label: 'Horn', kind: 'button', more: ['KeyH'], less: [], pad: { buttons: [7, 6] } };
const pad = (axes: number[], held: Record<number, number> = {}) => ({ axes, buttons: Array.from({ length: 16 }, (_, i) => ({ pressed: (held[i] ?? 0) > 0, value: held[i] ?? 0 })) });

describe('controls by keys', () => {
  it('ramp up in their time, and an axis goes back twice as fast', () => {
    const hands = new ControlHands([steering]);
    hands.press('KeyA');
    hands.update(0.05, []);
    expect(hands.values[0]).toBeCloseTo(0.25);
    hands.update(1, []);
    expect(hands.values[0]).toBe(1);
    hands.release('KeyA');
    hands.update(0.05, []);
    expect(hands.values[0]).toBeCloseTo(0.5);
    hands.update(1, []);
    expect(hands.values[0]).toBe(0);
  });

  it('cancel each other out', () => {
    const hands = new ControlHands([steering]);
    hands.press('ArrowLeft');
    hands.press('KeyD');
    hands.update(1, []);
    expect(hands.values[0]).toBe(0);
  });

  it('leave a lever where it was put, until hands are taken off', () => {
    const hands = new ControlHands([trim]);
    hands.press('KeyE');
    hands.update(0.1, []);
    hands.releaseAll();
    hands.update(1, []);
    expect(hands.values[0]).toBeCloseTo(0.5);
    hands.rest();
    hands.update(1, []);
    expect(hands.values[0]).toBe(0);
  });

  it('are those that the scene declares, and no other', () => {
    const hands = new ControlHands([steering, brake]);
    expect(['KeyA', 'Space', 'KeyP', 'ArrowUp'].map((code) => hands.moves(code))).toEqual([true, true, false, false]);
    expect(driveKeys([steering, brake])).toEqual([{ label: 'A, ←', text: 'Steering +' }, { label: 'D', text: 'Steering −' }, { label: 'Space', text: 'Brake' }]);
    expect(keyCap('Digit4')).toBe('4');
  });
});

describe('controls by gamepad', () => {
  it('go where the stick is at once, within their range', () => {
    const hands = new ControlHands([steering, brake, horn]);
    hands.update(0, [pad([-1, 0], { 0: 1, 7: 1 })]);
    expect(hands.values).toEqual([1, 1, 1]);
    hands.update(0, [pad([0.02, 0], { 6: 1 })]);
    expect(hands.values.map(Math.abs)).toEqual([0, 0, 0]);
  });

  it('take their stick and buttons from the camera', () => {
    const rest = padWithoutDriving([steering, brake, horn], pad([0.5, 0.6, 0.7, 0.8], { 0: 1, 1: 1, 7: 1 }));
    expect(rest.axes).toEqual([0, 0, 0.7, 0.8]);
    expect([0, 1, 7].map((i) => rest.buttons[i]!.pressed)).toEqual([false, true, false]);
    expect(padValue(null, pad([1]))).toBe(0);
  });
});
