import { expect, it } from 'vitest';
import { LatencyMeter } from './latency';

it('measures from the hand to the first picture that has seen it', () => {
  const meter = new LatencyMeter();
  expect(meter.summary).toBeNull();
  meter.sent(4, 100);
  meter.sent(5, 110);
  meter.drew(3, 112);
  expect(meter.milliseconds).toEqual([]);
  meter.drew(5, 130);
  meter.drew(5, 150);
  expect(meter.milliseconds).toEqual([30, 20]);
  expect(meter.summary).toEqual({ median: 30, largest: 30 });
  meter.restart();
  expect(meter.summary).toBeNull();
});
