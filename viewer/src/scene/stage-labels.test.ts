import { describe, expect, it } from 'vitest';
import { arrange, type StageLabel } from './stage-labels';

const size = { width: 800, height: 600 };
const label = (x: number, y: number, more: Partial<StageLabel> = {}): StageLabel => ({ text: '12 N', kind: 'label', x, y, visible: true, ...more });

describe('labels on the stage', () => {
  it('evade each other', () => {
    const placed = arrange([label(100, 100), label(102, 103), label(98, 99)], size);
    expect(placed).toHaveLength(3);
    const tops = placed.map(({ top }) => top).sort((a, b) => a - b);
    expect(tops[1]! - tops[0]!).toBeGreaterThanOrEqual(25);
    expect(tops[2]! - tops[1]!).toBeGreaterThanOrEqual(25);
  });

  it('stay on the stage and leave out what is not in sight', () => {
    const placed = arrange([label(795, 300), label(900, 300), label(100, 100, { visible: false })], size);
    expect(placed).toHaveLength(1);
    expect(placed[0]!.left).toBeLessThan(780);
  });
});
