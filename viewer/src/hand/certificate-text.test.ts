import { expect, test } from 'vitest';
import { certificateText, type Answer } from './certificate-text';

const part = (verdict: 'free' | 'contact' | 'undecided', gap: number | null = null): Answer['certificates'][number] =>
  ({ part: 'bulb', verdict, free_until: 1.5, contact: verdict === 'contact' ? { time: 2.25, obstacle: 'rib 3', gap: 0 } : null, tightest: null, gap_at_least: gap });

test('a path is free only if every part is', () => {
  expect(certificateText({ certificates: [part('free', 2e-5), part('free', 1e-3)] }).free).toBe(true);
  expect(certificateText({ certificates: [part('free', 2e-5), part('contact')] })).toEqual({ free: false, text: 'Not free: bulb meets rib 3 at 2.25 s' });
  expect(certificateText({ certificates: [part('undecided')] }).text).toContain('1.50 s');
  expect(certificateText({ certificates: [] }).free).toBe(false);
});
