import { expect, test } from 'vitest';
import { ITEM_WORDS, OverlayKind } from '../protocol/frame';
import { isHandling, readingOf } from './reading';

function frame(numbers: number[], labels: string[] = []) {
  const count = Math.ceil(numbers.length / 7);
  const items = new Float32Array(ITEM_WORDS * count);
  const itemWords = new Uint32Array(items.buffer);
  numbers.forEach((value, i) => (items[ITEM_WORDS * Math.floor(i / 7) + 1 + (i % 7)] = value));
  for (let item = 0; item < count; item += 1) itemWords[ITEM_WORDS * item] = OverlayKind.channels;
  return { itemCount: count, items, itemWords, labels: labels.map((text) => ({ text })) };
}

test('a frame of a handling scene is read by names', () => {
  const reading = readingOf(frame([1, 2, 12, 0.5, 0.02, 0.1, 0.000015, 0.0004, 0.0028], ['wedged in slot']))!;
  expect(reading.held).toBe(1);
  expect(reading.standing).toBe('jammed');
  expect(reading.force).toBeCloseTo(12);
  expect(reading.gap).toBeCloseTo(0.000015);
  expect(reading.allowed).toBeCloseTo(0.0028);
  expect(reading.words).toBe('wedged in slot');
});

test('a free part has no gap and no words', () => {
  const reading = readingOf(frame([0, 0, 0, 0, 0, 0, 1, 0, 0.0028], ['some other label']))!;
  expect(reading.standing).toBe('free');
  expect(reading.gap).toBeNull();
  expect(reading.words).toBe('');
});

test('other scenes are not mistaken for handling', () => {
  expect(readingOf(frame([1, 2]))).toBeNull();
  expect(isHandling([{ key: 'station' }])).toBe(false);
  expect(isHandling(['held', 'standing', 'force', 'moment', 'ahead', 'turned', 'gap', 'interval', 'allowed'].map((key) => ({ key })))).toBe(true);
});
