// A line around the selected body: the body once more, its back faces only, grown by two pixels.

import { BackSide, Color, LinearSRGBColorSpace, Mesh, ShaderMaterial, type BufferGeometry, type Matrix4, type Vector2 } from 'three';

const WIDTH_PIXELS = 2.5;

export class Outline {
  readonly mesh: Mesh;
  private readonly material: ShaderMaterial;

  constructor(viewport: { value: Vector2 }) {
    this.material = new ShaderMaterial({
      side: BackSide,
      uniforms: { viewport, color: { value: new Color() }, grow: { value: WIDTH_PIXELS } },
      vertexShader: /* glsl */ `
        uniform vec2 viewport; uniform float grow;
        void main() {
          vec4 place = projectionMatrix * modelViewMatrix * vec4( position, 1.0 );
          vec2 outward = ( projectionMatrix * vec4( normalMatrix * normal, 0.0 ) ).xy * viewport;
          place.xy += normalize( outward + 1e-9 ) / viewport * 2.0 * grow * place.w;
          gl_Position = place;
        }`,
      fragmentShader: /* glsl */ `
        uniform vec3 color;
        void main() { gl_FragColor = vec4( color, 1.0 ); }`,
    });
    this.mesh = new Mesh(undefined, this.material);
    this.mesh.matrixAutoUpdate = false;
    this.mesh.frustumCulled = false;
    this.mesh.visible = false;
  }

  setColor(color: string): void {
    this.material.uniforms.color!.value.setStyle(color, LinearSRGBColorSpace);
  }

  show(geometry: BufferGeometry | null, matrix: Matrix4 | null): void {
    this.mesh.visible = geometry !== null && matrix !== null;
    if (!geometry || !matrix) return;
    this.mesh.geometry = geometry;
    this.mesh.matrix.copy(matrix);
    this.mesh.matrixWorldNeedsUpdate = true;
  }

  dispose(): void {
    this.material.dispose();
  }
}
