// Numbers as text: true minus, thin exponents, never without their unit.

const MINUS = '\u2212';
const superscripts = '⁰¹²³⁴⁵⁶⁷⁸⁹';

/** `value` with a fixed number of decimals and a true minus sign; minus zero is zero. */
export function fixed(value: number, decimals: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? '–' : value > 0 ? '∞' : `${MINUS}∞`;
  const text = value.toFixed(decimals);
  return Number(text) === 0 ? text.replace('-', '') : text.replace('-', MINUS);
}

/** About `digits` significant digits without an exponent, as many decimals as that takes. */
export function significant(value: number, digits = 3): string {
  if (value === 0 || !Number.isFinite(value)) return fixed(value, 0);
  // The exponent after rounding: 0.9996 to three digits is 1.00.
  const exponent = Number(value.toExponential(digits - 1).split('e')[1]);
  return fixed(value, Math.min(9, Math.max(0, digits - 1 - exponent)));
}

/** 10⁻³ for a power of ten. */
export function powerOfTen(value: number): string {
  const exponent = Math.round(Math.log10(value));
  const digits = [...String(Math.abs(exponent))].map((digit) => superscripts[Number(digit)]).join('');
  return `10${exponent < 0 ? '⁻' : ''}${digits}`;
}

const prefixes: [number, string][] = [[1e9, 'G'], [1e6, 'M'], [1e3, 'k'], [1, ''], [1e-3, 'm'], [1e-6, 'µ'], [1e-9, 'n']];

/** The prefix that suits a value, and its factor; one prefix for a column of numbers makes them comparable. */
export function prefixFor(value: number, digits = 3): { factor: number; prefix: string } {
  // Rounding may carry into the next prefix: 999.96 is 1.00 k.
  const rounded = Number(Math.abs(value).toPrecision(digits));
  if (rounded === 0 || !Number.isFinite(rounded)) return { factor: 1, prefix: '' };
  const [factor, prefix] = prefixes.find(([limit]) => rounded >= limit) ?? prefixes[prefixes.length - 1]!;
  return { factor, prefix };
}

export interface Quantity {
  number: string;
  unit: string;
}

/** A quantity with a prefix that leaves one to three digits before the point: 0.000018 m is 18.0 µm. */
export function quantity(value: number, unit: string, digits = 3): Quantity {
  // Below a tenth of a nano-unit there is nothing but rounding.
  if (!Number.isFinite(value) || Math.abs(value) < 1e-10) return { number: Number.isFinite(value) ? '0' : fixed(value, 0), unit };
  const { factor, prefix } = prefixFor(value, digits);
  return { number: significant(value / factor, digits), unit: prefix + unit };
}

export function quantityText(value: number, unit: string, digits = 3): string {
  const { number, unit: prefixed } = quantity(value, unit, digits);
  return `${number} ${prefixed}`;
}

/** How many decimals a field needs so that its step is visible. */
export function decimalsOfStep(step: number): number {
  if (!(step > 0)) return 3;
  for (let decimals = 0; decimals < 9; decimals += 1) {
    if (Math.abs(step * 10 ** decimals - Math.round(step * 10 ** decimals)) < 1e-6) return decimals;
  }
  return 9;
}

/** A parameter's value as its field shows it. */
export function fieldText(value: number, step: number, scale: 'linear' | 'log'): string {
  if (scale === 'log' && value !== 0) {
    const size = Math.abs(value);
    if (size < 1e-4 || size >= 1e6) return value.toExponential(2).replace('e+', 'e').replaceAll('-', MINUS);
    return significant(value, 3);
  }
  // A default such as 9.81 may lie between the steps of 0.1: it is shown as it is.
  const decimals = decimalsOfStep(step);
  const needed = [0, 1, 2].find((more) => Math.abs(value - Number(value.toFixed(decimals + more))) < 1e-9 * Math.max(1, Math.abs(value))) ?? 2;
  return fixed(value, decimals + needed);
}

/** The size of a file: 482 kB, 4.1 MB. */
export function bytesText(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  const { number, unit } = quantity(bytes, 'B', bytes < 1e6 ? 3 : 2);
  return `${number} ${unit}`;
}
