// The stage: everything that is drawn, drawn only when something has changed.

import { Box3, Group, Matrix4, NeutralToneMapping, PCFShadowMap, Plane, Quaternion, Raycaster, Scene, Sphere, Vector2, Vector3, WebGLRenderer } from 'three';
import { niceBelow } from '../numbers/nice';
import { parseLines, parseTriangles } from '../protocol/geometry';
import { OverlayKind, ITEM_WORDS, type Frame } from '../protocol/frame';
import type { Assets, Role } from '../protocol/messages';
import { Bodies, toScreen } from './bodies';
import { Breather } from './breather';
import { Chase } from './chase';
import { Ground } from './ground';
import { StudioLight } from './light';
import { LineSets } from './line-sets';
import { Outline } from './outline';
import type { OverlayName } from './overlay-names';
import { Overlays, type LegendEntry, type Spring } from './overlays';
import type { Quality } from './quality';
import { meshGeometry } from './shapes';
import { StillLayer, type Still } from './still-layer';
import { Trails } from './trails';
import { View } from './view';

const EXPOSURE = 1.05;
/** The scale bar, and with it a cell of the grid, is at most this long on the screen. */
const SCALE_PIXELS = 110;
/** Fitting the shadows to the bodies looks at all of them: a few times a second is enough. */
const COVER_EVERY_MS = 250;

/** A body that is further from what the camera looks at than the camera itself, times this, has gone off. */
const RIDE_AWAY = 1.5;

export interface StageColors {
  data: string;
  halo: string;
  grid: string;
  gridStrength: number;
  /** The ground that a headset sees instead of the page. */
  backdrop: string;
  roles: Record<Role, string>;
}

/** What is drawn of the scene beside its bodies. */
export interface StageLayers {
  overlays: OverlayName[];
  wireframe: boolean;
  translucent: boolean;
  /** Which line sets are shown, by their place in the assets. */
  lines: boolean[];
}

/** A plane that cuts away what lies before it. */
export interface Section {
  /** Unit vector from the viewer into the scene, and a point of the plane at depth 0. */
  into: readonly [number, number, number];
  through: readonly [number, number, number];
  /** How far beyond that point it is, in scene radii. */
  depth: number;
}

/** What a stage shows, and where its geometry is fetched. */
export interface StageSource {
  assets: Assets;
  /** Address of the track, below the API. */
  place: string;
}

export type FetchBinary = (path: string) => Promise<ArrayBuffer>;

export class Stage {
  readonly view: View;
  readonly overlays = new Overlays();
  readonly renderer: WebGLRenderer;
  readonly scene = new Scene();
  bodies: Bodies | null = null;
  private readonly light: StudioLight;
  private readonly outline: Outline;
  private readonly raycaster = new Raycaster();
  private readonly resolution = new Vector2(1, 1);
  private readonly ghosts = new Map<number, Bodies>();
  private readonly ghostGroup = new Group();
  private lines: LineSets | null = null;
  private ground: Ground | null = null;
  private trails: Trails | null = null;
  private source: StageSource | null = null;
  private colors: StageColors | null = null;
  private layers: StageLayers = { overlays: [], wireframe: false, translucent: false, lines: [] };
  private frame: Frame | null = null;
  private selected: number | null = null;
  private followed: number | null = null;
  /** The body to ride with as soon as it is there. */
  private toRide: number | null = null;
  private readonly followedAt = new Vector3();
  private chase: Chase | null = null;
  private ownSpring: Spring | null = null;
  private dirty = true;
  /** Share of the usual pixels along each side. */
  private sharpness = 1;
  private gridStep = 0;
  private coveredAt = -Infinity;
  private readonly breather = new Breather();
  private readonly stillLayer: StillLayer;
  private readonly bound = new Sphere();
  private readonly plane = new Plane();
  private section: Section | null = null;
  private whole: number | null = null;

  /** Throws where the browser cannot draw in three dimensions. */
  constructor(canvas: HTMLCanvasElement, input: HTMLElement, private readonly quality: Quality) {
    this.renderer = new WebGLRenderer({ canvas, antialias: quality.antialias, alpha: true, powerPreference: 'high-performance' });
    this.renderer.toneMapping = NeutralToneMapping;
    this.renderer.toneMappingExposure = EXPOSURE;
    this.renderer.shadowMap.enabled = quality.shadowSize > 0;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.renderer.setClearColor(0, 0);
    this.view = new View(input, () => (this.dirty = true));
    this.light = new StudioLight(this.scene, this.renderer, quality);
    this.outline = new Outline(this.overlays.surroundings.viewport);
    this.stillLayer = new StillLayer(this.light.group);
    this.scene.add(this.view.rig, this.light.group, this.overlays.group, this.outline.mesh, this.ghostGroup, this.stillLayer.copy);
  }

  /** Calls `tick` for each picture, whether on the screen or in a headset; null ends it. */
  loop(tick: ((now: number) => void) | null): void {
    this.renderer.setAnimationLoop(tick);
  }

  /** Builds what the server described; `keepView` leaves the camera where it is, `composed` takes the scene's camera as it is given. */
  async build(source: StageSource, fetchBinary: FetchBinary, keepView: boolean, composed = false): Promise<void> {
    const { followed, chase } = this;
    this.clearScene();
    // The same scene with more bodies: the camera goes on with the one that it went with.
    if (keepView && followed !== null && followed < source.assets.bodies.length) [this.followed, this.chase] = [followed, chase];
    this.source = source;
    const { assets } = source;
    const subject = assets.subject && !composed ? new Box3(new Vector3(...assets.subject.low), new Vector3(...assets.subject.high)) : null;
    this.view.setStart(new Vector3(...assets.camera.position), new Vector3(...assets.camera.target), assets.ground, !keepView, subject);
    this.overlays.setScale(this.view.sceneRadius);
    this.bodies = new Bodies(assets, { shadows: this.quality.shadowSize > 0, environment: this.quality.environment });
    this.lines = new LineSets(assets.lines);
    this.trails = new Trails(assets);
    this.scene.add(this.bodies.group, this.lines.group, this.trails.group);
    if (assets.ground !== null) {
      this.ground = new Ground(assets.ground, this.quality);
      this.ground.reach(this.view.sceneCentre, 8 * this.view.sceneRadius);
      this.scene.add(this.ground.group);
    }
    this.toRide = keepView ? null : (assets.ride ?? null);
    this.light.face(this.view.startAzimuth);
    this.light.cover(new Sphere(this.view.sceneCentre, this.view.sceneRadius));
    this.gridStep = 0;
    this.paint();
    this.applyLayers();
    this.setSection(this.section);
    await this.fetchGeometry(source, fetchBinary);
  }

  /** Shows another run beside this one as a ghost; null takes it away. */
  async setGhost(track: number, source: StageSource | null, fetchBinary: FetchBinary): Promise<void> {
    const old = this.ghosts.get(track);
    old?.group.removeFromParent();
    old?.dispose();
    this.ghosts.delete(track);
    this.dirty = true;
    if (!source) return;
    const ghost = new Bodies(source.assets, { shadows: false, environment: false, ghost: this.colors?.roles.second ?? '#a85708' });
    this.ghosts.set(track, ghost);
    this.ghostGroup.add(ghost.group);
    await Promise.all(source.assets.shapes.map(async (shape, index) => {
      if (shape.kind !== 'mesh') return;
      const geometry = meshGeometry(parseTriangles(await fetchBinary(`${source.place}/shapes/${index}`)));
      if (this.ghosts.get(track) === ghost) ghost.setGeometry(index, geometry);
    }));
  }

  setColors(colors: StageColors): void {
    this.colors = colors;
    this.paint();
  }

  setLayers(layers: StageLayers): void {
    this.layers = layers;
    this.applyLayers();
  }

  /** Cuts away what lies before a plane, but for one body. */
  setSection(section: Section | null): void {
    this.section = section;
    this.renderer.localClippingEnabled = section !== null;
    if (section) {
      const into = new Vector3(...section.into);
      this.plane.set(into, -into.dot(new Vector3(...section.through)) - section.depth * this.view.sceneRadius);
    }
    this.bodies?.setSection(section && this.plane, this.whole);
    this.dirty = true;
  }

  /** The body that a section leaves whole. */
  keepWhole(body: number | null): void {
    if (body === this.whole) return;
    this.whole = body;
    this.setSection(this.section);
  }

  resize(width: number, height: number): void {
    if (this.renderer.xr.isPresenting) return;
    this.resolution.set(width, height);
    this.renderer.setPixelRatio(this.sharpness * Math.min(devicePixelRatio, this.quality.pixelRatio));
    this.renderer.setSize(width, height, false);
    this.overlays.surroundings.viewport.value.copy(this.resolution);
    this.lines?.resize(this.resolution);
    this.view.resize(width, height);
    this.dirty = true;
  }

  apply(frame: Frame): void {
    this.frame = frame;
    this.bodies?.apply(frame);
    this.trails?.add(frame);
    this.beginRide();
    this.followOn();
    this.dirty = true;
  }

  applyGhost(track: number, frame: Frame): void {
    this.ghosts.get(track)?.apply(frame);
    this.dirty = true;
  }

  select(body: number | null): void {
    this.selected = body;
    this.dirty = true;
  }

  get selection(): number | null {
    return this.selected;
  }

  /** Lets the camera go with a body, and turn with it where it chases; null leaves it where it is. */
  follow(body: number | null, chases = false): void {
    this.followed = body;
    this.chase = body !== null && chases && this.bodies ? new Chase(this.bodies.positionOf(body), this.bodies.turnOf(body)) : null;
    if (body === null || !this.bodies?.isThere(body)) return;
    this.bodies.positionOf(body, this.followedAt);
    this.view.centre(this.followedAt.clone());
  }

  get following(): number | null {
    return this.followed;
  }

  /** The spring of this page's own hand, shown until the server shows it. */
  setOwnSpring(spring: Spring | null): void {
    const before = this.ownSpring;
    const same = spring && before ? spring.grip.equals(before.grip) && spring.hand.equals(before.hand) : spring === before;
    this.ownSpring = spring;
    if (!same) this.dirty = true;
  }

  touch(): void {
    this.dirty = true;
  }

  /** The ray from the camera through a place on the canvas, in CSS pixels. */
  rayAt(x: number, y: number): { origin: Vector3; direction: Vector3 } {
    this.raycaster.setFromCamera(new Vector2((2 * x) / this.resolution.x - 1, 1 - (2 * y) / this.resolution.y), this.view.camera);
    return { origin: this.raycaster.ray.origin.clone(), direction: this.raycaster.ray.direction.clone() };
  }

  pick(x: number, y: number): { body: number; point: Vector3 } | null {
    this.rayAt(x, y);
    return this.bodies?.pick(this.raycaster) ?? null;
  }

  /** The first movable body along a ray of the world. */
  pickAlong(origin: Vector3, direction: Vector3): { body: number; point: Vector3 } | null {
    this.raycaster.set(origin, direction);
    return this.bodies?.pick(this.raycaster) ?? null;
  }

  positionOf(body: number): Vector3 {
    return this.bodies!.positionOf(body);
  }

  turnOf(body: number): Quaternion {
    return this.bodies!.turnOf(body);
  }

  matrixOf(body: number): Matrix4 {
    return this.bodies!.matrixOf(body);
  }

  /** Height of the ground, null without one. */
  get groundHeight(): number | null {
    return this.source?.assets.ground ?? null;
  }

  /** The largest contact force in N within reach of a body, from the newest frame; 0 where forces do not come. */
  contactForceNear(body: number): number {
    const { frame } = this;
    if (!frame || !this.bodies) return 0;
    const centre = this.bodies.positionOf(body);
    const reach = 1.05 * this.bodies.radiusOf(body);
    let largest = 0;
    for (let i = 0; i < frame.itemCount; i += 1) {
      const at = ITEM_WORDS * i;
      if (frame.itemWords[at] !== OverlayKind.force) continue;
      const distance = Math.hypot(frame.items[at + 1]! - centre.x, frame.items[at + 2]! - centre.y, frame.items[at + 3]! - centre.z);
      if (distance <= reach) largest = Math.max(largest, frame.items[at + 7]!);
    }
    return largest;
  }

  /** Triangles of the newest picture, without those that were copied. */
  get triangles(): number {
    return this.renderer.info.render.triangles;
  }

  /** Size of the canvas in CSS pixels. */
  get size(): { width: number; height: number } {
    return { width: this.resolution.x, height: this.resolution.y };
  }

  get labels(): Frame['labels'] {
    return this.layers.overlays.includes('labels') ? (this.frame?.labels ?? []) : [];
  }

  toScreen(point: Vector3): { x: number; y: number; visible: boolean } {
    return toScreen(point, this.view.camera, this.resolution.x, this.resolution.y);
  }

  /** Shows all that can move, where it is now, down to the ground; of a scene in which nothing can move, all of it. */
  fit(): void {
    const box = this.bodies?.extent(this.view.sceneRadius) ?? null;
    if (!box) return;
    const ground = this.groundHeight;
    // What flies high above the ground is seen without it.
    const height = box.max.y - box.min.y;
    if (ground !== null && box.min.y - ground < height) box.min.y = Math.min(box.min.y, ground);
    this.view.fit(box);
  }

  legend(): LegendEntry[] {
    return this.overlays.legend(this.view.pixelsPerMetre);
  }

  /** Length of the scale bar in metres and in pixels. */
  get scaleBar(): { metres: number; pixels: number } {
    const metres = niceBelow(SCALE_PIXELS / this.view.pixelsPerMetre);
    return { metres, pixels: metres * this.view.pixelsPerMetre };
  }

  /** Draws if anything has changed; returns whether it did. A headset needs a picture each time; while a hand holds something it is given, with the body that it holds, and `due` says whether a picture now would be worth it. */
  draw(now: number, hand: { body: number | null } | null = null, due = true): boolean {
    const hurries = hand !== null;
    const presenting = this.renderer.xr.isPresenting;
    if (!presenting && this.view.update(now)) this.dirty = true;
    const mayDraw = presenting || this.breather.mayDraw(now, hurries);
    if (!presenting && this.breather.share !== this.sharpness) {
      this.sharpness = this.breather.share;
      this.resize(this.resolution.x, this.resolution.y);
    }
    if (!presenting && (!mayDraw || !due || !this.dirty)) return false;
    this.dirty = false;
    this.breather.drew(now);
    if (this.frame) this.overlays.apply(this.frame, this.ownSpring, now / 1000);
    if (this.bodies) {
      this.lines?.follow((body, out) => this.bodies!.matrixOf(body, out));
      this.outline.show(...this.outlined());
      this.ground?.shadeBelow((height, out) => this.bodies!.occluders(height, out));
      this.coverWithLight(now);
    }
    this.trails?.show(this.layers.overlays.includes('trails'));
    const { metres } = this.scaleBar;
    if (metres !== this.gridStep && !presenting) {
      this.gridStep = metres;
      this.ground?.setStep(metres);
    }
    if (presenting) this.renderer.render(this.scene, this.view.camera);
    else this.stillLayer.draw(this.renderer, this.scene, this.view.camera, this.stillUnder(hand));
    return true;
  }

  /** What need not be drawn again while a hand moves something; null where shadows and smooth edges reach from what moves to what does not. */
  private stillUnder(hand: { body: number | null } | null): Still | null {
    if (!hand || !this.bodies || this.quality.antialias || this.quality.shadowSize > 0) {
      this.bodies?.unwatch();
      return null;
    }
    this.bodies.watch(hand.body);
    return this.bodies.still;
  }

  /** The present picture, cut to a size. */
  snapshot({ width, height }: { width: number; height: number }): Promise<Blob | null> {
    // What was drawn is readable until this task ends.
    this.renderer.render(this.scene, this.view.camera);
    const source = this.renderer.domElement;
    const scale = Math.min(source.width / width, source.height / height);
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [width, height];
    const [w, h] = [scale * width, scale * height];
    canvas.getContext('2d')?.drawImage(source, (source.width - w) / 2, (source.height - h) / 2, w, h, 0, 0, width, height);
    return new Promise((resolve) => canvas.toBlob(resolve, 'image/png'));
  }

  dispose(): void {
    this.loop(null);
    this.clearScene();
    for (const ghost of this.ghosts.values()) ghost.dispose();
    this.overlays.dispose();
    this.outline.dispose();
    this.stillLayer.dispose();
    this.view.dispose();
    this.renderer.dispose();
    this.renderer.forceContextLoss();
  }

  /** A scene whose subject runs away takes the camera along from its first frame on. */
  private beginRide(): void {
    const ride = this.toRide;
    if (ride === null || !this.bodies?.isThere(ride)) return;
    this.toRide = null;
    this.followed = ride;
    this.bodies.positionOf(ride, this.followedAt);
    this.chase = new Chase(this.followedAt.clone(), this.bodies.turnOf(ride));
    // Who joins later finds the camera beside the body, not where it was at the start.
    const { target } = this.view;
    if (this.followedAt.distanceTo(target) > RIDE_AWAY * this.view.distance) this.view.carry(this.followedAt.clone().sub(target));
  }

  private followOn(): void {
    if (this.followed === null || !this.bodies?.isThere(this.followed)) return;
    const now = this.bodies.positionOf(this.followed);
    this.view.carry(now.clone().sub(this.followedAt));
    this.followedAt.copy(now);
    if (this.chase && this.frame) this.view.swing(this.chase.turn(now, this.bodies.turnOf(this.followed), this.frame.time, this.view.azimuth));
  }

  private outlined(): [ReturnType<Bodies['geometryOf']>, Matrix4 | null] {
    if (this.selected === null || !this.bodies!.isThere(this.selected)) return [null, null];
    return [this.bodies!.geometryOf(this.selected), this.bodies!.matrixOf(this.selected)];
  }

  private coverWithLight(now: number): void {
    if (this.quality.shadowSize === 0 || now - this.coveredAt < COVER_EVERY_MS) return;
    this.coveredAt = now;
    const sphere = new Sphere(this.view.sceneCentre.clone(), 0.8 * this.view.sceneRadius);
    // Bodies that flew far away do not cost the others their shadows.
    if (this.bodies!.bounds(this.view.sceneRadius, this.bound) && this.bound.radius < 4 * this.view.sceneRadius) sphere.union(this.bound);
    this.light.cover(sphere);
  }

  private paint(): void {
    this.dirty = true;
    if (!this.colors) return;
    const { data, halo, grid, gridStrength, roles } = this.colors;
    this.overlays.setColors({ data, halo, roles });
    this.trails?.setColor(data);
    for (const ghost of this.ghosts.values()) ghost.setGhostColor(roles.second);
    this.outline.setColor(roles.accent);
    this.ground?.setColor(grid, gridStrength);
    this.source?.assets.lines.forEach(({ role }, index) => this.lines?.setColor(index, roles[role]));
    this.applyLayers();
  }

  private applyLayers(): void {
    const { overlays, wireframe, translucent, lines } = this.layers;
    this.overlays.shown.clear();
    for (const name of overlays) this.overlays.shown.add(name);
    this.bodies?.setTranslucent(translucent);
    this.bodies?.setWireframe(wireframe, this.colors?.roles.ink ?? '#000000');
    lines.forEach((visible, index) => this.lines?.show(index, visible));
    this.dirty = true;
  }

  private async fetchGeometry(source: StageSource, fetchBinary: FetchBinary): Promise<void> {
    const { assets, place } = source;
    const stillShown = () => this.source === source;
    const shapes = assets.shapes.map(async (shape, index) => {
      if (shape.kind !== 'mesh') return;
      const geometry = meshGeometry(parseTriangles(await fetchBinary(`${place}/shapes/${index}`)));
      if (stillShown()) this.bodies!.setGeometry(index, geometry);
    });
    const lines = assets.lines.map(async ({ role }, index) => {
      const segments = parseLines(await fetchBinary(`${place}/lines/${index}`));
      if (stillShown() && segments.length > 0) this.lines!.setSegments(index, segments, this.colors?.roles[role] ?? '#000000', this.resolution);
    });
    const results = await Promise.allSettled([...shapes, ...lines]);
    if (!stillShown()) return;
    this.applyLayers();
    const failed = results.find((result) => result.status === 'rejected');
    if (failed) throw failed.reason;
  }

  private clearScene(): void {
    this.stillLayer.forget();
    for (const part of [this.bodies, this.lines, this.ground, this.trails]) {
      part?.group.removeFromParent();
      part?.dispose();
    }
    this.bodies = this.lines = this.ground = this.trails = null;
    this.frame = null;
    this.followed = null;
    this.chase = null;
  }
}
