// Line sets of the assets, riding on bodies or fixed in the world: edges of a mesh, boxes, axes.

import { GreaterDepth, Group, LessEqualDepth, Matrix4, type Vector2 } from 'three';
import { LineMaterial } from 'three/addons/lines/LineMaterial.js';
import { LineSegments2 } from 'three/addons/lines/LineSegments2.js';
import { LineSegmentsGeometry } from 'three/addons/lines/LineSegmentsGeometry.js';
import type { LineSet, Role } from '../protocol/messages';

const WIDTH_PIXELS = 2;
const HIDDEN_ALPHA = 0.2;
/** Where lines coincide, the more alarming ones are drawn last. */
const prominence: Role[] = ['ink', 'accent', 'warn', 'second', 'danger'];

interface Drawn {
  group: Group;
  materials: LineMaterial[];
  geometry: LineSegmentsGeometry;
}

export class LineSets {
  readonly group = new Group();
  private readonly drawn = new Map<number, Drawn>();

  constructor(private readonly sets: LineSet[]) {}

  /** The segments of set `index` have come: both ends of each, six numbers per segment. */
  setSegments(index: number, segments: Float32Array, color: string, resolution: Vector2): void {
    const geometry = new LineSegmentsGeometry().setPositions(segments);
    const group = new Group();
    group.matrixAutoUpdate = false;
    const materials = [false, true].map((hidden) => {
      const material = new LineMaterial({ color, linewidth: WIDTH_PIXELS, transparent: true, depthWrite: false, toneMapped: false });
      material.opacity = hidden ? HIDDEN_ALPHA : 1;
      material.depthFunc = hidden ? GreaterDepth : LessEqualDepth;
      material.resolution.copy(resolution);
      const lines = new LineSegments2(geometry, material);
      lines.frustumCulled = false;
      lines.renderOrder = 10 + prominence.indexOf(this.sets[index]!.role);
      group.add(lines);
      return material;
    });
    this.drawn.set(index, { group, materials, geometry });
    this.group.add(group);
  }

  show(index: number, visible: boolean): void {
    const drawn = this.drawn.get(index);
    if (drawn) drawn.group.visible = visible;
  }

  setColor(index: number, color: string): void {
    for (const material of this.drawn.get(index)?.materials ?? []) material.color.set(color);
  }

  resize(resolution: Vector2): void {
    for (const { materials } of this.drawn.values()) for (const material of materials) material.resolution.copy(resolution);
  }

  /** Moves the sets with their bodies. */
  follow(matrixOf: (body: number, out: Matrix4) => Matrix4): void {
    this.sets.forEach(({ body }, index) => {
      const drawn = this.drawn.get(index);
      if (drawn && body !== null) {
        matrixOf(body, drawn.group.matrix);
        drawn.group.matrixWorldNeedsUpdate = true;
      }
    });
  }

  dispose(): void {
    for (const { materials, geometry } of this.drawn.values()) {
      geometry.dispose();
      for (const material of materials) material.dispose();
    }
  }
}
