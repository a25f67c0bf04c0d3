// Spoken messages for screen readers: polite ones at most one in two seconds (the newest wins), assertive at once.

import { signal } from '@preact/signals';

const PAUSE_MS = 2000;

export const polite = signal('');
export const assertive = signal('');

let waiting: string | null = null;
let timer: ReturnType<typeof setTimeout> | undefined;

function speakNext(): void {
  timer = undefined;
  if (waiting === null) return;
  polite.value = waiting;
  waiting = null;
  timer = setTimeout(speakNext, PAUSE_MS);
}

export function announce(text: string, urgency: 'polite' | 'assertive' = 'polite'): void {
  if (urgency === 'assertive') {
    assertive.value = text;
    return;
  }
  waiting = text;
  if (timer === undefined) speakNext();
}
