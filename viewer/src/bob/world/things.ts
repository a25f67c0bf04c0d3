// Things along the track, all placed by the track's own numbers: lamps, sails, boards with curve numbers, start house, finish arch, people.

import { CanvasTexture, DoubleSide, Group, Mesh, MeshBasicMaterial, PlaneGeometry, SRGBColorSpace, Vector3, type Material } from 'three';
import { mergeGeometries } from 'three/examples/jsm/utils/BufferGeometryUtils.js';
import type { BobQuality } from '../quality';
import type { Bend, Landmark, TrackShape, Triple } from '../track';
import { MeshBuilder } from './geometry';
import { hash } from './noise';
import type { Terrain } from './terrain';

/** Distance of two lamps, and of two posts of a sail, in m. */
export const LAMP_SPACING = 20;
const POSTS = 5;
/** Longer than any track: everything in one mesh, where it is little. */
const WHOLE = 1e5;
const STEEL = '#2a2f36';

/** A place beside the track: so far outside an edge and so high above it. */
function beside(track: TrackShape, s: number, side: 'left' | 'right', out: number, up: number): Triple {
  const place = track.at(s);
  const edge = side === 'left' ? place.leftEdge : place.rightEdge;
  const sign = side === 'left' ? -1 : 1;
  return [edge[0] + sign * out * place.right[0], edge[1] + up, edge[2] + sign * out * place.right[2]];
}

/** The outer side of the bend at a station; on a straight that of the next curve. */
export function outerSide(track: TrackShape, s: number): 'left' | 'right' {
  const { curvature } = track.at(s);
  if (Math.abs(curvature) > 0.002) return curvature > 0 ? 'right' : 'left';
  const coming = track.data.bends.find(({ end }) => end > s);
  return coming?.side === 'right' ? 'left' : 'right';
}

export interface Lamp {
  s: number;
  head: Triple;
}

/** Lamps stand outside the bend: their row draws the curve. */
export function lamps(track: TrackShape): Lamp[] {
  const list: Lamp[] = [];
  for (let s = track.first + 2; s < track.last; s += LAMP_SPACING) {
    const bent = Math.abs(track.at(s).curvature) > 0.004;
    list.push({ s, head: beside(track, s, outerSide(track, s), 0.3, bent ? 3.4 : 4.9) });
  }
  return list;
}

/** Meshes of so many metres each, by station, so that what is out of sight is not drawn. */
class Pieces {
  private readonly builders = new Map<number, MeshBuilder>();

  constructor(private readonly length: number) {}

  at(s: number): MeshBuilder {
    const key = Math.floor(s / this.length);
    const known = this.builders.get(key) ?? new MeshBuilder();
    this.builders.set(key, known);
    return known;
  }

  build(material: Material, shadow: boolean): Group {
    const group = new Group();
    for (const builder of this.builders.values()) {
      const mesh = new Mesh(builder.build(), material);
      mesh.castShadow = shadow;
      mesh.receiveShadow = shadow;
      mesh.name = 'things';
      group.add(mesh);
    }
    return group;
  }
}

function addLamps(track: TrackShape, terrain: Terrain, poles: Pieces, heads: Pieces): void {
  for (const { s, head } of lamps(track)) {
    const foot = beside(track, s, outerSide(track, s), 1.5, 0);
    const top: Triple = [foot[0], head[1] + 0.05, foot[2]];
    poles.at(s).tube([foot[0], terrain.height(foot[0], foot[2]) - 1, foot[2]], top, 0.06, STEEL, 5);
    poles.at(s).tube(top, head, 0.045, STEEL, 4);
    const b = heads.at(s);
    b.box([head[0] - 0.22, head[1] - 0.12, head[2] - 0.22], [head[0] + 0.22, head[1] - 0.04, head[2] + 0.22], '#ffffff');
  }
}

/** Sails over a curve: posts behind the outer rim, arms to beyond the inner one, cloth between them or rolled up. */
function addSails(track: TrackShape, terrain: Terrain, bend: Bend, closed: boolean, posts: Pieces, cloth: Pieces): void {
  const outer = bend.side === 'left' ? 'right' : 'left';
  const [from, to] = [bend.begin + 6, bend.end - 4];
  const count = Math.max(1, Math.round((to - from) / POSTS));
  const arm = (s: number): Triple[] => {
    const [o, i] = [beside(track, s, outer, 0.55, 0), beside(track, s, bend.side, 0, 0)];
    const top: Triple = [o[0], o[1] + 2.1, o[2]];
    const across = [i[0] - o[0], i[2] - o[2]];
    const tip: Triple = [o[0] + 0.92 * across[0]!, i[1] + 2.9, o[2] + 0.92 * across[1]!];
    return [o, top, tip];
  };
  let before = arm(from);
  for (let k = 0; k <= count; k += 1) {
    const s = from + ((to - from) * k) / count;
    const [foot, top, tip] = arm(s) as [Triple, Triple, Triple];
    posts.at(s).tube([foot[0], Math.min(foot[1] - 1, terrain.height(foot[0], foot[2])), foot[2]], top, 0.07, STEEL, 5);
    const reach: Triple = closed ? tip : [top[0] + 0.35 * (tip[0] - top[0]), top[1] + 0.35 * (tip[1] - top[1]), top[2] + 0.35 * (tip[2] - top[2])];
    posts.at(s).tube(top, reach, 0.05, STEEL, 4);
    if (k > 0) {
      const [, lastTop, lastTip] = before as [Triple, Triple, Triple];
      const b = cloth.at(s);
      if (closed) {
        const sag = (a: Triple, c: Triple): Triple => [0.5 * (a[0] + c[0]), 0.5 * (a[1] + c[1]) - 0.22, 0.5 * (a[2] + c[2])];
        b.quad(lastTop, top, sag(top, tip), sag(lastTop, lastTip), '#e9ecef');
        b.quad(sag(lastTop, lastTip), sag(top, tip), tip, lastTip, '#e9ecef');
        const hang = (a: Triple): Triple => [a[0], a[1] - 0.55, a[2]];
        b.quad(lastTip, tip, hang(tip), hang(lastTip), '#dfe3e8');
      } else {
        b.tube(lastTop, top, 0.11, '#e4e4e0', 6);
      }
    }
    before = [foot, top, tip];
  }
}

/** Boards at the entries with number, chevrons and name, all from one picture. */
function boards(track: TrackShape, terrain: Terrain, posts: Pieces): Group {
  const group = new Group();
  const { bends } = track.data;
  const side = Math.ceil(Math.sqrt(Math.max(1, bends.length)));
  const canvas = document.createElement('canvas');
  const cell = 192;
  canvas.width = canvas.height = side * cell;
  const paint = canvas.getContext('2d');
  if (!paint) return group;
  bends.forEach((bend, i) => {
    const [x, y] = [(i % side) * cell, Math.floor(i / side) * cell];
    paint.fillStyle = '#f4f6f8';
    paint.fillRect(x, y, cell, cell);
    paint.fillStyle = '#0b4060';
    paint.fillRect(x + 8, y + 8, cell - 16, cell - 16);
    paint.fillStyle = '#ffffff';
    paint.textAlign = 'center';
    paint.font = 'bold 92px sans-serif';
    paint.fillText(String(bend.number), x + cell / 2, y + 90);
    paint.font = 'bold 20px sans-serif';
    paint.fillText(bend.name.slice(0, 16), x + cell / 2, y + 174);
    paint.strokeStyle = '#f2c230';
    paint.lineWidth = 12;
    for (let k = -1; k <= 1; k += 1) {
      const [mx, d] = [x + cell / 2 + 36 * k, bend.side === 'left' ? -12 : 12];
      paint.beginPath();
      paint.moveTo(mx - d, y + 106);
      paint.lineTo(mx + d, y + 126);
      paint.lineTo(mx - d, y + 146);
      paint.stroke();
    }
  });
  const texture = new CanvasTexture(canvas);
  texture.colorSpace = SRGBColorSpace;
  texture.anisotropy = 4;
  const material = plainBack(new MeshBasicMaterial({ map: texture, side: DoubleSide, color: '#ffffff' }));
  const faces = bends.map((bend, i) => {
    const outer = bend.side === 'left' ? 'right' : 'left';
    const at = beside(track, bend.begin + 4, outer, 1.7, 1.9);
    const geometry = new PlaneGeometry(1.7, 1.7);
    const uv = geometry.attributes.uv!;
    for (let k = 0; k < uv.count; k += 1) uv.setXY(k, ((i % side) + uv.getX(k)) / side, 1 - (Math.floor(i / side) + 1 - uv.getY(k)) / side);
    const { ahead } = track.at(bend.begin + 4);
    // Faces the coming sled, turned a little towards the ice.
    const heading = Math.atan2(-ahead[0], -ahead[2]) + (outer === 'right' ? 0.33 : -0.33);
    geometry.rotateY(heading).translate(...at);
    for (const dx of [-0.6, 0.6]) {
      const [x, z] = [at[0] + dx * Math.cos(heading), at[2] - dx * Math.sin(heading)];
      posts.at(bend.begin).tube([x, terrain.height(x, z) - 1, z], [x, at[1], z], 0.05, STEEL, 4);
    }
    return geometry;
  });
  if (faces.length > 0) {
    const mesh = new Mesh(mergeGeometries(faces), material);
    mesh.name = 'boards with numbers';
    group.add(mesh);
  }
  group.userData.material = material;
  return group;
}

/** A board is read from the front; from behind it is bare wood, no mirrored text. */
function plainBack(material: MeshBasicMaterial): MeshBasicMaterial {
  material.onBeforeCompile = (shader) => {
    shader.fragmentShader = shader.fragmentShader.replace('#include <map_fragment>', '#include <map_fragment>\n  if (!gl_FrontFacing) diffuseColor.rgb = diffuse * vec3(0.13, 0.105, 0.085);');
  };
  return material;
}

function sign(text: string, width: number, height: number, background: string): Mesh {
  const canvas = document.createElement('canvas');
  canvas.width = 512;
  canvas.height = Math.round((512 * height) / width);
  const paint = canvas.getContext('2d');
  if (paint) {
    paint.fillStyle = background;
    paint.fillRect(0, 0, canvas.width, canvas.height);
    paint.fillStyle = '#ffffff';
    paint.font = `bold ${Math.round(0.62 * canvas.height)}px sans-serif`;
    paint.textAlign = 'center';
    paint.textBaseline = 'middle';
    paint.fillText(text, canvas.width / 2, canvas.height / 2, canvas.width - 24);
  }
  const texture = new CanvasTexture(canvas);
  texture.colorSpace = SRGBColorSpace;
  const mesh = new Mesh(new PlaneGeometry(width, height), plainBack(new MeshBasicMaterial({ map: texture, side: DoubleSide })));
  mesh.name = 'sign';
  return mesh;
}

/** How far outside the edge a landmark stands, in m. */
const LANDMARK_OUT = 0.9;

/** Where a landmark's middle is. */
export const landmarkPlace = (track: TrackShape, { s, side, height }: Landmark): Triple => beside(track, s, side, LANDMARK_OUT, height);

/** The pilot's landmarks: posts and flags are pieces of one material, boards are signs of their own that face the coming sled. */
export function landmarkMeshes(track: TrackShape, terrain: Terrain, landmarks: readonly Landmark[], material: Material, shadow: boolean): { group: Group; signs: MeshBasicMaterial[] } {
  const things = new Pieces(WHOLE);
  const signs: Mesh[] = [];
  for (const landmark of landmarks) {
    const { s, kind, text, colour } = landmark;
    const [x, y, z] = landmarkPlace(track, landmark);
    const { ahead, right } = track.at(s);
    const foot = Math.min(y - 1, terrain.height(x, z) - 0.5);
    const b = things.at(s);
    if (kind === 'post') b.tube([x, foot, z], [x, y + 0.6, z], 0.16, colour, 8);
    else b.tube([x, foot, z], [x, y + 0.5, z], 0.05, STEEL, 5);
    if (kind === 'flag') {
      const out = (d: number, h: number): Triple => [x + d * right[0], h, z + d * right[2]];
      const sign = landmark.side === 'left' ? -1 : 1;
      b.quad(out(0, y - 0.5), out(1.1 * sign, y - 0.5), out(1.1 * sign, y + 0.5), out(0, y + 0.5), colour);
      b.quad(out(0, y + 0.5), out(1.1 * sign, y + 0.5), out(1.1 * sign, y - 0.5), out(0, y - 0.5), colour);
    } else if (kind === 'board') {
      const mesh = sign(text, 2.2, 0.8, colour);
      // On the near side of its post.
      mesh.position.set(x - 0.07 * ahead[0], y, z - 0.07 * ahead[2]);
      mesh.rotation.set(0, Math.atan2(-ahead[0], -ahead[2]), 0);
      mesh.name = 'landmark';
      signs.push(mesh);
    }
  }
  const group = things.build(material, shadow);
  if (signs.length > 0) group.add(...signs);
  return { group, signs: signs.map((mesh) => mesh.material as MeshBasicMaterial) };
}

/** An arch across the track with a text that the coming sled reads. */
function arch(track: TrackShape, terrain: Terrain, s: number, text: string, colour: string, things: Pieces): Mesh {
  const [left, right] = [beside(track, s, 'left', 1, 0), beside(track, s, 'right', 1, 0)];
  const top = Math.max(left[1], right[1]) + 3.2;
  for (const foot of [left, right]) things.at(s).box([foot[0] - 0.25, Math.min(foot[1] - 1, terrain.height(foot[0], foot[2])), foot[2] - 0.25], [foot[0] + 0.25, top + 1.1, foot[2] + 0.25], colour);
  const width = Math.hypot(right[0] - left[0], right[2] - left[2]);
  const mesh = sign(text, width + 0.5, 1.1, colour);
  const { ahead } = track.at(s);
  mesh.position.set(0.5 * (left[0] + right[0]) - 0.3 * ahead[0], top + 0.55, 0.5 * (left[2] + right[2]) - 0.3 * ahead[2]);
  mesh.rotation.set(0, Math.atan2(-ahead[0], -ahead[2]), 0);
  return mesh;
}

/** A timber house with a roof over the start block. */
function startHouse(track: TrackShape, terrain: Terrain, things: Pieces): void {
  const s = track.data.start.block - 2;
  const { ahead, right, floor } = track.at(Math.max(track.first, s));
  const back = Math.atan2(-ahead[0], -ahead[2]);
  const put = (place: Triple): number[] => {
    const [along, across] = [place[2], place[0]];
    return [floor[0] + across * right[0] + along * Math.sin(back), floor[1] + place[1], floor[2] + across * right[2] + along * Math.cos(back)];
  };
  const b = things.at(s);
  const low = terrain.height(floor[0], floor[2]) - floor[1] - 2;
  for (const side of [-1, 1]) {
    b.box([side < 0 ? -5 : 2.2, low, 2], [side < 0 ? -2.2 : 5, 3.2, 12], '#7a5a3c', put);
    b.quad(put([0, 4.9, -1]), put([0, 4.9, 13]), put([side * 5.9, 2.9, 13]), put([side * 5.9, 2.9, -1]), '#eef2f8');
    for (const z of [0, 4, 8, 12]) b.tube(put([side * 2.3, 0.2, z]) as Triple, put([side * 2.3, 4.1, z]) as Triple, 0.12, '#5b4129', 6);
  }
  b.box([-5, low, 12], [5, 3.4, 12.4], '#6a4d33', put);
}

const COATS = ['#c8322b', '#1f5fae', '#d9892b', '#2a8a86', '#6c3f95', '#e8e8e8', '#2b2f36', '#d6b52a'];

/** Spectators behind the inner rim of every other curve. */
function addPeople(track: TrackShape, terrain: Terrain, things: Pieces): void {
  for (const bend of track.data.bends) {
    for (let k = 0; k < 14; k += 1) {
      const s = bend.begin + (bend.end - bend.begin) * (0.25 + 0.6 * hash(k, bend.number, 61));
      const [x, , z] = beside(track, s, bend.side, 7.5 + 5 * hash(k, bend.number, 62), 0);
      const y = terrain.height(x, z);
      const tall = 1.6 + 0.25 * hash(k, bend.number, 63);
      const coat = COATS[Math.floor(8 * hash(k, bend.number, 64))]!;
      const b = things.at(s);
      b.tube([x, y - 0.1, z], [x, y + 0.48 * tall, z], 0.13, '#20242c', 5);
      b.tube([x, y + 0.42 * tall, z], [x, y + 0.8 * tall, z], 0.2, coat, 8);
      b.ball([x, y + 0.8 * tall, z], [0.22, 0.1, 0.22], coat, 8);
      // One arm hangs, one waves, if the day is good.
      const [out, lift] = [0.27 + 0.12 * hash(k, bend.number, 66), hash(k, bend.number, 67) > 0.5 ? 0.95 : 0.5];
      b.tube([x + 0.2, y + 0.79 * tall, z], [x + 0.27, y + 0.5 * tall, z], 0.06, coat, 5);
      b.tube([x - 0.2, y + 0.79 * tall, z], [x - out, y + lift * tall, z], 0.06, coat, 5);
      b.ball([x, y + 0.91 * tall, z], [0.12, 0.13, 0.12], COATS[Math.floor(8 * hash(k, bend.number, 65))]!, 6);
    }
  }
}

export interface Things {
  group: Group;
  /** Heads of the lamps, lit at night. */
  heads: Material;
  /** Boards and signs, dimmed at night. */
  signs: MeshBasicMaterial[];
  open: Group;
  closed: Group;
}

export function things(track: TrackShape, terrain: Terrain, quality: BobQuality, material: Material, cloth: Material, heads: Material): Things {
  const shadow = quality.shadow > 0;
  const group = new Group();
  const [solid, lights] = [new Pieces(quality.pieceLength), new Pieces(WHOLE)];
  addLamps(track, terrain, solid, lights);
  const numbers = boards(track, terrain, solid);
  const { finish, start } = track.data;
  const arches = [arch(track, terrain, finish, 'FINISH', '#0a6b75', solid), arch(track, terrain, start.block + 8, track.data.name.toUpperCase(), '#0a6b75', solid)];
  startHouse(track, terrain, solid);
  if (quality.spectators) addPeople(track, terrain, solid);
  const sails = (closed: boolean) => {
    const [posts, sheets] = [new Pieces(quality.pieceLength), new Pieces(quality.pieceLength)];
    if (quality.name !== 'test' || closed) for (const bend of track.data.bends) addSails(track, terrain, bend, closed, posts, sheets);
    const both = new Group();
    both.add(posts.build(material, shadow), sheets.build(cloth, shadow && closed));
    return both;
  };
  const [open, closed] = [sails(false), sails(true)];
  group.add(solid.build(material, shadow), lights.build(heads, false), numbers, ...arches, open, closed);
  const signs = [numbers.userData.material as MeshBasicMaterial, ...arches.map((mesh) => mesh.material as MeshBasicMaterial)];
  return { group, heads, signs: signs.filter(Boolean), open, closed };
}

/** Where trees must not stand. */
export function clearings(track: TrackShape): Vector3[] {
  return [track.data.start.block, track.data.start.block - 8, track.data.finish].map((s) => new Vector3(...track.at(Math.max(track.first, s)).floor));
}
