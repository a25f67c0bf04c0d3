// A gamepad of the standard layout: which stick and button does what, with and without a body in the hand.

import { response, still, type SixAxes } from './six-axes';

/** The usual one. */
const DEAD_ZONE = 0.12;

export interface PadLike {
  axes: readonly number[];
  buttons: readonly { pressed: boolean; value: number }[];
}

export type PadAction = 'grab' | 'next' | 'previous' | 'toggle' | 'step' | 'fit' | 'back';

/** Buttons of the standard layout that act once when they are pressed. */
export const padActions: readonly [number, PadAction][] = [[0, 'grab'], [1, 'next'], [15, 'next'], [14, 'previous'], [9, 'toggle'], [2, 'step'], [3, 'fit'], [8, 'back']];

const TURN_BUTTON = 4;

/** Left stick moves in the plane, triggers lift and lower; the right stick turns the body while the left shoulder is held. */
export function handMotion({ axes, buttons }: PadLike, deadZone = DEAD_ZONE): SixAxes {
  const axis = (i: number) => response(axes[i], deadZone);
  const up = response(buttons[7]?.value, deadZone) - response(buttons[6]?.value, deadZone);
  const turns = buttons[TURN_BUTTON]?.pressed ?? false;
  return { right: axis(0), up, away: 0 - axis(1), aboutRight: turns ? axis(3) : 0, aboutUp: turns ? axis(2) : 0, aboutForward: 0 };
}

/** Left stick walks, right stick looks around, triggers go nearer and further. */
export function cameraMotion({ axes, buttons }: PadLike, holding: boolean): SixAxes {
  const axis = (i: number) => response(axes[i], DEAD_ZONE);
  if (holding) return buttons[TURN_BUTTON]?.pressed ? still : { ...still, aboutUp: axis(2), aboutRight: axis(3) };
  const nearer = response(buttons[7]?.value, DEAD_ZONE) - response(buttons[6]?.value, DEAD_ZONE);
  return { ...still, right: axis(0), up: 0 - axis(1), away: nearer, aboutUp: axis(2), aboutRight: axis(3) };
}

/** Notices presses: each button counts once until it is let go. */
export class PadButtons {
  private down = new Set<number>();

  pressed({ buttons }: PadLike): number[] {
    const now = new Set(buttons.flatMap(({ pressed }, i) => (pressed ? [i] : [])));
    const fresh = [...now].filter((button) => !this.down.has(button));
    this.down = now;
    return fresh;
  }
}
