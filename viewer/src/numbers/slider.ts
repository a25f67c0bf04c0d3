// A slider's way between its position (0 to 1) and a parameter's value.

export interface SliderScale {
  min: number;
  max: number;
  step: number;
  scale: 'linear' | 'log';
}

/** Log needs a positive range; a range that touches zero is drawn linearly. */
function isLog({ min, max, scale }: SliderScale): boolean {
  return scale === 'log' && min > 0 && max > min;
}

export function positionOf(value: number, range: SliderScale): number {
  const { min, max } = range;
  if (!(max > min)) return 0;
  const position = isLog(range) ? Math.log(value / min) / Math.log(max / min) : (value - min) / (max - min);
  return Math.min(1, Math.max(0, position));
}

export function valueAt(position: number, range: SliderScale): number {
  const { min, max, step } = range;
  if (position <= 0) return min;
  if (position >= 1) return max;
  if (isLog(range)) {
    const value = min * (max / min) ** position;
    return Math.min(max, Math.max(min, Number(value.toPrecision(2))));
  }
  const value = min + position * (max - min);
  const snapped = step > 0 ? min + Math.round((value - min) / step) * step : value;
  return Math.min(max, Math.max(min, Number(snapped.toPrecision(12))));
}

/** One press of an arrow key in the field, times `factor` (10 with shift, 0.1 with alt). */
export function stepped(value: number, direction: 1 | -1, factor: number, range: SliderScale): number {
  const { min, max, step } = range;
  // On a log scale a step is a share of the value: 40 presses per decade.
  const next = isLog(range) ? value * 10 ** ((direction * factor) / 40) : value + direction * factor * (step > 0 ? step : (max - min) / 100);
  return Math.min(max, Math.max(min, Number(next.toPrecision(isLog(range) ? 4 : 12))));
}
