// Noise that is the same on every machine: hashed lattices, and the texture that ice and snow read.

import { DataTexture, LinearFilter, LinearMipmapLinearFilter, RepeatWrapping, RGBAFormat } from 'three';

/** From 0 to 1 for a lattice point. */
export function hash(x: number, y: number, seed = 0): number {
  let h = Math.imul(x | 0, 374761393) ^ Math.imul(y | 0, 668265263) ^ Math.imul(seed | 0, 2246822519);
  h = Math.imul(h ^ (h >>> 13), 1274126177);
  h = Math.imul(h ^ (h >>> 16), 2246822519);
  return ((h ^ (h >>> 15)) >>> 0) / 4294967296;
}

const smooth = (t: number) => t * t * (3 - 2 * t);

/** Value noise from 0 to 1 with a lattice of 1; `period` repeats it, 0 does not. */
export function noise(x: number, y: number, seed = 0, period = 0): number {
  const [i, j] = [Math.floor(x), Math.floor(y)];
  const [u, v] = [smooth(x - i), smooth(y - j)];
  const wrap = (k: number) => (period > 0 ? ((k % period) + period) % period : k);
  const at = (a: number, b: number) => hash(wrap(i + a), wrap(j + b), seed);
  return (at(0, 0) * (1 - u) + at(1, 0) * u) * (1 - v) + (at(0, 1) * (1 - u) + at(1, 1) * u) * v;
}

/** Octaves of noise, from 0 to 1. */
export function fractal(x: number, y: number, octaves: number, seed = 0): number {
  let [sum, weight, total] = [0, 1, 0];
  for (let k = 0; k < octaves; k += 1) {
    sum += weight * noise(x * 2 ** k, y * 2 ** k, seed + k);
    total += weight;
    weight *= 0.5;
  }
  return sum / total;
}

/** Ridges: octaves of folded noise, each strongest where the one before was high. From 0 to 1. */
export function ridged(x: number, y: number, octaves: number, seed = 0): number {
  let [sum, weight, total, before] = [0, 1, 0, 1];
  for (let k = 0; k < octaves; k += 1) {
    const fold = 1 - Math.abs(2 * noise(x * 2 ** k, y * 2 ** k, seed + k) - 1);
    before = fold * fold * before;
    sum += weight * before;
    total += weight;
    weight *= 0.5;
    before = Math.min(1, 1.6 * before + 0.15);
  }
  return sum / total;
}

/** Red: streaks along x. Green: scratches. Blue: clouds. Repeats seamlessly. */
export function iceTexture(size: number): DataTexture {
  const data = new Uint8Array(4 * size * size);
  for (let j = 0; j < size; j += 1) {
    for (let i = 0; i < size; i += 1) {
      const [u, v] = [i / size, j / size];
      const streaks = 0.55 * noise(4 * u, 96 * v, 1, 96) + 0.3 * noise(8 * u, 192 * v, 2, 192) + 0.15 * noise(2 * u, 32 * v, 3, 32);
      const scratches = noise(12 * u + 2 * noise(8 * u, 8 * v, 9, 8), 256 * v, 4, 256) > 0.93 ? 1 : 0.15 * noise(64 * u, 256 * v, 5, 256);
      const clouds = 0.6 * noise(6 * u, 6 * v, 6, 6) + 0.3 * noise(14 * u, 14 * v, 7, 14) + 0.1 * noise(40 * u, 40 * v, 8, 40);
      data.set([255 * streaks, 255 * scratches, 255 * clouds, 255], 4 * (j * size + i));
    }
  }
  const texture = new DataTexture(data, size, size, RGBAFormat);
  texture.wrapS = texture.wrapT = RepeatWrapping;
  texture.magFilter = LinearFilter;
  texture.minFilter = LinearMipmapLinearFilter;
  texture.generateMipmaps = true;
  texture.anisotropy = 8;
  texture.needsUpdate = true;
  return texture;
}
