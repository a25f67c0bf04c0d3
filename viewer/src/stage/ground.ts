// The ground: invisible but for the shadows on it and a grid that fades out. Where bodies come near, it darkens softly.

import { Color, Group, LinearSRGBColorSpace, Mesh, PlaneGeometry, ShaderMaterial, ShadowMaterial, Vector3, Vector4 } from 'three';
import type { Quality } from './quality';

const SHADOW_LIMIT = 0.4;
const AMBIENT_LIMIT = 0.62;
/** Radius of the key shadow's soft edge as a share of the shadow map, and how many samples make it. */
const SOFTNESS = 0.006;
const TAPS = 24;
const PROBES = 6;

export class Ground {
  readonly group = new Group();
  private readonly grid: ShaderMaterial;
  private readonly planes: Mesh[];
  private readonly occluders: { value: Vector4[] };
  private readonly occluderCount = { value: 0 };

  constructor(height: number, quality: Quality) {
    this.occluders = { value: Array.from({ length: quality.occluders }, () => new Vector4()) };
    const plane = new PlaneGeometry(2, 2).rotateX(-Math.PI / 2);
    this.grid = gridMaterial();
    const lines = new Mesh(plane, this.grid);
    lines.renderOrder = -2;
    const catcher = new Mesh(plane, shadowMaterial(this.occluders, this.occluderCount));
    catcher.receiveShadow = quality.shadowSize > 0;
    catcher.renderOrder = -1;
    this.planes = [lines, catcher];
    for (const mesh of this.planes) mesh.frustumCulled = false;
    this.group.add(...this.planes);
    this.group.position.y = height;
  }

  /** Where the grid is densest and how far it reaches, in metres. */
  reach(centre: Vector3, radius: number): void {
    this.grid.uniforms.centre!.value.copy(centre);
    this.grid.uniforms.reach!.value = radius;
    for (const mesh of this.planes) {
      mesh.position.set(centre.x, 0, centre.z);
      mesh.scale.set(radius, 1, radius);
    }
  }

  /** Lets `fill` write the bodies that darken the ground, as spheres; it returns how many there are. */
  shadeBelow(fill: (height: number, out: Vector4[]) => number): void {
    this.occluderCount.value = fill(this.group.position.y, this.occluders.value);
  }

  setStep(step: number): void {
    this.grid.uniforms.cell!.value = step;
  }

  setColor(color: string, strength: number): void {
    this.grid.uniforms.color!.value.setStyle(color, LinearSRGBColorSpace);
    this.grid.uniforms.strength!.value = strength;
  }

  dispose(): void {
    for (const mesh of this.planes) {
      mesh.geometry.dispose();
      (mesh.material as ShaderMaterial).dispose();
    }
  }
}

/** Lines one pixel wide every `cell` metres and, weaker, every fifth of it; what would flicker far away fades. */
function gridMaterial(): ShaderMaterial {
  return new ShaderMaterial({
    transparent: true,
    depthWrite: false,
    uniforms: { color: { value: new Color() }, strength: { value: 0.2 }, cell: { value: 1 }, centre: { value: new Vector3() }, reach: { value: 1 } },
    vertexShader: /* glsl */ `
      varying vec3 place;
      void main() {
        vec4 world = modelMatrix * vec4( position, 1.0 );
        place = world.xyz;
        gl_Position = projectionMatrix * viewMatrix * world;
      }`,
    fragmentShader: /* glsl */ `
      uniform vec3 color; uniform float strength; uniform float cell; uniform vec3 centre; uniform float reach;
      varying vec3 place;
      float lines( float step ) {
        vec2 at = place.xz / step;
        vec2 width = fwidth( at );
        vec2 near = abs( fract( at - 0.5 ) - 0.5 ) / width;
        vec2 line = ( 1.0 - smoothstep( 0.2, 1.1, near ) ) * ( 1.0 - smoothstep( 0.1, 0.4, width ) );
        return max( line.x, line.y );
      }
      void main() {
        float far = distance( place.xz, centre.xz ) / reach;
        float fade = 1.0 - smoothstep( 0.12, 0.95, far );
        float alpha = max( lines( cell ), 0.3 * lines( cell / 5.0 ) ) * strength * fade;
        if ( alpha < 0.003 ) discard;
        gl_FragColor = vec4( color, alpha );
      }`,
  });
}

/** Darkens by the share of the key light that does not arrive, and by the share of the sky that bodies take away.
 *
 * A sphere of radius r at distance d, seen at the angle t from the ground's normal, covers the share (r / d)^2 cos t of
 * the sky's light: that is the form factor of a sphere above the horizon. Bodies count as spheres here. */
function shadowMaterial(occluders: { value: Vector4[] }, occluderCount: { value: number }): ShadowMaterial {
  const material = new ShadowMaterial({ depthWrite: false, toneMapped: false });
  material.onBeforeCompile = (shader) => {
    shader.uniforms.occluders = occluders;
    shader.uniforms.occluderCount = occluderCount;
    shader.vertexShader = shader.vertexShader
      .replace('#include <common>', '#include <common>\nvarying vec3 place;')
      .replace('#include <begin_vertex>', '#include <begin_vertex>\nplace = ( modelMatrix * vec4( position, 1.0 ) ).xyz;');
    shader.fragmentShader = shader.fragmentShader
      .replace('void main() {', `${shadeFunctions(occluders.value.length)}\nvoid main() {`)
      .replace(
        'opacity * ( 1.0 - getShadowMask() )',
        `1.0 - ( 1.0 - ${SHADOW_LIMIT.toFixed(2)} * shade() ) * ( 1.0 - ${AMBIENT_LIMIT.toFixed(2)} * coveredSky() )`,
      );
  };
  return material;
}

const shadeFunctions = (most: number) => /* glsl */ `
varying vec3 place;
uniform vec4 occluders[ ${most} ];
uniform int occluderCount;

float coveredSky() {
  float covered = 0.0;
  for ( int i = 0; i < occluderCount; i ++ ) {
    vec3 to = occluders[ i ].xyz - place;
    float squared = max( dot( to, to ), 1e-9 );
    float size = occluders[ i ].w * occluders[ i ].w;
    covered += min( 1.0, size / squared ) * clamp( to.y * inversesqrt( squared ), 0.0, 1.0 );
  }
  return min( 1.0, covered );
}

float shade() {
  #if defined( USE_SHADOWMAP ) && NUM_DIR_LIGHT_SHADOWS > 0
    vec4 coord = vDirectionalShadowCoord[ 0 ];
    coord.xyz /= coord.w;
    if ( min( coord.x, coord.y ) < 0.0 || max( max( coord.x, coord.y ), coord.z ) > 1.0 ) return 0.0;
    DirectionalLightShadow light = directionalLightShadows[ 0 ];
    float turn = interleavedGradientNoise( gl_FragCoord.xy ) * PI2;
    float depth = coord.z + light.shadowBias;
    // The outermost samples come first: where they agree, the point lies clear of the soft edge.
    float lit = 0.0;
    for ( int i = ${TAPS - PROBES}; i < ${TAPS}; i ++ ) lit += texture( directionalShadowMap[ 0 ], vec3( coord.xy + vogelDiskSample( i, ${TAPS}, turn ) * ${SOFTNESS.toFixed(3)}, depth ) );
    if ( lit == 0.0 || lit == ${PROBES}.0 ) return 1.0 - lit / ${PROBES}.0;
    for ( int i = 0; i < ${TAPS - PROBES}; i ++ ) lit += texture( directionalShadowMap[ 0 ], vec3( coord.xy + vogelDiskSample( i, ${TAPS}, turn ) * ${SOFTNESS.toFixed(3)}, depth ) );
    return 1.0 - lit / ${TAPS}.0;
  #else
    return 0.0;
  #endif
}`;
