import { expect, it } from 'vitest';
import { fits, keys, noTelemetry, readTelemetry } from './channels';

it('reads channels from among other items, in their order', () => {
  const items = new Float32Array(8 * 6);
  const itemWords = new Uint32Array(items.buffer);
  itemWords[0] = 2; // a force before them
  for (let item = 0; item < 5; item += 1) {
    for (let i = 0; i < 7; i += 1) items[8 * (item + 1) + 1 + i] = 7 * item + i;
    itemWords[8 * (item + 1)] = 14;
  }
  const telemetry = noTelemetry();
  expect(readTelemetry({ itemCount: 6, items, itemWords }, telemetry)).toBe(true);
  expect(keys.map((key) => telemetry[key])).toEqual(keys.map((_, i) => i));
});

it('leaves everything as it was where a frame has none', () => {
  const telemetry = noTelemetry();
  expect(readTelemetry({ itemCount: 0, items: new Float32Array(), itemWords: new Uint32Array() }, telemetry)).toBe(false);
  expect(telemetry).toEqual(noTelemetry());
});

it('knows a server that says something else', () => {
  expect(fits(keys.map((key) => ({ key })))).toBe(true);
  expect(fits(keys.slice(1).map((key) => ({ key })))).toBe(false);
});
