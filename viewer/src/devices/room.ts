// The room of a headset in the world of a scene: world = position + turn (scale * room). Metres of the room are real ones.

import { Quaternion, Vector3 } from 'three';

export interface Room {
  position: Vector3;
  /** Turn about the vertical, in radians. */
  turn: number;
  /** Metres of the world per metre of the room. */
  scale: number;
}

/** Scenes of these radii (m) are shown at their true size. */
const TRUE_SIZE = { from: 0.2, to: 3 };
/** Others are shown with this radius. */
const SHOWN_RADIUS = 0.6;
/** A scene that looks smaller than this stands on a table. */
const TABLE_BELOW = 0.9;
const TABLE_HEIGHT = 0.75;
export const SCALE_LIMITS = { least: 1e-3, most: 1e3 };

const up = new Vector3(0, 1, 0);

/** Puts the person before the scene, looking at its middle from the side that the scene's own camera looks from. */
export function startRoom(centre: Vector3, radius: number, ground: number | null, azimuth: number): Room {
  const scale = radius >= TRUE_SIZE.from && radius <= TRUE_SIZE.to ? 1 : radius / SHOWN_RADIUS;
  const shown = radius / scale;
  const height = shown < TABLE_BELOW ? TABLE_HEIGHT : 0;
  const distance = shown + 0.6;
  const floor = new Vector3(centre.x, ground ?? centre.y - radius, centre.z);
  const room = { position: new Vector3(), turn: azimuth, scale };
  // The scene's foot is `distance` before the person and `height` above the real floor.
  const offset = toWorld(room, new Vector3(0, height, -distance));
  room.position.subVectors(floor, offset);
  return room;
}

export function toWorld({ position, turn, scale }: Room, point: Vector3): Vector3 {
  return point.clone().multiplyScalar(scale).applyAxisAngle(up, turn).add(position);
}

export function turnOf({ turn }: Room): Quaternion {
  return new Quaternion().setFromAxisAngle(up, turn);
}

/** Moves the room so that what stands at `from` stands at `to`; heights stay. */
export function teleported(room: Room, from: Vector3, to: Vector3): Room {
  return { ...room, position: room.position.clone().add(new Vector3(to.x - from.x, 0, to.z - from.z)) };
}

/** Turns the room about a vertical line through `pivot`, a point of the world. */
export function turned(room: Room, pivot: Vector3, angle: number): Room {
  const arm = room.position.clone().sub(pivot).applyAxisAngle(up, angle);
  return { ...room, turn: room.turn + angle, position: arm.add(pivot) };
}

/** Changes the scale by a factor; `pivot`, a point of the world, stays where it is in the room. */
export function scaled(room: Room, pivot: Vector3, factor: number): Room {
  const scale = Math.min(SCALE_LIMITS.most, Math.max(SCALE_LIMITS.least, room.scale * factor));
  const real = scale / room.scale;
  return { ...room, scale, position: pivot.clone().add(room.position.clone().sub(pivot).multiplyScalar(real)) };
}
