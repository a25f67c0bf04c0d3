import { signal } from '@preact/signals';

/** The gamepads that are there, by name. */
export const gamepadNames = signal<string[]>([]);
