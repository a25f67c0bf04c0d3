import { describe, expect, it } from 'vitest';
import { BOX_WORDS, ITEM_WORDS, Mark, POSE_FLOATS, PoseKeeper, parseFrame } from './frame';

interface Given {
  version?: number;
  kind?: number;
  number?: number;
  bodies?: number;
  /** Bodies whose poses a frame of changes carries; a key frame without. */
  changed?: number[];
  base?: number;
  value?: number;
  marks?: number[];
  items?: number;
  boxes?: number;
  label?: string;
  flags?: number;
  extra?: number;
}

/** The bytes of a frame, written field by field as the protocol's table has them. */
function frameBytes({ version = 2, kind = 1, number = 77, bodies = 1, changed, base = 0, value = 0.5, marks = [], items = 0, boxes = 0, label, flags = 0, extra = 0 }: Given = {}): ArrayBuffer {
  const poses = changed?.length ?? bodies;
  const text = label === undefined ? new Uint8Array() : new TextEncoder().encode(label);
  const labelBytes = label === undefined ? 0 : 16 + 4 * Math.ceil(text.length / 4);
  const buffer = new ArrayBuffer(56 + 4 * (changed?.length ?? 0) + 28 * poses + 4 * marks.length + 32 * items + 48 * boxes + labelBytes + extra);
  const view = new DataView(buffer);
  let at = 0;
  const u16 = (x: number) => { view.setUint16(at, x, true); at += 2; };
  const u32 = (x: number) => { view.setUint32(at, x, true); at += 4; };
  const f32 = (x: number) => { view.setFloat32(at, x, true); at += 4; };
  u16(version); u16(kind); u32(number);
  view.setFloat64(at, 1.25, true); at += 8;
  u32(9); u32(flags | (changed ? 0 : 8)); u32(3); u32(base);
  u32(bodies); u32(poses); u32(marks.length); u32(items); u32(boxes); u32(labelBytes);
  changed?.forEach(u32);
  for (let i = 0; i < POSE_FLOATS * poses; i += 1) f32(i + value);
  marks.forEach(u32);
  for (let i = 0; i < items; i += 1) { u32(2); for (let k = 1; k < ITEM_WORDS; k += 1) f32(10 * k); }
  for (let i = 0; i < boxes; i += 1) { u32(1); for (let k = 1; k < BOX_WORDS; k += 1) f32(k); }
  if (label !== undefined) {
    f32(1); f32(2); f32(3); u32(text.length);
    new Uint8Array(buffer, at, text.length).set(text);
  }
  return buffer;
}

describe('a frame', () => {
  it('is read at the offsets of the protocol', () => {
    const frame = parseFrame(frameBytes({ bodies: 2, items: 1, boxes: 1, label: 'gap 2 µm', marks: [1 | (1 << 25)] }));
    expect(frame).toMatchObject({ number: 77, time: 1.25, acknowledged: 9, track: 3, key: true, itemCount: 1, boxCount: 1 });
    expect([...frame.changedPoses]).toEqual(Array.from({ length: 14 }, (_, i) => i + 0.5));
    expect(frame.itemWords[0]).toBe(2);
    expect([...frame.items.subarray(1)]).toEqual([10, 20, 30, 40, 50, 60, 70]);
    expect(frame.boxWords[0]).toBe(1);
    expect([...frame.boxes.subarray(1)]).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    expect(frame.labels).toEqual([{ place: [1, 2, 3], text: 'gap 2 µm' }]);
  });

  it('shares the memory of the message', () => {
    const buffer = frameBytes();
    expect(parseFrame(buffer).changedPoses.buffer).toBe(buffer);
  });

  it.each([[0, false, false, false], [1, true, false, false], [2, false, true, false], [4, false, false, true], [7, true, true, true]])(
    'with flags %i says running %s, slowed %s, held %s',
    (flags, running, slowed, held) => expect(parseFrame(frameBytes({ flags }))).toMatchObject({ running, slowed, held }),
  );

  it('of another protocol is refused with both versions', () => {
    expect(() => parseFrame(frameBytes({ version: 3 }))).toThrow('protocol 3, this page speaks 2');
  });

  it('of an unknown kind is refused', () => {
    expect(() => parseFrame(frameBytes({ kind: 9 }))).toThrow('kind 9');
  });

  it.each([0, 3, 4, 55])('cut within its head, after %i bytes, is refused', (length) => {
    expect(() => parseFrame(frameBytes().slice(0, length))).toThrow('shorter than its 56 byte head');
  });

  it('cut anywhere behind its head is refused', () => {
    const whole = frameBytes({ bodies: 2, items: 2, boxes: 1, label: 'x', marks: [0] });
    for (let length = 56; length < whole.byteLength; length += 1) expect(() => parseFrame(whole.slice(0, length))).toThrow(`not ${whole.byteLength}`);
  });

  it('with bytes left over is refused', () => {
    expect(() => parseFrame(frameBytes({ extra: 4 }))).toThrow('has 88 bytes, not 84');
  });

  it('that names a body beyond the last is refused', () => {
    expect(() => parseFrame(frameBytes({ bodies: 2, changed: [0, 2] }))).toThrow('body 2 of 2');
  });

  it('may hold no bodies at all', () => {
    expect(parseFrame(frameBytes({ bodies: 0 })).changedPoses).toHaveLength(0);
  });
});

describe('kept poses', () => {
  const key = () => parseFrame(frameBytes({ number: 5, bodies: 3 }));

  it('take over what changed and keep the rest', () => {
    const keeper = new PoseKeeper();
    keeper.apply(key());
    const frame = keeper.apply(parseFrame(frameBytes({ number: 6, base: 5, bodies: 3, changed: [1], value: 100 })))!;
    expect([...frame.poses.subarray(0, 7)]).toEqual([0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5]);
    expect([...frame.poses.subarray(7, 14)]).toEqual([100, 101, 102, 103, 104, 105, 106]);
    expect(frame.poses[14]).toBe(14.5);
  });

  it('do not take a change to a frame that never came, until the next key frame', () => {
    const keeper = new PoseKeeper();
    expect(keeper.apply(parseFrame(frameBytes({ base: 4, bodies: 3, changed: [1] })))).toBeNull();
    keeper.apply(key());
    expect(keeper.apply(parseFrame(frameBytes({ number: 8, base: 7, bodies: 3, changed: [1] })))).toBeNull();
    expect(keeper.apply(key())).not.toBeNull();
  });

  it('carry the marks of the moment only', () => {
    const keeper = new PoseKeeper();
    const marked = parseFrame(frameBytes({ number: 5, bodies: 3, marks: [1 | (1 << 24), 2 | (1 << 25)] }));
    expect([...keeper.apply(marked)!.marks]).toEqual([0, Mark.hidden, Mark.pinned]);
    expect([...keeper.apply(key())!.marks]).toEqual([0, 0, 0]);
  });
});
