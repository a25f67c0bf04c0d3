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

  it('break long texts into lines and keep them in the window', () => {
    const text = 'wedged between left wall of the slot and right wall of the slot by friction: turn it by 10° to the left, about the vertical · 25 N';
    for (const width of [280, 390, 800]) {
      const [first, second] = arrange([label(width - 60, 200, { text }), label(width - 70, 215)], { width, height: 600 });
      expect(first!.left).toBeGreaterThanOrEqual(0);
      expect(first!.left).toBeLessThanOrEqual(Math.max(0, width - 200));
      // Three lines or more are evaded as such.
      expect(second!.top - first!.top).toBeGreaterThanOrEqual(26 + 2 * 16);
    }
  });

  it('stay on the stage and leave out what is not in sight', () => {
    const placed = arrange([label(795, 300), label(900, 300), label(100, 100, { visible: false })], size);
    expect(placed).toHaveLength(1);
    expect(placed[0]!.left).toBeLessThan(780);
  });
});
