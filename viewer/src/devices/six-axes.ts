// Six degrees of freedom as a device gives them: each from -1 to 1, as the viewer sees it.

export interface SixAxes {
  right: number;
  up: number;
  away: number;
  aboutRight: number;
  aboutUp: number;
  aboutForward: number;
}

export const still: SixAxes = { right: 0, up: 0, away: 0, aboutRight: 0, aboutUp: 0, aboutForward: 0 };

export function isStill(axes: SixAxes): boolean {
  return Object.values(axes).every((value) => value === 0);
}

/** No motion within the dead zone, fine control near it, full speed at the end. What is no number counts as rest. */
export function response(value: number | undefined, deadZone: number): number {
  if (value === undefined || !Number.isFinite(value)) return 0;
  const size = Math.min(1, Math.abs(value));
  if (size <= deadZone) return 0;
  const beyond = (size - deadZone) / (1 - deadZone);
  return Math.sign(value) * beyond * (0.4 + 0.6 * beyond * beyond);
}
