// What the page remembers between visits, as signals that write themselves to the browser's storage.

import { effect, signal, type Signal } from '@preact/signals';

const PREFIX = 'prall.';

/** A signal that begins with what is stored, if it is valid, and stores what it becomes. */
export function remembered<T>(key: string, fallback: T, valid: (value: unknown) => value is T): Signal<T> {
  let start = fallback;
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(PREFIX + key) ?? 'null');
    if (valid(stored)) start = stored;
  } catch {
    // Storage switched off or damaged: the setting then lasts as long as the page.
  }
  const setting = signal(start);
  let first = true;
  effect(() => {
    const value = JSON.stringify(setting.value);
    if (first) {
      first = false;
      return;
    }
    try {
      localStorage.setItem(PREFIX + key, value);
    } catch {
      // As above.
    }
  });
  return setting;
}

export const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean';
export const oneOf = <T extends string>(...names: T[]) => (value: unknown): value is T => names.includes(value as T);
const isStringList = (value: unknown): value is string[] => Array.isArray(value) && value.every((item) => typeof item === 'string');

export type ThemeChoice = 'system' | 'light' | 'dark';
export type QualityChoice = 'auto' | 'low' | 'medium' | 'high';

export const settings = {
  theme: remembered<ThemeChoice>('theme', 'system', oneOf('system', 'light', 'dark')),
  quality: remembered<QualityChoice>('quality', 'auto', oneOf('auto', 'low', 'medium', 'high')),
  panel: remembered('panel', true, isBoolean),
  shelf: remembered('shelf', true, isBoolean),
  rail: remembered('rail', true, isBoolean),
  rumble: remembered('rumble', true, isBoolean),
  /** Clicks, thuds and scrapes of a part in hand. */
  handSound: remembered('hand.sound', true, isBoolean),
  /** What hides the part in hand becomes translucent. */
  seeThrough: remembered('see-through', true, isBoolean),
  letterKeys: remembered('letter-keys', true, isBoolean),
  /** The hint is shown until the first body was dragged. */
  hasDragged: remembered('has-dragged', false, isBoolean),
  /** What the last plot shows. */
  plotted: remembered('plotted', 'body_y', (value): value is string => typeof value === 'string'),
  overlays: remembered<string[]>('overlays', ['labels'], isStringList),
};
