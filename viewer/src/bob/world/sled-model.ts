// The sled as it is drawn: one mesh for each body of the model, so that everything steers and swings as it is computed.

import { BufferGeometry, Color, DoubleSide, Group, Mesh, MeshBasicMaterial, ShaderMaterial, Vector3, type Material } from 'three';
import type { BobQuality } from '../quality';
import { bodyNames, type BodyFrames, type BodyName } from '../poses';
import type { Triple } from '../track';
import { MeshBuilder } from './geometry';
import { thingMaterial } from './materials';

const RED = '#c1272d';
const WHITE = '#f3f5f7';
const TEAL = '#0a6b75';
const BLACK = '#15181c';
const STEEL = '#b9c2c9';
const SUIT = '#1b2f6b';

type Ring = readonly [number, number, number, number];

/** Rings of both cowlings from the nose backwards: place along, half width, bottom, top. The eye looks over the front one. */
const FRONT: Ring[] = [[-2.66, 0.03, 0.2, 0.25], [-2.56, 0.12, 0.14, 0.33], [-2.36, 0.2, 0.11, 0.42], [-2.0, 0.27, 0.1, 0.53], [-1.6, 0.3, 0.1, 0.61], [-1.25, 0.31, 0.11, 0.66], [-1.06, 0.3, 0.13, 0.66]];
const REAR: Ring[] = [[-1.04, 0.31, 0.12, 0.6], [-0.8, 0.335, 0.11, 0.6], [-0.4, 0.34, 0.11, 0.56], [0.1, 0.33, 0.11, 0.54], [0.46, 0.3, 0.13, 0.5], [0.56, 0.26, 0.16, 0.46]];

/** The rear hull's shell: share of the turn at which it begins and ends, exponent of its rings, thickness in m. */
const SHELL = { from: 0.46, to: 1.04, power: 0.7, thick: 0.015 };

/** A stripe along the top of a cowling, white at its sides. */
const paint = (side: number): string => {
  const fromTop = Math.abs(side - 0.25) * 2;
  return fromTop < 0.1 ? TEAL : fromTop < 0.2 ? WHITE : RED;
};

function hull(name: 'front' | 'rear'): MeshBuilder {
  const b = new MeshBuilder();
  if (name === 'front') {
    b.loft(FRONT, (_, side) => paint(side), { corners: 40 });
    for (const side of [-1, 1]) {
      bar(b, [[side * 0.28, 0.24, -2.2], [side * 0.42, 0.23, -2.12], [side * 0.42, 0.22, -1.88], [side * 0.29, 0.24, -1.8]], 0.028, BLACK);
    }
    return b;
  }
  // Open above: the crew sits in it. Inside it is dark.
  b.loft(REAR, (_, side) => (side < 0.06 || side > 0.94 ? WHITE : RED), { corners: 40, ...SHELL, closed: false });
  b.loft(REAR.map(([z, half, bottom, top]): Ring => [z, half - SHELL.thick, bottom + SHELL.thick, top]).reverse(), () => BLACK, { corners: 40, ...SHELL, closed: false });
  b.box([-0.24, 0.13, 0.52], [0.24, 0.46, 0.55], BLACK);
  b.box([-0.3, 0.12, -1.02], [0.3, 0.14, 0.5], BLACK);
  bar(b, [[-0.32, 0.5, -1.04], [-0.29, 0.58, -1.045], [-0.2, 0.635, -1.05], [-0.07, 0.655, -1.055], [0.07, 0.655, -1.055], [0.2, 0.635, -1.05], [0.29, 0.58, -1.045], [0.32, 0.5, -1.04]], 0.014, BLACK);
  for (const side of [-1, 1]) {
    bar(b, [[side * 0.31, 0.25, 0.05], [side * 0.44, 0.23, 0.1], [side * 0.44, 0.22, 0.32], [side * 0.3, 0.24, 0.4]], 0.03, BLACK);
    bar(b, [[side * 0.32, 0.56, -0.75], [side * 0.4, 0.5, -0.62], [side * 0.4, 0.46, -0.3], [side * 0.33, 0.54, -0.2]], 0.018, STEEL);
    bar(b, [[side * 0.2, 0.46, 0.54], [side * 0.2, 0.52, 0.66], [side * 0.1, 0.56, 0.66]], 0.02, BLACK);
  }
  b.box([-0.335, 0.09, -0.03], [0.335, 0.13, 0.03], STEEL);
  return b;
}

/** A bent tube through some places. */
function bar(b: MeshBuilder, places: readonly Triple[], radius: number, colour: string): void {
  for (let i = 1; i < places.length; i += 1) b.tube(places[i - 1]!, places[i]!, radius, colour, 6);
  for (const place of places) b.ball(place, [radius, radius, radius], colour, 6);
}

function crew(): MeshBuilder {
  const b = new MeshBuilder();
  [-0.62, -0.06].forEach((z, i) => {
    b.loft([[z - 0.13, 0.1, 0.3, 0.52], [z - 0.05, 0.2, 0.2, 0.63], [z + 0.1, 0.235, 0.16, 0.6], [z + 0.3, 0.22, 0.15, 0.45], [z + 0.4, 0.16, 0.16, 0.34]], () => SUIT, { corners: 18, power: 0.85 });
    const helmet: Triple = [0, 0.735 - 0.02 * i, z - 0.1];
    b.ball(helmet, [0.125, 0.14, 0.155], i === 0 ? WHITE : RED, 18);
    b.ball([helmet[0], helmet[1] - 0.005, helmet[2] - 0.055], [0.108, 0.07, 0.112], BLACK, 14);
    b.box([-0.014, helmet[1] + 0.08, helmet[2] - 0.09], [0.014, helmet[1] + 0.147, helmet[2] + 0.1], i === 0 ? RED : WHITE);
    for (const side of [-1, 1]) {
      // Elbows in: they stay in the hull when the crew leans.
      const elbow: Triple = [side * 0.205, 0.4, z - 0.12];
      b.tube([side * 0.19, 0.55, z], elbow, 0.06, SUIT, 7);
      b.tube(elbow, [side * 0.13, 0.36, z - 0.34], 0.05, SUIT, 7);
      b.ball([side * 0.13, 0.36, z - 0.36], [0.05, 0.05, 0.06], BLACK, 8);
    }
  });
  return b;
}

/** Radius of a runner's sole in m; the tightest curve of the ice along the way has more. */
const ROCKER = 12;

function runner(x: number, z: number): MeshBuilder {
  const b = new MeshBuilder();
  // A rocker, so that it lies in hollow ice as on level ice, and turned up at both ends; its lowest line is the ice.
  const half = 0.5;
  const at = (t: number) => (half * t) ** 2 / (2 * ROCKER) + 0.035 * Math.max(0, Math.abs(t) - 0.7) ** 1.6 * 8;
  for (let i = 0; i < 10; i += 1) {
    const [t0, t1] = [-1 + 0.2 * i, -0.8 + 0.2 * i];
    const [y0, y1] = [at(t0), at(t1)];
    b.quad([x - 0.008, y0, z + half * t0], [x + 0.008, y0, z + half * t0], [x + 0.008, y1, z + half * t1], [x - 0.008, y1, z + half * t1], STEEL);
    for (const side of [-1, 1]) b.quad([x + side * 0.008, y0, z + half * t0], [x + side * 0.008, y1, z + half * t1], [x + side * 0.012, y1 + 0.05, z + half * t1], [x + side * 0.012, y0 + 0.05, z + half * t0], STEEL);
    b.quad([x - 0.012, y0 + 0.05, z + half * t0], [x - 0.012, y1 + 0.05, z + half * t1], [x + 0.012, y1 + 0.05, z + half * t1], [x + 0.012, y0 + 0.05, z + half * t0], STEEL);
  }
  for (const dz of [-0.12, 0.12]) b.tube([x, 0.04, z + dz], [x, 0.12, z + 0.4 * dz], 0.016, BLACK, 5);
  return b;
}

function builders(): Record<BodyName, MeshBuilder> {
  const head = new MeshBuilder();
  head.box([-0.1, 0.11, -1.8], [0.1, 0.18, -1.58], BLACK);
  const axle = new MeshBuilder();
  axle.box([-0.335, 0.09, -1.72], [0.335, 0.13, -1.66], STEEL);
  return {
    rear_hull: hull('rear'), front_hull: hull('front'), crew: crew(), steering_head: head, front_axle: axle,
    runner_1: runner(-0.335, 0), runner_2: runner(0.335, 0), runner_3: runner(-0.335, -1.69), runner_4: runner(0.335, -1.69),
  };
}

/** What the pilot sees of his own hands and rings; only in the cockpit. */
function ropes(): MeshBuilder {
  const b = new MeshBuilder();
  for (const side of [-1, 1]) {
    const ring: Triple[] = Array.from({ length: 11 }, (_, i) => [side * 0.16 + 0.06 * Math.cos((2 * Math.PI * i) / 10), 0.43 + 0.07 * Math.sin((2 * Math.PI * i) / 10), -1.0]);
    bar(b, ring, 0.011, STEEL);
    bar(b, [[side * 0.13, 0.46, -1.02], [side * 0.1, 0.42, -1.12], [side * 0.05, 0.36, -1.3]], 0.012, '#d8c48c');
  }
  return b;
}

/** Geometry is made once for all sleds. */
let made: Record<BodyName, BufferGeometry> | null = null;
function geometries(): Record<BodyName, BufferGeometry> {
  made ??= Object.fromEntries(Object.entries(builders()).map(([name, b]) => [name, b.build()])) as Record<BodyName, BufferGeometry>;
  return made;
}

export class SledModel {
  readonly group = new Group();
  private readonly meshes: Mesh[] = [];
  private readonly ropes: Mesh;

  constructor(quality: BobQuality, ghost: string | null = null) {
    const shapes = geometries();
    const material: Material = ghost === null ? thingMaterial(quality, { roughness: 0.32, metalness: 0.05 }) : ghostMaterial(ghost);
    for (const name of bodyNames) {
      const mesh = new Mesh(shapes[name], material);
      mesh.matrixAutoUpdate = false;
      mesh.castShadow = quality.shadow > 0 && ghost === null;
      mesh.frustumCulled = false;
      mesh.name = `sled ${name}`;
      if (ghost !== null) {
        // First only its depth: else a ghost is a cloud of parts.
        const depth = new Mesh(shapes[name], new MeshBasicMaterial({ colorWrite: false, side: DoubleSide }));
        depth.matrixAutoUpdate = false;
        depth.frustumCulled = false;
        depth.renderOrder = 5;
        mesh.renderOrder = 6;
        depth.matrix = mesh.matrix;
        this.group.add(depth);
      }
      this.meshes.push(mesh);
      this.group.add(mesh);
    }
    this.ropes = new Mesh(ropes().build(), material);
    this.ropes.matrixAutoUpdate = false;
    this.ropes.visible = false;
    this.group.add(this.ropes);
  }

  /** Places all bodies; in the cockpit the pilot's own head and body are away. */
  place(frames: BodyFrames, cockpit: boolean): void {
    this.meshes.forEach((mesh, i) => mesh.matrix.copy(frames.matrices[i]!));
    this.meshes[bodyNames.indexOf('crew')]!.visible = !cockpit;
    this.ropes.visible = cockpit;
    this.ropes.matrix.copy(frames.matrix('rear_hull'));
  }
}

function ghostMaterial(colour: string): Material {
  return new ShaderMaterial({
    transparent: true, depthWrite: false, side: DoubleSide,
    uniforms: { uColour: { value: new Color(colour) } },
    vertexShader: 'varying vec3 vN, vV; void main() { vec4 p = modelViewMatrix * vec4(position, 1.0); vN = normalMatrix * normal; vV = -p.xyz; gl_Position = projectionMatrix * p; }',
    fragmentShader: 'varying vec3 vN, vV; uniform vec3 uColour; void main() { float f = 1.0 - abs(dot(normalize(vN), normalize(vV))); gl_FragColor = vec4(uColour, 0.5 + 0.5 * pow(f, 1.5)); }',
  });
}

/** Lowest point of each drawn runner in its body's frame: what must lie on the ice. */
export function runnerSoles(): { body: BodyName; point: Vector3 }[] {
  const shapes = geometries();
  return (['runner_1', 'runner_2', 'runner_3', 'runner_4'] as const).map((body) => {
    const position = shapes[body].attributes.position!;
    let lowest = new Vector3(0, Infinity, 0);
    for (let i = 0; i < position.count; i += 1) if (position.getY(i) < lowest.y) lowest = new Vector3().fromBufferAttribute(position, i);
    return { body, point: lowest };
  });
}

/** How far the drawn crew comes out through the sides, the bottom or the ends of the rear hull, in m, when it leans to the side about its hips by an
 * angle in rad; below zero it has room. Above the shell's rim a crew is seen and may be anywhere. */
export function crewOutside(hips: readonly number[], lean: number): number {
  const position = geometries().crew.attributes.position!;
  const rim = Math.sin(2 * Math.PI * (SHELL.to - 1)) ** SHELL.power;
  const [c, s] = [Math.cos(lean), Math.sin(lean)];
  let out = -Infinity;
  for (let i = 0; i < position.count; i += 1) {
    const [x0, y0, z] = [position.getX(i) - hips[0]!, position.getY(i) - hips[1]!, position.getZ(i)];
    const [x, y] = [hips[0]! + c * x0 - s * y0, hips[1]! + s * x0 + c * y0];
    out = Math.max(out, REAR[0]![0] - z, z - REAR.at(-1)![0]);
    const next = Math.max(1, REAR.findIndex((ring, k) => k === REAR.length - 1 || ring[0] >= z));
    const [a, b] = [REAR[next - 1]!, REAR[next]!];
    const share = (z - a[0]) / (b[0] - a[0]);
    const [half, bottom, top] = ([1, 2, 3] as const).map((k) => a[k] + share * (b[k] - a[k])) as Triple;
    const high = (2 * y - bottom - top) / (top - bottom);
    if (high > rim) continue;
    out = Math.max(out, bottom + SHELL.thick - y);
    // Of the superellipse: the side at that height.
    const sine = Math.min(1, Math.abs(high)) ** (1 / SHELL.power);
    out = Math.max(out, Math.abs(x) - (half - SHELL.thick) * Math.sqrt(1 - sine * sine) ** SHELL.power);
  }
  return out;
}
