// The pointer as a hand: it moves in the plane through the grip that faces the camera. The wheel, or a drag with Alt, brings that
// plane nearer and takes it away; a drag with Shift turns the body.

import { Plane, Ray, Vector3 } from 'three';
import { deviceSettings } from '../devices/device-settings';
import type { Hand } from './hand';
import type { Stage } from './stage';

/** Radians per pixel of a turning drag: a full turn takes some 630 px. */
const TURN_PER_PIXEL = 0.01;
/** A notch of the wheel is some 100 px and moves the hand by a twentieth of the way to the eye. */
const DEPTH_PER_WHEEL_PIXEL = 0.0005;
const WHEEL_LINE_PIXELS = 33;

export class PointerHand {
  private pointer: number | null = null;
  private plane = new Plane();
  private last = { x: 0, y: 0 };
  private hoverAt: { x: number; y: number } | null = null;
  private readonly listeners = new AbortController();

  constructor(
    private readonly element: HTMLElement,
    private readonly stage: Stage,
    private readonly hand: Hand,
    /** The pointer is over a movable body, or not. */
    private readonly hover: (body: number | null) => void,
    /** False while a press means something else. */
    private readonly mayTake: () => boolean,
  ) {
    const on = (name: 'pointerdown' | 'pointermove' | 'pointerup' | 'pointercancel' | 'pointerleave', handler: (event: PointerEvent) => void) =>
      element.addEventListener(name, handler, { capture: true, signal: this.listeners.signal });
    on('pointerdown', (event) => this.pressed(event));
    on('pointermove', (event) => this.moved(event));
    // Browsers keep moves back until the next turn of the frame loop; these come at once, where the page may have them.
    element.addEventListener('pointerrawupdate', (event) => this.movedEarly(event as PointerEvent), { capture: true, signal: this.listeners.signal });
    on('pointerup', (event) => this.lifted(event));
    on('pointercancel', (event) => this.lifted(event));
    on('pointerleave', () => (this.hoverAt = null));
    element.addEventListener('wheel', (event) => this.wheeled(event), { capture: true, passive: false, signal: this.listeners.signal });
  }

  /** Once per drawn frame: looks at what is below the pointer. */
  update(): void {
    if (this.pointer !== null && !this.hand.isHolding) this.end(); // there was nothing to hold
    if (this.pointer === null && this.hoverAt) this.hover(this.stage.pick(this.hoverAt.x, this.hoverAt.y)?.body ?? null);
  }

  dispose(): void {
    this.listeners.abort();
  }

  private place(event: PointerEvent): { x: number; y: number } {
    const box = this.element.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  private pressed(event: PointerEvent): void {
    if (event.button !== 0 || this.hand.isHolding || !this.mayTake()) return;
    const { x, y } = this.place(event);
    const hit = this.stage.pick(x, y);
    if (!hit) return;
    const { origin, direction } = this.stage.rayAt(x, y);
    this.hand.take(origin, direction, hit.point, 'pointer');
    if (!this.hand.isHolding) return;
    event.stopPropagation(); // the camera's controls listen on the same element, later
    this.element.setPointerCapture(event.pointerId);
    this.stage.view.controls.enabled = false;
    this.pointer = event.pointerId;
    this.last = { x, y };
    this.plane.setFromNormalAndCoplanarPoint(this.stage.view.camera.getWorldDirection(new Vector3()), hit.point);
  }

  private movedEarly(event: PointerEvent): void {
    if (this.pointer === null || this.pointer !== event.pointerId) return;
    this.moved(event);
    this.hand.sendSoon();
  }

  private moved(event: PointerEvent): void {
    const place = this.place(event);
    if (this.pointer === null) {
      this.hoverAt = event.buttons === 0 ? place : null;
      return;
    }
    if (this.pointer !== event.pointerId) return;
    event.stopPropagation();
    const [right, down] = [place.x - this.last.x, place.y - this.last.y];
    if (right === 0 && down === 0) return;
    this.last = place;
    this.hand.movesSince(event.timeStamp);
    if (event.shiftKey) {
      const { turn, pivot } = deviceSettings.mouse.value;
      this.hand.turnBy(turn * TURN_PER_PIXEL * down, turn * TURN_PER_PIXEL * right, 0, pivot);
      // When the turning ends, the hand goes on from where it is, not from where the pointer went.
      if (this.hand.point) this.moveGrip(place, this.hand.point);
      return;
    }
    if (event.altKey) {
      // As far as the hand would go across the picture: down is towards the viewer.
      this.pullNearer(down / this.stage.view.pixelsPerMetre);
      if (this.hand.point) this.moveGrip(place, this.hand.point);
      return;
    }
    this.follow(place);
  }

  /** The hand goes where the pointer's ray meets the plane. */
  private follow({ x, y }: { x: number; y: number }): void {
    const { origin, direction } = this.stage.rayAt(x, y);
    const point = new Ray(origin, direction).intersectPlane(this.plane, new Vector3());
    if (point) this.hand.moveTo(point.add(this.offset));
  }

  private wheeled(event: WheelEvent): void {
    if (this.pointer === null) return;
    event.preventDefault();
    event.stopPropagation(); // the camera stays
    const pixels = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? WHEEL_LINE_PIXELS * event.deltaY : event.deltaY;
    this.pullNearer(deviceSettings.mouse.value.move * DEPTH_PER_WHEEL_PIXEL * pixels * this.stage.view.distance);
  }

  /** Moves the hand and the plane that it moves in by metres towards the viewer, against the direction of view. */
  private pullNearer(metres: number): void {
    const { point } = this.hand;
    if (!point) return;
    const moved = point.clone().addScaledVector(this.stage.view.camera.getWorldDirection(new Vector3()), -metres);
    this.plane.setFromNormalAndCoplanarPoint(this.plane.normal, moved.clone().sub(this.offset));
    this.hand.moveTo(moved);
  }

  /** From where the pointer's ray meets the plane to the hand. */
  private readonly offset = new Vector3();

  private moveGrip({ x, y }: { x: number; y: number }, hand: Vector3): void {
    const { origin, direction } = this.stage.rayAt(x, y);
    const point = new Ray(origin, direction).intersectPlane(this.plane, new Vector3());
    if (point) this.offset.subVectors(hand, point);
  }

  private lifted(event: PointerEvent): void {
    if (this.pointer !== event.pointerId) return;
    event.stopPropagation();
    this.hand.release();
    this.end();
  }

  private end(): void {
    this.pointer = null;
    this.offset.set(0, 0, 0);
    this.stage.view.controls.enabled = true;
  }
}
