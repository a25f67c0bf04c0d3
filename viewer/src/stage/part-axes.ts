// Axes on a part: arrows shift it along its own axes, rings turn it about them. They lead the same hand as everything else.

import { Object3D, Quaternion, Vector3 } from 'three';
import { TransformControls } from 'three/addons/controls/TransformControls.js';
import type { Hand } from './hand';
import type { Stage } from './stage';

export type AxesMode = 'translate' | 'rotate';

export class PartAxes {
  private readonly controls: TransformControls;
  private readonly helper: Object3D;
  /** Where the axes are: at the part, or where the hand wants it. */
  private readonly proxy = new Object3D();
  private readonly listeners = new AbortController();
  private body: number | null = null;
  private base: AxesMode = 'translate';
  private claims = false;

  constructor(
    private readonly element: HTMLElement,
    private readonly stage: Stage,
    private readonly hand: Hand,
  ) {
    this.controls = new TransformControls(stage.view.camera, element);
    this.controls.setSpace('local');
    this.controls.setSize(0.75);
    this.helper = this.controls.getHelper();
    this.helper.visible = false;
    stage.scene.add(this.helper, this.proxy);
    this.controls.addEventListener('change', () => stage.touch());
    this.controls.addEventListener('mouseDown', () => {
      if (this.body !== null) this.hand.takeBody(this.body, 'axes');
    });
    this.controls.addEventListener('mouseUp', () => this.letGo());
    const { signal } = this.listeners;
    // In the capturing phase: before the camera's controls and the pointer's hand.
    element.addEventListener('pointerdown', (event) => this.claim(event), { capture: true, signal });
    element.addEventListener('pointermove', (event) => this.chooseMode(event.shiftKey), { capture: true, signal });
    for (const end of ['pointerup', 'pointercancel'] as const) element.addEventListener(end, () => this.letGo(), { signal });
  }

  /** A press belongs to the axes. */
  get isClaiming(): boolean {
    return this.claims;
  }

  /** Once per drawn frame: which body has axes, and of which kind; null has none. */
  update(body: number | null, mode: AxesMode | null): void {
    const there = body !== null && mode !== null && (this.stage.bodies?.isThere(body) ?? false);
    if (!there) {
      if (this.body !== null) this.hide();
      return;
    }
    if (mode !== this.base) {
      this.base = mode!;
      this.controls.setMode(mode!);
    }
    if (this.controls.dragging && this.body !== null) {
      this.hand.wantBody(this.proxy.position, this.proxy.quaternion);
      return;
    }
    if (this.body === null) this.controls.attach(this.proxy);
    this.body = body;
    this.helper.visible = true;
    const wanted = this.hand.body === body ? this.hand.wanted : null;
    const place = wanted?.place ?? this.stage.positionOf(body!);
    const turn = wanted?.turn ?? this.stage.turnOf(body!);
    if (place.equals(this.proxy.position) && turn.equals(this.proxy.quaternion)) return;
    this.proxy.position.copy(place);
    this.proxy.quaternion.copy(turn);
    this.proxy.updateMatrixWorld();
    this.stage.touch();
  }

  /** A place on the arrow of an axis, in the world; null where none is shown. */
  arrowOf(axis: 'x' | 'y' | 'z'): Vector3 | null {
    if (this.body === null) return null;
    const { camera } = this.stage.view;
    // As the controls size themselves: the arrow ends at half of this.
    const size = (this.proxy.position.distanceTo(camera.getWorldPosition(new Vector3())) * Math.min(1.9 * Math.tan((Math.PI * camera.fov) / 360), 7) * this.controls.size) / 4;
    const along = new Vector3(Number(axis === 'x'), Number(axis === 'y'), Number(axis === 'z')).applyQuaternion(this.proxy.getWorldQuaternion(new Quaternion()));
    return along.multiplyScalar(0.4 * size).add(this.proxy.position);
  }

  dispose(): void {
    this.listeners.abort();
    this.controls.detach();
    this.helper.removeFromParent();
    this.proxy.removeFromParent();
    this.controls.dispose();
  }

  private hide(): void {
    if (this.controls.dragging) this.letGo();
    this.controls.detach();
    this.helper.visible = false;
    this.body = null;
    this.stage.touch();
  }

  private claim(event: PointerEvent): void {
    this.claims = false;
    if (this.body === null || event.button !== 0) return;
    this.chooseMode(event.shiftKey);
    const box = this.element.getBoundingClientRect();
    const [x, y] = [(2 * (event.clientX - box.left)) / box.width - 1, 1 - (2 * (event.clientY - box.top)) / box.height];
    // A finger does not hover before it presses.
    this.controls.pointerHover({ x, y, button: event.button } as unknown as PointerEvent);
    this.claims = this.controls.axis !== null;
    if (this.claims) this.stage.view.controls.enabled = false;
  }

  /** Shift changes between shifting and turning, as it does for a drag. */
  private chooseMode(shift: boolean): void {
    if (this.body === null || this.controls.dragging) return;
    const other = this.base === 'translate' ? 'rotate' : 'translate';
    const mode = shift ? other : this.base;
    if (this.controls.mode === mode) return;
    this.controls.setMode(mode);
    // What is pressed before the next picture shall be what that will show.
    this.helper.updateMatrixWorld(true);
  }

  private letGo(): void {
    if (!this.claims) return;
    this.claims = false;
    if (this.hand.heldBy === 'axes') this.hand.release();
    this.stage.view.controls.enabled = true;
  }
}
