// The text messages of docs/protocol.md, as types and as one checked way in.

export const PROTOCOL_VERSION = 2;

export type Vector = [number, number, number];
export type Turn = [number, number, number, number];

export interface SceneEntry {
  name: string;
  title: string;
  line: string;
  group: string;
  source: string;
  size: string;
  about: string;
  picture: string;
  /** Of a scene file: whether a page has drawn its picture already. */
  pictured?: boolean;
  solvers?: { name: string; title: string }[];
}

/** An entry of the server's list of recordings. */
export interface RecordingEntry {
  name: string;
  /** Null where the file cannot be read at all. */
  scene: string | null;
  title: string | null;
  solver: string | null;
  version: string | null;
  /** Unix time in s. */
  recorded: number;
  /** Null where the file was not ended properly. */
  seconds: number | null;
  bytes: number;
  warning: string | null;
}

export interface SceneList {
  protocol: number;
  version: string;
  scenes: SceneEntry[];
}

export type Shape =
  | { kind: 'sphere'; radius: number }
  | { kind: 'box'; half: Vector }
  | { kind: 'capsule' | 'cylinder' | 'cone'; radius: number; half_height: number }
  | { kind: 'mesh'; triangles: number };

export interface Look {
  color: string;
  roughness: number;
  metallic: number;
  opacity: number;
  pattern: 'plain' | 'beach-ball';
}

export interface Body {
  name: string;
  shape: number;
  look: number;
  movable: boolean;
}

export type Role = 'accent' | 'second' | 'danger' | 'warn' | 'ink';

export interface LineSet {
  name: string;
  role: Role;
  segments: number;
  body: number | null;
  visible: boolean;
}

export interface Assets {
  shapes: Shape[];
  looks: Look[];
  bodies: Body[];
  lines: LineSet[];
  camera: { position: Vector; target: Vector };
  /** What moves in the first seconds: a start view shows all of it. */
  subject?: { low: Vector; high: Vector } | null;
  /** The body that the camera goes with from the start. */
  ride?: number | null;
  ground: number | null;
  /** False for a scene at rest, which has no time to control. */
  moves: boolean;
}

export interface Parameter {
  key: string;
  label: string;
  unit: string;
  min: number;
  max: number;
  default: number;
  value: number;
  step: number;
  scale: 'linear' | 'log';
  text: string;
}

export interface Solver {
  name: string;
  title: string;
  promise: string;
  source: string;
}

/** What moves a control on a gamepad of the standard layout. */
export type PadInput = { axis: number } | { reversed: number } | { button: number } | { buttons: [number, number] };

/** Something to drive with. */
export interface DriveControl {
  key: string;
  label: string;
  /** An axis goes from -1 to 1 and back to 0, a pedal from 0 to 1 and back; a lever stays; a button is 0 or 1. */
  kind: 'axis' | 'pedal' | 'lever' | 'button';
  /** Values of KeyboardEvent.code that move it up, and down. */
  more: string[];
  less: string[];
  pad: PadInput | null;
  /** Seconds in which a key takes it from rest to its end. */
  ramp: number;
  text: string;
}

export interface Drive {
  controls: DriveControl[];
  /** The body that the driver's camera goes with. */
  body: number | null;
}

export interface StepBudget {
  /** Most that a step may take by the clock, in ms; null is no limit. */
  ms: number | null;
  /** The same in work units. */
  work: number | null;
}

export interface State {
  running: boolean;
  speed: number;
  solver: string;
  values: Record<string, number>;
  notice: string | null;
  /** The session that this one follows some time later, and why it has stopped; null where it goes its own way. */
  following: { session: string; delay: number; stopped: string | null } | null;
  budget: StepBudget;
  /** Simulated times that can be sought. */
  history: { from: number; to: number };
  snapshots: { name: string; time: number }[];
  recording: { name: string; since: number } | null;
  /** Somebody drives. */
  driven: boolean;
  /** Something was done to a body that can be undone. */
  undo: boolean;
  /** Why the scene's file, which has changed, cannot be read; the scene goes on as it was. */
  file_error: string | null;
}

/** A joint of a machine that can be set, in m or degrees. */
export interface JointCoordinate {
  name: string;
  unit: string;
  min: number;
  max: number;
  position: number;
}

/** A body to be added. */
export type AddedBody =
  | { ball: { radius: number } }
  | { box: { half: Vector } }
  | { hull: { points: Vector[] } }
  | { copy: { body: number } }
  | { gallery: { scene: string; body: string } };

export interface Report {
  track: number;
  time: number;
  steps: number;
  step_ms: number;
  aim_ms: number;
  phases: { detect: number; contacts: number; solve: number; commit: number };
  real_time_factor: number;
  /** Seconds by the server's clock. */
  clock: number;
  contacts: number;
  position_error: number;
  velocity_error: number;
  /** What the solver promises to keep to; null where it promises nothing. */
  position_tolerance: number | null;
  velocity_tolerance: number | null;
  /** Units, mean per step. */
  work: number;
  lost_time: number;
  budget_cut: boolean;
  energy: { kinetic: number; potential: number };
  /** Largest rise in a step without work from outside, and largest change that the account does not explain, in J. Recordings of before have none. */
  energy_gained?: number;
  energy_unexplained?: number;
  /** Size of the recording that is being made. */
  recorded_bytes?: number;
  /** Where the joints of `hello.joints` are. */
  joints?: number[];
}

export type OverlayWanted = 'contacts' | 'normals' | 'forces' | 'friction' | 'joints' | 'bounds' | 'index' | 'centres' | 'velocities' | 'clearance' | 'labels';
export type BodyAction = 'throw' | 'pin' | 'delete' | 'properties' | 'add';

/** Another solver in step with track 0, or a recording beside it. */
export interface Track {
  track: number;
  role: 'compare' | 'ghost';
  title: string;
  solver: string | null;
  recording: string | null;
  offset: number;
  assets: Assets;
}

export interface Hello {
  protocol: number;
  version: string;
  session: string;
  /** The same as before where a session was found as it was left. */
  instance: string | number;
  kind: 'scene' | 'recording';
  scene: SceneEntry;
  time_step: number;
  assets: Assets;
  parameters: Parameter[];
  solvers: Solver[];
  overlays: string[];
  actions: string[];
  /** What the scene can be driven by; null where there is nothing to drive. */
  drive: Drive | null;
  /** Joints of machines that can be set. */
  joints: JointCoordinate[];
  /** Differs from start to start of the server. */
  server: string;
  /** Numbers that every frame reports. */
  channels: { key: string; unit: string; text: string }[];
  recording: RecordingEntry | null;
  tracks: Track[];
  state: State;
}

/** What a server may leave out of its greeting and its state, and what that means: there is none of it. */
export const helloWithout = { instance: '', kind: 'scene', overlays: [], actions: [], drive: null, channels: [], joints: [], server: '', recording: null, tracks: [] } satisfies Partial<Hello>;
export const stateWithout = {
  notice: null, following: null, budget: { ms: null, work: null }, history: { from: 0, to: 0 }, snapshots: [], recording: null, driven: false, undo: false, file_error: null,
} satisfies Partial<State>;
export const reportWithout = { track: 0, clock: 0, position_tolerance: null, velocity_tolerance: null, work: 0 } satisfies Partial<Report>;

export interface Grip {
  track: number;
  body: number | null;
  point?: Vector;
}

export interface Properties {
  track: number;
  body: number;
  name: string;
  properties: { label: string; values: number[]; unit: string }[];
}

export interface Recorded {
  recording: string;
  seconds: number;
  bytes: number;
}

export type ServerMessage =
  | ({ type: 'hello' } & Hello)
  | ({ type: 'state' } & State)
  | { type: 'tracks'; tracks: Track[] }
  | ({ type: 'report' } & Report)
  | ({ type: 'grip' } & Grip)
  | ({ type: 'properties' } & Properties)
  | ({ type: 'recorded' } & Recorded)
  | { type: 'error'; message: string };

export type ClientMessage =
  | { type: 'play' | 'pause' | 'step' | 'reset' | 'release' | 'undo' }
  | { type: 'taken'; frame: number }
  | { type: 'speed'; value: number }
  | { type: 'back'; seconds: number }
  | { type: 'back'; steps: number }
  | { type: 'seek'; time: number }
  | { type: 'set'; parameter: string; value: number }
  | { type: 'solver'; name: string; track: number }
  | ({ type: 'budget' } & StepBudget)
  | { type: 'snapshot' | 'restore' | 'forget'; name: string }
  | { type: 'overlays'; wanted: OverlayWanted[]; level: number }
  | { type: 'compare'; solver: string | null }
  | { type: 'ghost'; recording: string | null; offset?: number }
  | { type: 'record'; on: boolean }
  | { type: 'grab'; origin: Vector; direction: Vector; track: number }
  | { type: 'pull'; point: Vector; rotation?: Turn }
  | { type: 'push'; velocity: Vector; spin: Vector }
  | { type: 'follow'; session: string | null; delay: number }
  | { type: 'control'; values: Record<string, number> | null }
  | { type: 'throw'; body: number; velocity: Vector }
  | { type: 'pin'; body: number; pinned: boolean }
  | { type: 'delete'; body: number }
  | { type: 'add'; body: AddedBody; origin: Vector; direction: Vector; speed?: number }
  | { type: 'joint'; joint: number; position: number }
  | { type: 'properties'; body: number; track: number };

const known = new Set(['hello', 'state', 'tracks', 'report', 'grip', 'properties', 'recorded', 'error']);

/** A server message, or null for what this page does not know: newer servers may say more. */
export function parseMessage(text: string): ServerMessage | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof value !== 'object' || value === null) return null;
  const type = (value as { type?: unknown }).type;
  return typeof type === 'string' && known.has(type) ? (value as ServerMessage) : null;
}
