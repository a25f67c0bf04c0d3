// What people type into a number field: "5 mm" where metres are asked for, "80 %" where a plain number is.

const TURN = Math.PI / 180;

/** Factors to the SI unit, by the SI unit. */
const families: Record<string, Record<string, number>> = {
  '': { '%': 0.01 },
  m: { m: 1, km: 1e3, dm: 0.1, cm: 1e-2, mm: 1e-3, µm: 1e-6, um: 1e-6 },
  s: { s: 1, min: 60, ms: 1e-3, µs: 1e-6, us: 1e-6 },
  kg: { kg: 1, t: 1e3, g: 1e-3, mg: 1e-6 },
  N: { N: 1, mN: 1e-3, kN: 1e3, MN: 1e6 },
  J: { J: 1, mJ: 1e-3, kJ: 1e3 },
  W: { W: 1, mW: 1e-3, kW: 1e3 },
  Hz: { Hz: 1, kHz: 1e3 },
  Pa: { Pa: 1, kPa: 1e3, MPa: 1e6, GPa: 1e9, bar: 1e5 },
  rad: { rad: 1, mrad: 1e-3, deg: TURN, '°': TURN },
  'm/s': { 'm/s': 1, 'cm/s': 1e-2, 'mm/s': 1e-3, 'km/h': 1 / 3.6 },
  'm/s²': { 'm/s²': 1, 'm/s2': 1, 'm/s^2': 1, g: 9.80665 },
  'rad/s': { 'rad/s': 1, 'deg/s': TURN, '°/s': TURN, rpm: Math.PI / 30 },
  'kg/m³': { 'kg/m³': 1, 'kg/m3': 1, 'kg/m^3': 1, 'g/cm³': 1e3, 'g/cm3': 1e3 },
  'N/m': { 'N/m': 1, 'kN/m': 1e3, 'N/mm': 1e3 },
  'N·m': { 'N·m': 1, Nm: 1, 'N m': 1, kNm: 1e3 },
};

const spellings: Record<string, string> = { 'm/s^2': 'm/s²', 'm/s2': 'm/s²', 'kg/m^3': 'kg/m³', 'kg/m3': 'kg/m³', Nm: 'N·m' };

/** The unit as it is shown: m/s^2 becomes m/s². */
export function unitText(unit: string): string {
  return spellings[unit] ?? unit;
}

export type Typed = { value: number } | { error: string };

/** Reads what was typed into a field that holds a value in `unit`. */
export function parseQuantity(text: string, unit: string): Typed {
  const shown = unitText(unit);
  const match = /^\s*([+\-−]?(?:\d+[.,]?\d*|[.,]\d+)(?:e[+\-−]?\d+)?)\s*(.*?)\s*$/iu.exec(text.replace(/\u00a0|\u202f/g, ' '));
  if (!match) return { error: 'Type a number' };
  const number = Number(match[1]!.replaceAll('−', '-').replace(',', '.'));
  if (!Number.isFinite(number)) return { error: 'Type a number' };
  const typed = match[2]!.replace('μ', 'µ');
  if (typed === '' || typed === unit || typed === shown) return { value: number };
  const factor = families[shown]?.[typed];
  if (factor === undefined) return { error: `Unknown unit ${typed}; ${unitAdvice(shown)}` };
  return { value: Number((number * factor).toPrecision(15)) };
}

function unitAdvice(unit: string): string {
  const names = Object.keys(families[unit] ?? {}).filter((name) => !/[\^ ]|^u|[a-z][23]$/.test(name));
  if (unit === '') return 'this is a plain number';
  return names.length > 1 ? `try ${names.slice(0, 4).join(', ')}` : `this is in ${unit}`;
}
