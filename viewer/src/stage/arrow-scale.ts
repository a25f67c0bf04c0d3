// How long arrows are: the length grows with the square root of the value, and the largest value in sight has the full length.

import { niceBelow } from '../numbers/nice';
import { CalmRange } from '../numbers/range';

export const ARROW_LIMIT = 150;
/** Length of the largest arrow as a share of the scene's radius. */
const LONGEST = 0.55;
/** Arrows of less than this share of the largest are not drawn. */
const THRESHOLD = 0.002;
const LEGEND_PIXELS = 44;

export interface ArrowLegend {
  /** The arrow's value in its SI unit, and how long it is on the screen at the target's distance. */
  value: number;
  pixels: number;
  drawn: number;
  total: number;
}

export class ArrowScale {
  private range: CalmRange;
  private full = 1;
  private known = false;
  private counts = { drawn: 0, total: 0 };

  /** Where all values are below `least`, arrows stay short. */
  constructor(least: number, private radius: number) {
    this.range = new CalmRange(least);
  }

  /** Takes all values of a frame; returns which are drawn, the largest first, with their share of the full length and width. */
  take(values: readonly number[], now: number): { index: number; share: number }[] {
    let largest = 0;
    for (const value of values) largest = Math.max(largest, value);
    this.full = this.range.fit(largest, now);
    if (values.length > 0) this.known = true;
    const drawn = values
      .map((value, index) => ({ index, value }))
      .filter(({ value }) => value > THRESHOLD * this.full)
      .sort((a, b) => b.value - a.value);
    this.counts = { drawn: Math.min(ARROW_LIMIT, drawn.length), total: drawn.length };
    return drawn.slice(0, ARROW_LIMIT).map(({ index, value }) => ({ index, share: Math.sqrt(value / this.full) }));
  }

  get longest(): number {
    return LONGEST * this.radius;
  }

  /** An arrow for the legend; null before there was any value. */
  legend(pixelsPerMetre: number): ArrowLegend | null {
    if (!this.known) return null;
    const longest = this.longest * pixelsPerMetre;
    const value = niceBelow(this.full * (LEGEND_PIXELS / longest) ** 2);
    return { value, pixels: longest * Math.sqrt(value / this.full), ...this.counts };
  }
}
