// What a click on the stage does instead of taking hold: shoot or drop a body, or throw one.

import { niceBelow } from '../numbers/nice';
import type { AddedBody, Vector } from '../protocol/messages';

export type AddKind = 'ball' | 'box' | 'hull' | 'gallery';

export type Tool =
  | { kind: AddKind }
  /** Waits for the arrow of a throw. */
  | { kind: 'throw'; body: number };

/** A gallery body by its scene. */
export interface GalleryBody {
  scene: string;
  body: string;
}

/** A stone: the corners of a cube with its edges cut, so that it lies on many sides. */
const STONE: Vector[] = [0, 1, 2].flatMap((axis) =>
  [-1, 1].flatMap((side) => [-1, 1].flatMap((a) => [-1, 1].map((b) => {
    const corner: Vector = [0, 0, 0];
    corner[axis] = side;
    corner[(axis + 1) % 3] = 0.55 * a;
    corner[(axis + 2) % 3] = 0.62 * b;
    return corner;
  }))));

/** What the server is to add; `size` is across, in m. */
export function addedBody(kind: AddKind, size: number, gallery: GalleryBody | null): AddedBody | null {
  const half = size / 2;
  switch (kind) {
    case 'ball':
      return { ball: { radius: half } };
    case 'box':
      return { box: { half: [half, half, half] } };
    case 'hull':
      return { hull: { points: STONE.map(([x, y, z]): Vector => [half * x, half * y, half * z]) } };
    case 'gallery':
      return gallery && { gallery: { ...gallery } };
  }
}

/** A size that is seen and moves something, in a scene of this radius. */
export function usualSize(radius: number): number {
  return niceBelow(0.12 * radius);
}

/** Fast enough to cross the scene in about a quarter of a second. */
export function usualSpeed(radius: number): number {
  return niceBelow(2 * Math.sqrt(2 * 9.81 * radius));
}

/** Speed of a throw per metre of its arrow: an arrow across the scene throws across it. */
export function throwRate(radius: number): number {
  return Math.sqrt((2 * 9.81) / radius);
}
