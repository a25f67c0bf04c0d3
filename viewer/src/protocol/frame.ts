// The binary frame of docs/protocol.md, read through views: nothing is copied.

import { PROTOCOL_VERSION } from './messages';

const HEAD_BYTES = 32;
export const POSE_FLOATS = 7;
export const ITEM_WORDS = 8;
const FRAME_KIND = 1;

export const OverlayKind = { contact: 1, force: 2, grip: 3, joint: 4, velocity: 5 } as const;

export interface Frame {
  number: number;
  time: number;
  acknowledged: number;
  running: boolean;
  slowed: boolean;
  held: boolean;
  /** x, y, z and quaternion x, y, z, w of each body. */
  poses: Float32Array;
  itemCount: number;
  /** The overlay items' words as numbers: [kind is elsewhere], from, to, value. */
  items: Float32Array;
  /** The same words as integers: word 0 of each item is its kind. */
  itemWords: Uint32Array;
}

/** Reads a frame; the error says what is wrong with the bytes. */
export function parseFrame(buffer: ArrayBuffer): Frame {
  if (buffer.byteLength < HEAD_BYTES) {
    throw new Error(`frame of ${buffer.byteLength} bytes is shorter than its ${HEAD_BYTES} byte head`);
  }
  const head = new DataView(buffer, 0, HEAD_BYTES);
  const version = head.getUint16(0, true);
  const kind = head.getUint16(2, true);
  if (version !== PROTOCOL_VERSION) throw new Error(`frame of protocol ${version}, this page speaks ${PROTOCOL_VERSION}`);
  if (kind !== FRAME_KIND) throw new Error(`binary message of unknown kind ${kind}`);
  const bodies = head.getUint32(20, true);
  const itemCount = head.getUint32(24, true);
  const flags = head.getUint32(28, true);
  const itemOffset = HEAD_BYTES + 4 * POSE_FLOATS * bodies;
  const expected = itemOffset + 4 * ITEM_WORDS * itemCount;
  if (buffer.byteLength !== expected) {
    throw new Error(`frame of ${bodies} bodies and ${itemCount} items has ${buffer.byteLength} bytes, not ${expected}`);
  }
  return {
    number: head.getUint32(4, true),
    time: head.getFloat64(8, true),
    acknowledged: head.getUint32(16, true),
    running: (flags & 1) !== 0,
    slowed: (flags & 2) !== 0,
    held: (flags & 4) !== 0,
    poses: new Float32Array(buffer, HEAD_BYTES, POSE_FLOATS * bodies),
    itemCount,
    items: new Float32Array(buffer, itemOffset, ITEM_WORDS * itemCount),
    itemWords: new Uint32Array(buffer, itemOffset, ITEM_WORDS * itemCount),
  };
}
