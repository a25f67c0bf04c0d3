import { expect, it } from 'vitest';
import { recordedText } from './recorded-text';

it('says when something was recorded', () => {
  const now = new Date(2026, 10, 16, 15, 0).getTime() / 1000;
  expect(recordedText(now - 5, now)).toBe('just now');
  expect(recordedText(now - 200, now)).toBe('3 min ago');
  expect(recordedText(now - 2 * 3600, now)).toMatch(/^today /);
  expect(recordedText(now - 3 * 86400, now)).not.toMatch(/today/);
});
