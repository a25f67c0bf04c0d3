// All hands together: keys, mouse, pads, wheels and fingers become steering, push and brake.

import { isSpaceMouse } from '../devices/space-mouse';
import { seat } from './seat-settings';
import { calibrated, KeySteering, mouseSteering, plainStick, quantised, touchSteering } from './steering';

export interface Held {
  steering: number;
  push: number;
  brake: number;
}

const LEFT = ['ArrowLeft', 'KeyA'];
const RIGHT = ['ArrowRight', 'KeyD'];
const PUSH = ['ArrowUp', 'KeyW'];
const BRAKE = ['ArrowDown', 'KeyS'];
export const drivingKeys = new Set([...LEFT, ...RIGHT, ...PUSH, ...BRAKE]);

/** Triggers of the standard layout. */
const BRAKE_BUTTON = 6;
const PUSH_BUTTON = 7;

export class Hands {
  private readonly down = new Set<string>();
  private readonly keys = new KeySteering();
  private mouse: number | null = null;
  private touch: { id: number; start: number; now: number; width: number } | null = null;
  private touchBrake = false;
  /** Set by a headset: the difference of two hands. */
  ropes: number | null = null;
  /** Both hands pull their triggers. */
  ropeBrake = false;
  /** The pad that moved last. */
  pad: Gamepad | null = null;

  press(code: string): void {
    this.down.add(code);
  }

  release(code: string): void {
    this.down.delete(code);
  }

  releaseAll(): void {
    this.down.clear();
    this.touch = null;
    this.touchBrake = false;
  }

  rest(): void {
    this.releaseAll();
    this.keys.rest();
    this.mouse = null;
  }

  moveMouse(x: number, width: number): void {
    this.mouse = seat.mouse.value ? mouseSteering(x, width) : null;
  }

  /** One finger steers; a second one brakes. */
  touchStart(id: number, x: number, width: number): void {
    if (this.touch === null) this.touch = { id, start: x, now: x, width };
    else if (this.touch.id !== id) this.touchBrake = true;
  }

  touchMove(id: number, x: number): void {
    if (this.touch?.id === id) this.touch.now = x;
  }

  touchEnd(id: number): void {
    if (this.touch?.id === id) this.touch = null;
    this.touchBrake = false;
  }

  /** Where everything is after `seconds` more. */
  update(seconds: number): Held {
    const held = (codes: readonly string[]) => (codes.some((code) => this.down.has(code)) ? 1 : 0);
    let steering = this.keys.update(seconds, held(LEFT) - held(RIGHT));
    let [push, brake] = [held(PUSH), held(BRAKE)];
    this.pad = null;
    for (const pad of navigator.getGamepads?.() ?? []) {
      if (!pad || isSpaceMouse(pad)) continue;
      this.pad ??= pad;
      steering += calibrated(seat.calibrations.value[pad.id] ?? plainStick, pad.axes);
      push = Math.max(push, pad.buttons[PUSH_BUTTON]?.value ?? 0);
      brake = Math.max(brake, pad.buttons[BRAKE_BUTTON]?.value ?? 0);
    }
    if (seat.mouse.value && this.mouse !== null) steering += this.mouse;
    if (this.touch) steering += touchSteering(this.touch.start, this.touch.now, this.touch.width);
    if (this.touchBrake || this.ropeBrake) brake = 1;
    if (this.ropes !== null) steering += this.ropes;
    return { steering: quantised(Math.max(-1, Math.min(1, steering))), push, brake };
  }
}
