// Somebody at the controls: listens to keys and gamepads, and tells the server where the controls are.

import type { DriveControl } from '../protocol/messages';
import type { SceneModel } from '../scene/model';
import { isSpaceMouse } from '../devices/space-mouse';
import { announce } from '../ui/announce';
import { isTyping } from '../ui/typing';
import { ControlHands } from './controls';

/** A machine that has gone this far on its own is followed, in m. */
const RUNS_AWAY = 3;

/** The server gets values in thousandths. */
const round = (value: number) => Math.round(1000 * value) / 1000;

export class Driver {
  private hands = new ControlHands([]);
  private readonly listeners = new AbortController();
  private request = 0;
  private last: number | null = null;
  private rightHeld = false;
  /** Where the machine stood when it was first seen. */
  private firstSeen: readonly [number, number, number] | null = null;
  /** It has gone off and was followed. */
  private wentOff = false;
  /** Where the server has the controls while this page drives. */
  private told: number[] = [];

  constructor(private readonly model: SceneModel) {
    const { signal } = this.listeners;
    // Before the page's own keys: while a scene can be driven, its keys drive.
    document.addEventListener('keydown', (event) => this.pressed(event), { signal, capture: true });
    document.addEventListener('keyup', (event) => this.hands.release(event.code), { signal, capture: true });
    document.addEventListener('pointerdown', (event) => (this.rightHeld = (event.buttons & 2) !== 0), { signal, capture: true });
    document.addEventListener('pointerup', (event) => (this.rightHeld = (event.buttons & 2) !== 0), { signal, capture: true });
    window.addEventListener('blur', () => this.hands.releaseAll(), { signal });
    this.request = requestAnimationFrame(this.tick);
  }

  end(): void {
    this.listeners.abort();
    cancelAnimationFrame(this.request);
  }

  /** Hands off: the scene's own parameters hold again. */
  letGo(): void {
    this.hands.rest();
    if (!this.model.driving.value) return;
    this.model.driving.value = false;
    this.model.session.drive(null);
    announce('You let go of the controls');
  }

  private pressed(event: KeyboardEvent): void {
    if (!this.hands.moves(event.code) || !this.mayTake(event)) return;
    event.preventDefault();
    event.stopPropagation();
    this.hands.press(event.code);
  }

  /** With Shift the keys do what they do elsewhere; a field, a slider, a flight or a hand that keys move has them first. */
  private mayTake(event: KeyboardEvent): boolean {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return false;
    if (this.rightHeld || this.model.heldByKeys || this.model.sheet.value !== null) return false;
    if (isTyping(event.target, event.key)) return false;
    const button = event.code === 'Space' && event.target instanceof HTMLElement ? event.target.closest('button, a, [role=tab]') : null;
    return button === null || (this.model.driving.value && !button.matches(':focus-visible'));
  }

  private tick = (now: number) => {
    this.request = requestAnimationFrame(this.tick);
    const seconds = this.last === null ? 0 : Math.min(0.1, (now - this.last) / 1000);
    this.last = now;
    this.follow(this.model.drive.value?.controls ?? []);
    if (this.hands.controls.length === 0) return;
    this.followRunaway();
    const pads = [...(navigator.getGamepads?.() ?? [])].filter((pad): pad is Gamepad => pad !== null && !isSpaceMouse(pad));
    this.hands.update(seconds, pads);
    this.tell();
  };

  /** Another scene, or none: other controls. A lost server has let go of them. */
  private follow(controls: readonly DriveControl[]): void {
    if (controls === this.hands.controls) return;
    if (controls.length === 0 && this.hands.controls.length === 0) return;
    this.hands = new ControlHands(controls);
    this.model.driving.value = false;
    this.firstSeen = null;
    this.wentOff = false;
  }

  /** What goes by itself, such as a sled with a pilot, would soon be out of sight. Once: whoever stops following means it. */
  private followRunaway(): void {
    const body = this.model.drive.value?.body ?? null;
    if (body === null || this.wentOff) return;
    const place = this.model.stage.value?.placeOf(body) ?? null;
    if (place === null) return;
    this.firstSeen ??= place;
    const [x, y, z] = this.firstSeen;
    if (Math.hypot(place[0] - x, place[1] - y, place[2] - z) < RUNS_AWAY) return;
    this.wentOff = true;
    if (this.model.following.value === null) this.model.follow(body, true);
  }

  private tell(): void {
    const { model, hands } = this;
    const values = hands.values.map(round);
    const moved = values.some((value) => value !== 0);
    if (!model.driving.value) {
      const free = model.session.phase.value === 'open' && model.session.state.value?.driven === false;
      if (!free || !(moved || hands.isPressed)) return;
      this.begin();
    }
    const changed = hands.controls.flatMap(({ key }, i) => (values[i] === this.told[i] ? [] : [[key, values[i]!] as const]));
    if (changed.length === 0) return;
    this.told = values;
    model.driveValues.value = values;
    model.session.drive(Object.fromEntries(changed));
  }

  private begin(): void {
    this.told = [];
    this.model.driving.value = true;
    announce('You drive');
    const body = this.model.drive.value?.body ?? null;
    if (body !== null && this.model.following.value === null) this.model.follow(body, true);
    if (this.model.session.state.value?.running === false) this.model.session.play();
  }
}
