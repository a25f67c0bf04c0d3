// What runs along the ice: coloured rims, plank walls, the track's own boards, and banks of snow down to the ground.

import { BufferAttribute, Group, Mesh, type Material } from 'three';
import type { BobQuality } from '../quality';
import type { TrackShape, Triple } from '../track';
import { MeshBuilder } from './geometry';
import { hash } from './noise';
import type { Terrain } from './terrain';

const OUTER = '#d4202b';
const INNER = '#1668c7';
const STRAIGHT = '#0d2f57';
const SNOW = '#eef2f9';
const WOODS = ['#7d6247', '#8a6d4f', '#6f563d', '#96795a'];
/** Curvature in 1/m from which on a rim is that of a curve. */
const BENT = 0.004;

/** Colour of a rim: outside of a curve, inside of it, or beside a straight. */
export function rimColour(curvature: number, side: 'left' | 'right'): string {
  if (Math.abs(curvature) < BENT) return STRAIGHT;
  const outer = curvature > 0 ? 'right' : 'left';
  return side === outer ? OUTER : INNER;
}

/** One side of a piece, into its mesh. */
function addSide(track: TrackShape, terrain: Terrain, side: 'left' | 'right', rows: readonly number[], builder: MeshBuilder, stations: number[]): void {
  const sign = side === 'left' ? -1 : 1;
  const profile = (row: number): Triple[] => {
    const edge = track.vertex(row, side === 'left' ? 0 : track.columns - 1);
    const right = track.right(row);
    const out = (by: number, up: number): Triple => [edge[0] + sign * by * right[0], edge[1] + up, edge[2] + sign * by * right[2]];
    const wall = Math.max(0.42, Math.min(1.75, 0.62 * (edge[1] - track.floors[3 * row + 1]!)));
    const foot = out(0.24, -wall);
    const end = out(6.5, 0);
    const middle = out(2.6, 0);
    const low = terrain.height(end[0], end[2]) - 0.5;
    const bankMiddle = Math.max(terrain.height(middle[0], middle[2]), 0.55 * foot[1] + 0.45 * low);
    return [out(0, 0), out(0.005, 0.09), out(0.15, 0.09), out(0.17, -0.02), out(0.2, -0.03), foot, [middle[0], Math.min(foot[1], bankMiddle), middle[2]], [end[0], Math.min(low, foot[1]), end[2]]];
  };
  let before = profile(rows[0]!);
  for (let i = 1; i < rows.length; i += 1) {
    const [from, to] = [rows[i - 1]!, rows[i]!];
    const now = profile(to);
    const s = [track.data.rows[from]!, track.data.rows[to]!];
    const curvature = track.data.course[to]![4]!;
    const rim = rimColour(curvature, side);
    const wood = WOODS[Math.floor(4 * hash(from >> 2, side === 'left' ? 1 : 2))]!;
    const colours = [rim, rim, rim, wood, wood, SNOW, SNOW];
    colours.forEach((colour, k) => {
      // Seen from outside and above counter-clockwise, on both sides of the track.
      const corners = sign < 0 ? [before[k]!, now[k]!, now[k + 1]!, before[k + 1]!] : [before[k]!, before[k + 1]!, now[k + 1]!, now[k]!];
      builder.quad(corners[0]!, corners[1]!, corners[2]!, corners[3]!, colour);
      stations.push(...(sign < 0 ? [s[0]!, s[1]!, s[1]!, s[0]!] : [s[0]!, s[0]!, s[1]!, s[1]!]));
    });
    before = now;
  }
}

function piece(track: TrackShape, terrain: Terrain, rows: readonly number[], material: Material, quality: BobQuality): Mesh {
  const builder = new MeshBuilder();
  const stations: number[] = [];
  for (const side of ['left', 'right'] as const) addSide(track, terrain, side, rows, builder, stations);
  const geometry = builder.build();
  geometry.setAttribute('aStation', new BufferAttribute(new Float32Array(stations), 1));
  const mesh = new Mesh(geometry, material);
  mesh.receiveShadow = true;
  mesh.castShadow = quality.shadow > 0;
  mesh.name = 'along';
  return mesh;
}

export function alongMesh(track: TrackShape, terrain: Terrain, material: Material, quality: BobQuality): Group {
  const group = new Group();
  group.name = 'along the ice';
  const step = quality.name === 'high' || quality.name === 'medium' ? 2 : quality.name === 'low' ? 4 : 8;
  for (let first = 0; first + 1 < track.count; first += quality.pieceRows) {
    const last = Math.min(track.count - 1, first + quality.pieceRows);
    const rows: number[] = [];
    for (let row = first; row < last; row += step) rows.push(row);
    rows.push(last);
    group.add(piece(track, terrain, rows, material, quality));
  }
  return group;
}

/** The boards that the track file puts above the edges, each face in a wood of its own. */
export function boardMesh({ boards }: TrackShape, material: Material, quality: BobQuality): Mesh {
  const builder = new MeshBuilder();
  const place = (index: number) => boards.positions.subarray(3 * index, 3 * index + 3);
  for (let i = 0; i < boards.indices.length; i += 3) {
    const wood = WOODS[Math.floor(4 * hash(i / 6, 7))]!;
    const [a, b, c] = [0, 1, 2].map((k) => builder.vertex([...place(boards.indices[i + k]!)], wood));
    builder.triangle(a!, b!, c!);
  }
  const mesh = new Mesh(builder.build(), material);
  mesh.castShadow = mesh.receiveShadow = quality.shadow > 0;
  mesh.name = 'boards';
  return mesh;
}
