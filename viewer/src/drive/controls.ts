// What keys and gamepads make of a scene's controls: ramps for keys, sticks as they are.

import type { PadLike } from '../devices/gamepad';
import { response } from '../devices/six-axes';
import type { DriveControl, PadInput } from '../protocol/messages';

const DEAD_ZONE = 0.08;
/** Keys that are let go take a control back this much faster than they moved it. */
const RETURN = 2;
/** A trigger that is pressed by more than this holds a button. */
const HELD = 0.5;

/** Where a gamepad holds a control, from -1 to 1. */
export function padValue(input: PadInput | null, { axes, buttons }: PadLike): number {
  if (input === null) return 0;
  const button = (index: number) => response(buttons[index]?.value, DEAD_ZONE);
  if ('axis' in input) return response(axes[input.axis], DEAD_ZONE);
  if ('reversed' in input) return 0 - response(axes[input.reversed], DEAD_ZONE);
  if ('button' in input) return button(input.button);
  return button(input.buttons[0]) - button(input.buttons[1]);
}

/** The pad without what drives: the rest of it still moves the camera. A stick belongs to one of both as a whole. */
export function padWithoutDriving(controls: readonly DriveControl[], { axes, buttons }: PadLike): PadLike {
  const sticks = new Set<number>();
  const taken = new Set<number>();
  for (const { pad } of controls) {
    if (pad === null) continue;
    if ('axis' in pad) sticks.add(pad.axis >> 1);
    else if ('reversed' in pad) sticks.add(pad.reversed >> 1);
    else if ('button' in pad) taken.add(pad.button);
    else for (const button of pad.buttons) taken.add(button);
  }
  return {
    axes: axes.map((value, index) => (sticks.has(index >> 1) ? 0 : value)),
    buttons: buttons.map((button, index) => (taken.has(index) ? { pressed: false, value: 0 } : button)),
  };
}

const clamp = (value: number, low: number) => Math.min(1, Math.max(low, value));

function towards(value: number, goal: number, step: number): number {
  return value < goal ? Math.min(goal, value + step) : Math.max(goal, value - step);
}

/** The controls of one scene as hands move them. */
export class ControlHands {
  private readonly down = new Set<string>();
  /** What keys alone have moved each control to. */
  private readonly keyed: number[];
  readonly values: number[];

  constructor(readonly controls: readonly DriveControl[]) {
    this.keyed = controls.map(() => 0);
    this.values = controls.map(() => 0);
  }

  /** Whether a key, by its place on the keyboard, moves anything. */
  moves(code: string): boolean {
    return this.controls.some(({ more, less }) => more.includes(code) || less.includes(code));
  }

  press(code: string): void {
    this.down.add(code);
  }

  release(code: string): void {
    this.down.delete(code);
  }

  releaseAll(): void {
    this.down.clear();
  }

  get isPressed(): boolean {
    return this.down.size > 0;
  }

  /** Takes hands and feet off: levers, too, go back. */
  rest(): void {
    this.down.clear();
    this.keyed.fill(0);
    this.values.fill(0);
  }

  /** Moves all controls on by a time in s. */
  update(seconds: number, pads: readonly PadLike[]): void {
    this.controls.forEach((control, i) => {
      const held = (codes: readonly string[]) => (codes.some((code) => this.down.has(code)) ? 1 : 0);
      const push = held(control.more) - held(control.less);
      const stick = pads.reduce((sum, pad) => sum + padValue(control.pad, pad), 0);
      this.values[i] = this.moved(control, i, push, stick, seconds);
    });
  }

  private moved({ kind, ramp }: DriveControl, i: number, push: number, stick: number, seconds: number): number {
    const step = ramp > 0 ? seconds / ramp : Infinity;
    const before = this.keyed[i]!;
    if (kind === 'button') return push > 0 || stick > HELD ? 1 : 0;
    if (kind === 'lever') {
      const way = push + stick === 0 ? 0 : step * (push + stick);
      return (this.keyed[i] = clamp(before + way, 0));
    }
    const low = kind === 'axis' ? -1 : 0;
    const goal = clamp(push, low);
    const back = Math.abs(goal) < Math.abs(before) || goal * before < 0;
    this.keyed[i] = towards(before, goal, back ? RETURN * step : step);
    return clamp(this.keyed[i]! + stick, low);
  }
}

const caps: Record<string, string> = { ArrowLeft: '←', ArrowRight: '→', ArrowUp: '↑', ArrowDown: '↓', Comma: ',', Period: '.', PageUp: 'Page ↑', PageDown: 'Page ↓' };

/** What is printed on a key. */
export function keyCap(code: string): string {
  return caps[code] ?? code.replace(/^(Key|Digit)/, '');
}

/** All keys of a scene's controls, for the help sheet. */
export function driveKeys(controls: readonly DriveControl[]): { label: string; text: string }[] {
  const line = (codes: readonly string[], text: string) => (codes.length === 0 ? [] : [{ label: codes.map(keyCap).join(', '), text }]);
  return controls.flatMap(({ label, kind, more, less }) =>
    kind === 'axis' || kind === 'lever' ? [...line(more, `${label} +`), ...line(less, `${label} −`)] : line(more, label));
}
