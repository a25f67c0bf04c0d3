// The stage: everything that is drawn, drawn only when something has changed.

import { Matrix4, NeutralToneMapping, PCFShadowMap, Raycaster, Scene, Sphere, Vector2, Vector3, WebGLRenderer } from 'three';
import { niceBelow } from '../numbers/nice';
import { parseLines, parseTriangles } from '../protocol/geometry';
import type { Frame } from '../protocol/frame';
import type { Hello, Role } from '../protocol/messages';
import { Bodies, toScreen } from './bodies';
import { Ground } from './ground';
import { StudioLight } from './light';
import { LineSets } from './line-sets';
import { Outline } from './outline';
import { Overlays, type LegendEntry, type OverlayName, type Spring } from './overlays';
import type { Quality } from './quality';
import { meshGeometry } from './shapes';
import { View } from './view';

const EXPOSURE = 1.05;
/** The scale bar, and with it a cell of the grid, is at most this long on the screen. */
const SCALE_PIXELS = 110;

export interface StageColors {
  data: string;
  halo: string;
  grid: string;
  gridStrength: number;
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

export type FetchBinary = (path: string) => Promise<ArrayBuffer>;

export class Stage {
  readonly view: View;
  readonly overlays = new Overlays();
  private readonly renderer: WebGLRenderer;
  private readonly scene = new Scene();
  private readonly light: StudioLight;
  private readonly outline: Outline;
  private readonly raycaster = new Raycaster();
  private readonly resolution = new Vector2(1, 1);
  private bodies: Bodies | null = null;
  private lines: LineSets | null = null;
  private ground: Ground | null = null;
  private hello: Hello | null = null;
  private colors: StageColors | null = null;
  private layers: StageLayers = { overlays: [], wireframe: false, translucent: false, lines: [] };
  private frame: Frame | null = null;
  private selected: number | null = null;
  private ownSpring: Spring | null = null;
  private dirty = true;
  private gridStep = 0;

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
    this.scene.add(this.light.group, this.overlays.group, this.outline.mesh);
  }

  /** Builds what the server described. A second greeting, after a lost connection, leaves the camera where it is. */
  async build(hello: Hello, fetchBinary: FetchBinary): Promise<void> {
    const first = this.hello === null;
    this.clearScene();
    this.hello = hello;
    const { assets } = hello;
    this.view.setStart(new Vector3(...assets.camera.position), new Vector3(...assets.camera.target), assets.ground, first);
    this.overlays.setScale(this.view.sceneRadius);
    this.bodies = new Bodies(assets, this.quality.shadowSize > 0);
    this.lines = new LineSets(assets.lines);
    this.scene.add(this.bodies.group, this.lines.group);
    if (assets.ground !== null) {
      this.ground = new Ground(assets.ground, this.quality.shadowSize > 0);
      this.ground.reach(this.view.sceneCentre, 8 * this.view.sceneRadius);
      this.scene.add(this.ground.group);
    }
    this.light.face(this.view.startAzimuth);
    this.light.cover(new Sphere(this.view.sceneCentre, this.view.sceneRadius));
    this.gridStep = 0;
    this.paint();
    this.applyLayers();
    await this.fetchGeometry(hello, fetchBinary);
  }

  setColors(colors: StageColors): void {
    this.colors = colors;
    this.paint();
  }

  setLayers(layers: StageLayers): void {
    this.layers = layers;
    this.applyLayers();
  }

  resize(width: number, height: number): void {
    this.resolution.set(width, height);
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, this.quality.pixelRatio));
    this.renderer.setSize(width, height, false);
    this.overlays.surroundings.viewport.value.copy(this.resolution);
    this.lines?.resize(this.resolution);
    this.view.resize(width, height);
    this.dirty = true;
  }

  apply(frame: Frame): void {
    this.frame = frame;
    this.bodies?.apply(frame.poses);
    this.dirty = true;
  }

  select(body: number | null): void {
    this.selected = body;
    this.dirty = true;
  }

  /** The spring of this page's own hand, shown until the server shows it. */
  setOwnSpring(spring: Spring | null): void {
    this.ownSpring = spring;
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

  positionOf(body: number): Vector3 {
    return this.bodies!.positionOf(body);
  }

  matrixOf(body: number): Matrix4 {
    return this.bodies!.matrixOf(body);
  }

  toScreen(point: Vector3): { x: number; y: number; visible: boolean } {
    return toScreen(point, this.view.camera, this.resolution.x, this.resolution.y);
  }

  fit(): void {
    const sphere = this.bodies?.bounds(this.view.sceneRadius);
    if (!sphere) return;
    const ground = this.hello!.assets.ground;
    if (ground !== null && sphere.center.y > ground) sphere.expandByPoint(new Vector3(sphere.center.x, ground, sphere.center.z));
    this.view.fit(sphere);
  }

  legend(): LegendEntry[] {
    return this.overlays.legend(this.view.pixelsPerMetre);
  }

  /** Length of the scale bar in metres and in pixels. */
  get scaleBar(): { metres: number; pixels: number } {
    const metres = niceBelow(SCALE_PIXELS / this.view.pixelsPerMetre);
    return { metres, pixels: metres * this.view.pixelsPerMetre };
  }

  /** Draws if anything has changed; returns whether it did. */
  draw(now: number): boolean {
    if (this.view.update(now)) this.dirty = true;
    if (!this.dirty) return false;
    this.dirty = false;
    if (this.frame) this.overlays.apply(this.frame, this.ownSpring, now / 1000);
    if (this.bodies) {
      this.lines?.follow((body, out) => this.bodies!.matrixOf(body, out));
      this.outline.show(...this.outlined());
      this.ground?.shadeBelow(this.bodies.shading());
      this.coverWithLight();
    }
    const { metres } = this.scaleBar;
    if (metres !== this.gridStep) {
      this.gridStep = metres;
      this.ground?.setStep(metres);
    }
    this.renderer.render(this.scene, this.view.camera);
    return true;
  }

  dispose(): void {
    this.clearScene();
    this.overlays.dispose();
    this.outline.dispose();
    this.view.dispose();
    this.renderer.dispose();
    this.renderer.forceContextLoss();
  }

  private outlined(): [ReturnType<Bodies['geometryOf']>, Matrix4 | null] {
    if (this.selected === null || this.selected >= this.bodies!.count) return [null, null];
    return [this.bodies!.geometryOf(this.selected), this.bodies!.matrixOf(this.selected)];
  }

  private coverWithLight(): void {
    if (this.quality.shadowSize === 0) return;
    const sphere = new Sphere(this.view.sceneCentre, 0.8 * this.view.sceneRadius);
    const bodies = this.bodies!.bounds(this.view.sceneRadius);
    // Bodies that flew far away do not cost the others their shadows.
    if (bodies && bodies.radius < 4 * this.view.sceneRadius) sphere.union(bodies);
    this.light.cover(sphere);
  }

  private paint(): void {
    this.dirty = true;
    if (!this.colors) return;
    const { data, halo, grid, gridStrength, roles } = this.colors;
    this.overlays.setColors({ data, halo, second: roles.second, accent: roles.accent });
    this.outline.setColor(roles.accent);
    this.ground?.setColor(grid, gridStrength);
    this.hello?.assets.lines.forEach(({ role }, index) => this.lines?.setColor(index, roles[role]));
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

  private async fetchGeometry(hello: Hello, fetchBinary: FetchBinary): Promise<void> {
    const { assets, session } = hello;
    const place = `sessions/${encodeURIComponent(session)}`;
    const stillShown = () => this.hello === hello;
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
    for (const part of [this.bodies, this.lines, this.ground]) {
      part?.group.removeFromParent();
      part?.dispose();
    }
    this.bodies = this.lines = this.ground = null;
    this.frame = null;
  }
}
