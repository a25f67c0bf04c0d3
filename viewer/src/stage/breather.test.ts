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
});
