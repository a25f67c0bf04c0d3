// What hands feel: the torque at the steering axis as a force at the lever, as rumble where a device can only shake, and as a constant force
// where it has a motor (USB HID, physical interface devices).

import type { Actuator } from '../devices/rumble';

/** Lever of the ropes in m: F = M / 0.1 m. */
export const LEVER = 0.1;
/** The force that shakes a pad with full strength, in N; 99 % of a run lie below. */
const FULL = 340;
const EVERY_MS = 50;
const LAST_MS = 80;
const WEAKEST = 0.05;

/** Force in N at the lever of a torque in N m. */
export function leverForce(torque: number): number {
  return torque / LEVER;
}

/** Strengths of both motors, from 0 to 1: the heavy one by force, the light one by hits. It has no direction. */
export function rumbleOf(force: number, hitSpeed: number): { strong: number; weak: number } {
  const strong = Math.min(1, Math.abs(force) / FULL) ** 0.7;
  return { strong, weak: Math.min(1, Math.max(0.5 * strong, hitSpeed / 1.5)) };
}

export class SeatRumble {
  private playedAt = -Infinity;
  private hits = 0;

  play(actuator: Actuator | null | undefined, torque: number, hits: number, hitSpeed: number, now: number): void {
    const struck = hits > this.hits ? hitSpeed : 0;
    if (!actuator?.playEffect || (now - this.playedAt < EVERY_MS && struck === 0)) return;
    this.hits = hits;
    const { strong, weak } = rumbleOf(leverForce(torque), struck);
    if (Math.max(strong, weak) < WEAKEST) return;
    this.playedAt = now;
    void actuator.playEffect('dual-rumble', { duration: struck > 0 ? 160 : LAST_MS, strongMagnitude: strong, weakMagnitude: weak })?.catch(() => {});
  }

  restart(): void {
    this.hits = 0;
  }
}

/** Report ids of the physical interface class (USB PID 1.0, appendix): set constant force, effect operation, set effect. */
export const PID = { setEffect: 1, setConstantForce: 5, operation: 10, usagePage: 0x0f } as const;
/** The device's scale of a magnitude. */
const MAGNITUDE = 10000;
/** The largest force that is asked of a wheel in N. */
const LIMIT = 400;

/** Bytes of a set-constant-force report: effect block, magnitude of 16 bits, to the left above zero. */
export function constantForce(force: number, block = 1): Uint8Array {
  const magnitude = Math.round((MAGNITUDE * Math.max(-LIMIT, Math.min(LIMIT, force))) / LIMIT);
  const bytes = new Uint8Array(3);
  bytes[0] = block;
  new DataView(bytes.buffer).setInt16(1, magnitude, true);
  return bytes;
}

/** As much of a WebHID device as is used. */
export interface ForceDevice {
  productName: string;
  opened: boolean;
  collections?: { usagePage?: number }[];
  open(): Promise<void>;
  sendReport(id: number, data: BufferSource): Promise<void>;
}

interface Hid {
  requestDevice(options: { filters: { usagePage: number }[] }): Promise<ForceDevice[]>;
}

/** A wheel with a motor; a device that vanishes is let go of. */
export class ForceWheel {
  private busy = false;
  private sentAt = -Infinity;

  constructor(private readonly device: ForceDevice, private readonly lost: () => void) {}

  get name(): string {
    return this.device.productName;
  }

  async start(): Promise<void> {
    if (!this.device.opened) await this.device.open();
    // A constant force without end in block 1, along the first axis, started once and then only changed.
    await this.device.sendReport(PID.setEffect, new Uint8Array([1, 1, 0xff, 0xff, 0, 0, 0, 0, 0xff, 0, 0x04, 0, 0]));
    await this.device.sendReport(PID.setConstantForce, constantForce(0) as BufferSource);
    await this.device.sendReport(PID.operation, new Uint8Array([1, 1, 1]));
  }

  /** Asks for a force; never waits for the device, and skips what comes faster than it takes. */
  push(torque: number, now: number): void {
    if (this.busy || now - this.sentAt < 10) return;
    this.busy = true;
    this.sentAt = now;
    this.device.sendReport(PID.setConstantForce, constantForce(leverForce(torque)) as BufferSource).then(() => (this.busy = false), this.lost);
  }
}

/** Asks the person for a wheel with a motor; must come from a click. Null without WebHID or without a choice. */
export async function requestWheel(lost: () => void): Promise<ForceWheel | null> {
  const hid = (navigator as Navigator & { hid?: Hid }).hid;
  const [device] = (await hid?.requestDevice({ filters: [{ usagePage: PID.usagePage }] })) ?? [];
  if (!device) return null;
  const wheel = new ForceWheel(device, lost);
  await wheel.start();
  return wheel;
}
