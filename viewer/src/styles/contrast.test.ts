import { describe, expect, it } from 'vitest';
import css from './tokens.css?raw';

// Contrast of text and controls on the grounds they stand on, computed from the tokens as WCAG 2 defines it.

function tokensOf(selector: string): Record<string, string> {
  const block = css.slice(css.indexOf(selector)).split('}')[0]!;
  return Object.fromEntries([...block.matchAll(/--([a-z0-9-]+):\s*(#[0-9a-f]{3,6})/g)].map(([, name, color]) => [name!, color!]));
}

function luminance(color: string): number {
  const hex = color.length === 4 ? [...color.slice(1)].map((digit) => digit + digit).join('') : color.slice(1);
  const [r, g, b] = [0, 2, 4].map((at) => parseInt(hex.slice(at, at + 2), 16) / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!;
}

function contrast(a: string, b: string): number {
  const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (high! + 0.05) / (low! + 0.05);
}

const text = [
  ...['ink', 'ink2', 'ink3'].flatMap((ink) => ['bg', 'surface', 'sunken'].map((ground) => [ink, ground])),
  ...['ink', 'ink2'].flatMap((ink) => ['stage-in', 'stage-out'].map((ground) => [ink, ground])),
  ['accent', 'bg'], ['accent', 'surface'], ['accent', 'soft'], ['on', 'accent'], ['on', 'accent-hover'], ['surface', 'ink2'],
  ['second', 'bg'], ['second', 'surface'], ['warn', 'surface'], ['warn', 'warn-soft'], ['danger', 'surface'], ['danger', 'danger-soft'],
] as [string, string][];
const controls = [['edge', 'surface'], ['accent', 'line'], ['accent', 'surface'], ['phase1', 'surface'], ['phase4', 'surface']] as [string, string][];

describe.each([['light', ':root {'], ['dark', "[data-theme='dark'] {"]])('in the %s theme', (_name, selector) => {
  const tokens = tokensOf(selector);
  it.each(text)('text in %s on %s reads well (4.5)', (ink, ground) => expect(contrast(tokens[ink]!, tokens[ground]!)).toBeGreaterThanOrEqual(4.5));
  it.each(controls)('a control in %s on %s can be found (3.0)', (ink, ground) => expect(contrast(tokens[ink]!, tokens[ground]!)).toBeGreaterThanOrEqual(3));
});

it('measures black on white as 21', () => expect(contrast('#000000', '#fff')).toBeCloseTo(21, 6));
