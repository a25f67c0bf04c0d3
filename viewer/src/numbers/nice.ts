// Numbers that people like to read: 1, 2 or 5 times a power of ten.

/** The largest such number that is not above x (x > 0). */
export function niceBelow(x: number): number {
  const decade = 10 ** Math.floor(Math.log10(x) + 1e-12);
  const digit = x / decade;
  const leading = digit >= 5 - 1e-9 ? 5 : digit >= 2 - 1e-9 ? 2 : 1;
  return clean(leading * decade);
}

/** The smallest such number that is not below x (x > 0). */
export function niceAbove(x: number): number {
  const decade = 10 ** Math.floor(Math.log10(x) + 1e-12);
  const digit = x / decade;
  const leading = digit <= 1 + 1e-9 ? 1 : digit <= 2 + 1e-9 ? 2 : digit <= 5 + 1e-9 ? 5 : 10;
  return clean(leading * decade);
}

/** Multiples of a nice step that lie within [min, max], about `count` of them. */
export function ticks(min: number, max: number, count: number): number[] {
  if (!(max > min)) return [min];
  const step = niceAbove((max - min) / Math.max(1, count));
  const first = Math.ceil(min / step - 1e-9);
  const last = Math.floor(max / step + 1e-9);
  return Array.from({ length: last - first + 1 }, (_, i) => clean((first + i) * step));
}

/** Powers of ten within [min, max], every second or third one where there are many. */
export function decades(min: number, max: number, count: number): number[] {
  const low = Math.ceil(Math.log10(min) - 1e-9);
  const high = Math.floor(Math.log10(max) + 1e-9);
  const stride = Math.max(1, Math.ceil((high - low) / Math.max(1, count)));
  const found: number[] = [];
  for (let exponent = low; exponent <= high; exponent += stride) found.push(clean(10 ** exponent));
  return found;
}

/** Takes off what binary fractions add: 0.30000000000000004 becomes 0.3. */
export function clean(x: number): number {
  return Number(x.toPrecision(12));
}
