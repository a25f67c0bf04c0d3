// A SpaceMouse: what its reports and axes mean. The device's own axes are x to the right, y towards the user, z down,
// and rotations about them, right-handed.

import { response, still, type SixAxes } from './six-axes';

/** Counts at full deflection. */
const FULL = 350;
/** The usual one. */
const DEAD_ZONE = 0.04;
/** Vendors under which the device has been sold. */
export const SPACE_MOUSE_VENDORS = [0x256f, 0x046d];
const NAME = /3d ?connexion|space ?(mouse|navigator|pilot|explorer)/i;

/** The six axes in the order of the device: x, y, z, about x, about y, about z, each from -1 to 1. */
export function fromDeviceAxes(axes: readonly number[], deadZone = DEAD_ZONE): SixAxes {
  const at = (i: number) => response(axes[i], deadZone);
  return { right: at(0), up: 0 - at(2), away: 0 - at(1), aboutRight: at(3), aboutUp: 0 - at(5), aboutForward: 0 - at(4) };
}

/** A SpaceMouse that the browser shows as a gamepad. */
export function isSpaceMouse({ id, axes }: { id: string; axes: readonly number[] }): boolean {
  return axes.length >= 6 && NAME.test(id);
}

/** What has been reported so far; reports come in parts. */
export class SpaceMouseState {
  private readonly axes = [0, 0, 0, 0, 0, 0];
  private buttons = 0;

  /** Takes a report without its number. Report 1 is the translation, or all six axes; 2 the rotation; 3 the buttons. */
  take(report: number, data: DataView): void {
    if (report === 3) {
      this.buttons = data.byteLength > 0 ? data.getUint8(0) : 0;
      return;
    }
    const first = report === 1 ? 0 : report === 2 ? 3 : -1;
    if (first < 0) return;
    const count = Math.min(Math.floor(data.byteLength / 2), 6 - first);
    for (let i = 0; i < count; i += 1) this.axes[first + i] = Math.max(-1, Math.min(1, data.getInt16(2 * i, true) / FULL));
  }

  motion(deadZone?: number): SixAxes {
    return this.axes.every((axis) => axis === 0) ? still : fromDeviceAxes(this.axes, deadZone);
  }

  /** The device is gone: nothing is pushed any more. */
  rest(): void {
    this.axes.fill(0);
    this.buttons = 0;
  }

  pressed(button: number): boolean {
    return (this.buttons & (1 << button)) !== 0;
  }
}
