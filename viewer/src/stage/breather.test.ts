import { describe, expect, it } from 'vitest';
import { Breather } from './breather';

/** Turns of 16 ms, or as long as a picture takes; returns the share of the time that was drawn in. */
function share(pictureMs: number): number {
  const breather = new Breather();
  let now = 0;
  let drawing = 0;
  while (now < 20_000) {
    if (breather.mayDraw(now)) {
      breather.drew(now);
      now += Math.max(16, pictureMs);
      drawing += Math.max(16, pictureMs);
    } else now += 16;
  }
  return drawing / now;
}

describe('a breather', () => {
  it('is not taken where pictures come fast', () => expect(share(30)).toBe(1));
  it('leaves half of the time where they come slowly', () => {
    expect(share(200)).toBeGreaterThan(0.4);
    expect(share(200)).toBeLessThan(0.55);
  });
  it('is not taken while a hand moves something: pictures get coarser instead, and sharp again when it lets go', () => {
    const breather = new Breather();
    // What a picture takes is half fixed, half by its pixels.
    const takes = () => 60 + 60 * breather.share ** 2;
    let now = 0;
    for (let i = 0; i < 40; i += 1) {
      expect(breather.mayDraw(now, true)).toBe(true);
      breather.drew(now);
      now += takes();
    }
    expect(breather.share).toBe(0.5);
    breather.mayDraw(now, false);
    expect(breather.share).toBe(1);
  });
  it('keeps pictures sharp that come fast enough', () => {
    const breather = new Breather();
    for (let now = 0; now < 1000; now += 30) {
      breather.mayDraw(now, true);
      breather.drew(now);
    }
    expect(breather.share).toBe(1);
  });
});
