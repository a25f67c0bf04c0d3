// Boxes in any orientation as wires: bounding volumes, and what the pair index holds of each body.

import { BufferAttribute, Color, DynamicDrawUsage, InstancedBufferAttribute, InstancedBufferGeometry, LineSegments, ShaderMaterial } from 'three';
import { setDataColor } from './glyphs';

/** Twelve edges of the box from -1 to 1, both ends of each. */
const edges = new Float32Array([0, 1, 2].flatMap((along) => [[-1, -1], [1, -1], [-1, 1], [1, 1]].flatMap(([a, b]) => [-1, 1].flatMap((end) => {
  const point = [0, 0, 0];
  point[along] = end;
  point[(along + 1) % 3] = a!;
  point[(along + 2) % 3] = b!;
  return point;
}))));

export class WireBoxes {
  readonly mesh: LineSegments;
  private geometry = new InstancedBufferGeometry();
  private readonly material: ShaderMaterial;
  private centre!: InstancedBufferAttribute;
  private turn!: InstancedBufferAttribute;
  private half!: InstancedBufferAttribute;
  private capacity = 0;

  constructor(opacity: number) {
    this.material = new ShaderMaterial({
      transparent: true,
      depthWrite: false,
      uniforms: { color: { value: new Color() }, opacity: { value: opacity } },
      vertexShader: /* glsl */ `
        attribute vec3 centre; attribute vec4 turn; attribute vec3 half_;
        void main() {
          vec3 p = position * half_;
          p += 2.0 * cross( turn.xyz, cross( turn.xyz, p ) + turn.w * p ); // p turned by a unit quaternion
          gl_Position = projectionMatrix * viewMatrix * vec4( centre + p, 1.0 );
        }`,
      fragmentShader: /* glsl */ `
        uniform vec3 color; uniform float opacity;
        void main() { gl_FragColor = vec4( color, opacity ); }`,
    });
    this.mesh = new LineSegments(this.geometry, this.material);
    this.mesh.frustumCulled = false;
    this.mesh.renderOrder = 12;
    this.reserve(16);
  }

  setColor(css: string): void {
    setDataColor(this.material.uniforms.color!.value as Color, css);
  }

  begin(count: number): void {
    if (count > this.capacity) this.reserve(2 * count);
    this.geometry.instanceCount = 0;
    this.mesh.visible = false;
  }

  /** Adds the box whose centre, quaternion and half sides begin at `at`. */
  add(words: Float32Array, at: number): void {
    const i = this.geometry.instanceCount;
    this.centre.setXYZ(i, words[at]!, words[at + 1]!, words[at + 2]!);
    this.turn.setXYZW(i, words[at + 3]!, words[at + 4]!, words[at + 5]!, words[at + 6]!);
    this.half.setXYZ(i, words[at + 7]!, words[at + 8]!, words[at + 9]!);
    this.geometry.instanceCount = i + 1;
    this.mesh.visible = true;
  }

  end(): void {
    this.centre.needsUpdate = this.turn.needsUpdate = this.half.needsUpdate = true;
  }

  dispose(): void {
    this.geometry.dispose();
    this.material.dispose();
  }

  private reserve(capacity: number): void {
    this.geometry.dispose();
    this.geometry = new InstancedBufferGeometry();
    this.geometry.setAttribute('position', new BufferAttribute(edges, 3));
    const attribute = (items: number) => new InstancedBufferAttribute(new Float32Array(items * capacity), items).setUsage(DynamicDrawUsage) as InstancedBufferAttribute;
    this.centre = attribute(3);
    this.turn = attribute(4);
    this.half = attribute(3);
    this.geometry.setAttribute('centre', this.centre);
    this.geometry.setAttribute('turn', this.turn);
    this.geometry.setAttribute('half_', this.half);
    this.geometry.instanceCount = 0;
    this.capacity = capacity;
    this.mesh.geometry = this.geometry;
  }
}
