// The seat: one visit from the menu down the track and back. It drives the scene "bobsleigh" through an ordinary session.

import { batch, effect, signal } from '@preact/signals';
import { Quaternion, Vector3 } from 'three';
import type { Parameter } from '../protocol/messages';
import { options } from '../route';
import { inquire, openSocket } from '../session/open';
import { Session } from '../session/session';
import { adaptQuality } from '../stage/quality';
import { freshHook } from '../test-hook';
import { announce } from '../ui/announce';
import { Eyes, standingShot, viewNames, type View } from './cameras';
import { fits, noTelemetry, readTelemetry, type Telemetry } from './channels';
import { countdownAt, isLive, isRunning, menuShift, next, type FlowEvent, type Phase } from './flow';
import { download } from './download';
import { SeatRumble, type ForceWheel } from './force';
import { ghostSplitGap, GhostSleds } from './ghosts';
import { HandLink, LOOK_MS } from './hand-link';
import { Hands } from './hands';
import { book, landmarksOf } from './landmarks';
import { LatencyMeter } from './latency';
import { BodyFrames } from './poses';
import { PixelGovernor } from './pixel-governor';
import { bobQuality, isAutomatic } from './quality';
import { RunKeeper } from './run-keeper';
import { fileName, gap, type RunData, type RunEntry } from './runs';
import { seat as settings } from './seat-settings';
import { listen } from './seat-events';
import { SeatHeadset } from './seat-headset';
import { fetchLine, fetchOffer, fetchRun, fetchTrack } from './server';
import { renderSound } from './sound/offline';
import { SoundPlayer } from './sound/player';
import { Video } from './video';
import type { Offer, TrackShape } from './track';
import { daylightAt } from './world/daylight';
import { SledModel } from './world/sled-model';
import { RunnerTraces } from './world/traces';
import { World, type Cost } from './world/world';

const SCENE = { scene: 'bobsleigh' };
const RUNNERS = ['runner_1', 'runner_2', 'runner_3', 'runner_4'] as const;
/** How long the end of a run is shown before its card, in s. */
const END_S = 2.5;
/** Without anybody the seat goes back to its start, in s. */
const ALONE_S = 60;
/** Parameters of the setup that the menu offers. */
export const setupKeys = ['glide', 'along', 'side_slip', 'across_light', 'across', 'full_load', 'restitution', 'directness', 'split', 'axle', 'offset'];

export interface StartChoice {
  kind: 'push' | 'flying' | 'curve';
  curve: number;
}

export interface Replay {
  run: RunData;
  entry: RunEntry;
  time: number;
  playing: boolean;
  speed: number;
}

export interface Display {
  speed: number;
  load: number;
  clock: number;
  steering: number;
  bend: string;
  gap: number | null;
  splitGap: number | null;
  left: number;
  advice: number;
}

export class Seat {
  readonly phase = signal<Phase>('menu');
  readonly offer = signal<Offer | null>(null);
  readonly track = signal(Number(options.get('track')) || 1);
  readonly start = signal<StartChoice>({ kind: 'push', curve: 1 });
  readonly timeScale = signal(1);
  readonly countdown = signal<number | null>(null);
  readonly replay = signal<Replay | null>(null);
  readonly message = signal<string | null>(null);
  readonly loading = signal<string | null>('Loading the track');
  readonly parameters = signal<Parameter[]>([]);
  readonly cost = signal<Cost | null>(null);
  readonly showCost = signal(false);
  readonly paused = signal(false);
  readonly wheel = signal<ForceWheel | null>(null);
  readonly filming = signal(false);
  /** Station that the menu looks at, for placing landmarks; null watches the sled. */
  readonly lookAt = signal<number | null>(null);
  /** Written with every picture; the display reads it there. */
  readonly display: Display = { speed: 0, load: 1, clock: -1, steering: 0, bend: '', gap: null, splitGap: null, left: 0, advice: 0 };
  readonly latency = new LatencyMeter();
  onPicture: (() => void) | null = null;

  readonly session: Session;
  readonly keeper = new RunKeeper((on) => this.session.record(on), (text) => (this.message.value = text));
  readonly hands = new Hands();
  private readonly link = new HandLink(this.hands, (held) => this.session.drive({ ...held }), performance.now());
  readonly orbit = { turn: 0.5, lift: 0.6, distance: 6.5 };
  private readonly sound = new SoundPlayer();
  private readonly rumble = new SeatRumble();
  private readonly listeners = new AbortController();
  private readonly stops: (() => void)[] = [];
  private world: World | null = null;
  private shape: TrackShape | null = null;
  private eyes: Eyes | null = null;
  private sled: SledModel | null = null;
  private frames: BodyFrames | null = null;
  private readonly ghostSleds = new GhostSleds();
  private headset: SeatHeadset | null = null;
  private video: Video | null = null;
  private traces: RunnerTraces | null = null;
  private replayPoses = new Float32Array(0);
  private telemetry: Telemetry = noTelemetry();
  private known = false;
  private request = 0;
  private lastPicture: number | null = null;
  private readonly pixels = new PixelGovernor();
  /** Written anew with every picture. */
  private readonly rear = { position: new Vector3(), turn: new Quaternion(), scale: new Vector3(), ahead: new Vector3(), up: new Vector3() };
  private readonly sole = new Vector3();
  private timer: ReturnType<typeof setInterval>;
  private lastInput = performance.now();
  private countFrom = 0;
  private counted: number | null = null;
  private endedAt = 0;
  /** The number of the message after which frames are of the present run. */
  private resetId = 0;
  private acknowledged = 0;
  private pilotGhost: string | null = options.get('ghost');
  private ownSplits: { s: number; time: number; speed: number }[] = [];
  private wantedTrack = 0;

  constructor(readonly canvas: HTMLCanvasElement) {
    window.prall = { ...freshHook(), listen: renderSound };
    const room = options.get('session') ?? `seat-${Math.random().toString(36).slice(2, 10)}`;
    this.session = new Session(() => openSocket(SCENE, room), {
      error: (text) => (this.message.value = text),
      lost: () => (this.message.value = 'The server is gone; trying to reach it again'),
      back: () => {
        this.message.value = null;
        if (isRunning(this.phase.value)) this.send('leave');
      },
      notice: (text) => (this.message.value = text),
      recorded: ({ recording }) => void this.keeper.saved(recording),
    }, () => inquire(SCENE));
    listen(this, this.listeners.signal);
    this.stops.push(effect(() => this.parametersChanged()), effect(() => void this.load(this.track.value)), effect(() => this.dress(settings.hour.value, settings.sails.value, settings.ideal.value)), effect(() => this.placeLandmarks()));
    this.request = requestAnimationFrame(this.tick);
    this.timer = setInterval(() => this.feel(), LOOK_MS);
    void this.fetchAll();
  }

  end(): void {
    this.listeners.abort();
    this.stops.forEach((stop) => stop());
    cancelAnimationFrame(this.request);
    clearInterval(this.timer);
    this.keeper.discard();
    this.session.end();
    this.headset?.end();
    this.sound.end();
    this.world?.end();
  }

  private async fetchAll(): Promise<void> {
    try {
      const offer = await fetchOffer();
      if (!fits(offer.channels)) throw new Error('The server reports other numbers than this page reads. Reload the page to get the one that fits.');
      this.offer.value = offer;
      if (this.track.value < 1 || this.track.value > offer.tracks.length) this.track.value = 1;
      await this.keeper.refresh();
      if (this.pilotGhost) await this.keeper.toggleGhost(this.pilotGhost);
    } catch (error) {
      this.message.value = (error as Error).message;
    }
  }

  /** Loads a track and builds what is seen of it. */
  private async load(number: number): Promise<void> {
    this.wantedTrack = number;
    const offer = this.offer.value;
    if (!offer) return;
    const quality = bobQuality();
    if (this.shape?.data.number === number && this.world?.quality === quality) return;
    this.loading.value = `Building ${offer.tracks[number - 1]?.name ?? 'the track'}`;
    try {
      const [shape, line] = await Promise.all([fetchTrack(number), fetchLine(number)]);
      if (this.wantedTrack !== number) return;
      this.world?.end();
      const world = new World(this.canvas, shape, line, quality);
      this.shape = shape;
      this.eyes = new Eyes(shape);
      this.frames = new BodyFrames(offer.sled.parts);
      this.replayPoses = new Float32Array(7 * offer.sled.parts.length);
      this.sled = new SledModel(quality);
      this.traces = new RunnerTraces(4);
      world.scene.add(this.sled.group, this.traces.mesh);
      this.world = world;
      if (isAutomatic()) world.setPixelShare(this.pixels.share);
      this.ghostSleds.clear();
      this.headset?.end();
      this.headset = null;
      this.dress(settings.hour.value, settings.sails.value, settings.ideal.value);
      this.placeLandmarks();
      this.resize();
      this.loading.value = null;
      if (this.phase.value === 'menu') this.attract();
    } catch (error) {
      this.loading.value = null;
      this.message.value = `The track could not be loaded: ${(error as Error).message}`;
    }
  }

  private dress(hour: number, sails: boolean, ideal: boolean): void {
    this.world?.setHour(hour);
    this.traces?.light(daylightAt(hour).day);
    this.world?.setSails(sails);
    this.world?.showIdeal(ideal);
  }

  private placeLandmarks(): void {
    const own = book.value;
    if (this.shape) this.world?.setLandmarks(landmarksOf(this.shape.data, own));
  }

  /** The loaded track; landmarks are placed on it. */
  get trackData(): TrackShape['data'] | null {
    return this.shape?.data ?? null;
  }

  private parametersChanged(): void {
    const hello = this.session.hello.value;
    if (hello) this.parameters.value = hello.parameters;
    if (this.session.phase.value === 'refused') this.message.value = this.session.refusal.value?.text ?? 'The server refuses this page';
    if (hello && this.session.phase.value === 'open' && this.phase.peek() === 'menu' && !this.known) {
      this.known = true;
      this.attract();
    }
  }

  /** The menu's picture: the pilot drives. */
  private attract(): void {
    const { session } = this;
    if (session.phase.peek() !== 'open') return;
    session.drive(null);
    session.set('track', this.track.peek());
    for (const key of ['speed', 'curve', 'help']) session.set(key, 0);
    session.speed(1);
    session.reset();
    session.play();
    this.resetId = session.acknowledgements.sent;
    this.eyes?.cut();
    this.traces?.clear();
  }

  send(type: FlowEvent['type']): void {
    const before = this.phase.value;
    const after = next(before, { type });
    if (after === before && type !== 'restart') return;
    batch(() => {
      this.phase.value = after;
      this.enter(after, type);
    });
  }

  private enter(phase: Phase, type: FlowEvent['type']): void {
    this.message.value = null;
    if (phase === 'countdown' || (phase === 'push' && type === 'restart')) this.prepare(phase === 'push');
    if (phase === 'push') this.go();
    if (phase === 'finish' || phase === 'crash') this.endedAt = performance.now();
    if (phase === 'finish') announce(`Finish, ${this.telemetry.finish.toFixed(2)} seconds`, 'assertive');
    if (phase === 'crash') announce('Crash', 'assertive');
    if (phase === 'result') {
      this.keeper.settle();
      this.session.pause();
    }
    if (phase === 'menu') {
      this.keeper.discard();
      if (this.filming.value) void this.endFilm();
      this.replay.value = null;
      this.countdown.value = null;
      this.hands.rest();
      this.attract();
    }
    if (phase === 'replay') {
      this.session.pause();
      this.eyes?.cut();
      this.traces?.clear();
    }
  }

  /** Everything at the block, hands on the ropes. */
  private prepare(atOnce: boolean): void {
    const { session } = this;
    this.keeper.discard();
    this.replay.value = null;
    this.keeper.result.value = null;
    session.pause();
    const { kind, curve } = this.start.value;
    const driver = settings.driver.value;
    const wishes: Record<string, number> = { track: this.track.value, speed: kind === 'flying' ? (this.shape?.data.start.speed ?? 10) : 0, curve: kind === 'curve' ? curve : 0, help: driver === 'helped' ? 1 : 0 };
    for (const { key, default: plain } of this.parameters.value) if (setupKeys.includes(key)) wishes[key] = settings.setup.value[key] ?? plain;
    for (const [key, value] of Object.entries(wishes)) if (session.state.value?.values[key] !== value) session.set(key, value);
    session.speed(this.timeScale.value);
    session.reset();
    this.link.forget();
    if (driver === 'pilot') session.drive(null);
    else session.drive({ steering: 0, push: 0, brake: 0 });
    this.resetId = session.acknowledgements.sent;
    this.hands.rest();
    this.rumble.restart();
    this.sound.restart();
    this.traces?.clear();
    this.eyes?.cut();
    this.ownSplits = [];
    this.display.splitGap = null;
    this.latency.restart();
    this.countFrom = performance.now();
    this.counted = null;
    this.countdown.value = atOnce ? null : countdownAt(0);
  }

  private go(): void {
    this.countdown.value = null;
    this.keeper.begin();
    this.session.play();
    this.paused.value = false;
    this.sound.count(true);
    announce('Go');
  }

  async showReplay(entry: RunEntry): Promise<void> {
    try {
      const run = await fetchRun(entry.name);
      if (entry.track !== this.track.value) this.track.value = entry.track;
      this.replay.value = { run, entry, time: 0, playing: true, speed: 1 };
      if (this.phase.value === 'replay') this.eyes?.cut();
      else this.send('replay');
    } catch (error) {
      this.message.value = `The run ${entry.name} cannot be shown: ${(error as Error).message}`;
    }
  }

  seekReplay(change: Partial<Replay>): void {
    const replay = this.replay.value;
    if (!replay) return;
    const time = Math.max(0, Math.min(replay.run.seconds, change.time ?? replay.time));
    if (change.time !== undefined && Math.abs(change.time - replay.time) > 0.2) {
      this.eyes?.cut();
      this.traces?.clear();
    }
    this.replay.value = { ...replay, ...change, time };
  }

  togglePause(): void {
    if (this.phase.value === 'replay') {
      const replay = this.replay.value;
      if (replay) this.seekReplay({ playing: !replay.playing, time: replay.time >= replay.run.seconds ? 0 : replay.time });
      return;
    }
    if (!isRunning(this.phase.value)) return;
    this.paused.value = !this.paused.value;
    if (this.paused.value) this.session.pause();
    else this.session.play();
  }

  setView(view: View): void {
    settings.view.value = view;
    announce(viewNames[view]);
  }

  /** Somebody is here: the seat waits, and sound may begin. */
  wake(): void {
    this.lastInput = performance.now();
    this.sound.wake();
  }

  /** Looks at the hands and tells the server what changed; also with every key, so that none waits. */
  feel(): void {
    const now = performance.now();
    const held = this.link.look(now);
    const phase = this.phase.value;
    if (settings.driver.value === 'pilot' || !(isRunning(phase) || phase === 'finish')) return;
    if (!settings.handPush.value && phase === 'push') held.push = 1;
    if (phase === 'finish') Object.assign(held, { push: 0, brake: 1 });
    if (this.link.pass(held)) this.latency.sent(this.session.acknowledgements.sent, now);
  }

  /** Counting down; `skip` cuts it short. The run begins when the server has everything at the block. */
  tryGo(skip: boolean): void {
    const ready = this.acknowledged >= this.resetId && this.world !== null && this.shape?.data.number === this.track.value;
    const left = skip ? null : countdownAt((performance.now() - this.countFrom) / 1000);
    if (left !== null && left !== this.counted) {
      this.counted = left;
      this.sound.count(false);
      announce(String(left));
    }
    if (left === null && ready) this.send('go');
    else if (this.countdown.value !== left) this.countdown.value = left ?? 1;
  }

  private tick = (now: number) => {
    if (!this.headset?.isPresenting) this.request = requestAnimationFrame(this.tick);
    const seconds = this.lastPicture === null ? 0.016 : Math.min(0.25, (now - this.lastPicture) / 1000);
    this.lastPicture = now;
    this.takeFrame();
    if (this.phase.value === 'countdown') this.tryGo(false);
    this.judge(now);
    this.draw(seconds, now);
    this.adapt(now);
  };

  /** What is too much for the machine: fewer pixels at once; another level only in the menu, because the track is built anew for it. */
  private adapt(now: number): void {
    if (!isAutomatic() || this.headset?.isPresenting || this.loading.value !== null) return;
    if (this.phase.value === 'menu') adaptQuality(now, this.world !== null);
    if (this.pixels.drew(now)) this.world?.setPixelShare(this.pixels.share);
  }

  private takeFrame(): void {
    const frame = this.session.takeFrame();
    if (!frame) return;
    window.prall.frames += 1;
    this.acknowledged = frame.acknowledged;
    if (this.phase.value === 'replay') return;
    if (readTelemetry(frame, this.telemetry)) this.frames?.take(frame.poses);
    window.prall.time = frame.time;
    window.prall.running = frame.running;
    this.session.drew(frame.time);
  }

  /** What the sled says may end a phase. */
  private judge(now: number): void {
    const phase = this.phase.value;
    const t = this.telemetry;
    const own = this.acknowledged >= this.resetId;
    if (own && phase === 'push' && t.station >= (this.shape?.data.start.load ?? 0)) this.send('seated');
    if (own && isRunning(this.phase.value)) {
      this.noteSplits(t);
      if (t.crash > -1) this.send('crashed');
      else if (t.finish > 0) this.send('finished');
    }
    if ((phase === 'finish' || phase === 'crash') && (now - this.endedAt > 1000 * END_S || t.over > 0.5)) this.send('shown');
    if (phase === 'menu' && own && t.over > 0.5 && this.session.state.value?.running) this.attract();
    const idle = (now - this.lastInput) / 1000;
    const waiting = phase === 'result' || (phase === 'replay' && this.replay.value?.playing === false) || (isRunning(phase) && idle > 3 * ALONE_S);
    if (waiting && idle > ALONE_S) this.send('leave');
  }

  private noteSplits(t: Telemetry): void {
    const { stations } = this.shape?.data.timing ?? { stations: [] };
    if (t.splits <= 0 || this.ownSplits.length >= t.splits || t.split_time < 0) return;
    const s = stations[t.splits - 1] ?? 0;
    while (this.ownSplits.length < t.splits - 1) this.ownSplits.push({ s: stations[this.ownSplits.length] ?? 0, time: -1, speed: 0 });
    this.ownSplits.push({ s, time: t.split_time, speed: t.split_speed });
    const reference = this.keeper.ghosts.value[0];
    const known = this.keeper.runs.value.find(({ name }) => name === reference?.name)?.splits ?? [];
    this.display.splitGap = reference ? ghostSplitGap({ s, time: t.split_time, speed: t.split_speed }, reference, known) : null;
  }

  private draw(seconds: number, now: number): void {
    const { world, eyes, sled, frames, shape } = this;
    if (!world || !eyes || !sled || !frames || !shape) return;
    const phase = this.phase.value;
    const t = this.presentTelemetry(seconds);
    const { position, turn, scale, ahead, up } = this.rear;
    frames.matrix('rear_hull').decompose(position, turn, scale);
    ahead.set(0, 0, -1).applyQuaternion(turn);
    up.set(0, 1, 0).applyQuaternion(turn);
    if (position.lengthSq() === 0 && t.speed === 0 && t.station === 0) return; // nothing has come yet
    const worn = this.headset?.isPresenting === true;
    const looked = phase === 'menu' ? this.lookAt.value : null;
    const view: View = worn ? 'cockpit' : phase === 'menu' ? 'tv' : settings.view.value;
    const shot = looked !== null && !worn ? standingShot(shape, looked) : eyes.see(view, { position, turn, station: t.station, speed: t.speed, load: t.load }, seconds, { headMoves: settings.head.value, orbit: this.orbit, fov: settings.fov.value });
    world.shift(phase === 'menu' && !worn ? menuShift(this.canvas.clientWidth) : 0);
    if (worn) this.headset?.update(shot.position, turn);
    sled.place(frames, view === 'cockpit');
    this.drawGhosts(t);
    this.drawTraces(t);
    const cost = world.draw(shot, this.rear, view === 'overview');
    this.latency.drew(this.acknowledged, performance.now());
    if (this.showCost.value) this.cost.value = cost;
    this.hear(t, view, shot.position.distanceTo(position), phase, now);
    this.show(t, shape);
    this.report(cost, view, t);
    this.onPicture?.();
  }

  private presentTelemetry(seconds: number): Telemetry {
    const replay = this.replay.value;
    if (this.phase.value !== 'replay' || !replay) return this.telemetry;
    if (replay.playing) {
      const time = Math.min(replay.run.seconds, replay.time + seconds * replay.speed);
      this.replay.value = { ...replay, time, playing: time < replay.run.seconds };
      if (this.filming.value && time >= replay.run.seconds) void this.endFilm();
    }
    const time = this.replay.value!.time;
    this.frames?.take(replay.run.poses(time, this.replayPoses));
    return replay.run.at(time);
  }

  private drawGhosts(t: Telemetry): void {
    const { world, offer } = this;
    const phase = this.phase.value;
    const ghosts = (isLive(phase) && phase !== 'menu') || phase === 'replay' || phase === 'countdown' ? this.keeper.ghosts.value : [];
    if (world && offer.value) window.prall.ghosts = this.ghostSleds.place(ghosts, t.clock, this.replay.value?.run.name ?? null, world, offer.value);
    const reference = ghosts[0];
    this.display.gap = reference ? gap(t.clock, t.station, reference) : null;
  }

  private drawTraces(t: Telemetry): void {
    const { frames, traces } = this;
    if (!frames || !traces) return;
    RUNNERS.forEach((name, i) => {
      const place = this.sole.set(i % 2 === 0 ? -0.335 : 0.335, 0, i < 2 ? 0 : -1.69).applyMatrix4(frames.matrix(name));
      traces.add(i, place, this.rear.up, t[name] > 1);
    });
  }

  private hear(t: Telemetry, view: View, distance: number, phase: Phase, now: number): void {
    const moving = (phase === 'replay' ? this.replay.value?.playing === true : isLive(phase) && phase !== 'menu' && phase !== 'result') && !this.paused.value;
    if (!moving) {
      this.sound.rest();
      return;
    }
    const load = this.shape?.data.start.load ?? 0;
    this.sound.frame({ ...t, inside: view === 'cockpit' ? 1 : 0, distance, pushing: t.station < load && t.curve === 0, braking: t.finish > 0 });
    if (settings.rumble.value) this.rumble.play(this.hands.pad?.vibrationActuator as never, t.torque, t.hits, t.hit_speed, now);
    this.wheel.value?.push(t.torque, now);
  }

  private show(t: Telemetry, shape: TrackShape): void {
    const bend = shape.bendAt(t.station);
    Object.assign(this.display, {
      speed: 3.6 * t.speed, load: t.load, clock: t.clock, steering: (180 * t.steering) / Math.PI, left: t.left, advice: (180 * t.advice) / Math.PI,
      bend: t.station >= shape.data.finish ? 'Finish' : bend ? `Curve ${bend.number}${bend.name ? ` ${bend.name}` : ''}` : 'Start',
    });
  }

  private report(cost: Cost, view: View, t: Telemetry): void {
    const hook = window.prall;
    hook.drawn += 1;
    hook.sent = this.session.acknowledgements.sent;
    hook.acknowledged = this.acknowledged;
    hook.delays = this.latency.milliseconds;
    hook.bob = { phase: this.phase.value, view, telemetry: { ...t }, calls: cost.calls, triangles: cost.triangles, pixels: this.world!.renderer.getPixelRatio(), quality: this.world!.quality.name, gap: this.display.gap, runs: this.keeper.runs.value.length, track: this.shape!.data.number, sound: this.sound.isAwake, ready: this.loading.value === null };
  }

  resize(): void {
    if (this.headset?.isPresenting) return;
    const { clientWidth, clientHeight } = this.canvas;
    this.world?.resize(clientWidth, clientHeight);
  }

  /** Puts the visitor's head into the sled; the picture then follows the headset's own clock. */
  async enterHeadset(): Promise<void> {
    const { world } = this;
    if (!world) return;
    this.headset ??= new SeatHeadset(world, this.hands, () => {
      this.wake();
      if (this.phase.value === 'menu' || this.phase.value === 'result') this.send('start');
    });
    try {
      await this.headset.enter(() => {
        world.renderer.setAnimationLoop(null);
        this.resize();
        this.request = requestAnimationFrame(this.tick);
      });
      cancelAnimationFrame(this.request);
      world.renderer.setAnimationLoop(this.tick);
    } catch (error) {
      this.message.value = `The headset did not start: ${(error as Error).message}. Put it on, wake it up and try again.`;
    }
  }

  /** Films the replay from where it is to its end, or to the second call, and offers the film as a file. */
  async film(): Promise<void> {
    const replay = this.replay.value;
    if (this.filming.value || !replay) {
      await this.endFilm();
      return;
    }
    try {
      this.video = new Video(this.canvas);
      this.filming.value = true;
      this.seekReplay({ playing: true, time: replay.time >= replay.run.seconds ? 0 : replay.time });
    } catch (error) {
      this.message.value = `No film: ${(error as Error).message}`;
    }
  }

  private async endFilm(): Promise<void> {
    const { video, replay } = this;
    this.video = null;
    this.filming.value = false;
    if (video) download(replay.value ? fileName(replay.value.entry, 'webm') : 'run.webm', await video.finish());
  }

  /** The picture as a file. */
  picture(): string {
    if (this.world && this.eyes) this.draw(0, performance.now());
    return this.canvas.toDataURL('image/png');
  }
}
