// The binary frame of docs/protocol.md, read through views: nothing is copied.

import { PROTOCOL_VERSION } from './messages';

const HEAD_BYTES = 56;
export const POSE_FLOATS = 7;
export const ITEM_WORDS = 8;
export const BOX_WORDS = 12;
const FRAME_KIND = 1;
const flag = { running: 1, slowed: 2, held: 4, key: 8, recorded: 16, ended: 32 } as const;

export const OverlayKind = {
  contact: 1, force: 2, grip: 3, joint: 4, velocity: 5, normal: 6, friction: 7, frictionForce: 8, centre: 9, jointForce: 10, jointAxis: 11, line: 12, point: 13, channels: 14, gripTorque: 15,
} as const;
export const BoxKind = { volume: 1, index: 2, frame: 3 } as const;
const mark = { index: 0xffffff, hidden: 1 << 24, pinned: 1 << 25 } as const;
/** Bits of `Frame.marks`. */
export const Mark = { hidden: 1, pinned: 2 } as const;

export interface Label {
  place: [number, number, number];
  text: string;
}

/** What a frame says of the moment, whole in every frame. */
export interface Moment {
  number: number;
  time: number;
  acknowledged: number;
  running: boolean;
  slowed: boolean;
  held: boolean;
  recorded: boolean;
  ended: boolean;
  track: number;
  itemCount: number;
  /** The overlay items' words as numbers: [kind is elsewhere], from, to, value. */
  items: Float32Array;
  /** The same words as integers: word 0 of each item is its kind. */
  itemWords: Uint32Array;
  boxCount: number;
  /** [kind is elsewhere], centre, quaternion, half sides, value. */
  boxes: Float32Array;
  boxWords: Uint32Array;
  labels: Label[];
}

/** A frame as it came: poses that changed since frame `base`, or all of them where it is a key frame. */
export interface FrameChange extends Moment {
  key: boolean;
  base: number;
  bodies: number;
  /** Which bodies the poses are of; null in a key frame. */
  changed: Uint32Array | null;
  changedPoses: Float32Array;
  markWords: Uint32Array;
}

/** A frame with the poses of all bodies. */
export interface Frame extends Moment {
  /** x, y, z and quaternion x, y, z, w of each body. */
  poses: Float32Array;
  /** Bits of `Mark` for each body. */
  marks: Uint8Array;
  /** Whether any body has another pose than in the frame before. */
  moved: boolean;
}

/** Reads a frame; the error says what is wrong with the bytes. */
export function parseFrame(buffer: ArrayBuffer): FrameChange {
  if (buffer.byteLength < 4) throw new Error(`frame of ${buffer.byteLength} bytes is shorter than its ${HEAD_BYTES} byte head`);
  const head = new DataView(buffer);
  const version = head.getUint16(0, true);
  const kind = head.getUint16(2, true);
  if (version !== PROTOCOL_VERSION) throw new Error(`frame of protocol ${version}, this page speaks ${PROTOCOL_VERSION}`);
  if (kind !== FRAME_KIND) throw new Error(`binary message of unknown kind ${kind}`);
  if (buffer.byteLength < HEAD_BYTES) throw new Error(`frame of ${buffer.byteLength} bytes is shorter than its ${HEAD_BYTES} byte head`);
  const word = (at: number) => head.getUint32(at, true);
  const flags = word(20);
  const key = (flags & flag.key) !== 0;
  const [bodies, poses, marks, itemCount, boxCount, labelBytes] = [word(32), word(36), word(40), word(44), word(48), word(52)];
  const changedAt = HEAD_BYTES;
  const posesAt = changedAt + (key ? 0 : 4 * poses);
  const marksAt = posesAt + 4 * POSE_FLOATS * poses;
  const itemsAt = marksAt + 4 * marks;
  const boxesAt = itemsAt + 4 * ITEM_WORDS * itemCount;
  const labelsAt = boxesAt + 4 * BOX_WORDS * boxCount;
  const expected = labelsAt + labelBytes;
  if (buffer.byteLength !== expected) {
    throw new Error(`frame of ${poses} poses, ${itemCount} items and ${boxCount} boxes has ${buffer.byteLength} bytes, not ${expected}`);
  }
  if (key && poses !== bodies) throw new Error(`key frame of ${bodies} bodies has ${poses} poses`);
  const changed = key ? null : new Uint32Array(buffer, changedAt, poses);
  if (changed && poses > 0 && changed[poses - 1]! >= bodies) throw new Error(`a pose is of body ${changed[poses - 1]} of ${bodies}`);
  return {
    number: word(4),
    time: head.getFloat64(8, true),
    acknowledged: word(16),
    running: (flags & flag.running) !== 0,
    slowed: (flags & flag.slowed) !== 0,
    held: (flags & flag.held) !== 0,
    recorded: (flags & flag.recorded) !== 0,
    ended: (flags & flag.ended) !== 0,
    track: word(24),
    key,
    base: word(28),
    bodies,
    changed,
    changedPoses: new Float32Array(buffer, posesAt, POSE_FLOATS * poses),
    markWords: new Uint32Array(buffer, marksAt, marks),
    itemCount,
    items: new Float32Array(buffer, itemsAt, ITEM_WORDS * itemCount),
    itemWords: new Uint32Array(buffer, itemsAt, ITEM_WORDS * itemCount),
    boxCount,
    boxes: new Float32Array(buffer, boxesAt, BOX_WORDS * boxCount),
    boxWords: new Uint32Array(buffer, boxesAt, BOX_WORDS * boxCount),
    labels: parseLabels(head, labelsAt, expected),
  };
}

function parseLabels(view: DataView, from: number, end: number): Label[] {
  const labels: Label[] = [];
  const text = new TextDecoder();
  for (let at = from; at + 16 <= end; ) {
    const length = view.getUint32(at + 12, true);
    if (at + 16 + length > end) throw new Error('a label is longer than its frame');
    labels.push({
      place: [view.getFloat32(at, true), view.getFloat32(at + 4, true), view.getFloat32(at + 8, true)],
      text: text.decode(new Uint8Array(view.buffer, at + 16, length)),
    });
    at += 16 + 4 * Math.ceil(length / 4);
  }
  return labels;
}

/** The poses of one track, to which every frame is applied as it comes. */
export class PoseKeeper {
  private poses = new Float32Array();
  private marks = new Uint8Array();
  private number: number | null = null;

  /** Applies a change; null where it builds on a frame that never came. The poses are one array that goes on changing. */
  apply(change: FrameChange): Frame | null {
    let moved = true;
    if (change.key) {
      if (this.poses.length !== POSE_FLOATS * change.bodies) {
        this.poses = new Float32Array(POSE_FLOATS * change.bodies);
        this.marks = new Uint8Array(change.bodies);
      }
      moved = change.changedPoses.some((value, i) => value !== this.poses[i]);
      this.poses.set(change.changedPoses);
    } else {
      if (this.number !== change.base || this.poses.length !== POSE_FLOATS * change.bodies) return null;
      moved = change.changed!.length > 0;
      change.changed!.forEach((body, i) => {
        for (let k = 0; k < POSE_FLOATS; k += 1) this.poses[POSE_FLOATS * body + k] = change.changedPoses[POSE_FLOATS * i + k]!;
      });
    }
    this.number = change.number;
    this.marks.fill(0);
    for (const word of change.markWords) {
      const body = word & mark.index;
      if (body < this.marks.length) this.marks[body] = ((word & mark.hidden) !== 0 ? Mark.hidden : 0) | ((word & mark.pinned) !== 0 ? Mark.pinned : 0);
    }
    return { ...change, poses: this.poses, marks: this.marks, moved };
  }
}
