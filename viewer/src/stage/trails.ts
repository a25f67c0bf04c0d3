// Trails of the bodies' centres over the last seconds, fading into the past.

import { BufferAttribute, BufferGeometry, DynamicDrawUsage, Group, LineSegments, ShaderMaterial, Color } from 'three';
import { POSE_FLOATS, type Frame } from '../protocol/frame';
import type { Assets } from '../protocol/messages';
import { setDataColor } from './glyphs';
import { TrailBuffer } from './trail-buffer';

/** Simulated seconds that a trail reaches back, and how many places it has. */
const SECONDS = 3;
const PLACES = 120;
/** More bodies than this leave no trail: nobody could tell them apart. */
const BODIES = 300;

export class Trails {
  readonly group = new Group();
  private readonly buffer: TrailBuffer;
  private readonly geometry = new BufferGeometry();
  private readonly color = { value: new Color() };
  private readonly material: ShaderMaterial;
  private readonly points: BufferAttribute;
  private readonly ages: BufferAttribute;

  constructor(assets: Assets) {
    const movable = assets.bodies.flatMap(({ movable: moves }, body) => (moves ? [body] : []));
    this.buffer = new TrailBuffer(movable.slice(0, BODIES), PLACES, SECONDS / PLACES);
    const vertices = 2 * PLACES * this.buffer.bodies.length;
    this.points = new BufferAttribute(new Float32Array(3 * vertices), 3).setUsage(DynamicDrawUsage) as BufferAttribute;
    this.ages = new BufferAttribute(new Float32Array(vertices), 1).setUsage(DynamicDrawUsage) as BufferAttribute;
    this.geometry.setAttribute('position', this.points);
    this.geometry.setAttribute('age', this.ages);
    this.material = new ShaderMaterial({
      transparent: true,
      depthWrite: false,
      uniforms: { color: this.color },
      vertexShader: /* glsl */ `
        attribute float age; varying float fade;
        void main() {
          fade = 1.0 - age;
          gl_Position = projectionMatrix * viewMatrix * vec4( position, 1.0 );
        }`,
      fragmentShader: /* glsl */ `
        uniform vec3 color; varying float fade;
        void main() { gl_FragColor = vec4( color, 0.9 * fade ); }`,
    });
    const lines = new LineSegments(this.geometry, this.material);
    lines.frustumCulled = false;
    lines.renderOrder = 16;
    this.group.add(lines);
    this.group.visible = false;
  }

  setColor(css: string): void {
    setDataColor(this.color.value, css);
  }

  /** Trails are kept while they are hidden, so that switching them on shows the past at once. */
  add(frame: Frame): void {
    this.buffer.add(frame.time, frame.poses, POSE_FLOATS);
  }

  show(on: boolean): void {
    this.group.visible = on;
    if (!on) return;
    const count = this.buffer.segments(this.points.array as Float32Array, this.ages.array as Float32Array);
    this.geometry.setDrawRange(0, count);
    this.points.needsUpdate = this.ages.needsUpdate = true;
  }

  dispose(): void {
    this.geometry.dispose();
    this.material.dispose();
  }
}
