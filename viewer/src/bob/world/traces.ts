// Lines that the runners draw on the ice, broken where a runner lifts.

import { BufferAttribute, BufferGeometry, Color, DynamicDrawUsage, Mesh, MeshBasicMaterial, Vector3 } from 'three';

/** Pieces of line that are kept for each runner. */
const KEPT = 900;
const HALF_WIDTH = 0.012;
/** A new piece begins after this way in m; a longer one is a jump. */
const STEP = 0.45;
const JUMP = 8;

const COLOUR = new Color('#3f7fa8');

export class RunnerTraces {
  readonly mesh: Mesh;
  private readonly material = new MeshBasicMaterial({ color: COLOUR, transparent: true, opacity: 0.75, side: 2, depthWrite: false, polygonOffset: true, polygonOffsetFactor: -3, polygonOffsetUnits: -3 });
  private readonly positions: Float32Array;
  private readonly attribute: BufferAttribute;
  private readonly last: (Vector3 | null)[];
  private readonly next: number[];

  constructor(runners: number) {
    this.positions = new Float32Array(runners * KEPT * 4 * 3);
    this.attribute = new BufferAttribute(this.positions, 3);
    this.attribute.setUsage(DynamicDrawUsage);
    const geometry = new BufferGeometry();
    geometry.setAttribute('position', this.attribute);
    const indices = new Uint32Array(runners * KEPT * 6);
    for (let i = 0; i < runners * KEPT; i += 1) indices.set([4 * i, 4 * i + 1, 4 * i + 2, 4 * i, 4 * i + 2, 4 * i + 3], 6 * i);
    geometry.setIndex(new BufferAttribute(indices, 1));
    this.mesh = new Mesh(geometry, this.material);
    this.mesh.frustumCulled = false;
    this.mesh.name = 'traces';
    this.last = Array.from({ length: runners }, () => null);
    this.next = Array.from({ length: runners }, () => 0);
  }

  /** A runner is here, on the ice with that normal, or in the air. Returns whether a piece was drawn. */
  add(runner: number, place: Vector3, up: Vector3, touches: boolean): boolean {
    const before = this.last[runner];
    if (!touches) {
      this.last[runner] = null;
      return false;
    }
    if (!before || before.distanceTo(place) > JUMP) {
      this.last[runner] = place.clone();
      return false;
    }
    if (before.distanceTo(place) < STEP) return false;
    const side = place.clone().sub(before).cross(up).normalize().multiplyScalar(HALF_WIDTH);
    const lift = up.clone().multiplyScalar(0.012);
    const piece = runner * KEPT + (this.next[runner]! % KEPT);
    [before.clone().sub(side), before.clone().add(side), place.clone().add(side), place.clone().sub(side)].forEach((corner, i) => corner.add(lift).toArray(this.positions, 3 * (4 * piece + i)));
    this.next[runner]! += 1;
    this.last[runner] = place.clone();
    this.attribute.needsUpdate = true;
    return true;
  }

  /** Lines do not glow at night; 1 is day, 0 night. */
  light(day: number): void {
    this.material.color.copy(COLOUR).multiplyScalar(0.25 + 0.75 * day);
  }

  clear(): void {
    this.positions.fill(0);
    this.attribute.needsUpdate = true;
    this.last.fill(null);
    this.next.fill(0);
  }
}
