// One session with the server: what it said, what can be asked of it, and what it is doing right now.

import { batch, signal } from '@preact/signals';
import { Connection, type Socket } from '../protocol/connection';
import { FrameReader, type Frame } from '../protocol/frame';
import {
  PROTOCOL_VERSION, parseMessage,
  type ClientMessage, type Grip, type Hello, type Report, type ServerMessage, type State, type Vector,
} from '../protocol/messages';
import { PaceMeter, type Pace } from '../numbers/real-time';
import { History } from './history';

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
  /** A sentence about what the simulation did or refused. */
  notice(text: string): void;
}

const seconds = () => performance.now() / 1000;

export class Session {
  readonly phase = signal<Phase>('connecting');
  readonly refusal = signal<Refusal | null>(null);
  readonly hello = signal<Hello | null>(null);
  readonly state = signal<State | null>(null);
  readonly report = signal<Report | null>(null);
  readonly pace = signal<Pace>('connecting');
  readonly factor = signal(1);
  /** The attempt to come back that is being waited for, and when (performance clock, seconds) it is made. */
  readonly retry = signal<{ attempt: number; at: number } | null>(null);
  /** Counts reports, so that plots know when to draw. */
  readonly reports = signal(0);
  readonly history = new History();
  onGrip: ((grip: Grip) => void) | null = null;

  private readonly connection: Connection;
  private readonly meter = new PaceMeter();
  private reader = new FrameReader();
  private newest: Frame | null = null;
  private slowed = false;
  private lostAt = 0;
  private lastNotice: string | null = null;
  private refusedBefore: string | null = null;

  constructor(
    makeSocket: () => Socket,
    private readonly events: SessionEvents,
    /** Says whether the server knows the scene at all; asked when a socket closes before a word was said. */
    private readonly sceneExists: () => Promise<boolean | null>,
  ) {
    this.connection = new Connection(makeSocket, {
      opened: () => {},
      text: (data) => this.receive(data),
      binary: (data) => this.read(data),
      lost: (info) => this.lose(info.attempt, info.retryIn),
    });
  }

  end(): void {
    this.connection.end();
  }

  retryNow(): void {
    this.connection.retryNow();
  }

  send(message: ClientMessage): boolean {
    return this.connection.send(JSON.stringify(message));
  }

  play = () => this.send({ type: 'play' });
  pause = () => this.send({ type: 'pause' });
  toggle = () => (this.state.value?.running ? this.pause() : this.play());
  step = () => this.send({ type: 'step' });
  reset = () => this.send({ type: 'reset' });
  speed = (value: number) => this.send({ type: 'speed', value });
  set = (parameter: string, value: number) => this.send({ type: 'set', parameter, value });
  solver = (name: string) => this.send({ type: 'solver', name });
  grab = (origin: Vector, direction: Vector) => this.send({ type: 'grab', origin, direction });
  pull = (point: Vector) => this.send({ type: 'pull', point });
  release = () => this.send({ type: 'release' });

  /** The newest frame if one has come since the last call; called once per drawn frame. */
  takeFrame(): Frame | null {
    const frame = this.newest;
    this.newest = null;
    if (!frame || this.phase.value !== 'open') return null;
    this.slowed = frame.slowed;
    return frame;
  }

  /** Every frame is read, since the next may change it; only the newest is kept. */
  private read(data: ArrayBuffer): void {
    try {
      const frame = this.reader.read(data);
      if (frame.track === 0) this.newest = frame;
    } catch (error) {
      this.refuse('Cannot read the server’s frames', `${(error as Error).message}. Reload the page to get the one that fits.`);
    }
  }

  /** Lets the badge's smoothing go on; called once per drawn frame. */
  updatePace(): void {
    const open = this.phase.value === 'open';
    const running = this.state.value?.running ?? false;
    this.meter.update({ connected: open, greeted: this.hello.value !== null, running, slowed: this.slowed }, seconds());
    this.pace.value = this.meter.pace;
    this.factor.value = Math.round(100 * this.meter.factor) / 100;
  }

  private receive(data: string): void {
    const message = parseMessage(data);
    if (message) batch(() => this.take(message));
  }

  private take(message: ServerMessage): void {
    switch (message.type) {
      case 'hello':
        this.greet(message);
        break;
      case 'state':
        this.takeState(message);
        break;
      case 'report':
        if (message.track !== 0) break;
        this.report.value = message;
        this.history.add(message);
        this.meter.report(message.real_time_factor, seconds());
        this.reports.value += 1;
        break;
      case 'grip':
        this.onGrip?.(message);
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
    this.hello.value = hello;
    this.reader = new FrameReader();
    this.takeState(hello.state);
    if (wasLost) this.events.back(seconds() - this.lostAt);
  }

  private takeState(state: State): void {
    this.state.value = state;
    if (state.notice && state.notice !== this.lastNotice) this.events.notice(state.notice);
    this.lastNotice = state.notice;
  }

  private lose(attempt: number, retryIn: number): void {
    if (this.refusedBefore !== null) {
      this.refuse('The server refused this scene', this.refusedBefore);
      return;
    }
    if (this.phase.value === 'open') {
      this.lostAt = seconds();
      this.phase.value = 'lost';
      this.newest = null;
      this.events.lost();
    }
    this.retry.value = { attempt, at: seconds() + retryIn };
    if (this.hello.value === null && attempt === 1) void this.askForScene();
  }

  private async askForScene(): Promise<void> {
    if ((await this.sceneExists()) === false) {
      this.refuse('No such scene', 'The server is there, but it has no scene of this name.');
    }
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
