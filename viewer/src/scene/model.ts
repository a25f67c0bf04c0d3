// One open scene: its session, and what this page shows of it.

import { computed, effect, signal, type ReadonlySignal } from '@preact/signals';
import type { Parameter } from '../protocol/messages';
import { fetchBinary, openSocket, sceneExists } from '../session/open';
import { Session } from '../session/session';
import { settings } from '../settings';
import { announce } from '../ui/announce';
import { current, dismiss, notify } from '../ui/messages';
import { niceBelow } from '../numbers/nice';
import { fixed } from '../numbers/format';
import type { LegendEntry, OverlayName } from '../stage/overlays';

export const SPEEDS = [0.1, 0.2, 0.5, 1, 2, 5, 10];
const SLOWED_MESSAGE_AFTER_MS = 5000;

export type OpenSheet = 'help' | 'settings' | 'about' | 'table' | null;

/** What the stage can do for the rest of the page; null where the browser cannot draw. */
export interface StageActions {
  fit(): void;
  home(): void;
}

export class SceneModel {
  readonly session: Session;
  readonly sheet = signal<OpenSheet>(null);
  readonly overlays = signal<OverlayName[]>(settings.overlays.value.filter(isOverlay));
  readonly hasJoints = signal(false);
  readonly wireframe = signal(false);
  readonly translucent = signal(false);
  /** Which line sets are shown, by their place in the assets. */
  readonly lines = signal<boolean[]>([]);
  readonly legend = signal<LegendEntry[]>([]);
  readonly scaleBar = signal({ metres: 1, pixels: 0 });
  readonly stageError = signal<string | null>(null);
  /** The body this page holds, by name. */
  readonly holding = signal<string | null>(null);
  readonly stage = signal<StageActions | null>(null);
  readonly title: ReadonlySignal<string>;
  /** False for a scene at rest: no time bar, no plots, no numbers. */
  readonly moves: ReadonlySignal<boolean>;
  readonly fetchBinary = fetchBinary;
  /** Written from the frame loop, past the component tree: it changes sixty times a second. */
  clock: HTMLElement | null = null;
  time = 0;
  private readonly stops: (() => void)[] = [];

  constructor(readonly name: string) {
    dismiss();
    this.session = new Session(() => openSocket(name), {
      error: (text) => notify({ kind: 'error', title: 'The server refused', text }),
      notice: (text) => notify({ kind: 'warn', title: 'Note', text }),
      lost: () => announce('Lost the server. Trying again.', 'assertive'),
      back: (seconds) => notify({ kind: 'info', title: 'The server is back', text: `${fixed(seconds, 0)} s were missed` }),
    }, () => sceneExists(name));
    this.title = computed(() => this.session.hello.value?.scene.title ?? name);
    this.moves = computed(() => this.session.hello.value?.assets.moves ?? true);
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
      this.sayPace(),
      this.warnWhenSlowed(),
    );
  }

  end(): void {
    for (const stop of this.stops) stop();
    this.session.end();
    dismiss();
  }

  toggleOverlay(name: OverlayName): void {
    const shown = this.overlays.value;
    this.overlays.value = shown.includes(name) ? shown.filter((other) => other !== name) : [...shown, name];
  }

  hideOverlays(): void {
    this.overlays.value = [];
    this.wireframe.value = false;
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

  /** The stage in one sentence, for those who do not see it. */
  describe(): string {
    const { report, state } = this.session;
    const contacts = report.value?.contacts ?? 0;
    const pace = state.value?.running ? 'running' : 'paused';
    return `${this.title.value} at ${fixed(this.time, 1)} s, ${pace}, ${contacts} ${contacts === 1 ? 'contact' : 'contacts'}`;
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
    if (!report || current.value) return;
    const slower = Math.max(SPEEDS[0]!, niceBelow(Math.max(0.1, 0.8 * this.session.factor.value)));
    notify({
      kind: 'warn',
      title: `Slowed to ${fixed(this.session.factor.value, 2)} ×`,
      text: `${fixed(report.step_ms, 1)} ms per step, not ${fixed(report.aim_ms, 1)}`,
      action: { label: `Run at ${slower}×`, run: () => this.session.speed(slower) },
    });
  }
}

function isOverlay(name: string): name is OverlayName {
  return ['contacts', 'forces', 'velocities', 'joints'].includes(name);
}
