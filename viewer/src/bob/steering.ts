// What hands make of the ropes: one number from -1 (right) to 1 (left), and the brake.

/** A key turns slowly at first and faster the longer it is held, per second. */
const KEY_RATE = 0.9;
const KEY_GROWTH = 3.2;
/** Let go, the ropes come back to the middle this fast, per second. */
const KEY_RETURN = 3.5;

/** Keys with a progressive rate. */
export class KeySteering {
  value = 0;
  private held = 0;
  private side = 0;

  /** Moves on by a time in s; `side` is -1, 0 or 1. */
  update(seconds: number, side: number): number {
    this.held = side !== 0 && side === this.side ? this.held + seconds : 0;
    this.side = side;
    if (side === 0) {
      this.value = Math.sign(this.value) * Math.max(0, Math.abs(this.value) - KEY_RETURN * seconds);
      return this.value;
    }
    const turned = this.value * side < 0 ? KEY_RETURN : KEY_RATE + KEY_GROWTH * this.held;
    this.value = Math.max(-1, Math.min(1, this.value + side * turned * seconds));
    return this.value;
  }

  rest(): void {
    this.value = this.held = this.side = 0;
  }
}

/** An axis of a wheel or a stick: where its middle and its ends are, and how much of the middle is dead. */
export interface Calibration {
  axis: number;
  left: number;
  centre: number;
  right: number;
  dead: number;
}

export const plainStick: Calibration = { axis: 0, left: -1, centre: 0, right: 1, dead: 0.06 };

export function isCalibration(value: unknown): value is Calibration {
  const c = value as Calibration | null;
  const numbers = c === null || typeof c !== 'object' ? [] : [c.axis, c.left, c.centre, c.right, c.dead];
  return numbers.length === 5 && numbers.every((x) => typeof x === 'number' && Number.isFinite(x)) && c!.left !== c!.centre && c!.right !== c!.centre && c!.dead >= 0 && c!.dead < 0.9;
}

/** From -1 at the right end to 1 at the left end; 0 in the dead zone and for an axis that is not there. */
export function calibrated({ axis, left, centre, right, dead }: Calibration, axes: readonly number[]): number {
  const raw = axes[axis];
  if (raw === undefined || !Number.isFinite(raw)) return 0;
  const towardsLeft = (raw - centre) / (left - centre);
  const share = towardsLeft > 0 ? towardsLeft : -(raw - centre) / (right - centre);
  const size = Math.min(1, Math.abs(share));
  return size <= dead ? 0 : Math.sign(share) * ((size - dead) / (1 - dead));
}

/** Collects what an axis shows while it is turned to both ends and let go: the one that moved most is the wheel. */
export class Calibrator {
  private low: number[] = [];
  private high: number[] = [];

  see(axes: readonly number[]): void {
    axes.forEach((value, i) => {
      this.low[i] = Math.min(this.low[i] ?? value, value);
      this.high[i] = Math.max(this.high[i] ?? value, value);
    });
  }

  /** With the wheel in the middle again; null if nothing moved by a tenth of the range. */
  finish(axes: readonly number[], dead = 0.02): Calibration | null {
    const spans = axes.map((_, i) => (this.high[i] ?? 0) - (this.low[i] ?? 0));
    const axis = spans.indexOf(Math.max(...spans));
    const [low, high, centre] = [this.low[axis] ?? 0, this.high[axis] ?? 0, axes[axis] ?? 0];
    if (!(spans[axis]! >= 0.2) || centre - low < 0.05 || high - centre < 0.05) return null;
    return { axis, left: low, centre, right: high, dead };
  }
}

/** Ropes in two hands: the one that is pulled nearer wins; half an arm's length is the end. */
export function ropes(left: readonly number[], right: readonly number[], ahead: readonly number[]): number {
  const along = (hand: readonly number[]) => hand[0]! * ahead[0]! + hand[1]! * ahead[1]! + hand[2]! * ahead[2]!;
  return Math.max(-1, Math.min(1, (along(right) - along(left)) / 0.3));
}

/** A finger on the lower half of a screen: its distance from where it was put down, a third of the width is the end. */
export function touchSteering(start: number, now: number, width: number): number {
  return Math.max(-1, Math.min(1, (3 * (start - now)) / Math.max(1, width)));
}

/** The mouse: half of the window's width from the middle is the end, with a calm middle. */
export function mouseSteering(x: number, width: number): number {
  const share = Math.max(-1, Math.min(1, (width / 2 - x) / (width / 2) / 0.8));
  return Math.sign(share) * Math.abs(share) ** 1.4;
}

/** Steering keeps 12 bits on its way to the sled, and more. */
export const quantised = (value: number) => Math.round(8192 * value) / 8192;
