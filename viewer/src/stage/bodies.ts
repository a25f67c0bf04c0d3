// The bodies of a scene. Those that share shape and look are drawn in one call.

import {
  Box3, BufferGeometry, DynamicDrawUsage, Group, InstancedMesh, Matrix4, Mesh, MeshBasicMaterial, type Plane, Quaternion, Raycaster, Sphere, Triangle, Vector3, Vector4,
  type Camera, type Material,
} from 'three';
import { gapOf } from './body-gap';
import { Mark, POSE_FLOATS, type Frame } from '../protocol/frame';
import type { Assets } from '../protocol/messages';
import { ghostMaterial, surfaceMaterial } from './looks';
import { writePoseMatrix } from './pose-matrix';
import { boundingRadius, primitiveGeometry, shadingRadius } from './shapes';
import type { Still } from './still-layer';

interface Batch {
  shape: number;
  look: number;
  bodies: number[];
  surface: InstancedMesh | null;
  wires: InstancedMesh | null;
}

export interface BodyOptions {
  shadows: boolean;
  /** Whether there are surroundings to mirror. */
  environment: boolean;
  /** Drawn as the ghost of another run, in this colour, and not to be touched. */
  ghost?: string;
}

export class Bodies {
  readonly group = new Group();
  private readonly geometries: (BufferGeometry | null)[];
  private readonly batches: Batch[] = [];
  private readonly probe = new Mesh();
  private readonly wireMaterial = new MeshBasicMaterial({ wireframe: true, transparent: true, opacity: 0.5, toneMapped: false, depthWrite: false });
  private poses: Float32Array;
  private marks: Uint8Array;
  /** Bounding radius of each body; 0 while its mesh is on its way. */
  private readonly radii: Float32Array;
  private wireframe = false;
  private translucent = false;
  /** Bodies that are translucent because they hide another one. */
  private cleared = new Set<number>();
  /** Where bodies were when it began to be watched which of them move, and the batches that have moved since. */
  private before: { poses: Float32Array; marks: Uint8Array } | null = null;
  private readonly moving = new Set<Batch>();
  /** Counts changes of what the still bodies look like. */
  private edition = 0;
  private section: { plane: Plane; whole: number | null } | null = null;
  private readonly place = new Vector3();
  private readonly turn = new Quaternion();
  private readonly unit = new Vector3(1, 1, 1);

  constructor(
    private readonly assets: Assets,
    private readonly options: BodyOptions,
  ) {
    const numbers = assets.shapes.map((_, shape) => assets.bodies.filter((body) => body.shape === shape).length);
    this.geometries = assets.shapes.map((shape, i) => (shape.kind === 'mesh' ? null : primitiveGeometry(shape, numbers[i]!)));
    this.poses = new Float32Array(POSE_FLOATS * assets.bodies.length);
    for (let i = 0; i < assets.bodies.length; i += 1) this.poses[POSE_FLOATS * i + 6] = 1;
    this.marks = new Uint8Array(assets.bodies.length);
    this.radii = Float32Array.from(assets.bodies, ({ shape }) => boundingRadius(assets.shapes[shape]!, this.geometries[shape]!) ?? 0);
    const found = new Map<string, Batch>();
    assets.bodies.forEach(({ shape, look }, index) => {
      const key = `${shape}/${look}`;
      const batch = found.get(key) ?? { shape, look, bodies: [], surface: null, wires: null };
      if (!found.has(key)) this.batches.push(batch);
      found.set(key, batch);
      batch.bodies.push(index);
    });
    for (const batch of this.batches) this.build(batch);
    this.group.visible = false; // until the first frame says where they are
  }

  get count(): number {
    return this.assets.bodies.length;
  }

  /** A mesh's triangles have come. */
  setGeometry(shape: number, geometry: BufferGeometry): void {
    this.geometries[shape] = geometry;
    this.assets.bodies.forEach((body, i) => {
      if (body.shape === shape) this.radii[i] = boundingRadius(this.assets.shapes[shape]!, geometry) ?? 0;
    });
    for (const batch of this.batches) if (batch.shape === shape) this.build(batch);
    this.writePoses();
  }

  setWireframe(on: boolean, color: string): void {
    this.wireMaterial.color.set(color);
    if (on === this.wireframe) return;
    this.wireframe = on;
    for (const batch of this.batches) this.updateWires(batch);
    this.writePoses();
  }

  setTranslucent(on: boolean): void {
    if (on === this.translucent) return;
    this.translucent = on;
    for (const batch of this.batches) if (this.clears(batch)) this.build(batch);
    this.writePoses();
  }

  /** These bodies hide another one, and are translucent until others do; returns whether others did before. */
  setCleared(bodies: readonly number[]): boolean {
    const next = new Set(bodies);
    const changed = (batch: Batch) => batch.bodies.some((body) => next.has(body) !== this.cleared.has(body));
    const anew = this.batches.filter(changed);
    this.cleared = next;
    for (const batch of anew) this.build(batch);
    if (anew.length > 0) this.writePoses();
    return anew.length > 0;
  }

  get clearedBodies(): number[] {
    return [...this.cleared].sort((a, b) => a - b);
  }

  /** What lies before the plane is cut away, but for one body that stays whole. The plane may be moved without another call. */
  setSection(plane: Plane | null, whole: number | null): void {
    if (plane === (this.section?.plane ?? null) && whole === (this.section?.whole ?? null)) return;
    this.section = plane && { plane, whole };
    for (const batch of this.batches) this.build(batch);
    this.writePoses();
  }

  /** Bodies that cannot be moved and that the ray meets. */
  fixedAlong(raycaster: Raycaster): number[] {
    const sphere = new Sphere();
    return this.assets.bodies.flatMap((asset, body) => {
      const geometry = this.geometryOf(body);
      if (asset.movable || !geometry || !this.isThere(body)) return [];
      // The ghost of where the hand wants a part hides nothing.
      if (this.assets.looks[asset.look]!.opacity < 0.3) return [];
      this.probe.geometry = geometry;
      this.probe.matrixWorld.copy(this.matrixOf(body));
      sphere.set(this.middleOf(body), this.radii[body]!).applyMatrix4(this.probe.matrixWorld);
      if (!raycaster.ray.intersectsSphere(sphere)) return [];
      return raycaster.intersectObject(this.probe, false).length > 0 ? [body] : [];
    });
  }

  setGhostColor(color: string): void {
    if (!this.options.ghost || this.options.ghost === color) return;
    this.options.ghost = color;
    for (const batch of this.batches) this.build(batch);
    this.writePoses();
  }

  /** Takes the poses of a frame. They are kept, not copied: the session writes the next frame into the same array. */
  apply({ poses, marks }: Pick<Frame, 'poses' | 'marks'>): void {
    if (poses.length !== this.poses.length) return;
    this.poses = poses;
    this.marks = marks;
    this.group.visible = true;
    this.writePoses();
  }

  /** False for a body that was deleted. */
  isThere(body: number): boolean {
    return body < this.count && (this.marks[body]! & Mark.hidden) === 0;
  }

  isPinned(body: number): boolean {
    return (this.marks[body]! & Mark.pinned) !== 0;
  }

  positionOf(body: number, out = new Vector3()): Vector3 {
    return out.fromArray(this.poses, POSE_FLOATS * body);
  }

  turnOf(body: number, out = new Quaternion()): Quaternion {
    return out.fromArray(this.poses, POSE_FLOATS * body + 3);
  }

  matrixOf(body: number, out = new Matrix4()): Matrix4 {
    return out.compose(this.positionOf(body, this.place), this.turnOf(body, this.turn), this.unit);
  }

  geometryOf(body: number): BufferGeometry | null {
    return this.geometries[this.assets.bodies[body]!.shape] ?? null;
  }

  radiusOf(body: number): number {
    return this.radii[body]!;
  }

  /** The first movable body along the ray, and where. */
  pick(raycaster: Raycaster): { body: number; point: Vector3 } | null {
    const { origin, direction } = raycaster.ray;
    let best: { body: number; point: Vector3; distance: number } | null = null;
    for (let body = 0; body < this.count; body += 1) {
      if (!this.assets.bodies[body]!.movable || !this.isThere(body) || this.radii[body] === 0) continue;
      const at = POSE_FLOATS * body;
      const [x, y, z] = [this.poses[at]! - origin.x, this.poses[at + 1]! - origin.y, this.poses[at + 2]! - origin.z];
      const along = x * direction.x + y * direction.y + z * direction.z;
      const radius = this.radii[body]!;
      if (x * x + y * y + z * z - along * along > radius * radius || along < -radius) continue;
      if (best && along - radius > best.distance) continue;
      this.probe.geometry = this.geometryOf(body)!;
      this.probe.matrixWorld.copy(this.matrixOf(body));
      const hit = raycaster.intersectObject(this.probe, false)[0];
      if (hit && (!best || hit.distance < best.distance)) best = { body, point: hit.point.clone(), distance: hit.distance };
    }
    return best;
  }

  /** The middle of a body's shape, in its own frame. */
  middleOf(body: number): Vector3 {
    const geometry = this.geometryOf(body);
    if (geometry && !geometry.boundingSphere) geometry.computeBoundingSphere();
    return geometry?.boundingSphere?.center.clone() ?? new Vector3();
  }

  /**
   * A ray that meets this body first, whatever is before it, and where: from the eye towards the middle, or, where a hollow body is not met there, onto the
   * triangle nearest to the eye. Null while its mesh is on its way.
   */
  surfaceOf(body: number, eye: Vector3): { origin: Vector3; direction: Vector3; point: Vector3 } | null {
    const geometry = this.geometryOf(body);
    if (!geometry) return null;
    const matrix = this.matrixOf(body);
    const before = 1e-3 * this.radii[body]!;
    const direction = this.middleOf(body).applyMatrix4(matrix).sub(eye).normalize();
    this.probe.geometry = geometry;
    this.probe.matrixWorld.copy(matrix);
    const hit = new Raycaster(eye, direction).intersectObject(this.probe, false)[0];
    if (hit) return { origin: hit.point.clone().addScaledVector(direction, -before), direction, point: hit.point.clone() };
    const places = geometry.getAttribute('position');
    const count = (geometry.index?.count ?? places.count) / 3;
    const corner = (i: number) => new Vector3().fromBufferAttribute(places, geometry.index ? geometry.index.getX(i) : i).applyMatrix4(matrix);
    let best: { middle: Vector3; normal: Vector3; distance: number } | null = null;
    for (let i = 0; i < count; i += 1) {
      const triangle = new Triangle(corner(3 * i), corner(3 * i + 1), corner(3 * i + 2));
      const middle = triangle.getMidpoint(new Vector3());
      const distance = middle.distanceTo(eye);
      if (triangle.getArea() > 0 && (!best || distance < best.distance)) best = { middle, normal: triangle.getNormal(new Vector3()), distance };
    }
    if (!best) return null;
    // Of a soup no side is the outer one: the side of the eye.
    const inward = best.normal.dot(best.middle.clone().sub(eye)) < 0 ? best.normal.negate() : best.normal;
    return { origin: best.middle.clone().addScaledVector(inward, -before), direction: inward, point: best.middle };
  }

  /** Distance of a point from a movable body's surface, negative inside; null if it is farther than `reach`, or the body is not there. */
  gapTo(body: number, point: Vector3, reach: number): number | null {
    const geometry = this.geometryOf(body);
    if (!geometry || !this.assets.bodies[body]!.movable || !this.isThere(body)) return null;
    if (this.positionOf(body, this.place).distanceTo(point) - this.radii[body]! > reach) return null;
    return gapOf(geometry, point.clone().applyMatrix4(this.matrixOf(body).invert()));
  }

  /** The movable body nearest to a point, if it is no further than `reach` beyond its own radius. */
  nearest(point: Vector3, reach: number): number | null {
    let best: number | null = null;
    let least = reach;
    for (let body = 0; body < this.count; body += 1) {
      if (!this.assets.bodies[body]!.movable || !this.isThere(body) || this.radii[body] === 0) continue;
      const distance = this.positionOf(body, this.place).distanceTo(point) - this.radii[body]!;
      if (distance < least) {
        least = distance;
        best = body;
      }
    }
    return best;
  }

  /** A sphere around everything that is not far larger than `scale`; false where there is nothing. */
  /** The box around all that can move and is there, or around everything where nothing can; null without any body. */
  extent(scale: number): Box3 | null {
    const movable = this.assets.bodies.some(({ movable: moves }) => moves);
    const box = new Box3();
    const low = new Vector3();
    for (let body = 0; body < this.count; body += 1) {
      const radius = this.radii[body]!;
      if (radius === 0 || radius >= 5 * scale || !this.isThere(body) || this.assets.bodies[body]!.movable !== movable) continue;
      this.positionOf(body, low);
      box.union(new Box3(low.clone().subScalar(radius), low.clone().addScalar(radius)));
    }
    return box.isEmpty() ? null : box;
  }

  bounds(scale: number, out: Sphere): boolean {
    const low = [Infinity, Infinity, Infinity];
    const high = [-Infinity, -Infinity, -Infinity];
    for (let body = 0; body < this.count; body += 1) {
      const radius = this.radii[body]!;
      if (radius === 0 || radius >= 5 * scale || !this.isThere(body)) continue;
      for (let k = 0; k < 3; k += 1) {
        low[k] = Math.min(low[k]!, this.poses[POSE_FLOATS * body + k]! - radius);
        high[k] = Math.max(high[k]!, this.poses[POSE_FLOATS * body + k]! + radius);
      }
    }
    if (low[0]! > high[0]!) return false;
    out.center.set((low[0]! + high[0]!) / 2, (low[1]! + high[1]!) / 2, (low[2]! + high[2]!) / 2);
    // The box around one ball would give a sphere larger than the ball.
    const half = [0, 1, 2].map((k) => (high[k]! - low[k]!) / 2) as [number, number, number];
    out.radius = this.count === 1 ? Math.max(...half) : Math.hypot(...half);
    return true;
  }

  /** The bodies as spheres that darken the ground at `height`: those that take most of the sky from it, up to `out.length`. */
  occluders(height: number, out: Vector4[]): number {
    const shares = new Float32Array(out.length);
    let count = 0;
    for (let body = 0; body < this.count; body += 1) {
      const { shape, look } = this.assets.bodies[body]!;
      const radius = shadingRadius(this.assets.shapes[shape]!, this.geometries[shape]!);
      const clear = this.assets.looks[look]!.opacity <= 0.5 || (this.translucent && this.assets.shapes[shape]!.kind === 'mesh');
      if (radius === 0 || clear || !this.isThere(body)) continue;
      const share = radius / Math.max(this.poses[POSE_FLOATS * body + 1]! - height, 1e-6);
      if (count === out.length && share <= shares[count - 1]!) continue;
      let at = count < out.length ? count : count - 1;
      count = Math.min(out.length, count + 1);
      for (; at > 0 && shares[at - 1]! < share; at -= 1) {
        shares[at] = shares[at - 1]!;
        out[at]!.copy(out[at - 1]!);
      }
      shares[at] = share;
      this.positionOf(body, this.place);
      out[at]!.set(this.place.x, this.place.y, this.place.z, radius);
    }
    return count;
  }

  dispose(): void {
    for (const batch of this.batches) this.clear(batch);
    for (const geometry of this.geometries) geometry?.dispose();
    this.wireMaterial.dispose();
  }

  /** What becomes translucent to look inside: meshes and what does not move. */
  private clears(batch: Batch): boolean {
    return this.assets.shapes[batch.shape]!.kind === 'mesh' || batch.bodies.some((body) => !this.assets.bodies[body]!.movable);
  }

  private build(batch: Batch): void {
    this.edition += 1;
    this.clear(batch);
    const geometry = this.geometries[batch.shape];
    if (!geometry) return;
    const { ghost, shadows, environment } = this.options;
    const mesh = this.assets.shapes[batch.shape]!.kind === 'mesh';
    const material = ghost ? ghostMaterial(ghost) : surfaceMaterial(this.assets.looks[batch.look]!, { mesh, translucent: (this.clears(batch) && this.translucent) || batch.bodies.some((body) => this.cleared.has(body)), environment, section: this.sectionOf(batch) });
    batch.surface = this.instances(geometry, material, batch);
    batch.surface.castShadow = shadows && !material.transparent;
    batch.surface.receiveShadow = shadows && !ghost;
    this.updateWires(batch);
  }

  /** Watches from now on which bodies move; this one is taken to move. */
  watch(body: number | null): void {
    const held = this.batches.find(({ bodies }) => body !== null && bodies.includes(body));
    if (!this.before) this.before = { poses: this.poses.slice(), marks: this.marks.slice() };
    if (!held || this.moving.has(held)) return;
    this.moving.add(held);
    this.edition += 1;
  }

  unwatch(): void {
    this.before = null;
    this.moving.clear();
  }

  /** What has not moved since bodies are watched. */
  get still(): Still {
    const surfaces = this.batches.flatMap((batch) => (batch.surface && !this.moving.has(batch) ? [batch.surface] : []));
    const plane = this.section?.plane;
    return { surfaces, state: `${this.edition} ${plane ? [...plane.normal.toArray(), plane.constant] : ''}` };
  }

  private noteMoved(batch: Batch): void {
    const { before } = this;
    if (!before || this.moving.has(batch)) return;
    const moved = batch.bodies.some((body) => {
      if (before.marks[body] !== this.marks[body]) return true;
      for (let i = POSE_FLOATS * body; i < POSE_FLOATS * (body + 1); i += 1) if (before.poses[i] !== this.poses[i]) return true;
      return false;
    });
    if (!moved) return;
    this.moving.add(batch);
    this.edition += 1;
  }

  private sectionOf({ bodies }: Batch): Plane | null {
    return this.section && !bodies.includes(this.section.whole ?? -1) ? this.section.plane : null;
  }

  private updateWires(batch: Batch): void {
    const geometry = this.geometries[batch.shape];
    if (this.wireframe && geometry && !batch.wires) batch.wires = this.instances(geometry, this.wireMaterial, batch);
    if (!this.wireframe && batch.wires) {
      batch.wires.removeFromParent();
      batch.wires.dispose();
      batch.wires = null;
    }
  }

  private instances(geometry: BufferGeometry, material: Material, batch: Batch): InstancedMesh {
    const mesh = new InstancedMesh(geometry, material, batch.bodies.length);
    mesh.instanceMatrix.setUsage(DynamicDrawUsage);
    mesh.frustumCulled = false; // the instances are anywhere, the geometry's own sphere says nothing
    if (this.options.ghost) mesh.renderOrder = 5;
    this.group.add(mesh);
    return mesh;
  }

  private clear(batch: Batch): void {
    for (const mesh of [batch.surface, batch.wires]) {
      mesh?.removeFromParent();
      mesh?.dispose();
    }
    (batch.surface?.material as Material | undefined)?.dispose();
    batch.surface = batch.wires = null;
  }

  private writePoses(): void {
    for (const batch of this.batches) {
      const { surface, wires, bodies } = batch;
      if (!surface) continue;
      this.noteMoved(batch);
      const matrices = surface.instanceMatrix.array as Float32Array;
      for (let instance = 0; instance < bodies.length; instance += 1) {
        if (this.isThere(bodies[instance]!)) writePoseMatrix(matrices, instance, this.poses, bodies[instance]!);
        else matrices.fill(0, 16 * instance, 16 * instance + 16);
      }
      surface.instanceMatrix.needsUpdate = true;
      if (!wires) continue;
      (wires.instanceMatrix.array as Float32Array).set(matrices);
      wires.instanceMatrix.needsUpdate = true;
    }
  }
}

/** Where a point is on the canvas, in CSS pixels from its top left corner. */
export function toScreen(point: Vector3, camera: Camera, width: number, height: number): { x: number; y: number; visible: boolean } {
  const projected = point.clone().project(camera);
  return { x: (0.5 + projected.x / 2) * width, y: (0.5 - projected.y / 2) * height, visible: projected.z > -1 && projected.z < 1 };
}
