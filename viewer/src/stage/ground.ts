// The ground: invisible but for the shadows on it and a grid that fades out.

import { Color, Group, LinearSRGBColorSpace, Mesh, PlaneGeometry, ShaderMaterial, ShadowMaterial, Vector3 } from 'three';

const SHADOW_LIMIT = 0.62;

export class Ground {
  readonly group = new Group();
  private readonly grid: ShaderMaterial;
  private readonly planes: Mesh[];

  constructor(height: number, shadows: boolean) {
    const plane = new PlaneGeometry(2, 2).rotateX(-Math.PI / 2);
    this.grid = gridMaterial();
    const lines = new Mesh(plane, this.grid);
    lines.renderOrder = -2;
    this.planes = [lines];
    if (shadows) {
      const catcher = new Mesh(plane, shadowMaterial());
      catcher.receiveShadow = true;
      catcher.renderOrder = -1;
      this.planes.push(catcher);
    }
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
        vec2 line = ( 1.0 - smoothstep( 0.2, 1.1, near ) ) * ( 1.0 - smoothstep( 0.12, 0.45, width ) );
        return max( line.x, line.y );
      }
      void main() {
        float far = distance( place.xz, centre.xz ) / reach;
        float fade = 1.0 - smoothstep( 0.3, 0.98, far );
        float alpha = max( lines( cell ), 0.42 * lines( cell / 5.0 ) ) * strength * fade;
        if ( alpha < 0.003 ) discard;
        gl_FragColor = vec4( color, alpha );
      }`,
  });
}

/** Darkens by the share of the lights' irradiance that does not arrive: 1 - lit / unlit. */
function shadowMaterial(): ShadowMaterial {
  const material = new ShadowMaterial({ depthWrite: false, toneMapped: false });
  material.onBeforeCompile = (shader) => {
    shader.fragmentShader = shader.fragmentShader
      .replace(
        'void main() {',
        /* glsl */ `float shade() {
          float lit = 0.0;
          float unlit = 0.0;
          #if defined( USE_SHADOWMAP ) && NUM_DIR_LIGHT_SHADOWS > 0
          DirectionalLightShadow directionalLight;
          float arriving;
          #pragma unroll_loop_start
          for ( int i = 0; i < NUM_DIR_LIGHT_SHADOWS; i ++ ) {
            directionalLight = directionalLightShadows[ i ];
            arriving = directionalLights[ i ].color.g * max( 0.0, dot( directionalLights[ i ].direction, ( viewMatrix * vec4( 0.0, 1.0, 0.0, 0.0 ) ).xyz ) );
            unlit += arriving;
            lit += arriving * getShadow( directionalShadowMap[ i ], directionalLight.shadowMapSize, directionalLight.shadowIntensity, directionalLight.shadowBias, directionalLight.shadowRadius, vDirectionalShadowCoord[ i ] );
          }
          #pragma unroll_loop_end
          #endif
          return unlit > 0.0 ? 1.0 - lit / unlit : 0.0;
        }
        void main() {`,
      )
      .replace('opacity * ( 1.0 - getShadowMask() )', `opacity * ${SHADOW_LIMIT.toFixed(2)} * shade()`);
  };
  return material;
}
