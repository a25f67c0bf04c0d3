// The pointer while a tool is chosen: a click adds a body where it points, a drag draws the arrow of a throw. It comes before hand and camera.

import { Plane, Ray, Vector3 } from 'three';
import { quantityText } from '../numbers/format';
import type { Vector } from '../protocol/messages';
import type { SceneModel } from '../scene/model';
import type { Stage } from '../stage/stage';
import { throwRate } from './tool';

/** A press that moved more than this turns the camera instead of adding something. */
const CLICK_PIXELS = 5;

export class StageTool {
  private readonly listeners = new AbortController();
  private downAt: { x: number; y: number } | null = null;
  private arrow: { body: number; pointer: number; plane: Plane; tip: Vector3 } | null = null;

  constructor(private readonly element: HTMLElement, private readonly stage: Stage, private readonly model: SceneModel) {
    const on = (name: 'pointerdown' | 'pointermove' | 'pointerup' | 'pointercancel', handler: (event: PointerEvent) => void) =>
      element.addEventListener(name, handler, { capture: true, signal: this.listeners.signal });
    on('pointerdown', (event) => this.pressed(event));
    on('pointermove', (event) => this.moved(event));
    on('pointerup', (event) => this.lifted(event));
    on('pointercancel', () => this.endArrow());
  }

  dispose(): void {
    this.endArrow();
    this.listeners.abort();
  }

  /** Once per drawn frame: the arrow starts where the body is now. */
  update(): void {
    const { arrow } = this;
    if (!arrow) return;
    const start = this.stage.positionOf(arrow.body);
    this.stage.setOwnSpring({ grip: start, hand: arrow.tip.clone(), force: null });
    this.model.aim.value = quantityText(this.velocity(arrow).length(), 'm/s', 2);
  }

  private place(event: PointerEvent): { x: number; y: number } {
    const box = this.element.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  private pressed(event: PointerEvent): void {
    const tool = this.model.tool.value;
    this.downAt = null;
    if (!tool || event.button !== 0) return;
    const place = this.place(event);
    if (tool.kind !== 'throw') {
      // The camera may still be turned by a drag; only the hand must not take what is below.
      this.downAt = place;
      return;
    }
    event.stopImmediatePropagation();
    this.element.setPointerCapture(event.pointerId);
    const start = this.stage.positionOf(tool.body);
    const plane = new Plane().setFromNormalAndCoplanarPoint(this.stage.view.camera.getWorldDirection(new Vector3()), start);
    this.arrow = { body: tool.body, pointer: event.pointerId, plane, tip: start };
    this.aimAt(place);
  }

  private moved(event: PointerEvent): void {
    if (this.arrow?.pointer !== event.pointerId) return;
    event.stopImmediatePropagation();
    this.aimAt(this.place(event));
  }

  private lifted(event: PointerEvent): void {
    const { arrow, downAt } = this;
    if (arrow?.pointer === event.pointerId) {
      event.stopImmediatePropagation();
      this.model.session.throw(arrow.body, this.velocity(arrow).toArray() as Vector);
      this.endArrow();
      this.model.tool.value = null;
      return;
    }
    this.downAt = null;
    const place = this.place(event);
    if (!downAt || Math.hypot(place.x - downAt.x, place.y - downAt.y) > CLICK_PIXELS) return;
    const { origin, direction } = this.stage.rayAt(place.x, place.y);
    this.model.addAlong(origin.toArray() as Vector, direction.toArray() as Vector);
  }

  private aimAt({ x, y }: { x: number; y: number }): void {
    const { origin, direction } = this.stage.rayAt(x, y);
    const tip = this.arrow && new Ray(origin, direction).intersectPlane(this.arrow.plane, new Vector3());
    if (this.arrow && tip) this.arrow.tip = tip;
  }

  private velocity({ body, tip }: { body: number; tip: Vector3 }): Vector3 {
    return tip.clone().sub(this.stage.positionOf(body)).multiplyScalar(throwRate(this.stage.view.sceneRadius));
  }

  private endArrow(): void {
    if (!this.arrow) return;
    this.arrow = null;
    this.model.aim.value = null;
    this.stage.setOwnSpring(null);
  }
}
