// The binary frame of docs/protocol.md. Key frames are read through views; a change is applied to a copy of the poses before.

import { PROTOCOL_VERSION } from './messages';

const HEAD_BYTES = 56;
export const POSE_FLOATS = 7;
export const ITEM_WORDS = 8;
export const BOX_WORDS = 12;
const FRAME_KIND = 1;
const KEY_FLAG = 8;

export const OverlayKind = { contact: 1, force: 2, grip: 3, joint: 4, velocity: 5 } as const;

export interface Frame {
  number: number;
  time: number;
  acknowledged: number;
  running: boolean;
  slowed: boolean;
  held: boolean;
  /** 0 is the session itself. */
  track: number;
  /** x, y, z and quaternion x, y, z, w of each body. */
  poses: Float32Array;
  itemCount: number;
  /** The overlay items' words as numbers: [kind is elsewhere], from, to, value. */
  items: Float32Array;
  /** The same words as integers: word 0 of each item is its kind. */
  itemWords: Uint32Array;
}

/** Reads the frames of one connection, each with the one before of its track; the error says what is wrong with the bytes. */
export class FrameReader {
  private readonly last = new Map<number, Frame>();

  read(buffer: ArrayBuffer): Frame {
    if (buffer.byteLength < HEAD_BYTES) {
      throw new Error(`frame of ${buffer.byteLength} bytes is shorter than its ${HEAD_BYTES} byte head`);
    }
    const head = new DataView(buffer, 0, HEAD_BYTES);
    const version = head.getUint16(0, true);
    const kind = head.getUint16(2, true);
    if (version !== PROTOCOL_VERSION) throw new Error(`frame of protocol ${version}, this page speaks ${PROTOCOL_VERSION}`);
    if (kind !== FRAME_KIND) throw new Error(`binary message of unknown kind ${kind}`);
    const [acknowledged, flags, track, base, bodies, sent, marks, itemCount, boxes, labels] = Array.from(
      { length: 10 }, (_, i) => head.getUint32(16 + 4 * i, true),
    ) as [number, number, number, number, number, number, number, number, number, number];
    const key = (flags & KEY_FLAG) !== 0;
    const poseOffset = HEAD_BYTES + (key ? 0 : 4 * sent);
    const itemOffset = poseOffset + 4 * POSE_FLOATS * sent + 4 * marks;
    const expected = itemOffset + 4 * ITEM_WORDS * itemCount + 4 * BOX_WORDS * boxes + labels;
    if (buffer.byteLength !== expected) {
      throw new Error(`frame of ${sent} poses and ${itemCount} items has ${buffer.byteLength} bytes, not ${expected}`);
    }
    let poses = new Float32Array(buffer, poseOffset, POSE_FLOATS * sent);
    if (!key) poses = this.change(track, base, bodies, new Uint32Array(buffer, HEAD_BYTES, sent), poses);
    const frame: Frame = {
      number: head.getUint32(4, true),
      time: head.getFloat64(8, true),
      acknowledged,
      running: (flags & 1) !== 0,
      slowed: (flags & 2) !== 0,
      held: (flags & 4) !== 0,
      track,
      poses,
      itemCount,
      items: new Float32Array(buffer, itemOffset, ITEM_WORDS * itemCount),
      itemWords: new Uint32Array(buffer, itemOffset, ITEM_WORDS * itemCount),
    };
    this.last.set(track, frame);
    return frame;
  }

  /** The poses of the frame before with those that moved in their places. */
  private change(track: number, base: number, bodies: number, moved: Uint32Array, poses: Float32Array<ArrayBuffer>): Float32Array<ArrayBuffer> {
    const before = this.last.get(track);
    if (!before || before.number !== base || before.poses.length !== POSE_FLOATS * bodies) {
      throw new Error(`frame changes frame ${base}, which is not the one before`);
    }
    const all = Float32Array.from(before.poses);
    moved.forEach((body, i) => all.set(poses.subarray(POSE_FLOATS * i, POSE_FLOATS * (i + 1)), POSE_FLOATS * body));
    return all;
  }
}
