// Friction cones: the directions in which a contact can hold. Half angle atan(mu), tip at the contact, axis along the normal.

import { Color, ConeGeometry, DoubleSide, DynamicDrawUsage, Group, InstancedMesh, LinearSRGBColorSpace, Matrix4, MeshBasicMaterial, Quaternion, Vector3 } from 'three';

export const CONE_LIMIT = 150;
const AROUND = 28;
const up = new Vector3(0, 1, 0);

export class FrictionCones {
  readonly group = new Group();
  private readonly materials: MeshBasicMaterial[];
  private readonly meshes: InstancedMesh[];
  private readonly matrix = new Matrix4();
  private readonly turn = new Quaternion();
  private readonly size = new Vector3();

  constructor() {
    // Unit cone: tip at the origin, opening upwards to radius 1 at height 1.
    const geometry = new ConeGeometry(1, 1, AROUND, 1, true).rotateX(Math.PI).translate(0, 0.5, 0);
    const surface = new MeshBasicMaterial({ transparent: true, opacity: 0.2, side: DoubleSide, depthWrite: false, toneMapped: false });
    const wires = new MeshBasicMaterial({ transparent: true, opacity: 0.35, wireframe: true, depthWrite: false, toneMapped: false });
    this.materials = [surface, wires];
    this.meshes = this.materials.map((material, i) => {
      const mesh = new InstancedMesh(geometry, material, CONE_LIMIT);
      mesh.instanceMatrix.setUsage(DynamicDrawUsage);
      mesh.frustumCulled = false;
      mesh.renderOrder = 18 + i;
      mesh.count = 0;
      this.group.add(mesh);
      return mesh;
    });
  }

  setColor(css: string): void {
    for (const { color } of this.materials) (color as Color).setStyle(css, LinearSRGBColorSpace);
  }

  begin(): void {
    for (const mesh of this.meshes) mesh.count = 0;
  }

  add(tip: Vector3, normal: Vector3, friction: number, height: number): void {
    const at = this.meshes[0]!.count;
    if (at >= CONE_LIMIT) return;
    this.turn.setFromUnitVectors(up, normal);
    this.size.set(friction * height, height, friction * height);
    this.matrix.compose(tip, this.turn, this.size);
    for (const mesh of this.meshes) {
      mesh.setMatrixAt(at, this.matrix);
      mesh.count = at + 1;
      mesh.instanceMatrix.needsUpdate = true;
    }
  }

  dispose(): void {
    this.meshes[0]!.geometry.dispose();
    for (const material of this.materials) material.dispose();
    for (const mesh of this.meshes) mesh.dispose();
  }
}
