// The keyboard on the stage: Tab goes through the bodies, Enter takes hold, arrows and page keys move hand or camera;
// with the right button held, W A S D Q E fly.

import { deviceSettings } from '../devices/device-settings';
import { announce } from '../ui/announce';
import type { Hand } from '../stage/hand';
import type { Stage } from '../stage/stage';
import type { Session } from '../session/session';

const ORBIT_STEP = 0.09;
const PAN_STEP = 0.04;
/** Scene radii per second. */
const FLY_SPEED = 1.2;
const LOOK_PER_PIXEL = 0.004;
/** One press of an arrow key with Alt turns the held body by so much. */
const TURN_STEP = (5 * Math.PI) / 180;

/** Right, up, forward for each key that flies while the right button is held. */
const flights: Record<string, [number, number, number]> = {
  w: [0, 0, 1],
  s: [0, 0, -1],
  a: [-1, 0, 0],
  d: [1, 0, 0],
  e: [0, 1, 0],
  q: [0, -1, 0],
};

/** Right, up, away for each key that moves a hand. */
const handMoves: Record<string, [number, number, number]> = {
  ArrowLeft: [-1, 0, 0],
  ArrowRight: [1, 0, 0],
  ArrowUp: [0, 1, 0],
  ArrowDown: [0, -1, 0],
  PageUp: [0, 0, 1],
  PageDown: [0, 0, -1],
};

export class StageKeys {
  private rightHeld = false;
  private readonly flying = new Set<string>();
  private flownAt = 0;
  private readonly listeners = new AbortController();

  constructor(
    private readonly element: HTMLElement,
    private readonly stage: Stage,
    private readonly session: Session,
    private readonly hand: Hand,
    /** Opens the menu of a body at a place of the window. */
    private readonly openMenu: (body: number, x: number, y: number) => void,
  ) {
    const { signal } = this.listeners;
    element.addEventListener('keydown', (event) => this.pressed(event), { signal });
    element.addEventListener('keyup', (event) => this.flying.delete(event.key.toLowerCase()), { signal });
    element.addEventListener('pointermove', (event) => this.lookAround(event), { signal, capture: true });
    element.addEventListener('blur', () => this.leave(), { signal });
    element.addEventListener('pointerdown', (event) => this.touched(event), { signal, capture: true });
    element.addEventListener('pointerup', (event) => event.button === 2 && this.land(), { signal, capture: true });
  }

  dispose(): void {
    this.listeners.abort();
  }

  get selected(): number | null {
    return this.stage.selection;
  }

  /** Once per drawn frame: flies on while keys are held. */
  update(now: number): void {
    const seconds = Math.min(0.1, (now - this.flownAt) / 1000);
    this.flownAt = now;
    if (!this.rightHeld || this.flying.size === 0) return;
    const by = [0, 0, 0];
    for (const key of this.flying) flights[key]!.forEach((amount, axis) => (by[axis]! += amount));
    const [right, up, forward] = by.map((amount) => (amount * FLY_SPEED * seconds * this.stage.view.sceneRadius) / this.stage.view.distance);
    this.stage.view.shift(right!, up!, forward!);
  }

  private land(): void {
    this.rightHeld = false;
    this.flying.clear();
    if (!this.hand.isHolding) this.stage.view.controls.enabled = true;
  }

  private lookAround(event: PointerEvent): void {
    if (!this.rightHeld || this.flying.size === 0) return;
    event.stopPropagation();
    this.stage.view.look(-LOOK_PER_PIXEL * event.movementX, -LOOK_PER_PIXEL * event.movementY);
  }

  private pressed(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey) return;
    const done = event.altKey ? this.turn(event.key) : this.act(event.key, event.shiftKey);
    if (!done) return;
    event.preventDefault();
    event.stopPropagation();
  }

  private touched(event: PointerEvent): void {
    if (event.button === 0) this.select(null);
    this.rightHeld = (event.buttons & 2) !== 0;
    this.element.focus({ preventScroll: true });
  }

  private act(key: string, shift: boolean): boolean {
    if (key === 'Tab') return this.next(shift ? -1 : 1);
    if (key === 'Enter') return this.takeOrRelease();
    if (key === 'Escape') return this.escape();
    if (key === 'ContextMenu' || (key === 'F10' && shift)) return this.menu();
    if (this.hand.heldBy === 'keys' && key in handMoves) {
      const factor = (shift ? 4 : 1) * deviceSettings.keyboard.value.move;
      const [right, up, away] = handMoves[key]!;
      this.hand.moveByKeys(factor * right, factor * up, factor * away);
      return true;
    }
    if (this.rightHeld && key.toLowerCase() in flights) {
      this.flying.add(key.toLowerCase());
      this.stage.view.controls.enabled = false; // the pointer looks around instead of panning
      return true;
    }
    return this.moveCamera(key, shift);
  }

  /** Alt with the arrow and page keys turns what the keys hold. */
  private turn(key: string): boolean {
    const move = handMoves[key];
    if (!move || this.hand.heldBy !== 'keys') return false;
    const [right, up, away] = move;
    const { turn, pivot } = deviceSettings.keyboard.value;
    const step = turn * TURN_STEP;
    this.hand.turnBy(-step * up, step * right, step * away, pivot);
    return true;
  }

  private menu(): boolean {
    if (this.selected === null) return false;
    const box = this.element.getBoundingClientRect();
    const { x, y } = this.stage.toScreen(this.stage.positionOf(this.selected));
    this.openMenu(this.selected, box.left + x, box.top + y);
    return true;
  }

  private moveCamera(key: string, shift: boolean): boolean {
    const move = handMoves[key];
    if (!move) return false;
    const [right, up, away] = move;
    if (away !== 0) this.stage.view.zoom(away > 0 ? 1 / 1.15 : 1.15);
    else if (shift) this.stage.view.shift(right * PAN_STEP, up * PAN_STEP);
    else this.stage.view.orbit(right * ORBIT_STEP, up * ORBIT_STEP);
    return true;
  }

  /** Past the last body, Tab leaves the stage as from any other control. */
  private next(direction: 1 | -1): boolean {
    if (this.hand.heldBy === 'keys') return true;
    const bodies = this.session.hello.value?.assets.bodies ?? [];
    const movable = bodies.flatMap((body, index) => (body.movable && this.stage.bodies?.isThere(index) ? [index] : []));
    const place = this.selected === null ? (direction > 0 ? -1 : 0) : movable.indexOf(this.selected);
    const body = movable[place + direction];
    if (body === undefined) {
      this.select(null);
      return false;
    }
    this.select(body);
    announce(`${bodies[body]!.name}, ${place + direction + 1} of ${movable.length}. Enter takes hold.`);
    return true;
  }

  private takeOrRelease(): boolean {
    if (this.hand.heldBy === 'keys') this.hand.release();
    else if (this.selected !== null) this.hand.takeBody(this.selected, 'keys');
    else return false;
    return true;
  }

  private escape(): boolean {
    if (this.hand.isHolding) this.hand.release();
    else if (this.selected !== null) this.select(null);
    else return false;
    return true;
  }

  private leave(): void {
    this.land();
    if (this.hand.heldBy === 'keys') this.hand.release();
    this.select(null);
  }

  private select(body: number | null): void {
    this.stage.select(body);
    this.element.dataset.selected = body === null ? '' : String(body);
  }
}
