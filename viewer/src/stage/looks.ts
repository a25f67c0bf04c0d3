// From a look of the protocol to a material.

import { Color, DoubleSide, FrontSide, MeshStandardMaterial, type Plane, type WebGLProgramParametersWithUniforms } from 'three';
import type { Look } from '../protocol/messages';

/** The second tone of a beach ball. */
const CREAM = '#f2ead8';
/** Opacity of surfaces that are made translucent to look inside. */
const TRANSLUCENT = 0.2;
const GRAZING = 0.7;
const GHOST = 0.16;
/** Share of its metal that a surface keeps where there is nothing to mirror. */
const UNMIRRORED = 0.3;

export interface SurfaceOptions {
  /** A mesh may be a soup with holes, so its back faces are drawn too. */
  mesh: boolean;
  translucent: boolean;
  /** Whether there are surroundings that a metal can mirror; without them it would be black. */
  environment: boolean;
  /** What lies before it is cut away, and the inside is seen. */
  section?: Plane | null;
}

export function surfaceMaterial(look: Look, { mesh, translucent, environment, section = null }: SurfaceOptions): MeshStandardMaterial {
  const opacity = translucent ? Math.min(TRANSLUCENT, look.opacity) : look.opacity;
  const seeThrough = opacity < 1;
  const material = new MeshStandardMaterial({
    color: look.color,
    roughness: look.roughness,
    metalness: environment ? look.metallic : UNMIRRORED * look.metallic,
    opacity,
    transparent: seeThrough,
    depthWrite: !seeThrough,
    side: mesh || seeThrough || section ? DoubleSide : FrontSide,
    clippingPlanes: section ? [section] : null,
    // Back faces first, then front faces: a hollow body reads as hollow.
    forceSinglePass: !seeThrough,
    // Lines and wires on the surface win against it.
    polygonOffset: true,
    polygonOffsetFactor: 1,
    polygonOffsetUnits: 1,
  });
  const pattern = look.pattern === 'beach-ball';
  material.onBeforeCompile = (shader) => {
    if (pattern) addBeachBall(shader);
    if (seeThrough) raiseGrazingOpacity(shader);
  };
  material.customProgramCacheKey = () => `${pattern}-${seeThrough}`;
  return material;
}

/** The ghost of another run: a tint that lets everything through, stronger at the rim. */
export function ghostMaterial(color: string): MeshStandardMaterial {
  const material = new MeshStandardMaterial({
    color, roughness: 1, opacity: GHOST, transparent: true, depthWrite: false, polygonOffset: true, polygonOffsetFactor: -1, polygonOffsetUnits: -1,
  });
  material.onBeforeCompile = raiseGrazingOpacity;
  material.customProgramCacheKey = () => 'ghost';
  return material;
}

/** Six panels around the y axis and a cap at each pole, antialiased by the size of a pixel on the surface. */
function addBeachBall(shader: WebGLProgramParametersWithUniforms): void {
  shader.uniforms.secondTone = { value: new Color(CREAM) };
  shader.vertexShader = shader.vertexShader
    .replace('#include <common>', '#include <common>\nvarying vec3 vBodyPosition;')
    .replace('#include <begin_vertex>', '#include <begin_vertex>\nvBodyPosition = position;');
  shader.fragmentShader = shader.fragmentShader
    .replace('#include <common>', '#include <common>\nvarying vec3 vBodyPosition;\nuniform vec3 secondTone;')
    .replace(
      '#include <color_fragment>',
      /* glsl */ `#include <color_fragment>
      vec3 outward = normalize( vBodyPosition );
      // cos( 3 phi ) changes sign at the panels' seams; its size on the screen gives the seam's softness.
      float rim = max( length( outward.xz ), 1e-4 );
      vec2 c = outward.xz / rim;
      float panels = ( 4.0 * c.x * c.x * c.x - 3.0 * c.x ) * rim;
      float cap = abs( outward.y ) - 0.955;
      float first = smoothstep( -1.0, 1.0, panels / max( fwidth( panels ), 1e-5 ) );
      float pole = smoothstep( -1.0, 1.0, cap / max( fwidth( cap ), 1e-5 ) );
      diffuseColor.rgb = mix( mix( secondTone, diffuseColor.rgb, first ), diffuseColor.rgb, pole );`,
    );
}

function raiseGrazingOpacity(shader: WebGLProgramParametersWithUniforms): void {
  shader.fragmentShader = shader.fragmentShader.replace(
    '#include <opaque_fragment>',
    /* glsl */ `float facing = abs( dot( normalize( vViewPosition ), normal ) );
    diffuseColor.a = mix( diffuseColor.a, max( diffuseColor.a, ${GRAZING.toFixed(2)} ), pow( 1.0 - facing, 3.0 ) );
    #include <opaque_fragment>`,
  );
}
