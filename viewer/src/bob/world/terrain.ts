// The hill: heights that carry the track, noise beside it, mountains far away. Numbers only; meshes are made elsewhere.

import type { TrackShape } from '../track';
import { fractal, noise, ridged } from './noise';

/** How deep the ground lies below the channel, in m; banks of snow cover what is between. */
const SUNK = 2.6;
/** It is that deep within this distance from the course and level again at the second, in m. */
const SUNK_TO = 6;
const LEVEL_FROM = 12;
/** Distance of the samples of the course, in m. */
const SAMPLES = 5;

const step = (x: number, low: number, high: number) => {
  const t = Math.min(1, Math.max(0, (x - low) / (high - low)));
  return t * t * (3 - 2 * t);
};

export class Terrain {
  private readonly samples: Float64Array;
  private readonly plane: [number, number, number];
  readonly low: [number, number];
  readonly high: [number, number];
  readonly middle: [number, number];

  constructor(track: TrackShape) {
    const count = Math.max(2, Math.round((track.last - track.first) / SAMPLES));
    this.samples = new Float64Array(4 * (count + 1));
    this.low = [Infinity, Infinity];
    this.high = [-Infinity, -Infinity];
    for (let i = 0; i <= count; i += 1) {
      const [x, y, z] = track.at(track.first + ((track.last - track.first) * i) / count).floor;
      this.samples.set([x, y, z, 0], 4 * i);
      this.low = [Math.min(this.low[0], x), Math.min(this.low[1], z)];
      this.high = [Math.max(this.high[0], x), Math.max(this.high[1], z)];
    }
    this.middle = [0.5 * (this.low[0] + this.high[0]), 0.5 * (this.low[1] + this.high[1])];
    this.plane = this.fit();
    for (let i = 0; i < this.samples.length; i += 4) this.samples[i + 3] = this.samples[i + 1]! - this.planeAt(this.samples[i]!, this.samples[i + 2]!);
  }

  /** Least squares of y = a + b x + c z over the samples, about their middle. */
  private fit(): [number, number, number] {
    const s = this.samples;
    const n = s.length / 4;
    let [mx, my, mz] = [0, 0, 0];
    for (let i = 0; i < s.length; i += 4) [mx, my, mz] = [mx + s[i]! / n, my + s[i + 1]! / n, mz + s[i + 2]! / n];
    let [xx, xz, zz, xy, zy] = [1e-6, 0, 1e-6, 0, 0];
    for (let i = 0; i < s.length; i += 4) {
      const [x, y, z] = [s[i]! - mx, s[i + 1]! - my, s[i + 2]! - mz];
      [xx, xz, zz, xy, zy] = [xx + x * x, xz + x * z, zz + z * z, xy + x * y, zy + z * y];
    }
    const determinant = xx * zz - xz * xz;
    // A straight track says nothing of the slope across it.
    const [b, c] = determinant > 1e-3 * xx * zz ? [(xy * zz - zy * xz) / determinant, (zy * xx - xy * xz) / determinant] : [xy / (xx + zz), zy / (xx + zz)];
    return [my - b * mx - c * mz, b, c];
  }

  private planeAt(x: number, z: number): number {
    return this.plane[0] + this.plane[1] * x + this.plane[2] * z;
  }

  /** Distance to the course seen from above, and the height of the ground as it would be without the channel. */
  private survey(x: number, z: number): { distance: number; height: number } {
    const s = this.samples;
    let [nearest, sum, weights] = [Infinity, 0, 1.2e-8];
    for (let i = 0; i < s.length; i += 4) {
      const [dx, dz] = [s[i]! - x, s[i + 2]! - z];
      const squared = dx * dx + dz * dz;
      if (squared < nearest) nearest = squared;
      const weight = 1 / (squared * squared + 30);
      sum += weight * s[i + 3]!;
      weights += weight;
    }
    return { distance: Math.sqrt(nearest), height: this.planeAt(x, z) + sum / weights };
  }

  distance(x: number, z: number): number {
    return this.survey(x, z).distance;
  }

  /** Height of the snow. */
  height(x: number, z: number): number {
    const { distance, height } = this.survey(x, z);
    const rough = 26 * (fractal(x / 90, z / 90, 3, 11) - 0.45) * step(distance, 8, 110) + 2.2 * (noise(x / 17, z / 17, 12) - 0.5) * step(distance, 6, 30);
    const sunk = SUNK * (1 - step(distance, SUNK_TO, LEVEL_FROM));
    return height + rough - sunk + this.mountain(x, z);
  }

  /** What mountains add: nothing near the track, 1.5 km at most. */
  mountain(x: number, z: number): number {
    const far = Math.hypot(x - this.middle[0], z - this.middle[1]);
    const rise = step(far, 1100, 2900);
    if (rise === 0) return 0;
    return 1500 * rise * ridged(x / 1500, z / 1500, 7, 21) - 120 * rise;
  }

  /** How dense the forest is, from 0 to 1. */
  forest(x: number, z: number): number {
    return step(fractal(x / 130, z / 130, 2, 31), 0.42, 0.62);
  }
}
