import { describe, expect, it } from 'vitest';
import { ARROW_LIMIT, ArrowScale } from './arrow-scale';

describe('the scale of arrows', () => {
  it('gives the square root of the share of the largest', () => {
    const scale = new ArrowScale(1e-2, 1);
    const drawn = scale.take([25, 100, 0], 0);
    expect(drawn).toEqual([{ index: 1, share: 1 }, { index: 0, share: 0.5 }]);
  });

  it('leaves out the smallest where there are too many, and says so', () => {
    const scale = new ArrowScale(1e-2, 1);
    const drawn = scale.take(Array.from({ length: 400 }, (_, i) => 100 + i), 0);
    expect(drawn).toHaveLength(ARROW_LIMIT);
    expect(drawn[0]!.index).toBe(399);
    expect(scale.legend(100)).toMatchObject({ drawn: ARROW_LIMIT, total: 400 });
  });

  it('has a legend whose arrow is as long as one of that value in the picture', () => {
    const scale = new ArrowScale(1e-2, 2);
    scale.take([100], 0);
    const { value, pixels } = scale.legend(80)!;
    expect(pixels).toBeCloseTo(scale.longest * 80 * Math.sqrt(value / 100), 9);
    expect(pixels).toBeLessThanOrEqual(44);
  });

  it('has no legend before there was a value', () => expect(new ArrowScale(1, 1).legend(80)).toBeNull());
});
