import { describe, expect, it } from 'vitest';
import { PaceGovernor } from './pace-governor';

/** Feeds pictures of so many ms each for so many seconds; says how often it was found too slow. */
function run(governor: PaceGovernor, ms: number, seconds: number, drawn = true): number {
  let found = 0;
  for (let t = 0; t < 1000 * seconds; t += ms) if (governor.tooSlow(t, drawn)) found += 1;
  return found;
}

describe('the pace of pictures', () => {
  it('of 60 a second is fine', () => expect(run(new PaceGovernor(), 16.7, 20)).toBe(0));
  it('of 10 a second is too slow, and said once per window', () => expect(run(new PaceGovernor(), 100, 10)).toBe(3));
  it('does not count a still picture or a hidden page', () => {
    expect(run(new PaceGovernor(), 100, 20, false)).toBe(0);
    expect(run(new PaceGovernor(), 1000, 60)).toBe(0);
  });
});
