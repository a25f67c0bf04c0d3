// The test hook: what browser tests may look at. Small on purpose; nothing in the page reads it.

import type { renderHandSound } from './hand/sound';

export interface TestHook {
  /** Frames taken from the server since the scene was opened. */
  frames: number;
  /** Simulated time of the newest frame in s. */
  time: number;
  running: boolean;
  /** Position and quaternion of each body in the newest frame, seven numbers each. */
  bodies: Float32Array;
  /** Bits for each body: 1 deleted, 2 pinned. */
  marks: Uint8Array;
  /** A recording is at its end. */
  ended: boolean;
  /** Milliseconds from a message to the frame that acknowledges it, the last ones. */
  delays: number[];
  /** The same until the picture that shows it was drawn. */
  pictureDelays: number[];
  /** The number of the last message that was sent, and the largest one that the newest frame has seen. */
  sent: number;
  acknowledged: number;
  /** Age of the picture in s, as the badge has it. */
  lag: number;
  /** The body that this page's hand holds. */
  held: number | null;
  /** How far this page's hand has turned, in radians. */
  handTurn: number;
  /** Scale and place of the headset's room while one is worn, and thumb and index tips of tracked hands in the world. */
  headset: { scale: number; turn: number; position: number[]; tips?: number[][] } | null;
  /** Ghosts in the picture. */
  ghosts: number;
  /** How many grip springs the newest drawn picture shows. */
  springs: number;
  /** Pictures drawn. */
  drawn: number;
  /** Triangles of the newest picture, without those that were copied from the one before. */
  triangles: number;
  /** Renders the sled's sound without a loudspeaker. */
  listen?: (frameAt: (seconds: number) => never, seconds: number) => Promise<AudioBuffer>;
  /** Renders the sounds of a part in hand without a loudspeaker. */
  hearHand?: typeof renderHandSound;
  /** The pilot's seat, while somebody sits in it. */
  bob?: {
    phase: string;
    view: string;
    telemetry: Record<string, number>;
    calls: number;
    triangles: number;
    /** Pixels of the picture for one of the page. */
    pixels: number;
    quality: string;
    gap: number | null;
    runs: number;
    track: number;
    sound: boolean;
    ready: boolean;
  };
  /** Names of the bodies. */
  names: string[];
  /** Bodies that are translucent because they hide the part in hand. */
  cleared: number[];
  /** A place on the arrow of an axis, in the window; null where none is shown. */
  arrowOf(axis: 'x' | 'y' | 'z'): { x: number; y: number } | null;
  /** Where a body's centre is in the window, in CSS pixels; null without a stage. */
  screenPositionOf(body: number): { x: number; y: number } | null;
}

declare global {
  interface Window {
    prall: TestHook;
  }
}

export function freshHook(): TestHook {
  return { frames: 0, time: 0, running: false, bodies: new Float32Array(), marks: new Uint8Array(), ended: false, delays: [], pictureDelays: [], sent: 0, acknowledged: 0, lag: 0, held: null, handTurn: 0, headset: null, ghosts: 0, springs: 0, drawn: 0, triangles: 0, names: [], cleared: [], arrowOf: () => null, screenPositionOf: () => null };
}
