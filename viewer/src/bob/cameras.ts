// The eyes: where a view stands, where it looks and how wide it sees, from the sled and the track alone.

import { Matrix4, Quaternion, Vector3 } from 'three';
import type { TrackShape } from './track';

export const views = ['cockpit', 'follow', 'outside', 'side', 'tv', 'overview'] as const;
export type View = (typeof views)[number];
export const viewNames: Record<View, string> = { cockpit: 'Cockpit', follow: 'Follow', outside: 'Outside', side: 'Side', tv: 'TV', overview: 'Overview' };

/** The sled as a camera sees it. */
export interface Rider {
  /** Frame of the setup file: origin on the ice under the rear axle, -z ahead, y up. */
  position: Vector3;
  turn: Quaternion;
  station: number;
  speed: number;
  /** Of the runners over weight. */
  load: number;
}

export interface Shot {
  position: Vector3;
  target: Vector3;
  up: Vector3;
  /** Vertical angle in degrees. */
  fov: number;
  near: number;
}

export interface EyeOptions {
  /** The pilot's head gives way to the load. */
  headMoves: boolean;
  /** Angles of the outside view, in rad. */
  orbit: { turn: number; lift: number; distance: number };
  /** Vertical angle of the cockpit in degrees where screen and eye say so; 0 is the view's own. */
  fov: number;
}

/** Where the pilot's eye is in the sled, in m. */
const EYE = new Vector3(0, 0.85, -0.58);
/** Time constants in s. */
const GAZE_S = 0.12;
const AIM_S = 0.25;
const PLACE_S = 0.08;
const ZOOM_S = 0.4;
const HEAD_S = 0.15;
/** Of the outside view, when it goes to the other side of the track. */
const CROSS_S = 0.5;
/** So far behind a curve its wall still hides the sled, in m. */
const BEHIND_BEND = 15;
/** How far before a curve the TV camera of it takes over, in m. */
const CUT = 26;
/** Further than this a camera has cut, and nothing is smoothed across. */
const JUMP = 15;

const degrees = (radians: number) => (180 * radians) / Math.PI;
const clamp = (x: number, low: number, high: number) => Math.min(high, Math.max(low, x));
const v = (triple: readonly number[]) => new Vector3(triple[0], triple[1], triple[2]);

/** How far before a station one stands to look at what is there, and how high above the ice, in m. */
const STAND_BEFORE = 24;
const STAND_HEIGHT = 1.1;

/** What a pilot sees of a station from the ice before it, the sled apart. */
export function standingShot(track: TrackShape, station: number): Shot {
  const from = track.at(clamp(station - STAND_BEFORE, track.first, track.last));
  const to = track.at(clamp(station, track.first, track.last));
  const up = new Vector3(0, STAND_HEIGHT, 0);
  return { position: v(from.floor).add(up), target: v(to.floor).add(up), up: new Vector3(0, 1, 0), fov: 60, near: 0.1 };
}

/** Field of view from the screen: its height and the eye's distance, both in the same unit. */
export function fovOfScreen(height: number, distance: number): number {
  return degrees(2 * Math.atan(height / (2 * distance)));
}

/** The sled's own place at another station: the floor there, moved aside and up as the sled is now. */
function ownPlace(track: TrackShape, rider: Rider, station: number): Vector3 {
  const [now, then] = [track.at(rider.station), track.at(station)];
  const away = rider.position.clone().sub(v(now.floor));
  const aside = away.dot(v(now.right));
  // Where the curve bends otherwise, the sled will have come down.
  const keeps = clamp(1 - Math.abs(then.curvature - now.curvature) * 30, 0.25, 1);
  return v(then.floor).addScaledVector(v(then.right), aside * keeps).add(new Vector3(0, Math.max(0, away.y) * keeps, 0));
}

export interface TvCamera {
  from: number;
  to: number;
  position: Vector3;
}

/** Cameras inside every curve at 62 % of it, one at the start and one at the finish. */
export function tvCameras(track: TrackShape): TvCamera[] {
  const stand = (s: number, side: 'left' | 'right'): Vector3 => {
    const place = track.at(s);
    const edge = v(side === 'left' ? place.leftEdge : place.rightEdge);
    return edge.addScaledVector(v(place.right), side === 'left' ? -1.3 : 1.3).add(new Vector3(0, 3, 0));
  };
  const { bends, finish, start } = track.data;
  const first: TvCamera = { from: -Infinity, to: (bends[0]?.begin ?? finish) - CUT, position: stand(start.block + 30, 'right') };
  const inside = bends.map((bend): TvCamera => ({ from: bend.begin - CUT, to: bend.end, position: stand(bend.begin + 0.62 * (bend.end - bend.begin), bend.side) }));
  const last: TvCamera = { from: finish - 40, to: Infinity, position: stand(Math.min(finish + 45, track.last - 5), 'left') };
  return [first, ...inside.filter(({ from }) => from < finish - 40), last];
}

/** Which camera shows a station: the last one that has begun. */
export function tvIndex(cameras: readonly TvCamera[], station: number): number {
  return Math.max(0, cameras.findLastIndex(({ from }) => from <= station));
}

export class Eyes {
  private readonly aim = new Vector3();
  private readonly place = new Vector3();
  private readonly up = new Vector3(0, 1, 0);
  private fov = 50;
  private head = 0;
  /** 1 is the right, -1 the left of the track; 0 before the first picture. */
  private orbitSide = 0;
  private last: string | null = null;
  /** Where the sled was in the picture before. */
  private readonly rode = new Vector3();
  private readonly tv: TvCamera[];

  constructor(private readonly track: TrackShape) {
    this.tv = tvCameras(track);
  }

  /** The next picture begins anew. */
  cut(): void {
    this.last = null;
  }

  see(view: View, rider: Rider, seconds: number, options: EyeOptions): Shot {
    const wanted = this.wanted(view, rider, seconds, options);
    const name = view === 'tv' ? `tv ${tvIndex(this.tv, rider.station)}` : view;
    const jumped = this.last !== name || (view !== 'tv' && rider.position.distanceTo(this.rode) > JUMP + 0.3 * rider.speed);
    this.last = name;
    if (jumped || view === 'overview') {
      this.aim.copy(wanted.target);
      this.place.copy(wanted.position);
      this.up.copy(wanted.up);
      this.fov = wanted.fov;
      this.rode.copy(rider.position);
      return wanted;
    }
    const follow = (time: number) => 1 - Math.exp(-seconds / time);
    // What moves along with the sled is smoothed relative to it, else the camera would trail behind by its speed.
    const moved = rider.position.clone().sub(this.rode);
    const rides = view !== 'tv';
    if (rides) {
      this.aim.add(moved);
      this.place.add(moved);
    }
    this.rode.copy(rider.position);
    const [aimTime, placeTime] = view === 'cockpit' ? [GAZE_S, 0] : view === 'tv' ? [0.15, 0] : [AIM_S, PLACE_S];
    this.aim.lerp(wanted.target, follow(aimTime));
    if (placeTime === 0) this.place.copy(wanted.position);
    else this.place.lerp(wanted.position, follow(placeTime));
    this.up.lerp(wanted.up, follow(GAZE_S)).normalize();
    this.fov += (wanted.fov - this.fov) * follow(ZOOM_S);
    return { ...wanted, target: this.aim.clone(), position: this.place.clone(), up: this.up.clone(), fov: this.fov };
  }

  private wanted(view: View, rider: Rider, seconds: number, options: EyeOptions): Shot {
    switch (view) {
      case 'cockpit':
        return this.cockpit(rider, seconds, options);
      case 'follow':
        return this.follow(rider);
      case 'outside':
        return this.outside(rider, seconds, options);
      case 'side':
        return this.side(rider);
      case 'tv':
        return this.television(rider);
      case 'overview':
        return this.overview();
    }
  }

  private cockpit(rider: Rider, seconds: number, { headMoves, fov }: EyeOptions): Shot {
    const wish = headMoves ? clamp(rider.load - 1, -1, 4) : 0;
    this.head += (wish - this.head) * (1 - Math.exp(-seconds / HEAD_S));
    const eye = EYE.clone().add(new Vector3(0, -0.022 * this.head, 0.006 * this.head));
    const up = new Vector3(0, 1, 0).applyQuaternion(rider.turn);
    const position = eye.applyQuaternion(rider.turn).add(rider.position);
    const goal = ownPlace(this.track, rider, rider.station + 9 + 0.42 * rider.speed).addScaledVector(up, 0.85);
    // Three quarters of the way to where the sled will be, within what a neck can do.
    const away = goal.sub(position).applyQuaternion(rider.turn.clone().invert());
    const yaw = clamp(0.75 * Math.atan2(-away.x, -away.z), -0.42, 0.42);
    const pitch = clamp(0.75 * Math.atan2(away.y, Math.hypot(away.x, away.z)), -0.16, 0.26);
    const gaze = new Vector3(-Math.sin(yaw) * Math.cos(pitch), Math.sin(pitch), -Math.cos(yaw) * Math.cos(pitch)).applyQuaternion(rider.turn);
    const level = up.clone().lerp(new Vector3(0, 1, 0), 0.3).normalize();
    return { position, target: position.clone().addScaledVector(gaze, 12), up: level, fov: fov || 66 + (6 * rider.speed) / 40, near: 0.06 };
  }

  private follow(rider: Rider): Shot {
    const up = new Vector3(0, 1, 0).applyQuaternion(rider.turn);
    const behind = ownPlace(this.track, rider, rider.station - 1.7 - 5.4);
    const tilted = up.clone().lerp(new Vector3(0, 1, 0), 0.45).normalize();
    const position = behind.addScaledVector(tilted, 1.55).add(new Vector3(0, 0.35, 0));
    const target = ownPlace(this.track, rider, rider.station + 6 + 0.12 * rider.speed).add(new Vector3(0, 0.6, 0));
    return { position, target, up: new Vector3(0, 1, 0).lerp(up, 0.22).normalize(), fov: 52 + (8 * rider.speed) / 40, near: 0.3 };
  }

  /** From the inner side of the bend, so that no wall stands between; it goes over to the other side where the bends change. */
  private outside(rider: Rider, seconds: number, { orbit }: EyeOptions): Shot {
    const bend = this.track.data.bends.find(({ end }) => end + BEHIND_BEND > rider.station);
    const inner = bend?.side === 'left' ? -1 : 1;
    this.orbitSide = this.orbitSide === 0 ? inner : this.orbitSide + (inner - this.orbitSide) * (1 - Math.exp(-seconds / CROSS_S));
    const hull = new Vector3(0, 0.4, -0.9).applyQuaternion(rider.turn).add(rider.position);
    const place = this.track.at(rider.station);
    const heading = Math.atan2(-place.ahead[0], -place.ahead[2]);
    const turn = heading + this.orbitSide * orbit.turn;
    const away = new Vector3(Math.sin(turn) * Math.cos(orbit.lift), Math.sin(orbit.lift), Math.cos(turn) * Math.cos(orbit.lift));
    return { position: hull.clone().addScaledVector(away, orbit.distance), target: hull, up: new Vector3(0, 1, 0), fov: 48, near: 0.3 };
  }

  private side(rider: Rider): Shot {
    const place = this.track.at(rider.station + 3.2);
    const inner = this.track.bendAt(rider.station)?.side ?? 'left';
    const edge = v(inner === 'left' ? place.leftEdge : place.rightEdge);
    const position = edge.addScaledVector(v(place.right), inner === 'left' ? -1.1 : 1.1).add(new Vector3(0, 1.9, 0));
    const hull = new Vector3(0, 0.4, -0.9).applyQuaternion(rider.turn).add(rider.position);
    return { position, target: hull, up: new Vector3(0, 1, 0), fov: 42, near: 0.3 };
  }

  private television(rider: Rider): Shot {
    const { position } = this.tv[tvIndex(this.tv, rider.station)]!;
    const hull = new Vector3(0, 0.4, -1.6).applyQuaternion(rider.turn).add(rider.position);
    const distance = Math.max(1, hull.distanceTo(position));
    return { position: position.clone(), target: hull, up: new Vector3(0, 1, 0), fov: clamp(degrees(2 * Math.atan(2.9 / distance)), 14, 58), near: 0.3 };
  }

  private overview(): Shot {
    const { floors, count } = this.track;
    const [low, high] = [new Vector3(Infinity, Infinity, Infinity), new Vector3(-Infinity, -Infinity, -Infinity)];
    for (let row = 0; row < count; row += 20) {
      const place = new Vector3(floors[3 * row], floors[3 * row + 1], floors[3 * row + 2]);
      low.min(place);
      high.max(place);
    }
    const middle = low.clone().add(high).multiplyScalar(0.5);
    const [begin, end] = [v(this.track.at(this.track.first).floor), v(this.track.at(this.track.last).floor)];
    const down = end.clone().sub(begin).setY(0).normalize();
    const size = Math.max(high.x - low.x, high.z - low.z);
    const aside = new Vector3(-down.z, 0, down.x);
    const position = middle.clone().addScaledVector(down, 0.42 * size).addScaledVector(aside, 0.5 * size).add(new Vector3(0, 0.36 * size, 0));
    return { position, target: middle, up: new Vector3(0, 1, 0), fov: 44, near: 1 };
  }
}

/** Camera matrix of a shot, for tests. */
export function viewMatrix({ position, target, up }: Shot): Matrix4 {
  return new Matrix4().lookAt(position, target, up).setPosition(position).invert();
}
