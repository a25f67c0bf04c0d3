// The hand: takes hold of a body with the pointer or the keyboard and pulls it by a spring.
// The pointer moves the hand in the plane through the grip that faces the camera.

import { Plane, Ray, Vector3 } from 'three';
import type { Grip, Vector } from '../protocol/messages';
import type { Session } from '../session/session';
import type { Stage } from './stage';

/** One press of an arrow key moves the hand by this share of the scene's radius. */
const KEY_STEP = 0.04;

export interface HandEvents {
  /** The pointer is over a movable body, or not. */
  hover(body: number | null): void;
  /** A body was taken or let go. */
  holds(body: number | null, by: 'pointer' | 'keys'): void;
  /** A held body was really pulled along. */
  dragged(): void;
}

interface Held {
  by: 'pointer' | 'keys';
  pointer: number | null;
  /** Known when the server has answered. */
  body: number | null;
  gripInBody: Vector3 | null;
  point: Vector3;
  plane: Plane;
  moved: boolean;
}

export class Hand {
  private held: Held | null = null;
  private unsent = false;
  private hoverAt: { x: number; y: number } | null = null;
  private readonly listeners = new AbortController();

  constructor(
    private readonly element: HTMLElement,
    private readonly stage: Stage,
    private readonly session: Session,
    private readonly events: HandEvents,
  ) {
    session.onGrip = (grip) => this.gripped(grip);
    const on = (name: 'pointerdown' | 'pointermove' | 'pointerup' | 'pointercancel' | 'pointerleave', handler: (event: PointerEvent) => void) =>
      element.addEventListener(name, handler, { capture: true, signal: this.listeners.signal });
    on('pointerdown', (event) => this.pressed(event));
    on('pointermove', (event) => this.moved(event));
    on('pointerup', (event) => this.lifted(event));
    on('pointercancel', (event) => this.lifted(event));
    on('pointerleave', () => (this.hoverAt = null));
  }

  get isHolding(): boolean {
    return this.held !== null;
  }

  get heldByKeys(): boolean {
    return this.held?.by === 'keys';
  }

  /** Takes the body by its middle, as seen from the camera. */
  grabByKeys(body: number): void {
    const centre = this.stage.positionOf(body);
    const origin = this.stage.view.camera.position.clone();
    this.take({ origin, direction: centre.clone().sub(origin).normalize() }, centre, 'keys', null);
  }

  /** Moves a hand that was grabbed by keys: right, up, away, in steps. */
  moveByKeys(right: number, up: number, away: number): void {
    const held = this.held;
    if (!held) return;
    const step = KEY_STEP * this.stage.view.sceneRadius;
    const camera = this.stage.view.camera;
    const sideways = new Vector3(1, 0, 0).applyQuaternion(camera.quaternion).setY(0).normalize();
    const forward = new Vector3(0, 1, 0).cross(sideways);
    held.point.addScaledVector(sideways, right * step).addScaledVector(forward, away * step);
    held.point.y += up * step;
    held.moved = true;
    this.unsent = true;
  }

  release(): void {
    const held = this.held;
    if (!held) return;
    this.held = null;
    this.session.release();
    this.stage.view.controls.enabled = true;
    this.stage.setOwnSpring(null);
    this.events.holds(null, held.by);
    if (held.moved && held.body !== null) this.events.dragged();
  }

  /** Once per drawn frame: sends where the hand is, and looks at what is below the pointer. */
  update(): void {
    if (this.held && this.unsent) {
      this.unsent = false;
      this.session.pull(this.held.point.toArray() as Vector);
    }
    if (this.held) this.showSpring(this.held);
    else if (this.hoverAt) this.events.hover(this.stage.pick(this.hoverAt.x, this.hoverAt.y)?.body ?? null);
  }

  dispose(): void {
    this.release();
    this.listeners.abort();
    this.session.onGrip = null;
  }

  private place(event: PointerEvent): { x: number; y: number } {
    const box = this.element.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  private pressed(event: PointerEvent): void {
    if (event.button !== 0 || this.held || this.session.phase.value !== 'open') return;
    const { x, y } = this.place(event);
    const hit = this.stage.pick(x, y);
    if (!hit) return;
    event.stopPropagation(); // the camera's controls listen on the same element, later
    this.element.setPointerCapture(event.pointerId);
    this.take(this.stage.rayAt(x, y), hit.point, 'pointer', event.pointerId);
  }

  private take(ray: { origin: Vector3; direction: Vector3 }, point: Vector3, by: 'pointer' | 'keys', pointer: number | null): void {
    const facing = this.stage.view.camera.getWorldDirection(new Vector3());
    this.held = { by, pointer, body: null, gripInBody: null, point: point.clone(), plane: planeThrough(point, facing), moved: false };
    if (by === 'pointer') this.stage.view.controls.enabled = false;
    this.session.grab(ray.origin.toArray() as Vector, ray.direction.toArray() as Vector);
  }

  private gripped({ body, point }: Grip): void {
    const held = this.held;
    if (!held) return;
    if (body === null) {
      this.release();
      return;
    }
    held.body = body;
    held.gripInBody = new Vector3(...(point ?? [0, 0, 0]));
    const grip = held.gripInBody.clone().applyMatrix4(this.stage.matrixOf(body));
    // The server's exact grip replaces the page's guess, unless the hand is already on its way.
    if (!held.moved) {
      held.point.copy(grip);
      held.plane.setFromNormalAndCoplanarPoint(held.plane.normal, grip);
    }
    this.events.holds(body, held.by);
  }

  private moved(event: PointerEvent): void {
    const place = this.place(event);
    const held = this.held;
    if (!held) {
      this.hoverAt = event.buttons === 0 ? place : null;
      return;
    }
    if (held.pointer !== event.pointerId) return;
    event.stopPropagation();
    const { origin, direction } = this.stage.rayAt(place.x, place.y);
    const point = new Ray(origin, direction).intersectPlane(held.plane, new Vector3());
    if (!point) return;
    held.point.copy(point);
    held.moved = true;
    this.unsent = true;
  }

  private lifted(event: PointerEvent): void {
    if (!this.held || this.held.pointer !== event.pointerId) return;
    event.stopPropagation();
    this.release();
  }

  private showSpring({ body, gripInBody, point }: Held): void {
    if (body === null || !gripInBody) return;
    const grip = gripInBody.clone().applyMatrix4(this.stage.matrixOf(body));
    this.stage.setOwnSpring({ grip, hand: point.clone(), force: null });
  }
}

function planeThrough(point: Vector3, normal: Vector3): Plane {
  return new Plane().setFromNormalAndCoplanarPoint(normal, point);
}
