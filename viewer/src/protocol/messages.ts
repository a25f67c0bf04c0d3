// The text messages of docs/protocol.md, as types and as one checked way in.

export const PROTOCOL_VERSION = 2;

export type Vector = [number, number, number];

export interface SceneEntry {
  name: string;
  title: string;
  line: string;
  group: string;
  source: string;
  size: string;
  about: string;
  picture: string;
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

export interface State {
  running: boolean;
  speed: number;
  solver: string;
  values: Record<string, number>;
  notice: string | null;
}

export interface Report {
  /** 0 is the session itself. */
  track: number;
  time: number;
  steps: number;
  step_ms: number;
  aim_ms: number;
  phases: { detect: number; contacts: number; solve: number; commit: number };
  real_time_factor: number;
  contacts: number;
  position_error: number;
  velocity_error: number;
  lost_time: number;
  budget_cut: boolean;
  energy: { kinetic: number; potential: number };
}

export interface Hello {
  protocol: number;
  version: string;
  session: string;
  scene: SceneEntry;
  time_step: number;
  assets: Assets;
  parameters: Parameter[];
  solvers: Solver[];
  state: State;
}

export interface Grip {
  body: number | null;
  point?: Vector;
}

export type ServerMessage =
  | ({ type: 'hello' } & Hello)
  | ({ type: 'state' } & State)
  | ({ type: 'report' } & Report)
  | ({ type: 'grip' } & Grip)
  | { type: 'error'; message: string };

export type ClientMessage =
  | { type: 'play' | 'pause' | 'step' | 'reset' | 'release' }
  | { type: 'speed'; value: number }
  | { type: 'set'; parameter: string; value: number }
  | { type: 'solver'; name: string }
  | { type: 'grab'; origin: Vector; direction: Vector }
  | { type: 'pull'; point: Vector };

const known = new Set(['hello', 'state', 'report', 'grip', 'error']);

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
