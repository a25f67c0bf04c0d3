// Snow around the track in tiles, finer near it, and a ring of mountains.

import { BufferAttribute, BufferGeometry, Color, Group, Mesh, type Material } from 'three';
import type { BobQuality } from '../quality';
import { noise } from './noise';
import type { Terrain } from './terrain';

const TILE = 160;
const AROUND = 280;
/** Tiles within this distance of the course have fine cells, in m. */
const NEAR = 60;
const SKIRT = 4;

/** A grid of heights with a skirt that hides the seam to coarser neighbours; normals know what lies beyond the edge. */
function tile(terrain: Terrain, x0: number, z0: number, size: number, cells: number): BufferGeometry {
  const side = cells + 3;
  const step = size / cells;
  const heights = new Float32Array(side * side);
  for (let j = 0; j < side; j += 1) for (let i = 0; i < side; i += 1) heights[j * side + i] = terrain.height(x0 + (i - 1) * step, z0 + (j - 1) * step);
  const positions = new Float32Array(3 * side * side);
  const normals = new Float32Array(3 * side * side);
  const within = (k: number) => Math.min(cells + 1, Math.max(1, k));
  for (let j = 0; j < side; j += 1) {
    for (let i = 0; i < side; i += 1) {
      const [u, v] = [within(i), within(j)];
      const at = v * side + u;
      const skirt = u !== i || v !== j ? SKIRT : 0;
      positions.set([x0 + (u - 1) * step, heights[at]! - skirt, z0 + (v - 1) * step], 3 * (j * side + i));
      const [dx, dz] = [(heights[at + 1]! - heights[at - 1]!) / (2 * step), (heights[at + side]! - heights[at - side]!) / (2 * step)];
      const length = Math.hypot(dx, 1, dz);
      normals.set([-dx / length, 1 / length, -dz / length], 3 * (j * side + i));
    }
  }
  const indices: number[] = [];
  for (let j = 1; j < side; j += 1) {
    for (let i = 1; i < side; i += 1) {
      const [a, b, c, d] = [(j - 1) * side + i - 1, (j - 1) * side + i, j * side + i, j * side + i - 1];
      indices.push(a, d, c, a, c, b);
    }
  }
  const geometry = coloured(positions, indices, () => 1);
  geometry.setAttribute('normal', new BufferAttribute(normals, 3));
  return geometry;
}

function coloured(positions: Float32Array, indices: number[], shade: (vertex: number) => number): BufferGeometry {
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(positions, 3));
  const colours = new Float32Array(positions.length);
  const [snow, forest, mixed] = [new Color('#ffffff'), new Color('#5c6f6e'), new Color()];
  for (let i = 0; i < positions.length / 3; i += 1) mixed.lerpColors(forest, snow, shade(i)).toArray(colours, 3 * i);
  geometry.setAttribute('color', new BufferAttribute(colours, 3));
  geometry.setIndex(indices);
  geometry.computeVertexNormals();
  geometry.computeBoundingSphere();
  return geometry;
}

/** A polar grid from near the tiles' edge out to the horizon; forest at its lower slopes. */
function mountains(terrain: Terrain, [around, rings]: [number, number]): BufferGeometry {
  const [inner, outer] = [180, 6800];
  const positions = new Float32Array(3 * (around + 1) * rings);
  for (let r = 0; r < rings; r += 1) {
    const distance = inner * (outer / inner) ** (r / (rings - 1));
    for (let a = 0; a <= around; a += 1) {
      const angle = (2 * Math.PI * a) / around;
      const [x, z] = [terrain.middle[0] + distance * Math.cos(angle), terrain.middle[1] + distance * Math.sin(angle)];
      const inside = x > terrain.low[0] - AROUND + 30 && x < terrain.high[0] + AROUND - 30 && z > terrain.low[1] - AROUND + 30 && z < terrain.high[1] + AROUND - 30;
      positions.set([x, terrain.height(x, z) - (inside ? 14 : 0.5), z], 3 * (r * (around + 1) + a));
    }
  }
  const indices: number[] = [];
  for (let r = 1; r < rings; r += 1) {
    for (let a = 1; a <= around; a += 1) {
      const at = (i: number, j: number) => i * (around + 1) + j;
      const [p, q, s, t] = [at(r - 1, a - 1), at(r - 1, a), at(r, a), at(r, a - 1)];
      indices.push(p, q, s, p, s, t);
    }
  }
  const base = terrain.height(...terrain.middle);
  return coloured(positions, indices, (i) => {
    const [x, y, z] = [positions[3 * i]!, positions[3 * i + 1]!, positions[3 * i + 2]!];
    const wooded = y < base + 260 + 120 * noise(x / 300, z / 300, 41) && noise(x / 170, z / 170, 42) > 0.38;
    return wooded ? 0.25 : 1;
  });
}

export function groundMesh(terrain: Terrain, material: Material, quality: BobQuality): Group {
  const group = new Group();
  group.name = 'hill';
  const add = (geometry: BufferGeometry, name: string) => {
    const mesh = new Mesh(geometry, material);
    mesh.receiveShadow = true;
    mesh.name = name;
    group.add(mesh);
  };
  const [fine, coarse] = quality.cells;
  for (let x = terrain.low[0] - AROUND; x < terrain.high[0] + AROUND; x += TILE) {
    for (let z = terrain.low[1] - AROUND; z < terrain.high[1] + AROUND; z += TILE) {
      const near = terrain.distance(x + TILE / 2, z + TILE / 2) < NEAR + 0.71 * TILE;
      add(tile(terrain, x, z, TILE, Math.max(2, Math.round(TILE / (near ? fine : coarse)))), 'ground');
    }
  }
  add(mountains(terrain, quality.mountains), 'mountains');
  return group;
}
