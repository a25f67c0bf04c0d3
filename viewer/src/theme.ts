// Light or dark: what was chosen, else what the system prefers.

import { computed, effect, signal } from '@preact/signals';
import { settings } from './settings';

export type Theme = 'light' | 'dark';

const query = matchMedia('(prefers-color-scheme: dark)');
const systemIsDark = signal(query.matches);
query.addEventListener('change', () => (systemIsDark.value = query.matches));

export const theme = computed<Theme>(() => {
  const choice = settings.theme.value;
  return choice === 'system' ? (systemIsDark.value ? 'dark' : 'light') : choice;
});

export function toggleTheme(): void {
  settings.theme.value = theme.value === 'dark' ? 'light' : 'dark';
}

effect(() => {
  document.documentElement.dataset.theme = theme.value;
});

/** A token's colour in the current theme. */
export function token(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}
