import { describe, expect, it } from 'vitest';
import { ITEM_WORDS, POSE_FLOATS, parseFrame } from './frame';

function frameBytes({ version = 1, kind = 1, bodies = 1, items = 0, flags = 0, extra = 0 } = {}): ArrayBuffer {
  const buffer = new ArrayBuffer(32 + 28 * bodies + 32 * items + extra);
  const view = new DataView(buffer);
  view.setUint16(0, version, true);
  view.setUint16(2, kind, true);
  view.setUint32(4, 77, true);
  view.setFloat64(8, 1.25, true);
  view.setUint32(16, 9, true);
  view.setUint32(20, bodies, true);
  view.setUint32(24, items, true);
  view.setUint32(28, flags, true);
  for (let i = 0; i < POSE_FLOATS * bodies; i += 1) view.setFloat32(32 + 4 * i, i + 0.5, true);
  for (let i = 0; i < items; i += 1) {
    const at = 32 + 28 * bodies + 32 * i;
    view.setUint32(at, 2, true);
    for (let k = 1; k < ITEM_WORDS; k += 1) view.setFloat32(at + 4 * k, 10 * k, true);
  }
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

  it('of another protocol is refused with both versions', () => {
    expect(() => parseFrame(frameBytes({ version: 2 }))).toThrow('protocol 2, this page speaks 1');
  });

  it('of an unknown kind is refused', () => {
    expect(() => parseFrame(frameBytes({ kind: 9 }))).toThrow('kind 9');
  });

  it.each([0, 4, 31])('cut within its head, after %i bytes, is refused', (length) => {
    expect(() => parseFrame(frameBytes().slice(0, length))).toThrow('shorter than its 32 byte head');
  });

  it('cut anywhere behind its head is refused', () => {
    const whole = frameBytes({ bodies: 2, items: 2 });
    for (let length = 32; length < whole.byteLength; length += 1) expect(() => parseFrame(whole.slice(0, length))).toThrow('not 152');
  });

  it('with bytes left over is refused', () => {
    expect(() => parseFrame(frameBytes({ extra: 4 }))).toThrow('has 64 bytes, not 60');
  });

  it('may hold no bodies at all', () => {
    expect(parseFrame(frameBytes({ bodies: 0 })).poses).toHaveLength(0);
  });
});
