// What the browser reports to the seat: keys, mouse, fingers, devices that come and go.

import { drivingKeys } from './hands';
import { isRunning } from './flow';
import type { Seat } from './seat';
import { shortcut } from './shortcuts';

/** Listens until `signal` is aborted. */
export function listen(seat: Seat, signal: AbortSignal): void {
  const { canvas, hands } = seat;
  document.addEventListener('keydown', (event) => key(seat, event), { signal });
  document.addEventListener('keyup', (event) => hands.release(event.code), { signal });
  window.addEventListener('blur', () => hands.releaseAll(), { signal });
  window.addEventListener('resize', () => seat.resize(), { signal });
  window.addEventListener('gamepaddisconnected', () => {
    if (isRunning(seat.phase.value)) seat.message.value = 'The controller is gone; keys and mouse steer on';
  }, { signal });
  canvas.addEventListener('pointermove', (event) => pointer(seat, event), { signal });
  canvas.addEventListener('pointerdown', (event) => {
    seat.wake();
    if (event.pointerType === 'touch') hands.touchStart(event.pointerId, event.clientX, innerWidth);
  }, { signal });
  for (const type of ['pointerup', 'pointercancel'] as const) canvas.addEventListener(type, (event) => hands.touchEnd(event.pointerId), { signal });
  document.addEventListener('click', () => seat.wake(), { signal });
  canvas.addEventListener('webglcontextlost', (event) => {
    event.preventDefault();
    seat.message.value = 'The graphics card was lost; reload the page. The run goes on and is saved.';
  }, { signal });
}

function pointer(seat: Seat, event: PointerEvent): void {
  if (event.pointerType === 'touch') {
    seat.hands.touchMove(event.pointerId, event.clientX);
    return;
  }
  seat.hands.moveMouse(event.clientX, innerWidth);
  if (event.buttons !== 1) return;
  seat.orbit.turn -= 0.008 * event.movementX;
  seat.orbit.lift = Math.max(-0.1, Math.min(1.3, seat.orbit.lift + 0.006 * event.movementY));
}

function key(seat: Seat, event: KeyboardEvent): void {
  seat.wake();
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const phase = seat.phase.value;
  const inField = event.target instanceof HTMLElement && /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
  if (phase === 'menu') {
    // Fields and buttons of the menu have their own keys; Enter on nothing starts.
    if (event.code === 'Enter' && (event.target === document.body || event.target === seat.canvas)) seat.send('start');
    return;
  }
  if (drivingKeys.has(event.code) && isRunning(phase)) {
    event.preventDefault();
    seat.hands.press(event.code);
    seat.feel();
    return;
  }
  if (inField && event.code !== 'Escape') return;
  if (shortcut(seat, event.code, phase)) event.preventDefault();
}
