// Noise and struck things as buffers, made once from seeds: nothing is sampled.

/** Numbers from -1 to 1, the same for the same seed (xorshift). */
export function random(seed: number): () => number {
  let x = (seed | 0) || 1;
  return () => {
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    return (x | 0) / 2147483648;
  };
}

/** Pink noise by seven leaky sums (Kellet), level about 0.2. */
export function pink(length: number, seed: number): Float32Array {
  const next = random(seed);
  const data = new Float32Array(length);
  let [a, b, c, d, e, f, g] = [0, 0, 0, 0, 0, 0, 0];
  for (let i = -4096; i < length; i += 1) {
    const w = next();
    a = 0.99886 * a + w * 0.0555179;
    b = 0.99332 * b + w * 0.0750759;
    c = 0.969 * c + w * 0.153852;
    d = 0.8665 * d + w * 0.3104856;
    e = 0.55 * e + w * 0.5329522;
    f = -0.7616 * f - w * 0.016898;
    if (i >= 0) data[i] = 0.11 * (a + b + c + d + e + f + g + w * 0.5362);
    g = w * 0.115926;
  }
  return loopable(data);
}

export function white(length: number, seed: number): Float32Array {
  const next = random(seed);
  return Float32Array.from({ length }, next);
}

/** The end runs into the beginning, so that a loop has no click. */
function loopable(data: Float32Array): Float32Array {
  const fade = Math.min(4096, data.length >> 2);
  for (let i = 0; i < fade; i += 1) {
    const t = i / fade;
    const end = data.length - fade + i;
    data[end] = data[end]! * Math.sqrt(1 - t) + data[i]! * Math.sqrt(t);
  }
  return data.slice(fade);
}

/** Clicks by chance, so many a second, each a short decay. */
export function clicks(length: number, rate: number, perSecond: number, seed: number): Float32Array {
  const next = random(seed);
  const data = new Float32Array(length);
  const chance = perSecond / rate;
  for (let i = 0; i < length; i += 1) {
    if (0.5 * (next() + 1) > chance) continue;
    const size = next();
    for (let k = 0; k < 24 && i + k < length; k += 1) data[i + k]! += size * Math.exp(-k / 5);
  }
  return data;
}

/** The grain of the ice along the way: pink, with a bump every three metres or so at 40 m/s. */
export function grain(length: number, rate: number, seed: number): Float32Array {
  const next = random(seed);
  const data = pink(length, seed + 1);
  for (let metres = 0; ; ) {
    metres += 3 + 1.5 * next();
    const at = Math.round((metres / 40) * rate);
    if (at >= data.length) return data;
    const size = 0.25 + 0.15 * next();
    for (let k = 0; k < 0.02 * rate && at + k < data.length; k += 1) data[at + k]! += size * Math.exp(-k / (0.004 * rate)) * Math.sin((2 * Math.PI * 90 * k) / rate);
  }
}

export interface Mode {
  hz: number;
  /** Time in which it falls by 60 dB, in s. */
  t60: number;
  level: number;
}

/** Something that was struck: damped sines, largest value 1. */
export function struck(modes: readonly Mode[], seconds: number, rate: number): Float32Array {
  const data = new Float32Array(Math.round(seconds * rate));
  modes.forEach(({ hz, t60, level }, m) => {
    const decay = Math.log(1000) / t60;
    for (let i = 0; i < data.length; i += 1) data[i]! += level * Math.exp((-decay * i) / rate) * Math.sin((2 * Math.PI * hz * i) / rate + m);
  });
  const largest = data.reduce((most, x) => Math.max(most, Math.abs(x)), 1e-9);
  return data.map((x) => x / largest);
}

const mode = (hz: number, t60: number, level: number): Mode => ({ hz, t60, level });

/** Hull and steel bars of the sled against the ice. */
export const HIT: Mode[] = [mode(146, 0.5, 0.8), mode(291, 0.42, 0.7), mode(402, 0.35, 0.5), mode(566, 0.3, 0.6), mode(760, 0.24, 0.4), mode(980, 0.16, 0.4), mode(1180, 0.11, 0.4), mode(431, 0.3, 0.4), mode(1188, 0.22, 0.5), mode(2329, 0.16, 0.45), mode(3850, 0.1, 0.3), mode(5740, 0.07, 0.2)];
/** Planks: short, dry, no steel. */
export const WOOD: Mode[] = [mode(118, 0.16, 1), mode(205, 0.12, 0.8), mode(388, 0.09, 0.6), mode(610, 0.06, 0.5), mode(1040, 0.04, 0.35)];
export const BOOM: Mode[] = [mode(41, 0.5, 1), mode(57, 0.4, 0.8)];
export const BELL: Mode[] = [mode(784, 0.7, 1), mode(1047, 0.6, 0.7), mode(1568, 0.4, 0.25), mode(2637, 0.25, 0.12)];
export const STEP: Mode[] = [mode(85, 0.12, 1), mode(1900, 0.04, 0.25), mode(3300, 0.03, 0.15)];
export const COUNT: Mode[] = [mode(440, 0.25, 1), mode(880, 0.2, 0.3)];
export const GO: Mode[] = [mode(880, 0.5, 1), mode(1760, 0.35, 0.3)];
