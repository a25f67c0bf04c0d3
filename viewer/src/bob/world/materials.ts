// Surfaces: ice, snow with rock, and things along the track. Lamps of the night are read from a texture by station.

import { BackSide, Color, DataTexture, DoubleSide, FloatType, MeshLambertMaterial, MeshStandardMaterial, NearestFilter, RGBAFormat, type Material, type Texture, type WebGLProgramParametersWithUniforms } from 'three';
import type { BobQuality } from '../quality';

/** What all surfaces of a world share. */
export interface SharedUniforms {
  uNoise: { value: Texture };
  /** Position of a lamp in each texel. */
  uLamps: { value: DataTexture };
  uLampCount: { value: number };
  /** Station of the first lamp and the distance between two, in m. */
  uLampAt: { value: [number, number] };
  /** 1 by day, 0 at night. */
  uDay: { value: number };
  uZenith: { value: Color };
  uHorizon: { value: Color };
  /** Stations of the light barriers, the start first; unused ones are far away. */
  uBarriers: { value: Float32Array };
  /** 1 draws the ideal line. */
  uIdeal: { value: number };
}

export const MOST_BARRIERS = 12;

export function lampTexture(lamps: readonly (readonly number[])[]): DataTexture {
  const data = new Float32Array(4 * Math.max(1, lamps.length));
  lamps.forEach((lamp, i) => data.set([lamp[0]!, lamp[1]!, lamp[2]!, 1], 4 * i));
  const texture = new DataTexture(data, Math.max(1, lamps.length), 1, RGBAFormat, FloatType);
  texture.magFilter = texture.minFilter = NearestFilter;
  texture.needsUpdate = true;
  return texture;
}

/** Light of the four lamps around a station: a soft wrap and a highlight. */
const LAMP_LIGHT = `
uniform sampler2D uLamps; uniform int uLampCount; uniform vec2 uLampAt; uniform float uDay;
vec3 lampLight(vec3 place, vec3 up, float s, float alpha, vec3 colour) {
  vec3 light = vec3(0.0);
  if (uDay > 0.95) return light;
  vec3 eye = normalize(cameraPosition - place);
  int first = int(floor((s - uLampAt.x) / uLampAt.y)) - 1;
  for (int i = 0; i < 4; i++) {
    int k = clamp(first + i, 0, uLampCount - 1);
    vec3 away = texelFetch(uLamps, ivec2(k, 0), 0).xyz - place;
    float r2 = dot(away, away);
    vec3 l = away * inversesqrt(r2);
    float wrap = max(0.0, (dot(up, l) + 0.15) / 1.15);
    vec3 h = normalize(l + eye);
    float a2 = alpha * alpha, nh = max(0.0, dot(up, h));
    float d = nh * nh * (a2 - 1.0) + 1.0;
    float shine = 0.04 * a2 / (d * d);
    light += vec3(1.0, 0.95, 0.86) * 29.0 / (r2 + 3.0) * (colour * wrap + vec3(min(shine, 3.0)));
  }
  return light * (1.0 - uDay) * 0.28;
}`;

function patch(material: Material, key: string, edit: (shader: WebGLProgramParametersWithUniforms) => void): void {
  material.onBeforeCompile = edit;
  // Closures of one function have equal text and would share a program.
  material.customProgramCacheKey = () => key;
}

const insert = (text: string, after: string, what: string) => text.replace(after, `${after}\n${what}`);

/** Ice in track coordinates: station, arcs from both rims, arc from the driven line. */
export function iceMaterial(quality: BobQuality, shared: SharedUniforms): Material {
  const material = quality.physical ? new MeshStandardMaterial({ color: '#ffffff', roughness: 0.26, metalness: 0 }) : new MeshLambertMaterial({ color: '#ffffff' });
  material.side = DoubleSide;
  // Only what turns away from the sun throws a shadow: a slope in grazing light would be striped by its own.
  material.shadowSide = BackSide;
  patch(material, `ice-${quality.name}`, (shader) => {
    Object.assign(shader.uniforms, shared);
    shader.vertexShader = insert(insert(`attribute vec4 aTrk; varying vec4 vTrk; varying vec3 vWorld; varying float vBarrier; uniform float uBarriers[${MOST_BARRIERS}];\n${shader.vertexShader}`, '#include <begin_vertex>', `
      vTrk = aTrk;
      // How far past the nearest light barrier: linear beside it, so that a line across the ice costs nothing for each point of it.
      vBarrier = aTrk.x - uBarriers[0];
      for (int i = 1; i < ${MOST_BARRIERS}; i++) { float past = aTrk.x - uBarriers[i]; if (abs(past) < abs(vBarrier)) vBarrier = past; }`), '#include <project_vertex>', 'vWorld = (modelMatrix * vec4(transformed, 1.0)).xyz;');
    let text = `varying vec4 vTrk; varying vec3 vWorld; uniform sampler2D uNoise; uniform vec3 uZenith; uniform vec3 uHorizon; varying float vBarrier; uniform float uIdeal;\n${LAMP_LIGHT}\n${shader.fragmentShader}`;
    text = insert(text, '#include <color_fragment>', `
      float iceT = vTrk.y;
      vec4 n1 = texture2D(uNoise, vec2(vTrk.x, iceT) * vec2(0.041, 0.23));
      vec4 n2 = texture2D(uNoise, vec2(vTrk.x, iceT) * vec2(0.173, 0.71));
      vec4 n3 = texture2D(uNoise, vec2(vTrk.x, iceT) * vec2(0.0113, 0.07));
      float far = 34.0 * fwidth(iceT) + 1.6 * fwidth(vTrk.x);
      float detail = 1.0 / (1.0 + far * far * 0.02);
      float streaks = mix(0.5, 0.6 * n1.r + 0.4 * n2.r, detail);
      float worn = exp(-0.5 * vTrk.w * vTrk.w / 0.13) * (0.45 + 0.75 * n1.r);
      float frost = 1.0 - smoothstep(0.04, 0.34, min(vTrk.y, vTrk.z) + 0.3 * (n2.b - 0.5) + 0.2 * (n1.b - 0.5));
      float depth = clamp(0.55 + 1.0 * (n3.b - 0.5) + 1.9 * (streaks - 0.5) + 0.42 * worn, 0.0, 1.0);
      vec3 iceColour = mix(vec3(0.80, 0.905, 0.955), vec3(0.40, 0.665, 0.79), depth);
      iceColour = mix(iceColour, vec3(0.95, 0.97, 0.99), frost);
      float along = fwidth(vTrk.x) + 0.001;
      float mark = abs(mod(vTrk.x + 25.0, 50.0) - 25.0);
      float line = (1.0 - smoothstep(0.05, 0.05 + along, mark)) * min(1.0, 0.1 / along);
      iceColour = mix(iceColour, vec3(0.02, 0.16, 0.55), 0.85 * line);
      float red = (1.0 - smoothstep(0.11, 0.11 + along, abs(vBarrier))) * min(1.0, 0.22 / along);
      iceColour = mix(iceColour, vec3(0.62, 0.02, 0.03), 0.9 * red);
      float idealWidth = fwidth(vTrk.w) + 0.001;
      float ideal = uIdeal * (1.0 - smoothstep(0.06, 0.06 + idealWidth, abs(vTrk.w))) * step(0.35, fract(vTrk.x / 3.0));
      iceColour = mix(iceColour, vec3(0.0, 0.55, 0.18), 0.85 * ideal);
      diffuseColor.rgb *= iceColour;`);
    if (quality.physical) {
      text = insert(text, '#include <roughnessmap_fragment>', 'roughnessFactor = clamp(0.26 - 0.17 * worn + 0.5 * frost + 0.18 * n2.g * detail, 0.06, 1.0);');
      if (quality.relief) {
        text = insert(text, '#include <normal_fragment_maps>', `
          vec2 slope = vec2(dFdx(streaks), dFdy(streaks)) * 0.012;
          vec3 sx = dFdx(-vViewPosition), sy = dFdy(-vViewPosition);
          vec3 r1 = cross(sy, normal), r2 = cross(normal, sx);
          float span = dot(sx, r1);
          vec3 tilt = sign(span) * (slope.x * r1 + slope.y * r2);
          normal = normalize(abs(span) * normal - detail * tilt);`);
      }
    }
    text = insert(text, '#include <emissivemap_fragment>', `
      vec3 iceUp = inverseTransformDirection(normal, viewMatrix);
      vec3 eyeWay = normalize(cameraPosition - vWorld);
      float grazing = pow(1.0 - clamp(dot(iceUp, eyeWay), 0.0, 1.0), 5.0);
      vec3 mirrored = reflect(-eyeWay, iceUp);
      vec3 skyThere = mix(uHorizon, uZenith, smoothstep(0.0, 0.6, mirrored.y));
      totalEmissiveRadiance += vec3(0.02, 0.10, 0.15) * uDay * depth ${quality.physical ? '' : '+ skyThere * (0.05 + 0.55 * grazing) * (1.0 - 0.8 * frost)'};
      totalEmissiveRadiance += lampLight(vWorld, iceUp, vTrk.x, 0.12 + 0.4 * frost, iceColour);`);
    shader.fragmentShader = text;
  });
  return material;
}

/** Rims, planks and banks along the track: colours of their vertices, lit by lamps at their station. */
export function alongMaterial(quality: BobQuality, shared: SharedUniforms): Material {
  const material = quality.physical ? new MeshStandardMaterial({ vertexColors: true, roughness: 0.62, metalness: 0 }) : new MeshLambertMaterial({ vertexColors: true });
  material.side = DoubleSide;
  material.shadowSide = BackSide;
  patch(material, `along-${quality.name}`, (shader) => {
    Object.assign(shader.uniforms, shared);
    shader.vertexShader = insert(insert(`attribute float aStation; varying float vStation; varying vec3 vWorld;\n${shader.vertexShader}`, '#include <begin_vertex>', 'vStation = aStation;'), '#include <project_vertex>', 'vWorld = (modelMatrix * vec4(transformed, 1.0)).xyz;');
    shader.fragmentShader = insert(`varying float vStation; varying vec3 vWorld;\n${LAMP_LIGHT}\n${shader.fragmentShader}`, '#include <emissivemap_fragment>', 'totalEmissiveRadiance += lampLight(vWorld, inverseTransformDirection(normal, viewMatrix), vStation, 0.5, diffuseColor.rgb);');
  });
  return material;
}

/** Snow, and rock where it is steep. */
export function snowMaterial(quality: BobQuality, shared: SharedUniforms): Material {
  const material = quality.physical ? new MeshStandardMaterial({ color: '#f2f5fb', roughness: 0.86, metalness: 0, vertexColors: true }) : new MeshLambertMaterial({ color: '#f2f5fb', vertexColors: true });
  patch(material, `snow-${quality.name}`, (shader) => {
    Object.assign(shader.uniforms, shared);
    shader.vertexShader = insert(`varying vec3 vWorld;\n${shader.vertexShader}`, '#include <project_vertex>', 'vWorld = (modelMatrix * vec4(transformed, 1.0)).xyz;');
    shader.fragmentShader = insert(insert(`varying vec3 vWorld; uniform sampler2D uNoise;\n${shader.fragmentShader}`, '#include <color_fragment>', `
      vec3 groundUp = inverseTransformDirection(normalize(vNormal), viewMatrix);
      float steep = 1.0 - groundUp.y + 0.22 * (texture2D(uNoise, vWorld.xz / 410.0).b - 0.5) + 0.1 * (texture2D(uNoise, vec2(vWorld.y, vWorld.x + vWorld.z) / 90.0).r - 0.5);
      float rock = smoothstep(0.27, 0.42, steep);
      vec3 stone = mix(vec3(0.16, 0.17, 0.2), vec3(0.33, 0.33, 0.36), texture2D(uNoise, vec2(vWorld.x + vWorld.z, vWorld.y * 2.0) / 160.0).r);
      diffuseColor.rgb = mix(diffuseColor.rgb, stone, rock);`), '#include <normal_fragment_maps>', quality.physical ? `
      vec2 bump = texture2D(uNoise, vWorld.xz / 43.0).bb - texture2D(uNoise, (vWorld.xz + vec2(0.7, 0.4)) / 43.0).bb + texture2D(uNoise, vWorld.zx / 9.0).bb - texture2D(uNoise, (vWorld.zx + vec2(0.3, 0.5)) / 9.0).bb;
      normal = normalize(normal + 0.6 * (viewMatrix * vec4(bump.x, 0.0, bump.y, 0.0)).xyz / (1.0 + 0.02 * length(vViewPosition)));` : '');
  });
  return material;
}

/** Things with colours of their vertices. */
export function thingMaterial(quality: BobQuality, { roughness = 0.7, metalness = 0, emissive = 0 } = {}): Material {
  if (quality.physical) return new MeshStandardMaterial({ vertexColors: true, roughness, metalness, side: DoubleSide, emissive: new Color(emissive) });
  return new MeshLambertMaterial({ vertexColors: true, side: DoubleSide, emissive: new Color(emissive) });
}
