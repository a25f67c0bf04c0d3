// One session with the server: what it said, what can be asked of it, and what it is doing right now.

import { batch, computed, signal } from '@preact/signals';
import { Connection, type Socket } from '../protocol/connection';
import { PoseKeeper, parseFrame, type Frame } from '../protocol/frame';
import {
  PROTOCOL_VERSION, helloWithout, parseMessage, reportWithout, stateWithout,
  type AddedBody, type ClientMessage, type Grip, type Hello, type OverlayWanted, type Properties, type Recorded, type Report, type ServerMessage, type State, type StepBudget,
  type Track, type Turn, type Vector,
} from '../protocol/messages';
import { LagMeter } from '../numbers/lag';
import { PaceMeter, slownessOf, type Pace, type Slowness } from '../numbers/real-time';
import { Acknowledgements } from './acknowledgements';
import { History, type Sample } from './history';

export type Phase = 'connecting' | 'open' | 'lost' | 'refused';

export interface Refusal {
  title: string;
  text: string;
}

export interface SessionEvents {
  /** The server said that something was wrong. */
  error(message: string): void;
  /** The connection is gone; it was there before. */
  lost(): void;
  /** It is back after so many seconds. */
  back(seconds: number): void;
  /** What was there before the connection was lost is gone: the server, or this session, was started anew. */
  begunAnew?(lost: Loss): void;
  /** The scene's file cannot be read any more, or can be again (null). */
  fileError?(reason: string | null): void;
  /** A sentence about what the simulation did or refused. */
  notice(text: string): void;
  /** A recording has ended. */
  recorded(recorded: Recorded): void;
}

/** What a page saw last of a simulation that is gone. */
export interface Loss {
  /** The server itself was started anew, not only the session. */
  restarted: boolean;
  /** How long the page was without a server, in s. */
  away: number;
  /** Simulated time in s. */
  time: number;
  snapshots: number;
  recording: string | null;
  /** Parameters that were not at their defaults. */
  values: Record<string, number>;
}

/** Why a socket may have closed without a word: a refusal to show, or null where the server cannot be reached. */
export type Inquiry = () => Promise<Refusal | null>;

const seconds = () => performance.now() / 1000;

/** One track's newest frame and its reports. */
class TrackState {
  readonly keeper = new PoseKeeper();
  readonly history = new History();
  newest: Frame | null = null;
}

export class Session {
  readonly phase = signal<Phase>('connecting');
  readonly refusal = signal<Refusal | null>(null);
  readonly hello = signal<Hello | null>(null);
  readonly state = signal<State | null>(null);
  /** All tracks but 0. */
  readonly tracks = signal<Track[]>([]);
  readonly compared = computed(() => this.tracks.value.find(({ role }) => role === 'compare') ?? null);
  readonly ghosts = computed(() => this.tracks.value.filter(({ role }) => role === 'ghost'));
  readonly report = signal<Report | null>(null);
  readonly pace = signal<Pace>('connecting');
  readonly factor = signal(1);
  /** Why the simulation is slowed; null while it is not. */
  readonly slowness = signal<Slowness | null>(null);
  /** Age of the picture in s, in tenths. */
  readonly lag = signal(0);
  /** The attempt to come back that is being waited for, and when (performance clock, seconds) it is made. */
  readonly retry = signal<{ attempt: number; at: number } | null>(null);
  /** Counts reports, so that plots know when to draw. */
  readonly reports = signal(0);
  /** What the server said of a body that was asked about. */
  readonly properties = signal<Properties | null>(null);
  readonly acknowledgements = new Acknowledgements();
  /** The same until the picture that shows it is drawn. */
  readonly shown = new Acknowledgements();
  onGrip: ((grip: Grip) => void) | null = null;
  /** A frame of track 0 has come. */
  onFrame: (() => void) | null = null;
  /** What the page itself knows of this moment, for the plots. */
  sample: (() => Sample) | null = null;

  private readonly connection: Connection;
  private readonly meter = new PaceMeter();
  private readonly lagMeter = new LagMeter();
  private drawnTime = 0;
  private readonly trackStates = new Map<number, TrackState>();
  private slowed = false;
  private lostAt = 0;
  private lastNotice: string | null = null;
  private refusedBefore: string | null = null;

  constructor(
    makeSocket: () => Socket,
    private readonly events: SessionEvents,
    private readonly inquire: Inquiry,
  ) {
    this.connection = new Connection(makeSocket, {
      opened: () => {
        this.acknowledgements.restart();
        this.shown.restart();
        this.lagMeter.restart();
      },
      text: (data) => this.receive(data),
      binary: (data) => this.receiveFrame(data),
      lost: (info) => this.lose(info.attempt, info.retryIn),
    });
  }

  end(): void {
    this.connection.end();
  }

  retryNow(): void {
    this.connection.retryNow();
  }

  /** `since` is when the person did what the message says, in ms. */
  send(message: ClientMessage, since = performance.now()): boolean {
    const id = this.acknowledgements.next(performance.now());
    this.shown.next(since);
    return this.connection.send(JSON.stringify({ ...message, id }));
  }

  play = () => this.send({ type: 'play' });
  pause = () => this.send({ type: 'pause' });
  toggle = () => (this.state.value?.running ? this.pause() : this.play());
  step = () => this.send({ type: 'step' });
  stepBack = () => this.send({ type: 'back', steps: 1 });
  back = (by: number) => this.send({ type: 'back', seconds: by });
  seek = (time: number) => this.send({ type: 'seek', time });
  reset = () => this.send({ type: 'reset' });
  speed = (value: number) => this.send({ type: 'speed', value });
  set = (parameter: string, value: number) => this.send({ type: 'set', parameter, value });
  solver = (name: string, track = 0) => this.send({ type: 'solver', name, track });
  budget = (budget: StepBudget) => this.send({ type: 'budget', ...budget });
  snapshot = (name: string) => this.send({ type: 'snapshot', name });
  restore = (name: string) => this.send({ type: 'restore', name });
  forget = (name: string) => this.send({ type: 'forget', name });
  want = (wanted: OverlayWanted[], level: number) => this.send({ type: 'overlays', wanted, level });
  compare = (solver: string | null) => this.send({ type: 'compare', solver });
  ghost = (recording: string | null, offset = 0) => this.send(recording === null ? { type: 'ghost', recording } : { type: 'ghost', recording, offset });
  record = (on: boolean) => this.send({ type: 'record', on });
  grab = (origin: Vector, direction: Vector, track = 0) => this.send({ type: 'grab', origin, direction, track });
  pull = (point: Vector, rotation?: Turn, since?: number) => this.send(rotation ? { type: 'pull', point, rotation } : { type: 'pull', point }, since);
  push = (velocity: Vector, spin: Vector) => this.send({ type: 'push', velocity, spin });
  follow = (session: string | null, delay = 0) => this.send({ type: 'follow', session, delay });
  release = () => this.send({ type: 'release' });
  /** Moves controls by name; null lets go of all of them. */
  drive = (values: Record<string, number> | null) => this.send({ type: 'control', values });
  throw = (body: number, velocity: Vector) => this.send({ type: 'throw', body, velocity });
  pin = (body: number, pinned: boolean) => this.send({ type: 'pin', body, pinned });
  delete = (body: number) => this.send({ type: 'delete', body });
  /** Adds a body where a ray leads, or shoots it along the ray. */
  add = (body: AddedBody, origin: Vector, direction: Vector, speed?: number) => this.send({ type: 'add', body, origin, direction, ...(speed === undefined ? {} : { speed }) });
  undo = () => this.send({ type: 'undo' });
  setJoint = (joint: number, position: number) => this.send({ type: 'joint', joint, position });
  askProperties = (body: number, track = 0) => this.send({ type: 'properties', body, track });

  historyOf(track: number): History {
    return this.trackState(track).history;
  }

  get history(): History {
    return this.historyOf(0);
  }

  /** A track's newest frame if one has come since the last call; called once per drawn frame. */
  takeFrame(track = 0): Frame | null {
    const state = this.trackStates.get(track);
    const frame = state?.newest ?? null;
    if (state) state.newest = null;
    return this.phase.value === 'open' ? frame : null;
  }

  /** A frame of this time is in the picture. */
  drew(time: number): void {
    this.drawnTime = time;
  }

  /** Lets the badge's smoothing go on; called at each turn of the frame loop. */
  updatePace(): void {
    const open = this.phase.value === 'open';
    const { running, speed } = this.state.value ?? { running: false, speed: 1 };
    const late = this.slowed && this.meter.isBelow(speed);
    this.meter.update({ connected: open, greeted: this.hello.value !== null, running, slowed: late }, seconds());
    this.meter.look(open && running ? this.lagMeter.ageOf(this.drawnTime, seconds()) : 0, seconds());
    batch(() => {
      this.pace.value = this.meter.pace;
      this.factor.value = Math.round(100 * this.meter.factor) / 100;
      this.lag.value = Math.round(10 * this.meter.lag) / 10;
      this.slowness.value = this.meter.pace === 'slowed' && this.report.value ? slownessOf(this.report.value) : null;
    });
  }

  private trackState(track: number): TrackState {
    const known = this.trackStates.get(track) ?? new TrackState();
    this.trackStates.set(track, known);
    return known;
  }

  private receive(data: string): void {
    const message = parseMessage(data);
    if (message) batch(() => this.take(message));
  }

  /** Frames may hold only what changed, so each is applied as it comes. */
  private receiveFrame(data: ArrayBuffer): void {
    if (this.phase.value !== 'open') return;
    try {
      const change = parseFrame(data);
      if (change.track === 0) this.connection.send(JSON.stringify({ type: 'taken', frame: change.number } satisfies ClientMessage));
      const state = this.trackState(change.track);
      const frame = state.keeper.apply(change);
      if (!frame) return;
      // A frame that was never drawn may have been the one that moved.
      if (state.newest?.moved) frame.moved = true;
      state.newest = frame;
      if (change.track !== 0) return;
      this.slowed = frame.slowed;
      this.acknowledgements.seen(frame.acknowledged, performance.now());
      this.onFrame?.();
    } catch (error) {
      this.refuse('Cannot read the server’s frames', `${(error as Error).message}. Reload the page to get the one that fits.`);
    }
  }

  private take(message: ServerMessage): void {
    switch (message.type) {
      case 'hello':
        this.greet(message);
        break;
      case 'state':
        this.takeState(message);
        break;
      case 'tracks':
        this.takeTracks(message.tracks);
        break;
      case 'report':
        this.takeReport({ ...reportWithout, ...message });
        break;
      case 'grip':
        this.onGrip?.(message);
        break;
      case 'properties':
        this.properties.value = message;
        break;
      case 'recorded':
        this.events.recorded(message);
        break;
      case 'error':
        // Before the greeting an error is the reason why the connection is about to close.
        if (this.phase.value === 'open') this.events.error(message.message);
        else this.refusedBefore = message.message;
        break;
    }
  }

  private greet(hello: Hello): void {
    if (hello.protocol !== PROTOCOL_VERSION) {
      this.refuse(
        'Server and page do not fit together',
        `The server speaks protocol ${hello.protocol}, this page ${PROTOCOL_VERSION}. Reload the page to get the server’s own.`,
      );
      return;
    }
    const wasLost = this.phase.value === 'lost';
    this.connection.confirm();
    this.phase.value = 'open';
    this.retry.value = null;
    // Found as it was left: what is drawn stays, with all that was loaded for it.
    const full = { ...helloWithout, ...hello };
    const loss = wasLost ? this.lossAt(full) : null;
    if (this.hello.value === null || full.instance === '' || this.hello.value.instance !== full.instance) this.hello.value = full;
    this.takeTracks(full.tracks);
    this.takeState(hello.state);
    if (loss && this.events.begunAnew) this.events.begunAnew(loss);
    else if (wasLost) this.events.back(seconds() - this.lostAt);
  }

  /** What is gone, where this greeting is of another simulation than the last one; null where it is the same. */
  private lossAt(hello: Hello): Loss | null {
    const before = this.hello.value;
    const state = this.state.value;
    if (!before || !state || before.kind === 'recording' || before.instance === hello.instance) return null;
    const changed = before.parameters.filter(({ key, default: usual }) => (state.values[key] ?? usual) !== usual);
    return {
      restarted: before.server !== hello.server,
      away: seconds() - this.lostAt,
      time: this.drawnTime,
      snapshots: state.snapshots.length,
      recording: state.recording?.name ?? null,
      values: Object.fromEntries(changed.map(({ key }) => [key, state.values[key]!])),
    };
  }

  private takeState(state: State): void {
    const before = this.state.value?.file_error ?? null;
    this.state.value = { ...stateWithout, ...state };
    if (this.state.value.file_error !== before) this.events.fileError?.(this.state.value.file_error);
    this.lagMeter.forget();
    if (state.notice && state.notice !== this.lastNotice) this.events.notice(state.notice);
    this.lastNotice = state.notice;
  }

  private takeTracks(tracks: Track[]): void {
    for (const { track } of this.tracks.value) if (!tracks.some((other) => other.track === track)) this.trackStates.delete(track);
    this.tracks.value = tracks;
  }

  private takeReport(report: Report): void {
    // Without steps it tells of the moment that the simulation was brought to: no new point of a plot, and no pace.
    if (report.steps > 0) this.historyOf(report.track).add(report, report.track === 0 ? this.sample?.() : undefined);
    if (report.track === 0) this.report.value = report;
    if (report.track === 0 && report.steps > 0) {
      this.meter.report(report.real_time_factor, seconds());
      if (report.clock > 0) this.lagMeter.report({ time: report.time, clock: report.clock, factor: report.real_time_factor }, seconds());
    }
    this.reports.value += 1;
  }

  private lose(attempt: number, retryIn: number): void {
    if (this.refusedBefore !== null) {
      this.refuse('The server refused this scene', this.refusedBefore);
      return;
    }
    if (this.phase.value === 'open') {
      this.lostAt = seconds();
      this.phase.value = 'lost';
      for (const state of this.trackStates.values()) state.newest = null;
      this.events.lost();
    }
    this.retry.value = { attempt, at: seconds() + retryIn };
    if (this.hello.value === null && attempt === 1) void this.ask();
  }

  private async ask(): Promise<void> {
    const refusal = await this.inquire();
    if (refusal && this.hello.value === null) this.refuse(refusal.title, refusal.text);
  }

  private refuse(title: string, text: string): void {
    this.connection.end();
    batch(() => {
      this.refusal.value = { title, text };
      this.retry.value = null;
      this.phase.value = 'refused';
    });
  }
}
