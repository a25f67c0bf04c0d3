// How much the picture of the track may cost. The same choice as elsewhere in the page, and a level for tests.

import { signal } from '@preact/signals';
import { options } from '../route';
import { chosenQuality } from '../stage/quality';

export interface BobQuality {
  name: 'high' | 'medium' | 'low' | 'test';
  pixelRatio: number;
  antialias: boolean;
  /** Physically based surfaces with light from the sky; else plain ones. */
  physical: boolean;
  /** Side of the sun's shadow map in texels, 0 is none, and half its box in m. */
  shadow: number;
  shadowBox: number;
  /** Rows of the ice, and of what runs along it, in one mesh: what is out of sight is not drawn, and every mesh costs a call. */
  pieceRows: number;
  /** Length of track in m whose lamps, posts and people are one mesh. */
  pieceLength: number;
  /** Rows and columns of the ice that are left out near the eye. */
  iceStep: [number, number];
  /** Size of the ground's cells near the track and elsewhere, in m. */
  cells: [number, number];
  /** How far fine trees are drawn, in m; none at all below zero. */
  fineTrees: number;
  /** How far any tree is drawn, in m. */
  trees: number;
  mountains: [number, number];
  spectators: boolean;
  /** Real lights that follow the sled at night. */
  lights: number;
  relief: boolean;
}

export const levels: Record<BobQuality['name'], BobQuality> = {
  high: { name: 'high', pixelRatio: 2, antialias: true, physical: true, shadow: 2048, shadowBox: 48, pieceRows: 120, pieceLength: 80, iceStep: [1, 1], cells: [3, 9], fineTrees: 75, trees: 900, mountains: [320, 48], spectators: true, lights: 3, relief: true },
  medium: { name: 'medium', pixelRatio: 1, antialias: true, physical: true, shadow: 1024, shadowBox: 30, pieceRows: 160, pieceLength: 120, iceStep: [1, 1], cells: [4, 12], fineTrees: 40, trees: 700, mountains: [240, 36], spectators: true, lights: 3, relief: false },
  low: { name: 'low', pixelRatio: 1, antialias: false, physical: false, shadow: 0, shadowBox: 0, pieceRows: 360, pieceLength: 300, iceStep: [2, 4], cells: [6, 20], fineTrees: 25, trees: 350, mountains: [120, 20], spectators: false, lights: 2, relief: false },
  test: { name: 'test', pixelRatio: 1, antialias: false, physical: false, shadow: 0, shadowBox: 0, pieceRows: 720, pieceLength: 600, iceStep: [4, 6], cells: [14, 40], fineTrees: -1, trees: 0, mountains: [60, 8], spectators: false, lights: 1, relief: false },
};

export type BobQualityChoice = 'auto' | BobQuality['name'];

/** Chosen in the seat for as long as the page lasts; the address may name one too. */
const asked = options.get('quality');
export const seatQuality = signal<BobQualityChoice>(asked === 'test' || asked === 'low' || asked === 'medium' || asked === 'high' ? asked : 'auto');

/** Nobody has chosen: pictures may follow what the machine can do. */
export function isAutomatic(): boolean {
  return seatQuality.value === 'auto' && !options.has('quality');
}

export function bobQuality(): BobQuality {
  const choice = seatQuality.value;
  return levels[choice === 'auto' ? chosenQuality().name : choice];
}
