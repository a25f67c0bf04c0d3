// Where the stage meets the page: the canvas, the frame loop, and what floats over it.

import { isHandling, readingOf } from '../hand/reading';
import { AnswerWait } from '../stage/answer-wait';
import { PartAxes } from '../stage/part-axes';
import { SeeThrough } from '../stage/see-through';
import { effect, untracked } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { Vector3 } from 'three';
import { DeviceHub } from '../devices/hub';
import { Headset } from '../devices/headset';
import { quantityText } from '../numbers/format';
import { Mark, type Frame } from '../protocol/frame';
import { settings } from '../settings';
import { Hand } from '../stage/hand';
import { StageTool } from '../add/stage-tool';
import { PointerHand } from '../stage/pointer-hand';
import { adaptQuality, chosenQuality } from '../stage/quality';
import { Stage, type StageColors, type StageSource } from '../stage/stage';
import { Stillness } from '../numbers/stillness';
import type { Sample } from '../session/history';
import { ask } from '../session/open';
import { renderHandSound } from '../hand/sound';
import { freshHook, type TestHook } from '../test-hook';
import { theme, token } from '../theme';
import { announce } from '../ui/announce';
import { notify } from '../ui/messages';
import { drawerBelow, drawerOpen, usesDrawer } from './layout';
import type { SceneModel } from './model';
import { placeLabels } from './stage-labels';
import { StageKeys } from './stage-keys';

/** Size of a card's picture in pixels, and how many frames are drawn before it is taken. */
const PICTURE_SIZE = { width: 528, height: 300 };
const PICTURE_FRAMES = 12;

/** A right click that moved less than this is a click, not a pan. */
const CLICK_PIXELS = 5;

interface Props {
  model: SceneModel;
  picture: boolean;
  /** Which track it shows; the first stage of a page shows track 0. */
  track: number;
}

export function StageHost({ model, picture, track }: Props) {
  const host = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const labels = useRef<HTMLDivElement>(null);
  const quality = chosenQuality();
  useEffect(() => new StageRun(model, host.current!, canvas.current!, labels.current!, picture, track).end, [model, quality.name, picture, track]);
  const dimmed = model.session.phase.value === 'lost';
  const main = track === 0;
  return (
    <div
      ref={host}
      id={main ? 'stage' : `stage-${track}`}
      class={`stage-canvas${dimmed ? ' dimmed' : ''}`}
      tabIndex={0}
      role="application"
      aria-roledescription="stage"
      aria-label={main ? `Stage: ${model.title.value}` : `Stage: ${model.title.value}, other solver`}
      aria-describedby="stage-text"
    >
      {/* A canvas keeps its first context for good, so each quality has its own. */}
      <canvas key={quality.name} ref={canvas} />
      <div ref={labels} class="stage-labels" aria-hidden="true" />
    </div>
  );
}

function colors(picture: boolean): StageColors {
  const light = theme.value === 'light';
  const roles = { accent: token('accent'), second: token('second'), danger: token('danger'), warn: token('warn'), ink: token('ink') };
  // A card's picture stands on both themes, so its grid is a grey between them.
  const grid = picture ? { grid: '#7d8b91', gridStrength: 0.34 } : light ? { grid: '#6d7b82', gridStrength: 0.29 } : { grid: '#9fb0b8', gridStrength: 0.2 };
  return { data: light ? '#00717c' : '#4fd6de', halo: light ? '#ffffff' : '#0b1012', backdrop: token('stage-in'), roles, ...grid };
}

/** Runs a stage until `end` is called. Without WebGL, clock, panel and plots still run. */
class StageRun {
  private readonly stage: Stage | null;
  private readonly hook: TestHook = freshHook();
  private readonly stops: (() => void)[] = [];
  private readonly stillness = new Stillness();
  private hand: Hand | null = null;
  private pointer: PointerHand | null = null;
  private tool: StageTool | null = null;
  private keys: StageKeys | null = null;
  private axes: PartAxes | null = null;
  private seeThrough: SeeThrough | null = null;
  /** The part that a handling scene says is in hand. */
  private part: number | null = null;
  private devices: DeviceHub | null = null;
  /** What the picture that was drawn last has seen; null once it is done. */
  private inPicture: number | null = null;
  private readonly answers = new AnswerWait();
  /** A turn for an answer that has just come. */
  private early: ReturnType<typeof setTimeout> | undefined;
  private headset: Headset | null = null;
  private request = 0;
  private rightDownAt: { x: number; y: number } | null = null;

  constructor(
    private readonly model: SceneModel,
    private readonly host: HTMLElement,
    private readonly canvas: HTMLCanvasElement,
    private readonly labels: HTMLElement,
    private readonly picture: boolean,
    private readonly track: number,
  ) {
    this.stage = this.makeStage();
    this.hook.hearHand = renderHandSound;
    if (this.isMain) window.prall = this.hook;
    if (this.stage) this.setUp(this.stage);
    if (this.stage) this.stage.loop(this.tick);
    else this.request = requestAnimationFrame(this.tickAlone);
  }

  private get isMain(): boolean {
    return this.track === 0;
  }

  end = () => {
    cancelAnimationFrame(this.request);
    clearTimeout(this.early);
    if (this.isMain) this.model.session.onFrame = null;
    this.devices?.dispose();
    this.headset?.dispose();
    this.axes?.dispose();
    this.hand?.dispose();
    this.pointer?.dispose();
    this.tool?.dispose();
    for (const stop of this.stops) stop();
    if (this.isMain) this.model.stage.value = null;
    this.stage?.dispose();
  };

  private makeStage(): Stage | null {
    try {
      const stage = new Stage(this.canvas, this.host, chosenQuality());
      this.model.stageError.value = null;
      return stage;
    } catch {
      this.model.stageError.value = 'This browser cannot draw in three dimensions (WebGL 2). Look for “hardware acceleration” in its settings. Panel and plots work all the same.';
      return null;
    }
  }

  private setUp(stage: Stage): void {
    const { model, host } = this;
    const { session } = model;
    this.hand = new Hand(stage, session, this.track, {
      holds: (body, by) => {
        host.dataset.cursor = body === null ? '' : 'grabbing';
        model.holding.value = body === null ? null : model.bodyName(body);
        if (body !== null && this.isMain) model.plotted = body;
        model.heldByKeys = body !== null && by === 'keys';
        if (by !== 'pointer') announce(body === null ? 'Let go' : `Holding the ${model.bodyName(body)}. Arrow and page keys move the hand.`);
      },
      dragged: () => (settings.hasDragged.value = true),
      pulls: (by) => (model.heldBy.value = by),
    });
    // Before the hand, so that their presses come first.
    if (this.isMain && !this.picture) this.axes = new PartAxes(host, stage, this.hand);
    if (this.isMain && !this.picture) this.seeThrough = new SeeThrough(stage);
    if (this.isMain && !this.picture) this.tool = new StageTool(host, stage, model);
    const hover = (body: number | null) => (host.dataset.cursor = model.tool.value ? 'add' : body === null ? '' : 'grab');
    this.pointer = new PointerHand(host, stage, this.hand, hover, () => !this.isMain || (model.tool.value === null && !this.axes?.isClaiming));
    if (this.isMain) session.sample = () => this.sample(stage);
    if (this.isMain) session.onFrame = this.answered;
    const openMenu = (body: number, x: number, y: number) => {
      stage.select(body);
      model.menu.value = { body, track: this.track, x, y };
    };
    this.keys = new StageKeys(host, stage, session, this.hand, openMenu);
    if (this.isMain && !this.picture) {
      this.devices = new DeviceHub(stage, this.hand, model);
      this.headset = new Headset(stage, this.hand, model);
    }
    const resize = new ResizeObserver(() => this.resize(stage));
    resize.observe(host);
    this.resize(stage);
    const listeners = new AbortController();
    const { signal } = listeners;
    host.addEventListener('dblclick', (event) => this.centreOn(stage, event), { signal });
    host.addEventListener('pointerdown', (event) => (this.rightDownAt = event.button === 2 ? { x: event.clientX, y: event.clientY } : null), { signal, capture: true });
    host.addEventListener('contextmenu', (event) => this.rightClicked(stage, event, openMenu), { signal });
    this.stops.push(
      () => resize.disconnect(),
      () => listeners.abort(),
      () => this.keys?.dispose(),
      effect(() => this.build(stage)),
      effect(() => this.showGhosts(stage)),
      effect(() => stage.setColors(colors(this.picture))),
      effect(() => stage.setLayers({
        overlays: model.overlays.value,
        wireframe: model.wireframe.value,
        translucent: model.translucent.value,
        lines: model.lines.value,
      })),
      effect(() => stage.setSection(model.section.value)),
      effect(() => {
        const covered = usesDrawer.value && drawerOpen.value && !this.picture && session.compared.value === null;
        stage.view.setInset(covered && !drawerBelow.value ? 312 + 12 : 0, 0);
      }),
    );
    if (this.isMain) this.publishActions(stage);
  }

  private resize(stage: Stage): void {
    stage.resize(Math.max(1, this.host.clientWidth), Math.max(1, this.host.clientHeight));
  }

  private build(stage: Stage): void {
    const source = this.source();
    // A camera that was there before this stage, or before this greeting, stays, unless the scene has another size now.
    const subject = JSON.stringify(source?.assets.subject ?? null);
    const keep = untracked(() => this.model.camera.isSet) && subject === this.model.framedSubject;
    this.model.framedSubject = subject;
    if (source) stage.build(source, this.model.fetchBinary, keep, this.picture).catch(missing);
  }

  private source(): StageSource | null {
    const { hello, compared } = this.model.session;
    if (!hello.value) return null;
    const session = encodeURIComponent(hello.value.session);
    if (this.isMain) return { assets: hello.value.assets, place: `sessions/${session}` };
    return compared.value ? { assets: compared.value.assets, place: `sessions/${session}/tracks/${this.track}` } : null;
  }

  private shownGhosts = new Set<number>();
  /** A ghost to which bodies were added is shown anew. */
  private ghostBodies = new Map<number, number>();

  private sampledAt: { time: number; body: number; place: Vector3 } | null = null;

  /** The chosen body and the hand at this moment, for the plots. */
  private sample(stage: Stage): Sample {
    const spring = stage.overlays.springs.find(({ force }) => force !== null);
    const hand: Sample = { hand_force: spring?.force ?? 0, hand_torque: spring?.torque ?? 0 };
    const body = this.model.plotted;
    if (body === null || !stage.bodies?.isThere(body)) return hand;
    const [time, place, before] = [this.model.time, stage.positionOf(body), this.sampledAt];
    const known = before?.body === body && time > before.time;
    if (!before || before.body !== body || time !== before.time) this.sampledAt = { time, body, place: place.clone() };
    return {
      ...hand, body_x: place.x, body_y: place.y, body_z: place.z,
      ...(known ? { body_speed: place.distanceTo(before.place) / (time - before.time) } : {}),
    };
  }

  /** A scene file's card gets its picture from the first page that has drawn it. */
  private drawPicture(stage: Stage): void {
    const { hello } = this.model.session;
    const scene = hello.value?.kind === 'scene' ? hello.value.scene : null;
    if (!scene?.picture.startsWith('api/') || scene.pictured !== false || this.pictured === hello.value?.instance || this.hook.frames < PICTURE_FRAMES) return;
    this.pictured = hello.value!.instance;
    void stage.snapshot(PICTURE_SIZE).then((blob) => (blob ? ask(scene.picture.slice('api/'.length), { method: 'PUT', body: blob }) : null)).catch(() => {
      // The card stays without a picture; the next page that opens the scene draws it.
    });
  }

  private pictured: string | number | null = null;

  private showGhosts(stage: Stage): void {
    const { ghosts, hello } = this.model.session;
    if (!this.isMain || !hello.value) return;
    const session = encodeURIComponent(hello.value.session);
    const wanted = new Map(ghosts.value.map((ghost) => [ghost.track, ghost]));
    for (const track of this.shownGhosts) if (!wanted.has(track)) void stage.setGhost(track, null, this.model.fetchBinary);
    for (const [track, ghost] of wanted) {
      const known = this.shownGhosts.has(track) && this.ghostBodies.get(track) === ghost.assets.bodies.length;
      this.ghostBodies.set(track, ghost.assets.bodies.length);
      if (!known) stage.setGhost(track, { assets: ghost.assets, place: `sessions/${session}/tracks/${track}` }, this.model.fetchBinary).catch(missing);
    }
    this.shownGhosts = new Set(wanted.keys());
  }

  private publishActions(stage: Stage): void {
    this.model.stage.value = {
      fit: () => stage.fit(),
      home: () => stage.view.home(),
      follow: (body, chases) => stage.follow(body, chases),
      placeOf: (body) => (stage.bodies?.isThere(body) ? stage.bodies.positionOf(body).toArray() : null),
      select: (body) => stage.select(body),
      isPinned: (body) => stage.bodies?.isPinned(body) ?? false,
      throwVelocity: () => {
        const away = stage.view.camera.getWorldDirection(new Vector3()).setY(0).normalize();
        // Fast enough to cross the scene in about half a second, and a little upwards.
        const speed = Math.sqrt(2 * 9.81 * stage.view.sceneRadius);
        return [speed * away.x, 0.5 * speed, speed * away.z];
      },
      sceneRadius: () => stage.view.sceneRadius,
      radiusOf: (body) => stage.bodies?.radiusOf(body) ?? 0,
      facingPlane: () => {
        const through = this.part !== null && stage.bodies ? stage.bodies.middleOf(this.part).applyMatrix4(stage.matrixOf(this.part)) : stage.view.target;
        return { into: stage.view.camera.getWorldDirection(new Vector3()).toArray(), through: through.toArray() };
      },
      choosePivot: (body, x, y) => {
        const box = this.host.getBoundingClientRect();
        const hit = stage.pick(x - box.left, y - box.top);
        if (hit?.body !== body) return false;
        this.hand!.pivot = { body, point: hit.point.applyMatrix4(stage.matrixOf(body).invert()) };
        return true;
      },
      enterHeadset: () => this.headset!.enter(colors(false).backdrop),
    };
    const inWindow = (point: Vector3) => {
      const box = this.host.getBoundingClientRect();
      const { x, y } = stage.toScreen(point);
      return { x: box.left + x, y: box.top + y };
    };
    this.hook.screenPositionOf = (body) => inWindow(stage.positionOf(body));
    this.hook.arrowOf = (axis) => {
      const at = this.axes?.arrowOf(axis);
      return at ? inWindow(at) : null;
    };
  }

  private place(event: MouseEvent): { x: number; y: number } {
    const box = this.host.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  private centreOn(stage: Stage, event: MouseEvent): void {
    const { x, y } = this.place(event);
    const hit = stage.pick(x, y);
    if (hit) stage.view.centre(stage.positionOf(hit.body));
  }

  private rightClicked(stage: Stage, event: MouseEvent, openMenu: (body: number, x: number, y: number) => void): void {
    event.preventDefault();
    const down = this.rightDownAt;
    if (down && Math.hypot(event.clientX - down.x, event.clientY - down.y) > CLICK_PIXELS) return;
    const { x, y } = this.place(event);
    const hit = stage.pick(x, y);
    if (hit) openMenu(hit.body, event.clientX, event.clientY);
  }

  private tickAlone = () => {
    this.request = requestAnimationFrame(this.tickAlone);
    const frame = this.takeFrame();
    if (frame) this.model.session.drew(frame.time);
  };

  private tick = (now: number) => {
    // The turn after a drawn one comes when the picture is done.
    if (this.inPicture !== null) this.model.session.shown.seen(this.inPicture, performance.now());
    this.inPicture = null;
    this.turn(now, false);
  };

  /** An answer to this page's hand is drawn as it comes, unless a picture is in work: then the newest is drawn after it. */
  private answered = () => {
    if (this.early !== undefined || !this.hand?.isHolding || this.stage!.renderer.xr.isPresenting) return;
    // After what else has come.
    this.early = setTimeout(() => {
      this.early = undefined;
      if (this.inPicture === null && this.hand?.isHolding) this.turn(performance.now(), true);
    });
  };

  /** Takes what has come, lets devices move the hand, and draws; `early` is a turn between two of the frame loop. */
  private turn(now: number, early: boolean): void {
    const stage = this.stage!;
    const frame = this.takeFrame();
    if (frame) stage.apply(frame);
    for (const track of this.shownGhosts) {
      const ghost = this.model.session.takeFrame(track);
      if (ghost) stage.applyGhost(track, ghost);
    }
    if (frame && this.isMain) this.part = isHandling(this.model.session.hello.value?.channels ?? []) ? (readingOf(frame)?.held ?? null) : null;
    this.showPart(stage, now);
    if (!early) {
      this.headset?.update();
      this.devices?.update(now);
      this.keys!.update(now);
      this.pointer!.update();
      this.tool?.update();
    }
    this.hand!.update();
    // Before the scene is there the camera stands nowhere in particular, and nobody shall keep that view.
    if (!this.picture && stage.bodies) this.model.camera.sync(stage.view);
    const { isHolding, body } = this.hand!;
    const [sent, shown] = [this.model.session.acknowledgements.sent, this.hook.acknowledged];
    const due = !isHolding || !this.isMain || (early ? this.answers.hasNews(shown) : this.answers.isDue(sent, shown, now));
    const drawn = stage.draw(now, isHolding ? { body } : null, due);
    if (this.isMain && !this.picture && !early) adaptQuality(now, drawn);
    if (!drawn) return;
    this.answers.drew(shown);
    this.inPicture = this.isMain ? this.hook.acknowledged : null;
    this.hook.drawn += 1;
    this.hook.triangles = stage.triangles;
    if (this.isMain) this.model.session.drew(this.model.time);
    this.hook.springs = stage.overlays.springs.length;
    this.hook.ghosts = this.shownGhosts.size;
    this.hook.held = this.hand!.body;
    this.hook.names = this.model.session.hello.value?.assets.bodies.map(({ name }) => name) ?? [];
    this.hook.cleared = stage.bodies?.clearedBodies ?? [];
    this.hook.handTurn = 2 * Math.acos(Math.min(1, Math.abs(this.hand!.turn?.w ?? 1)));
    this.showLabels(stage);
    if (this.isMain) this.publish(stage);
    if (this.isMain && !this.picture) this.drawPicture(stage);
  }

  /** Axes on the part, a section that leaves it whole, and a view of it while it is held. */
  private showPart(stage: Stage, now: number): void {
    if (!this.isMain || this.picture) return;
    const held = this.hand!.body;
    const part = held ?? this.part;
    stage.keepWhole(part);
    const first = this.model.session.hello.value?.assets.bodies.findIndex(({ movable }) => movable) ?? -1;
    const shown = part ?? this.model.plotted ?? (first < 0 ? null : first);
    this.axes?.update(shown, this.model.tool.value === null ? this.model.axes.value : null);
    this.seeThrough?.update(settings.seeThrough.value ? held : null, now);
  }

  private takeFrame(): Frame | null {
    const { model, hook } = this;
    const frame = model.session.takeFrame(this.track);
    if (!this.isMain) return frame;
    if (frame) {
      hook.frames += 1;
      hook.time = frame.time;
      hook.acknowledged = frame.acknowledged;
      hook.running = frame.running;
      model.still.value = this.stillness.isStill(frame.time, frame.running && !model.isReplay.value, frame.moved);
      hook.bodies = frame.poses;
      hook.marks = frame.marks;
      // What is gone has no properties any more.
      const inspected = model.inspected.peek();
      if (inspected?.track === 0 && ((frame.marks[inspected.body] ?? 0) & Mark.hidden) !== 0) model.inspect(null);
      hook.ended = frame.ended;
      model.time = frame.time;
      for (const view of model.timeViews) view(frame.time);
      for (const view of model.frameViews) view(frame);
    }
    hook.delays = model.session.acknowledgements.delays;
    hook.pictureDelays = model.session.shown.delays;
    hook.sent = model.session.acknowledgements.sent;
    hook.lag = model.session.lag.value;
    model.session.updatePace();
    return frame;
  }

  /** Hands what the picture shows to the legend, only when it has changed. */
  private publish(stage: Stage): void {
    const { model } = this;
    const bar = stage.scaleBar;
    const shown = model.scaleBar.value;
    if (bar.metres !== shown.metres || Math.abs(bar.pixels - shown.pixels) > 0.5) model.scaleBar.value = bar;
    const legend = stage.legend();
    if (JSON.stringify(legend) !== JSON.stringify(model.legend.value)) model.legend.value = legend;
    if (model.following.value !== stage.following) model.following.value = stage.following;
  }

  private showLabels(stage: Stage): void {
    const springs = stage.overlays.springs.flatMap(({ hand, force, torque }) => (force === null ? [] : [{ text: pullText(force, torque), at: hand, kind: 'callout' as const }]));
    const aim = this.model.aim.value;
    const aimed = aim === null ? [] : stage.overlays.springs.map(({ hand }) => ({ text: aim, at: hand, kind: 'callout' as const }));
    const named = stage.labels.map(({ place, text }) => ({ text, at: new Vector3(...place), kind: 'label' as const }));
    placeLabels(this.labels, [...springs, ...aimed, ...named].map(({ text, at, kind }) => ({ text, kind, ...stage.toScreen(at) })), stage.size);
  }
}

/** Force and torque of a hand; a torque that is nothing beside the force is left out. */
function pullText(force: number, torque: number | null | undefined): string {
  const pull = quantityText(force, 'N', 2);
  return torque && torque > 1e-3 * force ? `${pull}, ${quantityText(torque, 'N m', 2)}` : pull;
}

function missing(error: Error): void {
  notify({ kind: 'error', title: 'Geometry is missing', text: error.message });
}
