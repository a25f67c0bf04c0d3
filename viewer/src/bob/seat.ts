// The seat: one visit from the menu down the track and back. It drives the scene "bobsleigh" through an ordinary session.

import { batch, effect, signal } from '@preact/signals';
import { Quaternion, Vector3 } from 'three';
import type { Parameter } from '../protocol/messages';
import { options } from '../route';
import { deleteRecording, inquire, openSocket } from '../session/open';
import { Session } from '../session/session';
import { freshHook } from '../test-hook';
import { announce } from '../ui/announce';
import { Eyes, viewNames, views, type View } from './cameras';
import { fits, noTelemetry, readTelemetry, type Telemetry } from './channels';
import { countdownAt, isLive, isRunning, next, type FlowEvent, type Phase } from './flow';
import { SeatRumble, type ForceWheel } from './force';
import { drivingKeys, Hands, type Held } from './hands';
import { LatencyMeter } from './latency';
import { BodyFrames } from './poses';
import { bobQuality } from './quality';
import { bestOf, gap, type RunData, type RunEntry } from './runs';
import { seat as settings } from './seat-settings';
import { fetchLine, fetchOffer, fetchRun, fetchRuns, fetchTrack, fetchCoach, type Coached } from './server';
import { renderSound } from './sound/offline';
import { SoundPlayer } from './sound/player';
import type { Offer, TrackShape } from './track';
import { SledModel } from './world/sled-model';
import { RunnerTraces } from './world/traces';
import { World, type Cost } from './world/world';
import { DAY_HOUR, NIGHT_HOUR } from './world/daylight';

const SCENE = { scene: 'bobsleigh' };
/** Time between two looks at the hands, in ms. */
const INPUT_MS = 8;
/** How long the end of a run is shown before its card, in s. */
const END_S = 2.5;
/** Without anybody the seat goes back to its start, in s. */
const ALONE_S = 60;
const GHOST_COLOURS = ['#27c4d6', '#f0a048', '#b06cff', '#7bd65a'];
/** Parameters of the setup that the menu offers. */
export const setupKeys = ['glide', 'across', 'restitution', 'directness', 'split', 'axle', 'offset'];

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
  readonly runs = signal<RunEntry[]>([]);
  readonly ghosts = signal<RunData[]>([]);
  readonly result = signal<{ entry: RunEntry; best: RunEntry | null } | null>(null);
  /** Of the shown result; null until it is there, a text where there is none. */
  readonly coached = signal<Coached | string | null>(null);
  readonly replay = signal<Replay | null>(null);
  readonly message = signal<string | null>(null);
  readonly loading = signal<string | null>('Loading the track');
  readonly parameters = signal<Parameter[]>([]);
  readonly cost = signal<Cost | null>(null);
  readonly showCost = signal(false);
  readonly paused = signal(false);
  readonly wheel = signal<ForceWheel | null>(null);
  /** Written with every picture; the display reads it there. */
  readonly display: Display = { speed: 0, load: 1, clock: -1, steering: 0, bend: '', gap: null, splitGap: null, left: 0, advice: 0 };
  readonly latency = new LatencyMeter();
  onPicture: (() => void) | null = null;

  readonly session: Session;
  readonly hands = new Hands();
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
  private ghostModels: { model: SledModel; frames: BodyFrames; poses: Float32Array }[] = [];
  private traces: RunnerTraces | null = null;
  private replayPoses = new Float32Array(0);
  private telemetry: Telemetry = noTelemetry();
  private known = false;
  private request = 0;
  private lastPicture: number | null = null;
  private timer: ReturnType<typeof setInterval>;
  private lastInput = performance.now();
  private lastHands = performance.now();
  private told: Held | null = null;
  private countFrom = 0;
  private counted: number | null = null;
  private endedAt = 0;
  /** The number of the message after which frames are of the present run. */
  private resetId = 0;
  private acknowledged = 0;
  private isRecording = false;
  /** For each recording that was ended: whether it is thrown away. */
  private readonly fates: boolean[] = [];
  private saving = false;
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
      recorded: ({ recording }) => void this.saved(recording),
    }, () => inquire(SCENE));
    this.listen();
    this.stops.push(effect(() => this.parametersChanged()), effect(() => void this.load(this.track.value)), effect(() => this.dress(settings.hour.value, settings.sails.value, settings.ideal.value)));
    this.request = requestAnimationFrame(this.tick);
    this.timer = setInterval(() => this.feel(), INPUT_MS);
    void this.fetchAll();
  }

  end(): void {
    this.listeners.abort();
    this.stops.forEach((stop) => stop());
    cancelAnimationFrame(this.request);
    clearInterval(this.timer);
    this.stopRecording(true);
    this.session.end();
    this.sound.end();
    this.world?.end();
  }

  private async fetchAll(): Promise<void> {
    try {
      const offer = await fetchOffer();
      if (!fits(offer.channels)) throw new Error('The server reports other numbers than this page reads. Reload the page to get the one that fits.');
      this.offer.value = offer;
      if (this.track.value < 1 || this.track.value > offer.tracks.length) this.track.value = 1;
      await this.refreshRuns();
      if (this.pilotGhost) await this.toggleGhost(this.pilotGhost);
    } catch (error) {
      this.message.value = (error as Error).message;
    }
  }

  async refreshRuns(): Promise<void> {
    this.runs.value = await fetchRuns();
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
      this.ghostModels = [];
      this.dress(settings.hour.value, settings.sails.value, settings.ideal.value);
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
    this.world?.setSails(sails);
    this.world?.showIdeal(ideal);
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
    if (phase === 'result') this.settle();
    if (phase === 'menu') {
      this.stopRecording(true);
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
    this.stopRecording(true);
    this.replay.value = null;
    this.result.value = null;
    session.pause();
    const { kind, curve } = this.start.value;
    const driver = settings.driver.value;
    const wishes: Record<string, number> = { track: this.track.value, speed: kind === 'flying' ? (this.shape?.data.start.speed ?? 10) : 0, curve: kind === 'curve' ? curve : 0, help: driver === 'helped' ? 1 : 0 };
    for (const { key, default: plain } of this.parameters.value) if (setupKeys.includes(key)) wishes[key] = settings.setup.value[key] ?? plain;
    for (const [key, value] of Object.entries(wishes)) if (session.state.value?.values[key] !== value) session.set(key, value);
    session.speed(this.timeScale.value);
    session.reset();
    this.told = null;
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
    this.isRecording = true;
    this.session.record(true);
    this.session.play();
    this.paused.value = false;
    this.sound.count(true);
    announce('Go');
  }

  /** Ends the recording; what was broken off is thrown away. */
  private stopRecording(discard: boolean): void {
    if (!this.isRecording) return;
    this.isRecording = false;
    this.fates.push(discard);
    this.session.record(false);
  }

  /** The run is over: its file is ended, and what it says is shown when it is there. */
  private settle(): void {
    this.saving = true;
    this.stopRecording(false);
    this.session.pause();
  }

  private async saved(recording: string): Promise<void> {
    try {
      if (this.fates.shift()) {
        await deleteRecording(recording);
        return;
      }
      await this.refreshRuns();
      const entry = this.runs.value.find(({ name }) => name === recording);
      if (!entry || !this.saving) return;
      this.saving = false;
      const others = this.runs.value.filter(({ name }) => name !== recording);
      const best = bestOf(others, entry.track);
      this.coached.value = null;
      this.result.value = { entry, best };
      void this.coach(entry, best);
    } catch (error) {
      this.message.value = `The run could not be saved: ${(error as Error).message}`;
    }
  }

  /** Asks the coach, who compares with the best run, or with the pilot's where there is none: that takes some seconds the first time. */
  private async coach(entry: RunEntry, best: RunEntry | null): Promise<void> {
    const coached = await fetchCoach(entry.name, best?.name ?? null).catch((error: Error) => error.message);
    if (this.result.value?.entry === entry) this.coached.value = coached;
  }

  async toggleGhost(name: string): Promise<void> {
    const shown = this.ghosts.value.filter((ghost) => ghost.name !== name);
    if (shown.length < this.ghosts.value.length) {
      this.ghosts.value = shown;
      return;
    }
    try {
      this.ghosts.value = [...shown, await fetchRun(name)].slice(-GHOST_COLOURS.length);
    } catch (error) {
      this.message.value = `The run ${name} cannot be a ghost: ${(error as Error).message}`;
    }
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

  async remove(entry: RunEntry): Promise<void> {
    this.ghosts.value = this.ghosts.value.filter(({ name }) => name !== entry.name);
    await deleteRecording(entry.name).catch((error: Error) => (this.message.value = error.message));
    await this.refreshRuns();
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

  private listen(): void {
    const { signal: aborted } = this.listeners;
    document.addEventListener('keydown', (event) => this.key(event), { signal: aborted });
    document.addEventListener('keyup', (event) => this.hands.release(event.code), { signal: aborted });
    window.addEventListener('blur', () => this.hands.releaseAll(), { signal: aborted });
    window.addEventListener('resize', () => this.resize(), { signal: aborted });
    window.addEventListener('gamepaddisconnected', () => {
      if (isRunning(this.phase.value)) this.message.value = 'The controller is gone; keys and mouse steer on';
    }, { signal: aborted });
    this.canvas.addEventListener('pointermove', (event) => this.pointer(event), { signal: aborted });
    this.canvas.addEventListener('pointerdown', (event) => {
      this.touchedAt();
      this.sound.wake();
      if (event.pointerType === 'touch') this.hands.touchStart(event.pointerId, event.clientX, innerWidth);
    }, { signal: aborted });
    for (const type of ['pointerup', 'pointercancel'] as const) this.canvas.addEventListener(type, (event) => this.hands.touchEnd(event.pointerId), { signal: aborted });
    document.addEventListener('click', () => {
      this.touchedAt();
      this.sound.wake();
    }, { signal: aborted });
    this.canvas.addEventListener('webglcontextlost', (event) => {
      event.preventDefault();
      this.message.value = 'The graphics card was lost; reload the page. The run goes on and is saved.';
    }, { signal: aborted });
  }

  private touchedAt(): void {
    this.lastInput = performance.now();
  }

  private pointer(event: PointerEvent): void {
    if (event.pointerType === 'touch') {
      this.hands.touchMove(event.pointerId, event.clientX);
      return;
    }
    this.hands.moveMouse(event.clientX, innerWidth);
    if (event.buttons !== 1) return;
    this.orbit.turn -= 0.008 * event.movementX;
    this.orbit.lift = Math.max(-0.1, Math.min(1.3, this.orbit.lift + 0.006 * event.movementY));
  }

  private key(event: KeyboardEvent): void {
    this.touchedAt();
    this.sound.wake();
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const phase = this.phase.value;
    const inField = event.target instanceof HTMLElement && /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
    if (phase === 'menu') {
      // Fields and buttons of the menu have their own keys; Enter on nothing starts.
      if (event.code === 'Enter' && (event.target === document.body || event.target === this.canvas)) this.send('start');
      return;
    }
    if (drivingKeys.has(event.code) && isRunning(phase)) {
      event.preventDefault();
      this.hands.press(event.code);
      this.feel();
      return;
    }
    if (inField && event.code !== 'Escape') return;
    if (this.shortcut(event.code, phase)) event.preventDefault();
  }

  private shortcut(code: string, phase: Phase): boolean {
    switch (code) {
      case 'KeyR':
        this.send('restart');
        return true;
      case 'Escape':
        this.send('leave');
        return true;
      case 'Enter':
        if (phase === 'countdown') this.tryGo(true);
        else if (phase === 'result') this.send('start');
        else return false;
        return true;
      case 'Space':
        if (phase === 'countdown') this.tryGo(true);
        else if (phase === 'result') {
          const entry = this.result.value?.entry;
          if (entry) void this.showReplay(entry);
        } else this.togglePause();
        return true;
      case 'KeyC':
      case 'KeyV':
        this.setView(views[(views.indexOf(settings.view.value) + 1) % views.length]!);
        return true;
      case 'KeyH':
        settings.hud.value = !settings.hud.value;
        return true;
      case 'KeyM':
        settings.muted.value = !settings.muted.value;
        return true;
      case 'KeyN':
        settings.hour.value = settings.hour.value === NIGHT_HOUR ? DAY_HOUR : NIGHT_HOUR;
        return true;
      case 'KeyL':
        settings.ideal.value = !settings.ideal.value;
        return true;
      case 'KeyI':
        this.showCost.value = !this.showCost.value;
        return true;
      case 'ArrowLeft':
      case 'ArrowRight':
        if (phase !== 'replay') return false;
        this.seekReplay({ time: (this.replay.value?.time ?? 0) + (code === 'ArrowLeft' ? -1 : 1) });
        return true;
      default: {
        const digit = /^Digit([1-6])$/.exec(code);
        if (digit) this.setView(views[Number(digit[1]) - 1]!);
        return digit !== null;
      }
    }
  }

  /** Looks at the hands and tells the server what changed; also with every key, so that none waits. */
  private feel(): void {
    const now = performance.now();
    const seconds = Math.min(0.1, (now - this.lastHands) / 1000);
    this.lastHands = now;
    const held = this.hands.update(seconds);
    const phase = this.phase.value;
    if (settings.driver.value === 'pilot' || !(isRunning(phase) || phase === 'finish')) return;
    if (!settings.handPush.value && phase === 'push') held.push = 1;
    if (phase === 'finish') Object.assign(held, { push: 0, brake: 1 });
    const { told } = this;
    if (told && told.steering === held.steering && told.push === held.push && told.brake === held.brake) return;
    this.told = held;
    if (this.session.drive({ ...held })) this.latency.sent(this.session.acknowledgements.sent, now);
  }

  /** Counting down; `skip` cuts it short. The run begins when the server has everything at the block. */
  private tryGo(skip: boolean): void {
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
    this.request = requestAnimationFrame(this.tick);
    const seconds = this.lastPicture === null ? 0.016 : Math.min(0.25, (now - this.lastPicture) / 1000);
    this.lastPicture = now;
    this.takeFrame();
    if (this.phase.value === 'countdown') this.tryGo(false);
    this.judge(now);
    this.draw(seconds, now);
  };

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
    const reference = this.ghosts.value[0];
    this.display.splitGap = reference ? gap(t.split_time, s, reference) : null;
  }

  private draw(seconds: number, now: number): void {
    const { world, eyes, sled, frames, shape } = this;
    if (!world || !eyes || !sled || !frames || !shape) return;
    const phase = this.phase.value;
    const t = this.presentTelemetry(seconds);
    const [position, turn, scale] = [new Vector3(), new Quaternion(), new Vector3()];
    frames.matrix('rear_hull').decompose(position, turn, scale);
    if (position.lengthSq() === 0 && t.speed === 0 && t.station === 0) return; // nothing has come yet
    const view: View = phase === 'menu' ? 'tv' : settings.view.value;
    const shot = eyes.see(view, { position, turn, station: t.station, speed: t.speed, load: t.load }, seconds, { headMoves: settings.head.value, orbit: this.orbit, fov: settings.fov.value });
    sled.place(frames, view === 'cockpit');
    this.drawGhosts(t);
    this.drawTraces(t);
    const cost = world.draw(shot, { position, ahead: new Vector3(0, 0, -1).applyQuaternion(turn), up: new Vector3(0, 1, 0).applyQuaternion(turn) }, view === 'overview');
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
    }
    const time = this.replay.value!.time;
    this.frames?.take(replay.run.poses(time, this.replayPoses));
    return replay.run.at(time);
  }

  /** Ghosts run from clock zero; before it they stand where they were as long before. */
  private drawGhosts(t: Telemetry): void {
    const { world, offer } = this;
    const ghosts = isLive(this.phase.value) && this.phase.value !== 'menu' || this.phase.value === 'replay' || this.phase.value === 'countdown' ? this.ghosts.value : [];
    while (this.ghostModels.length < ghosts.length && world && offer.value) {
      const model = new SledModel(world.quality, GHOST_COLOURS[this.ghostModels.length]!);
      world.scene.add(model.group);
      this.ghostModels.push({ model, frames: new BodyFrames(offer.value.sled.parts), poses: new Float32Array(7 * offer.value.sled.parts.length) });
    }
    this.ghostModels.forEach(({ model, frames, poses }, i) => {
      const run = ghosts[i];
      const own = run && !(this.replay.value && this.replay.value.run.name === run.name);
      model.group.visible = Boolean(run && own);
      if (!run || !own) return;
      const clock = t.clock >= 0 ? t.clock : -0.001;
      frames.take(run.poses(run.zero + clock, poses));
      model.place(frames, false);
    });
    window.prall.ghosts = this.ghostModels.filter(({ model }) => model.group.visible).length;
    const reference = ghosts[0];
    this.display.gap = reference ? gap(t.clock, t.station, reference) : null;
  }

  private drawTraces(t: Telemetry): void {
    const { frames, traces } = this;
    if (!frames || !traces) return;
    const forces = [t.runner_1, t.runner_2, t.runner_3, t.runner_4];
    const up = new Vector3(0, 1, 0).transformDirection(frames.matrix('rear_hull'));
    (['runner_1', 'runner_2', 'runner_3', 'runner_4'] as const).forEach((name, i) => {
      const place = new Vector3(i % 2 === 0 ? -0.335 : 0.335, 0, i < 2 ? 0 : -1.69).applyMatrix4(frames.matrix(name));
      traces.add(i, place, up, forces[i]! > 1);
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
    hook.bob = { phase: this.phase.value, view, telemetry: { ...t }, calls: cost.calls, triangles: cost.triangles, quality: this.world!.quality.name, gap: this.display.gap, runs: this.runs.value.length, track: this.shape!.data.number, sound: this.sound.isAwake, ready: this.loading.value === null };
  }

  resize(): void {
    const { clientWidth, clientHeight } = this.canvas;
    this.world?.resize(clientWidth, clientHeight);
  }

  /** The picture as a file. */
  picture(): string {
    if (this.world && this.eyes) this.draw(0, performance.now());
    return this.canvas.toDataURL('image/png');
  }
}
