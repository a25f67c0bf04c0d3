// The sky: a dome with a gradient, a glow around the sun, thin clouds and, at night, stars.

import { BackSide, Color, Mesh, ShaderMaterial, SphereGeometry, Vector3, type Texture } from 'three';
import type { Daylight } from './daylight';

export class Sky {
  readonly mesh: Mesh;
  readonly material: ShaderMaterial;

  constructor(noise: Texture) {
    this.material = new ShaderMaterial({
      side: BackSide, depthWrite: false, fog: false, toneMapped: true,
      uniforms: { uSun: { value: new Vector3(0, 1, 0) }, uZenith: { value: new Color() }, uHorizon: { value: new Color() }, uColour: { value: new Color() }, uDay: { value: 1 }, uNoise: { value: noise }, uDisc: { value: 1 } },
      vertexShader: 'varying vec3 vWay; void main() { vWay = position; vec4 p = projectionMatrix * mat4(mat3(modelViewMatrix)) * vec4(position, 1.0); gl_Position = p.xyww; }',
      fragmentShader: `
        varying vec3 vWay; uniform vec3 uSun, uZenith, uHorizon, uColour; uniform float uDay, uDisc; uniform sampler2D uNoise;
        float star(vec3 w) { vec3 g = floor(w * 190.0); float h = fract(sin(dot(g, vec3(12.9898, 78.233, 37.719))) * 43758.5453); vec3 f = fract(w * 190.0) - 0.5; return step(0.9965, h) * smoothstep(0.35, 0.05, length(f)); }
        void main() {
          vec3 way = normalize(vWay);
          float high = clamp(way.y, 0.0, 1.0);
          vec3 colour = mix(uHorizon, uZenith, pow(high, 0.55));
          float near = max(0.0, dot(way, uSun));
          colour += uColour * (0.35 * pow(near, 8.0) * uDay + uDisc * (pow(near, 900.0) * mix(0.8, 3.0, uDay)));
          vec2 at = way.xz / (0.25 + high);
          float cirrus = texture2D(uNoise, at * 0.06).b * 0.6 + texture2D(uNoise, at.yx * vec2(0.05, 0.21)).b * 0.4;
          colour = mix(colour, vec3(1.0) * mix(0.06, 0.95, uDay), 0.5 * smoothstep(0.5, 0.78, cirrus) * smoothstep(0.02, 0.25, high) * (0.25 + 0.75 * uDay));
          colour += vec3(0.85, 0.9, 1.0) * star(way) * (1.0 - uDay) * smoothstep(0.02, 0.2, high);
          if (way.y < 0.0) colour = mix(uHorizon, vec3(0.8, 0.85, 0.92) * mix(0.06, 0.85, uDay), min(1.0, -6.0 * way.y));
          gl_FragColor = vec4(colour, 1.0);
          #include <tonemapping_fragment>
          #include <colorspace_fragment>
        }`,
    });
    this.mesh = new Mesh(new SphereGeometry(1, 32, 20), this.material);
    this.mesh.frustumCulled = false;
    // Behind everything, and after it: only what nothing covers is computed.
    this.mesh.renderOrder = 1;
    this.mesh.name = 'sky';
  }

  set(light: Daylight): void {
    const { uniforms } = this.material;
    uniforms.uSun!.value.copy(light.direction);
    uniforms.uZenith!.value.copy(light.zenith);
    uniforms.uHorizon!.value.copy(light.horizon);
    uniforms.uColour!.value.copy(light.sun);
    uniforms.uDay!.value = light.day;
  }
}
