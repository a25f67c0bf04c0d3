// The bodies of a scene. Those that share shape and look are drawn in one call.

import {
  BufferGeometry, Group, InstancedMesh, Matrix4, Mesh, MeshBasicMaterial, Quaternion, Sphere, Vector3,
  type Camera, type Material, type Raycaster,
} from 'three';
import { POSE_FLOATS } from '../protocol/frame';
import type { Assets, Look } from '../protocol/messages';
import { surfaceMaterial } from './looks';
import { boundingRadius, primitiveGeometry, shadingRadius } from './shapes';

interface Batch {
  shape: number;
  look: number;
  bodies: number[];
  surface: InstancedMesh | null;
  wires: InstancedMesh | null;
}

export class Bodies {
  readonly group = new Group();
  private readonly geometries: (BufferGeometry | null)[];
  private readonly batches: Batch[] = [];
  private readonly probe = new Mesh();
  private readonly wireMaterial = new MeshBasicMaterial({ wireframe: true, transparent: true, opacity: 0.5, toneMapped: false, depthWrite: false });
  private poses: Float32Array;
  private wireframe = false;
  private translucent = false;
  private readonly matrix = new Matrix4();
  private readonly place = new Vector3();
  private readonly turn = new Quaternion();
  private readonly unit = new Vector3(1, 1, 1);

  constructor(
    private readonly assets: Assets,
    private readonly shadows: boolean,
  ) {
    this.geometries = assets.shapes.map((shape) => (shape.kind === 'mesh' ? null : primitiveGeometry(shape)));
    this.poses = new Float32Array(POSE_FLOATS * assets.bodies.length);
    for (let i = 0; i < assets.bodies.length; i += 1) this.poses[POSE_FLOATS * i + 6] = 1;
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

  get latestPoses(): Float32Array {
    return this.poses;
  }

  /** A mesh's triangles have come. */
  setGeometry(shape: number, geometry: BufferGeometry): void {
    this.geometries[shape] = geometry;
    for (const batch of this.batches) if (batch.shape === shape) this.build(batch);
    this.writePoses();
  }

  setWireframe(on: boolean, color: string): void {
    this.wireframe = on;
    this.wireMaterial.color.set(color);
    for (const batch of this.batches) this.updateWires(batch);
    this.writePoses();
  }

  setTranslucent(on: boolean): void {
    if (on === this.translucent) return;
    this.translucent = on;
    for (const batch of this.batches) if (this.isMesh(batch)) this.build(batch);
    this.writePoses();
  }

  /** Takes the poses of a frame. The view is kept, not copied: frames are never written to. */
  apply(poses: Float32Array): void {
    if (poses.length !== this.poses.length) return;
    this.poses = poses;
    this.group.visible = true;
    this.writePoses();
  }

  positionOf(body: number, out = new Vector3()): Vector3 {
    return out.fromArray(this.poses, POSE_FLOATS * body);
  }

  matrixOf(body: number, out = new Matrix4()): Matrix4 {
    const at = POSE_FLOATS * body;
    return out.compose(this.place.fromArray(this.poses, at), this.turn.fromArray(this.poses, at + 3), this.unit);
  }

  geometryOf(body: number): BufferGeometry | null {
    return this.geometries[this.assets.bodies[body]!.shape] ?? null;
  }

  radiusOf(body: number): number | null {
    const { shape } = this.assets.bodies[body]!;
    return boundingRadius(this.assets.shapes[shape]!, this.geometries[shape]!);
  }

  /** The first movable body along the ray, and where. */
  pick(raycaster: Raycaster): { body: number; point: Vector3 } | null {
    const sphere = new Sphere();
    let best: { body: number; point: Vector3; distance: number } | null = null;
    this.assets.bodies.forEach(({ movable }, body) => {
      const radius = this.radiusOf(body);
      if (!movable || radius === null) return;
      sphere.set(this.positionOf(body, sphere.center), radius);
      if (!raycaster.ray.intersectsSphere(sphere)) return;
      this.probe.geometry = this.geometryOf(body)!;
      this.probe.matrixWorld.copy(this.matrixOf(body));
      const hit = raycaster.intersectObject(this.probe, false)[0];
      if (hit && (!best || hit.distance < best.distance)) best = { body, point: hit.point.clone(), distance: hit.distance };
    });
    return best;
  }

  /** A sphere around everything that is not far larger than `scale`, down to the ground below it. */
  bounds(scale: number): Sphere | null {
    const spheres = this.assets.bodies.flatMap((_, body) => {
      const radius = this.radiusOf(body);
      return radius !== null && radius < 5 * scale ? [new Sphere(this.positionOf(body), radius)] : [];
    });
    return spheres.reduce<Sphere | null>((all, sphere) => (all ? all.union(sphere) : sphere.clone()), null);
  }

  /** The bodies as spheres that darken the ground; what is nearly invisible does not. */
  shading(): Sphere[] {
    return this.assets.bodies.flatMap(({ shape, look }, body) => {
      const radius = shadingRadius(this.assets.shapes[shape]!, this.geometries[shape]!);
      const clear = this.assets.looks[look]!.opacity <= 0.5 || (this.translucent && this.assets.shapes[shape]!.kind === 'mesh');
      return radius > 0 && !clear ? [new Sphere(this.positionOf(body), radius)] : [];
    });
  }

  dispose(): void {
    for (const batch of this.batches) this.clear(batch);
    for (const geometry of this.geometries) geometry?.dispose();
    this.wireMaterial.dispose();
  }

  private isMesh(batch: Batch): boolean {
    return this.assets.shapes[batch.shape]!.kind === 'mesh';
  }

  private build(batch: Batch): void {
    this.clear(batch);
    const geometry = this.geometries[batch.shape];
    if (!geometry) return;
    const look: Look = this.assets.looks[batch.look]!;
    const mesh = this.isMesh(batch);
    const material = surfaceMaterial(look, { mesh, translucent: mesh && this.translucent });
    batch.surface = this.instances(geometry, material, batch);
    batch.surface.castShadow = this.shadows && !material.transparent;
    batch.surface.receiveShadow = this.shadows;
    this.updateWires(batch);
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
    mesh.frustumCulled = false; // the instances are anywhere, the geometry's own sphere says nothing
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
    for (const { surface, wires, bodies } of this.batches) {
      if (!surface) continue;
      bodies.forEach((body, instance) => {
        this.matrixOf(body, this.matrix);
        surface.setMatrixAt(instance, this.matrix);
        wires?.setMatrixAt(instance, this.matrix);
      });
      surface.instanceMatrix.needsUpdate = true;
      if (wires) wires.instanceMatrix.needsUpdate = true;
    }
  }
}

/** Where a body's centre is on the canvas, in CSS pixels from its top left corner. */
export function toScreen(point: Vector3, camera: Camera, width: number, height: number): { x: number; y: number; visible: boolean } {
  const projected = point.clone().project(camera);
  return { x: (0.5 + projected.x / 2) * width, y: (0.5 - projected.y / 2) * height, visible: projected.z > -1 && projected.z < 1 };
}
