// The keyboard on the stage: Tab goes through the bodies, Enter takes hold, arrows and page keys move hand or camera.

import { announce } from '../ui/announce';
import type { Hand } from '../stage/hand';
import type { Stage } from '../stage/stage';
import type { Session } from '../session/session';

const ORBIT_STEP = 0.09;
const PAN_STEP = 0.04;
const FLY_STEP = 0.05;

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
  private selected: number | null = null;
  private rightHeld = false;
  private readonly listeners = new AbortController();

  constructor(
    private readonly element: HTMLElement,
    private readonly stage: Stage,
    private readonly session: Session,
    private readonly hand: Hand,
  ) {
    const { signal } = this.listeners;
    element.addEventListener('keydown', (event) => this.pressed(event), { signal });
    element.addEventListener('blur', () => this.leave(), { signal });
    element.addEventListener('pointerdown', (event) => this.touched(event), { signal, capture: true });
    element.addEventListener('pointerup', (event) => (this.rightHeld &&= (event.buttons & 2) !== 0), { signal, capture: true });
  }

  dispose(): void {
    this.listeners.abort();
  }

  private pressed(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const done = this.act(event.key, event.shiftKey);
    if (!done) return;
    event.preventDefault();
    event.stopPropagation();
  }

  private touched(event: PointerEvent): void {
    this.select(null);
    this.rightHeld = (event.buttons & 2) !== 0;
    this.element.focus({ preventScroll: true });
  }

  private act(key: string, shift: boolean): boolean {
    if (key === 'Tab') return this.next(shift ? -1 : 1);
    if (key === 'Enter') return this.takeOrRelease();
    if (key === 'Escape') return this.escape();
    if (this.hand.heldByKeys && key in handMoves) {
      const factor = shift ? 4 : 1;
      const [right, up, away] = handMoves[key]!;
      this.hand.moveByKeys(factor * right, factor * up, factor * away);
      return true;
    }
    const flight = this.rightHeld ? flights[key.toLowerCase()] : undefined;
    if (flight) {
      const [right, up, forward] = flight;
      this.stage.view.shift(FLY_STEP * right, FLY_STEP * up, FLY_STEP * forward);
      return true;
    }
    return this.moveCamera(key, shift);
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
    if (this.hand.heldByKeys) return true;
    const bodies = this.session.hello.value?.assets.bodies ?? [];
    const movable = bodies.flatMap((body, index) => (body.movable ? [index] : []));
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
    if (this.hand.heldByKeys) this.hand.release();
    else if (this.selected !== null) this.hand.grabByKeys(this.selected);
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
    if (this.hand.heldByKeys) this.hand.release();
    this.select(null);
  }

  private select(body: number | null): void {
    this.selected = body;
    this.stage.select(body);
    this.element.dataset.selected = body === null ? '' : String(body);
  }
}
