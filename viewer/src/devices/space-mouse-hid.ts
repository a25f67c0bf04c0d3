// The SpaceMouse through WebHID: asked for once, found again by itself at the next visit.

import { signal } from '@preact/signals';
import { SPACE_MOUSE_VENDORS, SpaceMouseState } from './space-mouse';

/** As much of WebHID as this page uses; browsers without it leave navigator.hid out. */
interface HidDevice extends EventTarget {
  vendorId: number;
  productName: string;
  opened: boolean;
  open(): Promise<void>;
}
interface Hid extends EventTarget {
  getDevices(): Promise<HidDevice[]>;
  requestDevice(options: { filters: { vendorId: number; usagePage?: number; usage?: number }[] }): Promise<HidDevice[]>;
}

/** Generic desktop page, multi-axis controller. */
const USAGE = { usagePage: 1, usage: 8 };

const hid = (): Hid | null => (navigator as Navigator & { hid?: Hid }).hid ?? null;

export const spaceMouseName = signal<string | null>(null);
export const spaceMouse = new SpaceMouseState();

export function hidIsThere(): boolean {
  return hid() !== null;
}

async function use(device: HidDevice): Promise<void> {
  if (!device.opened) await device.open();
  device.addEventListener('inputreport', (event) => {
    const { reportId, data } = event as Event & { reportId: number; data: DataView };
    spaceMouse.take(reportId, data);
  });
  spaceMouseName.value = device.productName;
  hid()?.addEventListener('disconnect', (event) => {
    if ((event as Event & { device: HidDevice }).device !== device) return;
    spaceMouse.rest();
    spaceMouseName.value = null;
  });
}

/** Asks the person which device it is; must come from a click. */
export async function requestSpaceMouse(): Promise<void> {
  const found = await hid()?.requestDevice({ filters: SPACE_MOUSE_VENDORS.map((vendorId) => ({ vendorId, ...USAGE })) });
  if (found?.[0]) await use(found[0]);
}

/** Takes up a device that was allowed before. */
export async function findSpaceMouse(): Promise<void> {
  if (spaceMouseName.value !== null) return;
  const known = await hid()?.getDevices().catch(() => []);
  const device = known?.find(({ vendorId }) => SPACE_MOUSE_VENDORS.includes(vendorId));
  if (device) await use(device).catch(() => {});
}
