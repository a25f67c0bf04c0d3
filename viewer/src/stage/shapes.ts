// From a shape of the protocol to triangles. No edge is perfectly sharp: a small rounding catches the light.

import { BufferAttribute, BufferGeometry, CapsuleGeometry, LatheGeometry, SphereGeometry, Vector2 } from 'three';
import { RoundedBoxGeometry } from 'three/addons/geometries/RoundedBoxGeometry.js';
import type { TriangleData } from '../protocol/geometry';
import type { Shape } from '../protocol/messages';
import { bevelledBox } from './bevelled-box';
import { creasedNormals } from './creased-normals';

/** Radius of a rounded edge as a share of the smallest extent. */
const ROUNDING = 0.05;
const ROUNDING_STEPS = 4;
/** Segments around a round body: fine where there are few, coarser where hundreds share the picture. */
const segments = (bodies: number) => (bodies <= 40 ? 64 : bodies <= 400 ? 32 : 20);
/** So many boxes of one shape are truly rounded; more of them only look so. */
const ROUNDED_BOXES = 60;
const CREASE = (28 * Math.PI) / 180;

/** Geometry of a shape that so many bodies share; a mesh's triangles come separately. */
export function primitiveGeometry(shape: Exclude<Shape, { kind: 'mesh' }>, bodies: number): BufferGeometry {
  const around = segments(bodies);
  switch (shape.kind) {
    case 'sphere':
      return new SphereGeometry(shape.radius, around, around / 2);
    case 'box': {
      const [x, y, z] = shape.half;
      if (bodies > ROUNDED_BOXES) return bevelledBox(shape.half, ROUNDING * 2 * Math.min(x, y, z));
      return new RoundedBoxGeometry(2 * x, 2 * y, 2 * z, ROUNDING_STEPS - 1, ROUNDING * 2 * Math.min(x, y, z));
    }
    case 'capsule':
      return new CapsuleGeometry(shape.radius, 2 * shape.half_height, around / 4, around, 1);
    case 'cylinder':
      return turned(cylinderProfile(shape.radius, shape.half_height), around);
    case 'cone':
      return turned(coneProfile(shape.radius, shape.half_height), around);
  }
}

export function meshGeometry(triangles: TriangleData): BufferGeometry {
  const { positions, normals } = creasedNormals(triangles.positions, triangles.indices, CREASE);
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(positions, 3));
  geometry.setAttribute('normal', new BufferAttribute(normals, 3));
  return geometry;
}

function turned(profile: Vector2[], around: number): BufferGeometry {
  return new LatheGeometry(profile, around);
}

/** Quarter circle around `centre` from angle `from` to `to`. */
function arc(centre: Vector2, radius: number, from: number, to: number): Vector2[] {
  return Array.from({ length: ROUNDING_STEPS + 1 }, (_, i) => {
    const angle = from + ((to - from) * i) / ROUNDING_STEPS;
    return new Vector2(centre.x + radius * Math.cos(angle), centre.y + radius * Math.sin(angle));
  });
}

function cylinderProfile(radius: number, half: number): Vector2[] {
  const r = ROUNDING * 2 * Math.min(radius, half);
  return [
    new Vector2(0, -half),
    ...arc(new Vector2(radius - r, -half + r), r, -Math.PI / 2, 0),
    ...arc(new Vector2(radius - r, half - r), r, 0, Math.PI / 2),
    new Vector2(0, half),
  ];
}

function coneProfile(radius: number, half: number): Vector2[] {
  // The rounding circle touches the base and the side; the side's outward normal is at `slope` above the horizontal.
  const r = ROUNDING * Math.min(radius, 2 * half);
  const slope = Math.atan2(radius, 2 * half);
  const side = Math.hypot(radius, 2 * half);
  // Centre at height r above the base and at distance r inside the side line.
  const centreX = radius - (r * (side + radius)) / (2 * half);
  return [new Vector2(0, -half), ...arc(new Vector2(centreX, -half + r), r, -Math.PI / 2, slope), new Vector2(0, half)];
}

/** Radius of a sphere around the body's origin that holds the shape; null while a mesh is on its way. */
export function boundingRadius(shape: Shape, geometry: BufferGeometry | null): number | null {
  switch (shape.kind) {
    case 'sphere':
      return shape.radius;
    case 'box':
      return Math.hypot(...shape.half);
    case 'capsule':
      return shape.radius + shape.half_height;
    case 'cylinder':
    case 'cone':
      return Math.hypot(shape.radius, shape.half_height);
    case 'mesh': {
      if (!geometry) return null;
      if (!geometry.boundingSphere) geometry.computeBoundingSphere();
      const sphere = geometry.boundingSphere!;
      return sphere.center.length() + sphere.radius;
    }
  }
}

/** Radius of the ball that takes about as much light from the ground as the shape does. */
export function shadingRadius(shape: Shape, geometry: BufferGeometry | null): number {
  switch (shape.kind) {
    case 'sphere':
    case 'capsule':
    case 'cylinder':
      return shape.radius;
    case 'box':
      return Math.cbrt(shape.half[0] * shape.half[1] * shape.half[2]);
    case 'cone':
      return 0.6 * shape.radius;
    case 'mesh':
      return 0.5 * (boundingRadius(shape, geometry) ?? 0);
  }
}
