// The hand: takes hold of a body and pulls and turns it by a spring. Pointer, keys, gamepad, SpaceMouse and headset all move this one hand.

import { Quaternion, Vector3 } from 'three';
import type { Grip, Turn, Vector } from '../protocol/messages';
import type { Pivot } from '../devices/device-settings';
import type { Session } from '../session/session';
import type { Stage } from './stage';

/** One press of an arrow key moves the hand by this share of the scene's radius. */
const KEY_STEP = 0.04;
/** A mouse that reports a thousand times a second is sent at most this often. */
const SEND_MS = 8;

export type HandMover = 'pointer' | 'keys' | 'device' | 'headset' | 'axes';

export interface HandEvents {
  /** A body was taken or let go. */
  holds(body: number | null, by: HandMover): void;
  /** A held body was really pulled along. */
  dragged(): void;
  /** What moves the hand that holds a body; null when it is let go. */
  pulls(by: HandMover | null): void;
}

export interface Held {
  by: HandMover;
  /** Known when the server has answered. */
  body: number | null;
  gripInBody: Vector3 | null;
  point: Vector3;
  /** How far the hand has turned since it took hold. */
  turn: Quaternion;
  /** How the body was turned then. */
  start: Quaternion;
  moved: boolean;
}

export class Hand {
  private held: Held | null = null;
  private unsent = false;
  /** When the oldest motion that was not sent was made, and when the hand was sent last, in ms. */
  private movedAt: number | null = null;
  private sentAt = -Infinity;
  /** A velocity moves it: where it is, the server knows. */
  private pushing = false;
  /** A point of a body, in its own frame, that turns may leave where it is. */
  pivot: { body: number; point: Vector3 } | null = null;

  constructor(
    private readonly stage: Stage,
    private readonly session: Session,
    private readonly track: number,
    private readonly events: HandEvents,
  ) {}

  get isHolding(): boolean {
    return this.held !== null;
  }

  get heldBy(): HandMover | null {
    return this.held?.by ?? null;
  }

  get body(): number | null {
    return this.held?.body ?? null;
  }

  /** Where the hand is; null without a grip. */
  get point(): Vector3 | null {
    return this.held?.point ?? null;
  }

  get turn(): Quaternion | null {
    return this.held?.turn ?? null;
  }

  /** Takes hold of the first movable body along a ray; `point` is where this page thinks it is met. */
  take(origin: Vector3, direction: Vector3, point: Vector3, by: HandMover): void {
    if (this.held || this.session.phase.value !== 'open') return;
    this.session.onGrip = (grip) => this.gripped(grip);
    this.held = { by, body: null, gripInBody: null, point: point.clone(), turn: new Quaternion(), start: new Quaternion(), moved: false };
    this.session.grab(origin.toArray() as Vector, direction.toArray() as Vector, this.track);
  }

  /** Takes a body by the middle of what is seen of it, or where it is nearest to that, also if something is before it. */
  takeBody(body: number, by: HandMover): void {
    const at = this.stage.bodies!.surfaceOf(body, this.stage.view.camera.getWorldPosition(new Vector3()));
    if (at) this.take(at.origin, at.direction, at.point, by);
  }

  moveTo(point: Vector3): void {
    if (!this.held) return;
    this.held.point.copy(point);
    this.held.moved = true;
    this.unsent = true;
    this.pushing = false;
  }

  /** Moves right, up and away as the viewer sees it, in metres; up is up in the world. */
  moveBy(right: number, up: number, away: number): void {
    if (!this.held) return;
    const { sideways, forward } = this.directions();
    const point = this.held.point.clone().addScaledVector(sideways, right).addScaledVector(forward, away);
    point.y += up;
    this.moveTo(point);
  }

  moveByKeys(right: number, up: number, away: number): void {
    const step = KEY_STEP * this.stage.view.sceneRadius;
    this.moveBy(step * right, step * up, step * away);
  }

  turnTo(turn: Quaternion): void {
    if (!this.held) return;
    this.held.turn.copy(turn).normalize();
    this.held.moved = true;
    this.unsent = true;
    this.pushing = false;
  }

  /** Whether a velocity moves the hand. */
  get isPushing(): boolean {
    return this.pushing;
  }

  /**
   * Moves the hand from where the body is, in m/s right, up and away and in rad/s about the viewer's right, the world's up and the viewer's forward axis; nothing adds up while the body stands.
   * To be called again at every picture; with zeros the body rests.
   */
  pushBy(move: readonly [number, number, number], turn: readonly [number, number, number], pivot: Pivot = 'hand'): void {
    const { held } = this;
    if (!held?.gripInBody || held.body === null) return;
    const { sideways, forward } = this.directions();
    const up = new Vector3(0, 1, 0);
    const along = ([right, above, away]: readonly [number, number, number]) => new Vector3().addScaledVector(sideways, right).addScaledVector(up, above).addScaledVector(forward, away);
    const [velocity, spin] = [along(move), along(turn)];
    const centre = this.pivotPoint(pivot);
    if (centre) velocity.add(spin.clone().cross(held.point.clone().sub(centre)));
    this.pushing = true;
    held.moved = true;
    this.session.push(velocity.toArray() as Vector, spin.toArray() as Vector);
  }

  /** Turns about the viewer's right, the world's up and the viewer's forward axis, by angles in radians; the pivot stays where it is. */
  turnBy(aboutRight: number, aboutUp: number, aboutForward: number, pivot: Pivot = 'hand'): void {
    if (!this.held) return;
    const { sideways, forward } = this.directions();
    const turn = new Quaternion();
    for (const [axis, angle] of [[sideways, aboutRight], [new Vector3(0, 1, 0), aboutUp], [forward, aboutForward]] as const) {
      turn.premultiply(new Quaternion().setFromAxisAngle(axis, angle));
    }
    const centre = this.pivotPoint(pivot);
    if (centre) this.moveTo(this.held.point.clone().sub(centre).applyQuaternion(turn).add(centre));
    this.turnTo(turn.multiply(this.held.turn));
  }

  /** Where the hand wants the body; null before the server has answered. */
  get wanted(): { place: Vector3; turn: Quaternion } | null {
    const { held } = this;
    if (!held || !held.gripInBody) return null;
    const turn = held.turn.clone().multiply(held.start);
    return { place: held.point.clone().sub(held.gripInBody.clone().applyQuaternion(turn)), turn };
  }

  /** The hand shall want the body here. */
  wantBody(place: Vector3, turn: Quaternion): void {
    const { held } = this;
    if (!held?.gripInBody) return;
    this.turnTo(turn.clone().multiply(held.start.clone().invert()));
    this.moveTo(held.gripInBody.clone().applyQuaternion(turn).add(place));
  }

  /** The point of the wanted pose that a turn leaves where it is; null for the point that is held. */
  private pivotPoint(pivot: Pivot): Vector3 | null {
    const { wanted } = this;
    const body = this.held?.body ?? null;
    if (pivot === 'hand' || !wanted || body === null) return null;
    const chosen = this.pivot?.body === body ? this.pivot.point : null;
    const point = pivot === 'centre' ? this.stage.bodies!.middleOf(body) : chosen;
    return point && point.clone().applyQuaternion(wanted.turn).add(wanted.place);
  }

  release(): void {
    const held = this.held;
    if (!held) return;
    this.held = null;
    this.unsent = false;
    this.movedAt = null;
    this.pushing = false;
    this.session.release();
    this.stage.setOwnSpring(null);
    this.events.holds(null, held.by);
    this.events.pulls(null);
    if (held.moved && held.body !== null) this.events.dragged();
  }

  /** What moves the hand next was done at this time, in ms. */
  movesSince(time: number): void {
    this.movedAt ??= time;
  }

  /** Sends where the hand is, unless that was done a moment ago: the next turn of the frame loop then does. */
  sendSoon(): void {
    if (performance.now() - this.sentAt >= SEND_MS) this.sendPlace();
  }

  private sendPlace(): void {
    const { held, movedAt } = this;
    if (!held || !this.unsent) return;
    this.unsent = false;
    this.movedAt = null;
    this.sentAt = performance.now();
    const turned = Math.abs(held.turn.w) < 1 - 1e-9;
    this.session.pull(held.point.toArray() as Vector, turned ? (held.turn.toArray() as Turn) : undefined, movedAt ?? undefined);
  }

  /** Once per turn of the frame loop: sends where the hand is. */
  update(): void {
    const { held } = this;
    if (!held) return;
    this.sendPlace();
    if (held.body === null || !held.gripInBody) return;
    const grip = held.gripInBody.clone().applyMatrix4(this.stage.matrixOf(held.body));
    if (this.pushing) {
      held.point.copy(grip);
      held.turn.copy(this.stage.turnOf(held.body)).multiply(held.start.clone().invert());
      this.stage.setOwnSpring(null);
      return;
    }
    this.stage.setOwnSpring({ grip, hand: held.point.clone(), force: null });
  }

  dispose(): void {
    this.release();
    this.session.onGrip = null;
  }

  /** The viewer's right and forward, level with the ground. */
  private directions(): { sideways: Vector3; forward: Vector3 } {
    const sideways = new Vector3(1, 0, 0).applyQuaternion(this.stage.view.camera.getWorldQuaternion(new Quaternion())).setY(0).normalize();
    return { sideways, forward: new Vector3(0, 1, 0).cross(sideways) };
  }

  private gripped({ body, point }: Grip): void {
    const { held } = this;
    if (!held) return;
    if (body === null) {
      this.release();
      return;
    }
    held.body = body;
    held.gripInBody = new Vector3(...(point ?? [0, 0, 0]));
    held.start.copy(this.stage.turnOf(body));
    // The server's exact grip replaces the page's guess, unless the hand is already on its way.
    if (!held.moved) held.point.copy(held.gripInBody.clone().applyMatrix4(this.stage.matrixOf(body)));
    this.events.holds(body, held.by);
    this.events.pulls(held.by);
  }
}
