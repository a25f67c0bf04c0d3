// The overlays: what each is called on the rail and in the legend, and what it asks of the server.

import type { OverlayWanted } from '../protocol/messages';
import type { IconName } from '../ui/icons';

export type OverlayName = OverlayWanted | 'trails';

export interface OverlayInfo {
  name: OverlayName;
  icon: IconName;
  label: string;
}

/** In the order of the rail. */
export const overlayInfos: readonly OverlayInfo[] = [
  { name: 'contacts', icon: 'contact', label: 'Contact points' },
  { name: 'normals', icon: 'normal', label: 'Contact normals' },
  { name: 'forces', icon: 'force', label: 'Contact forces' },
  { name: 'friction', icon: 'cone', label: 'Friction cones' },
  { name: 'joints', icon: 'joint', label: 'Joints and their errors' },
  { name: 'velocities', icon: 'velocity', label: 'Velocities' },
  { name: 'centres', icon: 'centre', label: 'Centres of mass' },
  { name: 'bounds', icon: 'volume', label: 'Bounding volumes' },
  { name: 'index', icon: 'index', label: 'Boxes of the pair index' },
  { name: 'clearance', icon: 'distance', label: 'Clearance of the part in hand' },
  { name: 'labels', icon: 'label', label: 'Labels' },
  { name: 'trails', icon: 'trail', label: 'Trails' },
];

export function isOverlay(name: string): name is OverlayName {
  return overlayInfos.some((info) => info.name === name);
}

/** What to ask the server for: everything shown that it can show. The page draws trails itself. */
export function wantedOf(shown: readonly OverlayName[], offered: readonly string[]): OverlayWanted[] {
  return shown.filter((name): name is OverlayWanted => name !== 'trails' && offered.includes(name));
}
