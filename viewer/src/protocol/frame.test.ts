import { describe, expect, it } from 'vitest';
import { FrameReader, ITEM_WORDS, POSE_FLOATS } from './frame';

const parseFrame = (buffer: ArrayBuffer) => new FrameReader().read(buffer);

function frameBytes({ version = 2, kind = 1, bodies = 1, items = 0, flags = 0, extra = 0 } = {}): ArrayBuffer {
  const buffer = new ArrayBuffer(56 + 28 * bodies + 32 * items + extra);
  const view = new DataView(buffer);
  view.setUint16(0, version, true);
  view.setUint16(2, kind, true);
  view.setUint32(4, 77, true);
  view.setFloat64(8, 1.25, true);
  [9, flags | 8, 0, 0, bodies, bodies, 0, items, 0, 0].forEach((word, i) => view.setUint32(16 + 4 * i, word, true));
  for (let i = 0; i < POSE_FLOATS * bodies; i += 1) view.setFloat32(56 + 4 * i, i + 0.5, true);
  for (let i = 0; i < items; i += 1) {
    const at = 56 + 28 * bodies + 32 * i;
    view.setUint32(at, 2, true);
    for (let k = 1; k < ITEM_WORDS; k += 1) view.setFloat32(at + 4 * k, 10 * k, true);
  }
  return buffer;
}

/** Moves body 1 of frame 77 to x = 9. */
function changeBytes(base = 77): ArrayBuffer {
  const buffer = new ArrayBuffer(56 + 4 + 28);
  const view = new DataView(buffer);
  view.setUint16(0, 2, true);
  view.setUint16(2, 1, true);
  view.setUint32(4, 78, true);
  [9, 0, 0, base, 2, 1, 0, 0, 0, 0].forEach((word, i) => view.setUint32(16 + 4 * i, word, true));
  view.setUint32(56, 1, true);
  view.setFloat32(60, 9, true);
  return buffer;
}

describe('a frame', () => {
  it('is read at the offsets of the protocol', () => {
    const frame = parseFrame(frameBytes({ bodies: 2, items: 1 }));
    expect(frame).toMatchObject({ number: 77, time: 1.25, acknowledged: 9, itemCount: 1 });
    expect([...frame.poses]).toEqual(Array.from({ length: 14 }, (_, i) => i + 0.5));
    expect(frame.itemWords[0]).toBe(2);
    expect([...frame.items.subarray(1)]).toEqual([10, 20, 30, 40, 50, 60, 70]);
  });

  it('shares the memory of the message', () => {
    const buffer = frameBytes();
    expect(parseFrame(buffer).poses.buffer).toBe(buffer);
  });

  it.each([[0, false, false, false], [1, true, false, false], [2, false, true, false], [4, false, false, true], [7, true, true, true]])(
    'with flags %i says running %s, slowed %s, held %s',
    (flags, running, slowed, held) => expect(parseFrame(frameBytes({ flags }))).toMatchObject({ running, slowed, held }),
  );

  it('that changes another moves only what it says', () => {
    const reader = new FrameReader();
    const before = reader.read(frameBytes({ bodies: 2 }));
    const after = reader.read(changeBytes());
    expect([...after.poses]).toEqual([...Array.from({ length: 7 }, (_, i) => i + 0.5), 9, 0, 0, 0, 0, 0, 0]);
    expect(before.poses[7]).toBe(7.5);
  });

  it('that changes a frame that is not there is refused', () => {
    expect(() => parseFrame(changeBytes())).toThrow('changes frame 77');
    const reader = new FrameReader();
    reader.read(frameBytes({ bodies: 2 }));
    expect(() => reader.read(changeBytes(76))).toThrow('changes frame 76');
  });

  it('of another protocol is refused with both versions', () => {
    expect(() => parseFrame(frameBytes({ version: 1 }))).toThrow('protocol 1, this page speaks 2');
  });

  it('of an unknown kind is refused', () => {
    expect(() => parseFrame(frameBytes({ kind: 9 }))).toThrow('kind 9');
  });

  it.each([0, 4, 55])('cut within its head, after %i bytes, is refused', (length) => {
    expect(() => parseFrame(frameBytes().slice(0, length))).toThrow('shorter than its 56 byte head');
  });

  it('cut anywhere behind its head is refused', () => {
    const whole = frameBytes({ bodies: 2, items: 2 });
    for (let length = 56; length < whole.byteLength; length += 1) expect(() => parseFrame(whole.slice(0, length))).toThrow('not 176');
  });

  it('with bytes left over is refused', () => {
    expect(() => parseFrame(frameBytes({ extra: 4 }))).toThrow('has 88 bytes, not 84');
  });

  it('may hold no bodies at all', () => {
    expect(parseFrame(frameBytes({ bodies: 0 })).poses).toHaveLength(0);
  });
});
