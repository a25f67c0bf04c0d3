import { describe, expect, it } from 'vitest';
import { PIXEL_SHARES, PixelGovernor } from './pixel-governor';

/** A machine that takes some ms for a picture and more for its pixels: the shares after a minute, and how often they changed in its second half. */
function drive(fixed: number, full: number, seconds = 60) {
  const governor = new PixelGovernor();
  let [now, late] = [0, 0];
  while (now < 1000 * seconds) {
    now += Math.max(1000 / 60, fixed + full * governor.share ** 2);
    if (governor.drew(now) && now > 500 * seconds) late += 1;
  }
  return { share: governor.share, late, picture: Math.max(1000 / 60, fixed + full * governor.share ** 2) };
}

describe('fewer pixels', () => {
  it('are drawn until ten pictures a second come', () => {
    expect(drive(5, 8).share).toBe(1);
    expect(drive(20, 90).share).toBe(0.75);
    expect(drive(30, 150).share).toBe(0.5);
    expect(drive(30, 900).share).toBe(PIXEL_SHARES.at(-1));
    for (const [fixed, full] of [[20, 90], [30, 150], [10, 280], [40, 120], [50, 200]] as const) {
      const { picture, late } = drive(fixed, full);
      expect(picture, `${fixed} ms and ${full} ms`).toBeLessThan(100);
      expect(late, 'it does not go up and down').toBe(0);
    }
  });

  it('come back when the machine has time again', () => {
    const governor = new PixelGovernor();
    let now = 0;
    while (governor.share > 0.4) governor.drew((now += 200));
    while (now < 100_000) governor.drew((now += 1000 / 60));
    expect(governor.share).toBe(1);
    for (let i = 0; i < 100; i += 1) governor.drew((now += 10_000));
    expect(governor.share).toBe(1);
  });
});
