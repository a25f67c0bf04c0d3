// Setups by name on this machine.

import { remembered } from '../settings';
import { isNumbers } from './seat-settings';

const isSetups = (value: unknown): value is Record<string, Record<string, number>> => typeof value === 'object' && value !== null && !Array.isArray(value) && Object.values(value).every(isNumbers);

/** Values of the sliders that are not at their places, by the setup's name. */
export const setups = remembered<Record<string, Record<string, number>>>('bob.setups', {}, isSetups);
