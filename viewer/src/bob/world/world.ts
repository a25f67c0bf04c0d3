// Everything that is seen of a track, made from its numbers, with the light of an hour.

import {
  ACESFilmicToneMapping, CanvasTexture, Color, DirectionalLight, DoubleSide, FogExp2, Group, HemisphereLight, Mesh, MeshBasicMaterial, PerspectiveCamera, PlaneGeometry, PMREMGenerator, PointLight, Scene,
  ShaderMaterial, Sprite, SpriteMaterial, SRGBColorSpace, Vector3, WebGLRenderer, type Material, type Quaternion, type Texture,
} from 'three';
import type { Shot } from '../cameras';
import type { BobQuality } from '../quality';
import type { Landmark, LinePoint, TrackShape } from '../track';
import { alongMesh, boardMesh } from './along';
import { daylightAt } from './daylight';
import { groundMesh } from './ground';
import { IceMesh } from './ice';
import { alongMaterial, iceMaterial, lampTexture, MOST_BARRIERS, snowMaterial, thingMaterial, type SharedUniforms } from './materials';
import { iceTexture } from './noise';
import { Sky } from './sky';
import { Terrain } from './terrain';
import { clearings, LAMP_SPACING, lamps, landmarkMeshes, things, type Lamp, type Things } from './things';
import { Forest } from './trees';

export interface Cost {
  calls: number;
  triangles: number;
}

export class World {
  readonly scene = new Scene();
  readonly camera = new PerspectiveCamera(60, 16 / 9, 0.1, 9000);
  /** What a headset's head and hands are in: the sled. Without one it stands at the origin. */
  readonly rig = new Group();
  readonly renderer: WebGLRenderer;
  readonly terrain: Terrain;
  private readonly sky: Sky;
  private readonly shared: SharedUniforms;
  private readonly sun = new DirectionalLight('#ffffff', 1);
  private readonly hemisphere = new HemisphereLight('#ffffff', '#ffffff', 1);
  private readonly followers: PointLight[];
  private readonly ice: IceMesh;
  private readonly forest: Forest;
  private readonly things: Things;
  private readonly lamps: Lamp[];
  private readonly lampHeads = new MeshBasicMaterial({ color: '#777777' });
  private readonly shade: Mesh;
  private readonly landmarks = new Group();
  private landmarkSigns: MeshBasicMaterial[] = [];
  private readonly solid: Material;
  private environment: Texture | null = null;
  private sailsClosed = false;
  private day = 1;
  private hour = NaN;
  private readonly overviewRibbon: Group;
  /** Where the sled is, from far above. */
  private readonly marker = dot('#ff7a1a');
  private readonly looking = new Vector3();

  constructor(canvas: HTMLCanvasElement, readonly track: TrackShape, line: readonly LinePoint[], readonly quality: BobQuality) {
    this.renderer = new WebGLRenderer({ canvas, antialias: quality.antialias, powerPreference: 'high-performance', preserveDrawingBuffer: quality.name === 'test' });
    this.renderer.setPixelRatio(Math.min(quality.pixelRatio, globalThis.devicePixelRatio || 1));
    this.renderer.toneMapping = ACESFilmicToneMapping;
    this.renderer.info.autoReset = false;
    this.renderer.shadowMap.enabled = quality.shadow > 0;
    this.terrain = new Terrain(track);
    this.lamps = lamps(track);
    const barriers = new Float32Array(MOST_BARRIERS).fill(-1e6);
    [0, ...track.data.timing.stations].slice(0, MOST_BARRIERS).forEach((s, i) => (barriers[i] = s));
    const noise = iceTexture(quality.name === 'test' ? 64 : quality.physical ? 512 : 256);
    this.shared = {
      uNoise: { value: noise }, uLamps: { value: lampTexture(this.lamps.map(({ head }) => head)) }, uLampCount: { value: this.lamps.length },
      uLampAt: { value: [this.lamps[0]?.s ?? 0, LAMP_SPACING] }, uDay: { value: 1 }, uZenith: { value: new Color() }, uHorizon: { value: new Color() },
      uBarriers: { value: barriers }, uIdeal: { value: 0 },
    };
    this.sky = new Sky(noise);
    this.ice = new IceMesh(track, line, iceMaterial(quality, this.shared), quality);
    const solid = (this.solid = thingMaterial(quality));
    const cloth = thingMaterial(quality, { roughness: 0.9, emissive: 0x2a2c2e });
    this.things = things(track, this.terrain, quality, solid, cloth, this.lampHeads);
    this.forest = new Forest(this.terrain, thingMaterial(quality, { roughness: 0.85 }), quality, clearings(track));
    this.shade = blob(quality.shadow > 0 ? 0.24 : 0.42);
    this.overviewRibbon = ribbon(track);
    this.overviewRibbon.visible = this.marker.visible = false;
    this.followers = Array.from({ length: quality.lights }, () => new PointLight('#fff2dc', 0, 60, 1.6));
    this.rig.add(this.camera);
    this.scene.add(
      this.rig, this.landmarks, this.sky.mesh, this.ice.group, alongMesh(track, this.terrain, alongMaterial(quality, this.shared), quality), groundMesh(this.terrain, snowMaterial(quality, this.shared), quality),
      boardMesh(track, solid, quality), this.things.group, this.forest.group, this.sun, this.sun.target, this.hemisphere, this.shade, this.overviewRibbon, this.marker, ...this.followers,
    );
    this.scene.fog = new FogExp2('#ffffff', 0.0002);
    if (quality.shadow > 0) {
      this.sun.castShadow = true;
      const { shadow } = this.sun;
      shadow.mapSize.set(quality.shadow, quality.shadow);
      shadow.bias = -0.0004;
      // Two texels and more: banks in grazing sun would else be striped by their own shadow.
      shadow.normalBias = 0.12;
      Object.assign(shadow.camera, { left: -quality.shadowBox, right: quality.shadowBox, top: quality.shadowBox, bottom: -quality.shadowBox, near: 1, far: 400 });
    }
    this.rest();
    this.setHour(11);
  }

  /** Scenery stays where it is: nobody computes its matrices again with every picture. */
  private rest(): void {
    this.scene.updateMatrixWorld(true);
    for (const part of [this.ice.group, this.forest.group, this.things.group, this.overviewRibbon, this.scene.getObjectByName('along the ice'), this.scene.getObjectByName('hill')]) {
      part?.traverse((object) => (object.matrixAutoUpdate = object.matrixWorldAutoUpdate = false));
    }
  }

  /** Fewer pixels than the level has, as a share of both sides: for machines that it is too much for. */
  setPixelShare(share: number): void {
    this.renderer.setPixelRatio(share * Math.min(this.quality.pixelRatio, globalThis.devicePixelRatio || 1));
  }

  setHour(hour: number): void {
    if (hour === this.hour) return;
    this.hour = hour;
    const light = daylightAt(hour);
    this.day = light.day;
    this.sky.set(light);
    this.shared.uDay.value = light.day;
    this.shared.uZenith.value.copy(light.zenith);
    this.shared.uHorizon.value.copy(light.horizon);
    this.sun.color.copy(light.sun);
    this.sun.intensity = light.sunIntensity * (this.quality.physical ? 1 : 0.72);
    this.sun.userData.direction = light.direction;
    this.hemisphere.color.copy(light.hemisphereSky);
    this.hemisphere.groundColor.copy(light.hemisphereGround);
    this.hemisphere.intensity = light.hemisphereIntensity * (this.quality.physical ? 1 : 1.9);
    const fog = this.scene.fog as FogExp2;
    fog.color.copy(light.fog);
    fog.density = light.fogDensity;
    this.renderer.toneMappingExposure = light.exposure;
    this.lampHeads.color.set(light.day < 0.5 ? '#fff8ea' : '#8a8f94');
    for (const sign of [...this.things.signs, ...this.landmarkSigns]) sign.color.setScalar(0.3 + 0.62 * light.day);
    if (this.quality.physical) this.bake();
  }

  /** Light from the sky, without the sun's disc. */
  private bake(): void {
    const generator = new PMREMGenerator(this.renderer);
    const dome = new Scene();
    const sky = new Sky(this.shared.uNoise.value);
    for (const [key, uniform] of Object.entries(this.sky.material.uniforms)) sky.material.uniforms[key]!.value = uniform.value;
    sky.material.uniforms.uDisc!.value = 0;
    dome.add(sky.mesh);
    this.environment?.dispose();
    this.environment = generator.fromScene(dome, 0, 0.1, 10).texture;
    this.scene.environment = this.environment;
    this.scene.environmentIntensity = 0.62;
    generator.dispose();
  }

  setSails(closed: boolean): void {
    this.sailsClosed = closed;
  }

  /** Sails as they are set; from far above they are too small to be drawn. */
  private showSails(overview: boolean): void {
    this.things.open.visible = !this.sailsClosed && !overview;
    this.things.closed.visible = this.sailsClosed && !overview;
  }

  /** Puts up landmarks in the place of those that are there. */
  setLandmarks(landmarks: readonly Landmark[]): void {
    for (const child of [...this.landmarks.children]) {
      child.removeFromParent();
      child.traverse((object) => {
        if (object instanceof Mesh) object.geometry.dispose();
      });
    }
    const made = landmarkMeshes(this.track, this.terrain, landmarks, this.solid, this.quality.shadow > 0);
    this.landmarkSigns = made.signs;
    for (const sign of made.signs) sign.color.setScalar(0.3 + 0.62 * this.day);
    this.landmarks.add(...made.group.children);
  }

  /** A headset's head is in the sled: what it sees follows the sled, and the head moves in it. */
  sitAt(position: Vector3, turn: Quaternion): void {
    this.rig.position.copy(position);
    this.rig.quaternion.copy(turn);
    this.rig.updateMatrixWorld(true);
  }

  leaveHeadset(): void {
    this.rig.position.set(0, 0, 0);
    this.rig.quaternion.identity();
    this.rig.updateMatrixWorld(true);
  }

  showIdeal(on: boolean): void {
    this.shared.uIdeal.value = on ? 1 : 0;
  }

  resize(width: number, height: number): void {
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / Math.max(1, height);
    this.camera.updateProjectionMatrix();
  }

  /** Moves the middle of the picture to the right by so many pixels, out from under a panel. */
  shift(pixels: number): void {
    const { clientWidth, clientHeight } = this.renderer.domElement;
    if (pixels > 0) this.camera.setViewOffset(clientWidth, clientHeight, -pixels, 0, clientWidth, clientHeight);
    else this.camera.clearViewOffset();
  }

  /** Draws a picture; `sled` is where light and shadow gather. */
  draw(shot: Shot, sled: { position: Vector3; ahead: Vector3; up: Vector3 }, overview: boolean): Cost {
    const { camera } = this;
    // In a headset the head moves the camera within the rig.
    if (!this.renderer.xr.isPresenting) {
      camera.position.copy(shot.position);
      camera.up.copy(shot.up);
      camera.lookAt(shot.target);
      camera.fov = shot.fov;
    }
    camera.near = shot.near;
    camera.updateProjectionMatrix();
    this.overviewRibbon.visible = this.marker.visible = overview;
    this.marker.position.copy(sled.position);
    this.showSails(overview);
    this.ice.update(shot.position);
    const ahead = this.renderer.xr.isPresenting ? null : this.looking.subVectors(shot.target, shot.position).normalize();
    this.forest.update(shot.position, ahead, overview ? 3 : Math.min(this.quality.physical ? 3 : 1.5, Math.max(1, Math.tan(Math.PI / 6) / Math.tan((shot.fov * Math.PI) / 360))));
    this.light(sled);
    this.renderer.info.reset();
    this.renderer.render(this.scene, camera);
    const { calls, triangles } = this.renderer.info.render;
    return { calls, triangles };
  }

  private light({ position, ahead, up }: { position: Vector3; ahead: Vector3; up: Vector3 }): void {
    const direction = this.sun.userData.direction as Vector3;
    const box = this.quality.shadowBox || 40;
    const centre = position.clone().addScaledVector(ahead, 0.72 * box);
    // Whole texels, else shadows swim.
    const texel = (2 * box) / (this.quality.shadow || 512);
    centre.set(Math.round(centre.x / texel) * texel, Math.round(centre.y / texel) * texel, Math.round(centre.z / texel) * texel);
    this.sun.target.position.copy(centre);
    this.sun.position.copy(centre).addScaledVector(direction, 200);
    this.shade.position.copy(position).addScaledVector(up, 0.03).addScaledVector(ahead, 0.9);
    this.shade.quaternion.setFromUnitVectors(new Vector3(0, 0, 1), up);
    this.shade.lookAt(this.shade.position.clone().add(up));
    // Lamps stand in a row: the nearest ones are neighbours.
    let nearest = 0;
    for (let i = 1; i < this.lamps.length; i += 1) if (distance(this.lamps[i]!.head, position) < distance(this.lamps[nearest]!.head, position)) nearest = i;
    const first = Math.max(0, Math.min(nearest - (this.followers.length >> 1), this.lamps.length - this.followers.length));
    this.followers.forEach((light, i) => {
      light.intensity = 26 * (1 - this.day);
      const head = this.lamps[first + i]?.head;
      if (head) light.position.set(head[0], head[1], head[2]);
    });
  }

  end(): void {
    this.scene.traverse((object) => {
      if (object instanceof Mesh) object.geometry.dispose();
    });
    this.environment?.dispose();
    // The next world draws on the same canvas, whose context keeps these; three's first textures must not find them set.
    const gl = this.renderer.getContext();
    gl.pixelStorei(gl.UNPACK_FLIP_Y_WEBGL, false);
    gl.pixelStorei(gl.UNPACK_PREMULTIPLY_ALPHA_WEBGL, false);
    this.renderer.dispose();
  }
}

const distance = (a: readonly number[], b: Vector3) => (a[0]! - b.x) ** 2 + (a[1]! - b.y) ** 2 + (a[2]! - b.z) ** 2;

/** A soft dark spot under the sled: the only shadow where there is no map, and what keeps it on the ice where a wall shades both. */
function blob(darkness: number): Mesh {
  const material = new ShaderMaterial({
    transparent: true, depthWrite: false, polygonOffset: true, polygonOffsetFactor: -2, polygonOffsetUnits: -2,
    vertexShader: 'varying vec2 vUv; void main() { vUv = uv; gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0); }',
    fragmentShader: `varying vec2 vUv; void main() { float d = length((vUv - 0.5) * 2.0); gl_FragColor = vec4(0.03, 0.08, 0.16, ${darkness.toFixed(2)} * (1.0 - smoothstep(0.35, 1.0, d))); }`,
  });
  const mesh = new Mesh(new PlaneGeometry(2.2, 3.4), material);
  mesh.name = 'shade';
  return mesh;
}

/** From far above the ice itself vanishes: a wide ribbon stands for it. */
function ribbon(track: TrackShape): Group {
  const group = new Group();
  const places: Vector3[] = [];
  const rights: Vector3[] = [];
  for (let s = track.first; s < track.last; s += 6) {
    const { floor, right } = track.at(s);
    places.push(new Vector3(...floor).add(new Vector3(0, 6, 0)));
    rights.push(new Vector3(...right));
  }
  const geometry = new PlaneGeometry(1, 1, 1, places.length - 1);
  const position = geometry.attributes.position!;
  places.forEach((place, i) => {
    const [left, right] = [place.clone().addScaledVector(rights[i]!, -6), place.clone().addScaledVector(rights[i]!, 6)];
    position.setXYZ(2 * i, left.x, left.y, left.z);
    position.setXYZ(2 * i + 1, right.x, right.y, right.z);
  });
  geometry.computeBoundingSphere();
  group.add(new Mesh(geometry, new MeshBasicMaterial({ color: '#0a7f8c', side: DoubleSide, fog: false })));
  for (const { number, begin, end } of track.data.bends) group.add(numeral(number, new Vector3(...track.at(0.5 * (begin + end)).floor)));
  return group;
}

/** A spot with a white rim, seen through everything, always of one size. */
function dot(colour: string): Sprite {
  const canvas = Object.assign(document.createElement('canvas'), { width: 64, height: 64 });
  const paint = canvas.getContext('2d');
  if (paint) {
    paint.fillStyle = colour;
    paint.strokeStyle = '#ffffff';
    paint.lineWidth = 9;
    paint.beginPath();
    paint.arc(32, 32, 25, 0, 2 * Math.PI);
    paint.fill();
    paint.stroke();
  }
  const sprite = overlay(canvas);
  sprite.scale.setScalar(0.028);
  sprite.renderOrder = 11;
  return sprite;
}

/** A picture that stands before everything else. */
function overlay(canvas: HTMLCanvasElement): Sprite {
  const texture = new CanvasTexture(canvas);
  texture.colorSpace = SRGBColorSpace;
  return new Sprite(new SpriteMaterial({ map: texture, depthTest: false, sizeAttenuation: false, fog: false, toneMapped: false }));
}

/** The number of a curve, seen through everything, always of one size. */
function numeral(number: number, place: Vector3): Sprite {
  const canvas = Object.assign(document.createElement('canvas'), { width: 64, height: 64 });
  const paint = canvas.getContext('2d');
  if (paint) {
    paint.fillStyle = '#0d1f26';
    paint.beginPath();
    paint.arc(32, 32, 31, 0, 2 * Math.PI);
    paint.fill();
    paint.fillStyle = '#ffffff';
    paint.font = 'bold 38px sans-serif';
    paint.textAlign = 'center';
    paint.textBaseline = 'middle';
    paint.fillText(String(number), 32, 34);
  }
  const sprite = overlay(canvas);
  sprite.position.copy(place).add(new Vector3(0, 22, 0));
  sprite.scale.setScalar(0.05);
  sprite.renderOrder = 10;
  return sprite;
}
