// One open scene or recording: its session, and what this page shows of it.

import { computed, effect, signal, type ReadonlySignal } from '@preact/signals';
import type { Frame } from '../protocol/frame';
import type { Drive, Parameter, RecordingEntry, Report } from '../protocol/messages';
import { fetchBinary, fetchRecordings, inquire, openSocket, type Subject } from '../session/open';
import { Session, type Loss } from '../session/session';
import type { Vector } from '../protocol/messages';
import { lossText } from './loss';
import { options, recordingHash } from '../route';
import { settings } from '../settings';
import { announce } from '../ui/announce';
import { current, dismiss, notify } from '../ui/messages';
import { niceBelow } from '../numbers/nice';
import { slownessOf } from '../numbers/real-time';
import { bytesText, fixed } from '../numbers/format';
import { isOverlay, wantedOf, type OverlayName } from '../stage/overlay-names';
import type { LegendEntry } from '../stage/overlays';
import type { AxesMode } from '../stage/part-axes';
import type { Section } from '../stage/stage';
import type { HandMover } from '../stage/hand';
import { addedBody, usualSize, usualSpeed, type GalleryBody, type Tool } from '../add/tool';
import { deviceSettings } from '../devices/device-settings';
import { CameraLink } from './camera-link';

export const SPEEDS = [0.1, 0.2, 0.5, 1, 2, 5, 10];
export const BACK_SECONDS = 3;
const SLOWED_MESSAGE_AFTER_MS = 5000;

export type OpenSheet = 'help' | 'settings' | 'about' | 'table' | null;

export interface BodyRef {
  body: number;
  track: number;
}

/** What the stage can do for the rest of the page; null where the browser cannot draw. */
export interface StageActions {
  fit(): void;
  home(): void;
  /** The camera goes with a body, and turns with it where it chases. */
  follow(body: number | null, chases?: boolean): void;
  /** Where a body is, in m; null while there is none. */
  placeOf(body: number): readonly [number, number, number] | null;
  select(body: number | null): void;
  isPinned(body: number): boolean;
  /** Velocity of a throw away from the viewer, as fast as suits the scene: for those who throw without a pointer. */
  throwVelocity(): [number, number, number];
  /** Radius of what the start view shows, in m. */
  sceneRadius(): number;
  radiusOf(body: number): number;
  enterHeadset(): Promise<void>;
  /** A plane through the part in hand, or the middle of the scene, that faces the viewer. */
  facingPlane(): Omit<Section, 'depth'>;
  /** Turns of a body leave a point of it where it is, if its devices are set so: the one at this place of the window. */
  choosePivot(body: number, x: number, y: number): boolean;
}

export class SceneModel {
  readonly session: Session;
  readonly sheet = signal<OpenSheet>(null);
  readonly overlays = signal<OverlayName[]>(settings.overlays.value.filter(isOverlay));
  /** Level of the bounding volumes, from the root's 0. */
  readonly level = signal(0);
  /** A device that rumbles by contact force needs the forces, shown or not. */
  readonly feelsForces = signal(false);
  readonly wireframe = signal(false);
  readonly translucent = signal(false);
  /** What cuts the picture open. */
  readonly section = signal<Section | null>(null);
  /** Whether axes to drag are on the part, and of which kind. */
  readonly axes = signal<AxesMode | null>(null);
  /** Which line sets are shown, by their place in the assets. */
  readonly lines = signal<boolean[]>([]);
  readonly legend = signal<LegendEntry[]>([]);
  readonly scaleBar = signal({ metres: 1, pixels: 0 });
  readonly stageError = signal<string | null>(null);
  /** The body this page holds, by name. */
  readonly holding = signal<string | null>(null);
  readonly following = signal<number | null>(null);
  /** Time passes and nothing moves. */
  readonly still = signal(false);
  /** What this scene can be driven by. */
  readonly drive: ReadonlySignal<Drive | null>;
  /** This page drives. */
  readonly driving = signal(false);
  /** Where its controls are, in the order of the declaration. */
  readonly driveValues = signal<number[]>([]);
  /** Takes this page's hands off the controls. */
  letGo: (() => void) | null = null;
  /** The keyboard moves a body: its keys do not drive meanwhile. */
  heldByKeys = false;
  /** What a click on the stage does; null takes hold. */
  readonly tool = signal<Tool | null>(null);
  /** The plate of what can be added is open. */
  readonly adding = signal(false);
  readonly addSize = signal(0.2);
  readonly addSpeed = signal(10);
  readonly addGallery = signal<GalleryBody | null>(null);
  /** Speed of the throw that is being aimed, as text. */
  readonly aim = signal<string | null>(null);
  /** The last body that was chosen in any way, for the plots. */
  plotted: number | null = null;
  readonly menu = signal<(BodyRef & { x: number; y: number }) | null>(null);
  readonly inspected = signal<BodyRef | null>(null);
  readonly recordings = signal<RecordingEntry[]>([]);
  readonly stage = signal<StageActions | null>(null);
  readonly camera = new CameraLink();
  /** What the start view was made for. */
  framedSubject = 'null';
  /** What moves the hand of this page while it holds something. */
  readonly heldBy = signal<HandMover | null>(null);
  readonly title: ReadonlySignal<string>;
  /** False for a scene at rest: no time bar, no plots, no numbers. */
  readonly moves: ReadonlySignal<boolean>;
  readonly isReplay: ReadonlySignal<boolean>;
  readonly fetchBinary = fetchBinary;
  /** Told of each frame's time, past the component tree: it changes sixty times a second. */
  readonly timeViews = new Set<(time: number) => void>();
  /** Told of each frame, likewise. */
  readonly frameViews = new Set<(frame: Frame) => void>();
  time = 0;
  private readonly stops: (() => void)[] = [];

  constructor(readonly subject: Subject) {
    dismiss();
    this.session = new Session(() => openSocket(subject), {
      error: (text) => notify({ kind: 'error', title: 'The server refused', text }),
      notice: (text) => notify({ kind: 'warn', title: 'Note', text }),
      lost: () => announce('Lost the server. Trying again.', 'assertive'),
      back: (seconds) => notify({ kind: 'info', title: 'The server is back', text: `${fixed(seconds, 0)} s were missed` }),
      fileError: (reason) => {
        if (reason !== null) notify({ kind: 'error', title: 'The file cannot be read', text: `${reason}. The scene goes on as it was.` });
        else if (current.value?.title === 'The file cannot be read') dismiss();
      },
      begunAnew: (loss) => this.sayLoss(loss),
      recorded: ({ recording, seconds, bytes }) => {
        void this.loadRecordings();
        notify({
          kind: 'info', title: `Recorded ${fixed(seconds, 1)} s`, text: `${recording}, ${bytesText(bytes)}`,
          action: { label: 'Replay', run: () => (location.hash = recordingHash(recording)) },
        });
      },
    }, () => inquire(subject));
    this.title = computed(() => this.session.hello.value?.scene.title ?? this.name);
    this.moves = computed(() => this.session.hello.value?.assets.moves ?? true);
    this.drive = computed(() => (this.session.phase.value === 'open' ? (this.session.hello.value?.drive ?? null) : null));
    this.isReplay = computed(() => this.session.hello.value?.kind === 'recording');
    this.stops.push(
      effect(() => {
        document.title = `${this.title.value} · Prall`;
      }),
      effect(() => {
        settings.overlays.value = this.overlays.value;
      }),
      effect(() => {
        this.lines.value = this.session.hello.value?.assets.lines.map((set) => set.visible) ?? [];
      }),
      effect(() => {
        if (this.session.phase.value === 'open') void this.loadRecordings();
      }),
      this.askForOverlays(),
      this.followAsAddressed(),
      this.sayPace(),
      this.warnWhenSlowed(),
    );
  }

  /** A page whose address says so follows another session, from each greeting on. */
  private followAsAddressed(): () => void {
    const [leader, delay] = [options.get('follow'), Number(options.get('delay') ?? 0)];
    if (leader === null) return () => {};
    let greeted: unknown = null;
    return effect(() => {
      const hello = this.session.hello.value;
      if (this.session.phase.value !== 'open' || !hello || hello === greeted || hello.kind === 'recording') return;
      greeted = hello;
      this.session.follow(leader, delay);
    });
  }

  /** As the address has it. */
  get name(): string {
    return 'scene' in this.subject ? this.subject.scene : this.subject.recording;
  }

  end(): void {
    for (const stop of this.stops) stop();
    this.session.end();
    dismiss();
  }

  /** Whether the server can bring what this overlay shows. */
  offers(name: OverlayName): boolean {
    return name === 'trails' ? this.moves.value : (this.session.hello.value?.overlays.includes(name) ?? false);
  }

  toggleOverlay(name: OverlayName): void {
    const shown = this.overlays.value;
    this.overlays.value = shown.includes(name) ? shown.filter((other) => other !== name) : [...shown, name];
  }

  hideOverlays(): void {
    this.overlays.value = [];
    this.wireframe.value = false;
    this.translucent.value = false;
    this.section.value = null;
    this.axes.value = null;
  }

  toggleSection(): void {
    if (this.section.value) this.section.value = null;
    else this.cutTowardsViewer();
  }

  /** Turns the section plane towards the viewer; it goes on at its depth. */
  cutTowardsViewer(): void {
    const plane = this.stage.value?.facingPlane();
    if (plane) this.section.value = { ...plane, depth: this.section.value?.depth ?? 0 };
  }

  /** From now on turns leave this point of a body where it is; devices that turned about the held point do so too. */
  choosePivot(body: number, x: number, y: number): void {
    if (!this.stage.value?.choosePivot(body, x, y)) return;
    for (const settings of Object.values(deviceSettings)) if (settings.value.pivot !== 'point') settings.value = { ...settings.value, pivot: 'point' };
    announce(`The ${this.bodyName(body)} turns about this point`);
  }

  /** No axes, arrows to shift along, rings to turn about. */
  cycleAxes(): void {
    const next = { none: 'translate', translate: 'rotate', rotate: null } as const;
    this.axes.value = next[this.axes.value ?? 'none'];
    announce(this.axes.value === null ? 'No axes on the part' : this.axes.value === 'translate' ? 'Arrows shift the part along its axes' : 'Rings turn the part about its axes');
  }

  toggleLines(index: number): void {
    this.lines.value = this.lines.value.map((visible, i) => (i === index ? !visible : visible));
  }

  /** To the next slower (-1) or faster (1) speed of the list. */
  changeSpeed(direction: 1 | -1): void {
    const now = this.session.state.value?.speed ?? 1;
    const next = direction > 0 ? SPEEDS.find((speed) => speed > now * 1.001) : SPEEDS.findLast((speed) => speed < now * 0.999);
    if (next === undefined) return;
    this.session.speed(next);
    announce(`${next} times real time`);
  }

  valueOf(parameter: Parameter): number {
    return this.session.state.value?.values[parameter.key] ?? parameter.value;
  }

  /** From the start, running. */
  startAgain(): void {
    this.session.reset();
    if (!this.session.state.value?.running) this.session.play();
  }

  goBack(): void {
    if (this.session.back(BACK_SECONDS)) announce(`Back ${BACK_SECONDS} seconds`);
  }

  toggleRecord(): void {
    if (this.isReplay.value) return;
    const on = this.session.state.value?.recording === null;
    if (this.session.record(on)) announce(on ? 'Recording' : 'Recording ends');
  }

  /** Keeps the present state under the time it was taken. */
  takeSnapshot(): void {
    if (this.isReplay.value) return;
    const name = `${fixed(this.time, 3)} s`;
    if (this.session.snapshot(name)) announce(`Snapshot at ${name}`);
  }

  /** Side by side with the next solver of the list, or alone again. */
  toggleCompare(): void {
    const { hello, state, compared } = this.session;
    if (compared.value) {
      this.session.compare(null);
      return;
    }
    const solvers = hello.value?.solvers ?? [];
    const at = solvers.findIndex(({ name }) => name === state.value?.solver);
    const other = solvers[(at + 1) % Math.max(1, solvers.length)];
    if (other && solvers.length > 1 && !this.isReplay.value) this.session.compare(other.name);
    else announce('This scene has one solver; there is nothing to compare');
  }

  /** Whether there is a part that axes could be on. */
  get hasAxes(): boolean {
    return !this.isReplay.value && (this.session.hello.value?.assets.bodies.some(({ movable }) => movable) ?? false);
  }

  can(action: string): boolean {
    return this.session.hello.value?.actions.includes(action) ?? false;
  }

  bodyName(body: number): string {
    return this.session.hello.value?.assets.bodies[body]?.name ?? 'body';
  }

  /** Opens or closes the plate of what can be added. */
  toggleAdding(): void {
    if (!this.adding.value && (!this.can('add') || this.isReplay.value)) {
      announce('Nothing can be added to this scene');
      return;
    }
    this.adding.value = !this.adding.value;
    this.tool.value = this.adding.value ? { kind: 'ball' } : null;
    const radius = this.stage.value?.sceneRadius();
    if (!this.adding.value || radius === undefined || this.sized) return;
    this.sized = true;
    this.addSize.value = usualSize(radius);
    this.addSpeed.value = usualSpeed(radius);
  }

  private sized = false;

  /** Adds what is chosen along a ray from the eye. */
  addAlong(origin: Vector, direction: Vector): void {
    const tool = this.tool.value;
    if (!tool || tool.kind === 'throw') return;
    const body = addedBody(tool.kind, this.addSize.value, this.addGallery.value);
    if (!body) announce('Choose a body of the gallery first');
    else this.session.add(body, origin, direction, tool.kind === 'ball' ? this.addSpeed.value : undefined);
  }

  /** Another one of a body, dropped onto it. */
  duplicate(body: number): void {
    const { placeOf, radiusOf } = this.stage.value ?? {};
    const place = placeOf?.(body);
    if (!place || !radiusOf) return;
    const [x, y, z] = place;
    this.session.add({ copy: { body } }, [x, y + 1.5 * radiusOf(body), z], [0, -1, 0]);
  }

  undo(): void {
    if (this.isReplay.value) return;
    if (!this.session.state.value?.undo) announce('There is nothing to undo');
    else if (this.session.undo()) announce('Undone');
  }

  private sayLoss(loss: Loss): void {
    const values = Object.entries(loss.values);
    const again = () => {
      for (const [key, value] of values) this.session.set(key, value);
      this.session.reset();
    };
    notify({
      kind: 'warn', title: loss.restarted ? 'The server was restarted' : 'The simulation was started anew', text: lossText(loss),
      ...(values.length > 0 ? { action: { label: 'Set parameters again', run: again } } : {}),
    });
  }

  inspect(ref: BodyRef | null): void {
    if (ref?.track === 0) this.plotted = ref.body;
    this.inspected.value = ref;
    this.stage.value?.select(ref?.body ?? null);
    if (ref) this.session.askProperties(ref.body, ref.track);
  }

  follow(body: number | null, chases = false): void {
    if (body !== null) this.plotted = body;
    this.following.value = body;
    this.stage.value?.follow(body, chases);
    announce(body === null ? 'The camera stays' : `The camera follows the ${this.bodyName(body)}`);
  }

  async loadRecordings(): Promise<void> {
    try {
      this.recordings.value = await fetchRecordings();
    } catch {
      // The list stays as it was; the connection's own message says what is wrong.
    }
  }

  /** The stage in one sentence, for those who do not see it. */
  describe(): string {
    const { report, state } = this.session;
    const contacts = report.value?.contacts ?? 0;
    const pace = state.value?.running ? 'running' : 'paused';
    return `${this.title.value} at ${fixed(this.time, 1)} s, ${pace}, ${contacts} ${contacts === 1 ? 'contact' : 'contacts'}`;
  }

  private askForOverlays(): () => void {
    return effect(() => {
      const offered = this.session.hello.value?.overlays ?? [];
      const shown: OverlayName[] = this.feelsForces.value && !this.overlays.value.includes('forces') ? [...this.overlays.value, 'forces'] : this.overlays.value;
      const wanted = wantedOf(shown, offered);
      if (this.session.phase.value === 'open') this.session.want(wanted, this.level.value);
    });
  }

  private sayPace(): () => void {
    let before: string = 'connecting';
    return effect(() => {
      const pace = this.session.pace.value;
      if (pace === before) return;
      if (pace === 'paused' && before !== 'connecting') announce(this.describe());
      if (pace === 'slowed') announce('Slower than real time');
      if (pace === 'on-time' && before === 'paused') announce('Running');
      before = pace;
    });
  }

  private warnWhenSlowed(): () => void {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = effect(() => {
      clearTimeout(timer);
      if (this.session.pace.value === 'slowed') timer = setTimeout(() => this.adviseOnSpeed(), SLOWED_MESSAGE_AFTER_MS);
    });
    return () => {
      clearTimeout(timer);
      stop();
    };
  }

  private adviseOnSpeed(): void {
    const report = this.session.report.value;
    if (!report || current.value || this.session.pace.value !== 'slowed') return;
    const slower = Math.max(SPEEDS[0]!, niceBelow(Math.max(0.1, 0.8 * this.session.factor.value)));
    notify({
      kind: 'warn',
      title: `Slowed to ${fixed(this.session.factor.value, 2)} ×`,
      text: slownessText(report),
      action: { label: `Run at ${slower}×`, run: () => this.session.speed(slower) },
    });
  }
}

/** Why a simulation is slowed, in a sentence. */
function slownessText(report: Report): string {
  const [step, aim] = [fixed(report.step_ms, 1), fixed(report.aim_ms, 1)];
  if (slownessOf(report) === 'machine') return `This machine is busy with something else: a step takes only ${step} ms of ${aim}`;
  return `The simulation is slow: a step takes ${step} ms, and ${aim} ms would be in time`;
}
