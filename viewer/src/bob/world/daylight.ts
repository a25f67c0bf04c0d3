// The light of an hour: where the sun stands, and the colours of sun, sky, snow and fog. North is -z.

import { Color, Vector3 } from 'three';

export interface Daylight {
  /** Towards the sun, or the moon at night. */
  direction: Vector3;
  elevation: number;
  /** 1 by day, 0 at night. */
  day: number;
  sun: Color;
  sunIntensity: number;
  zenith: Color;
  horizon: Color;
  hemisphereSky: Color;
  hemisphereGround: Color;
  hemisphereIntensity: number;
  fog: Color;
  fogDensity: number;
  exposure: number;
}

interface Key {
  elevation: number;
  sun: string;
  intensity: number;
  zenith: string;
  horizon: string;
  sky: string;
  ground: string;
  hemisphere: number;
}

const keys: Key[] = [
  { elevation: -12, sun: '#8fa9d8', intensity: 0.42, zenith: '#050b1c', horizon: '#0d1c38', sky: '#2a4270', ground: '#1b2740', hemisphere: 0.8 },
  { elevation: -2, sun: '#d08a66', intensity: 0.5, zenith: '#16264a', horizon: '#6a5a72', sky: '#4a5f90', ground: '#4a5064', hemisphere: 0.75 },
  { elevation: 4, sun: '#ffb070', intensity: 2.2, zenith: '#38629e', horizon: '#e8b48c', sky: '#90a8d2', ground: '#b0aab2', hemisphere: 0.75 },
  { elevation: 14, sun: '#ffdcae', intensity: 3.6, zenith: '#2f6ab8', horizon: '#cfdcea', sky: '#a8c0e6', ground: '#c4c6cc', hemisphere: 0.82 },
  { elevation: 40, sun: '#fff0dc', intensity: 4.4, zenith: '#2a66bc', horizon: '#c2d8ee', sky: '#b2c8ea', ground: '#c8ccd2', hemisphere: 0.85 },
];

export const DAY_HOUR = 11;
export const NIGHT_HOUR = 22;

/** Elevation of the sun in degrees: 40 at noon, 0 at six. */
export function elevationAt(hour: number): number {
  return 40 * Math.sin((Math.PI * (hour - 6)) / 12);
}

export function daylightAt(hour: number): Daylight {
  const elevation = elevationAt(hour);
  const last = keys.findIndex((key) => key.elevation >= elevation);
  const [a, b] = last <= 0 ? (last === 0 ? [keys[0]!, keys[0]!] : [keys.at(-1)!, keys.at(-1)!]) : [keys[last - 1]!, keys[last]!];
  const share = a === b ? 0 : (elevation - a.elevation) / (b.elevation - a.elevation);
  const colour = (of: (key: Key) => string) => new Color(of(a)).lerp(new Color(of(b)), share);
  const number = (of: (key: Key) => number) => of(a) + share * (of(b) - of(a));
  const day = Math.min(1, Math.max(0, (elevation + 4) / 8));
  // At night the moon stands where the sun will not be.
  const shown = elevation > -3 ? Math.max(2.5, elevation) : 32;
  const azimuth = ((elevation > -3 ? hour : 14.5) * 15 * Math.PI) / 180;
  const up = (shown * Math.PI) / 180;
  // At noon in the south, +z; in the morning in the east, +x.
  const direction = new Vector3(Math.sin(azimuth) * Math.cos(up), Math.sin(up), -Math.cos(azimuth) * Math.cos(up));
  const [zenith, horizon, sun] = [colour((key) => key.zenith), colour((key) => key.horizon), colour((key) => key.sun)];
  return {
    direction, elevation, day, sun, zenith, horizon,
    sunIntensity: number((key) => key.intensity),
    hemisphereSky: colour((key) => key.sky),
    hemisphereGround: colour((key) => key.ground),
    hemisphereIntensity: number((key) => key.hemisphere),
    fog: horizon.clone().lerp(zenith, 0.18),
    fogDensity: 0.0005 + (0.00021 - 0.0005) * day,
    exposure: 1 - 0.2 * day,
  };
}
