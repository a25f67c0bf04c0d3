// Where the panel goes: beside the stage on a desktop, a drawer over it on a tablet, one from below on a phone.

import { signal, type ReadonlySignal } from '@preact/signals';

function mediaSignal(query: string): ReadonlySignal<boolean> {
  const list = matchMedia(query);
  const matches = signal(list.matches);
  list.addEventListener('change', () => (matches.value = list.matches));
  return matches;
}

export const usesDrawer = mediaSignal('(max-width: 1100px), (pointer: coarse)');
export const drawerBelow = mediaSignal('(max-width: 700px)');
export const coarsePointer = mediaSignal('(pointer: coarse)');
/** A drawer starts open where it leaves most of the stage free. */
export const drawerOpen = signal(!drawerBelow.value);
export const drawerTab = signal<'solver' | 'scene' | 'plots'>('solver');
