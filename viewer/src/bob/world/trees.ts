// The forest: places drawn once, two instanced meshes that are refilled as the eye moves on.

import { BufferGeometry, Color, Group, InstancedMesh, Matrix4, Quaternion, Vector3, type Material } from 'three';
import type { BobQuality } from '../quality';
import { MeshBuilder } from './geometry';
import { hash } from './noise';
import type { Terrain } from './terrain';

const GRID = 7.4;
const AROUND = 250;
/** No tree nearer than this to the course, in m. */
const CLEAR = 12.5;
/** The eye moves this far before the instances are chosen anew, in m; further where fine trees are few. */
const REFILL = 8;
const COARSE_REFILL = 20;
/** The eye turns by this cosine before they are, 12 degrees, and trees further aside than that cosine, 80 degrees, are left out: more than the widest view sees
 * beside its middle. Near ones stay, for their shadows. */
const TURN = 0.978;
const ASIDE = 0.174;
const KEPT_AROUND = 60;
const MOST_FINE = 700;

/** A spruce of 1 m: tiers of jagged cones, snow on their tips. */
function spruce(tiers: number, points: number, trunk: number): BufferGeometry {
  const builder = new MeshBuilder();
  const [green, dark, snow] = ['#2f4a3c', '#21362d', '#dfe7ee'];
  builder.tube([0, -0.06, 0], [0, 0.2, 0], 0.022, '#4a3526', trunk);
  for (let tier = 0; tier < tiers; tier += 1) {
    const t = tier / tiers;
    const [low, high] = [0.1 + 0.88 * t * 0.95, Math.min(1, 0.1 + 0.88 * (t + 1.7 / tiers))];
    const radius = 0.27 * (1 - t) ** 0.85 + 0.02;
    const top = builder.vertex([0, high, 0], tier === tiers - 1 ? snow : green);
    const ring: number[] = [];
    for (let i = 0; i < points; i += 1) {
      const jag = i % 2 === 0 ? 1 : 0.68;
      const angle = (2 * Math.PI * (i + 0.5 * (tier % 2))) / points + 0.4 * hash(tier, i, 5);
      const r = radius * jag * (0.9 + 0.25 * hash(i, tier, 6));
      ring.push(builder.vertex([r * Math.cos(angle), low - (i % 2 === 0 ? 0.03 : 0), r * Math.sin(angle)], i % 2 === 0 && hash(i, tier, 7) > 0.55 ? snow : dark));
    }
    for (let i = 0; i < points; i += 1) builder.triangle(top, ring[(i + 1) % points]!, ring[i]!);
  }
  return builder.build();
}

interface Tree {
  matrix: Matrix4;
  place: Vector3;
  shade: number;
}

export class Forest {
  readonly group = new Group();
  readonly count: number;
  private readonly trees: Tree[] = [];
  private readonly fine: InstancedMesh;
  private readonly coarse: InstancedMesh;
  private readonly filledAt = new Vector3(Infinity, 0, 0);
  private readonly looked = new Vector3();
  private readonly colour = new Color();

  constructor(terrain: Terrain, material: Material, private readonly quality: BobQuality, clearings: readonly Vector3[]) {
    this.plant(terrain, clearings);
    this.count = this.trees.length;
    const high = quality.name === 'high';
    this.fine = new InstancedMesh(spruce(high ? 9 : 6, high ? 14 : 10, 5), material, Math.min(MOST_FINE, Math.max(1, this.count)));
    this.coarse = new InstancedMesh(spruce(quality.physical ? 4 : 3, quality.physical ? 7 : 5, 3), material, Math.max(1, this.count));
    for (const mesh of [this.fine, this.coarse]) {
      mesh.count = 0;
      mesh.frustumCulled = false;
      mesh.name = 'trees';
      this.group.add(mesh);
    }
    this.fine.castShadow = quality.shadow > 0;
  }

  private plant(terrain: Terrain, clearings: readonly Vector3[]): void {
    if (this.quality.trees <= 0) return;
    for (let x = terrain.low[0] - AROUND; x < terrain.high[0] + AROUND; x += GRID) {
      for (let z = terrain.low[1] - AROUND; z < terrain.high[1] + AROUND; z += GRID) {
        const [i, j] = [Math.round(x / GRID), Math.round(z / GRID)];
        const [px, pz] = [x + GRID * (hash(i, j, 51) - 0.5), z + GRID * (hash(i, j, 52) - 0.5)];
        if (hash(i, j, 53) > 0.04 + 0.8 * terrain.forest(px, pz)) continue;
        if (terrain.distance(px, pz) < CLEAR || clearings.some((place) => Math.hypot(place.x - px, place.z - pz) < 9)) continue;
        const height = 6 + 9 * hash(i, j, 54);
        const matrix = new Matrix4().compose(new Vector3(px, terrain.height(px, pz) - 0.2, pz), new Quaternion().setFromAxisAngle(new Vector3(0, 1, 0), 6.28 * hash(i, j, 55)), new Vector3(height * 0.85, height, height * 0.85));
        this.trees.push({ matrix, place: new Vector3(px, terrain.height(px, pz) + height / 2, pz), shade: 0.75 + 0.35 * hash(i, j, 56) });
      }
    }
  }

  /** Fine trees near the eye, coarse ones beyond, none far away; long lenses reach further. `ahead` is where it looks; null anywhere. */
  update(eye: Vector3, ahead: Vector3 | null, reach: number): void {
    const turned = ahead ? this.looked.dot(ahead) < TURN : this.looked.lengthSq() > 0;
    if (!turned && eye.distanceTo(this.filledAt) < (this.quality.physical ? REFILL : COARSE_REFILL)) return;
    this.filledAt.copy(eye);
    if (ahead) this.looked.copy(ahead);
    else this.looked.set(0, 0, 0);
    let [fine, coarse] = [0, 0];
    const far = (reach * this.quality.trees) ** 2;
    const near = this.quality.fineTrees > 0 ? (reach * this.quality.fineTrees) ** 2 : -1;
    for (const { matrix, place, shade } of this.trees) {
      const squared = place.distanceToSquared(eye);
      if (squared > far) continue;
      if (ahead && squared > KEPT_AROUND * KEPT_AROUND) {
        const along = (place.x - eye.x) * ahead.x + (place.y - eye.y) * ahead.y + (place.z - eye.z) * ahead.z;
        if (along < 0 || along * along < ASIDE * ASIDE * squared) continue;
      }
      const isNear = squared < near && fine < this.fine.instanceMatrix.count;
      const mesh = isNear ? this.fine : this.coarse;
      const at = isNear ? fine++ : coarse++;
      mesh.setMatrixAt(at, matrix);
      mesh.setColorAt(at, this.colour.setScalar(shade));
    }
    this.fine.count = fine;
    this.coarse.count = coarse;
    for (const mesh of [this.fine, this.coarse]) {
      // Only what is drawn goes to the graphics card.
      for (const [attribute, words] of [[mesh.instanceMatrix, 16], [mesh.instanceColor, 3]] as const) {
        if (!attribute) continue;
        attribute.clearUpdateRanges();
        attribute.addUpdateRange(0, words * mesh.count);
        attribute.needsUpdate = mesh.count > 0;
      }
    }
  }
}
