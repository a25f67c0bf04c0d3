import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { HandLink, LOOK_MS } from './hand-link';
import { Hands, type Held } from './hands';
import { LatencyMeter } from './latency';

/** The server computes a frame this often, and a screen shows one, in ms. */
const FRAME = 1000 / 60;
/** Computing 83 steps, encoding and the way through a socket on the same machine, in ms: several times what was measured. */
const SERVER = 4;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A pad's stick is moved at a time; when the sled is steered by it, and when a picture shows it, in ms after the move. */
function move(at: number, serverPhase: number, screenPhase: number): { steered: number; shown: number } {
  vi.setSystemTime(0);
  const pad = { id: 'pad', axes: [0, 0, 0, 0], buttons: [], connected: true } as unknown as Gamepad & { axes: number[] };
  vi.stubGlobal('navigator', { getGamepads: () => [pad] });
  const meter = new LatencyMeter();
  let [sent, heard, applied, framed] = [0, { steering: 0, push: 0, brake: 0 } as Held, { id: 0, steering: 0 }, 0];
  const link = new HandLink(new Hands(), (held) => {
    heard = held;
    sent += 1;
    return true;
  }, 0);
  let [steered, shown] = [NaN, NaN];
  const timers = [
    setInterval(() => {
      if (link.pass(link.look(Date.now()))) meter.sent(sent, Date.now());
    }, LOOK_MS),
    setTimeout(() => (pad.axes[0] = -1), at),
    setTimeout(() => setInterval(() => {
      applied = { id: sent, steering: heard.steering };
      if (applied.steering !== 0 && Number.isNaN(steered)) steered = Date.now() - at;
      const { id } = applied;
      setTimeout(() => (framed = id), SERVER);
    }, FRAME), serverPhase),
    setTimeout(() => setInterval(() => {
      meter.drew(framed, Date.now());
      if (framed > 0 && applied.steering !== 0 && Number.isNaN(shown) && meter.milliseconds.length > 0 && Number.isFinite(steered)) shown = Date.now() - at;
    }, FRAME), screenPhase),
  ];
  vi.advanceTimersByTime(at + 200);
  timers.forEach((timer) => clearTimeout(timer));
  vi.clearAllTimers();
  vi.unstubAllGlobals();
  return { steered, shown };
}

it('a moved stick steers within 20 ms and is seen within 50 ms whenever it was moved', () => {
  const all: { steered: number; shown: number }[] = [];
  for (let i = 0; i < 120; i += 1) all.push(move(100 + ((i * 7.3) % 16), (i * 3.1) % FRAME, (i * 5.7) % FRAME));
  const steered = all.map((one) => one.steered).sort((a, b) => a - b);
  const shown = all.map((one) => one.shown).sort((a, b) => a - b);
  expect(steered.every(Number.isFinite) && shown.every(Number.isFinite)).toBe(true);
  // A look every 4 ms and a frame every 16.7: at worst both have just passed.
  expect(steered.at(-1)).toBeLessThanOrEqual(LOOK_MS + FRAME + 1);
  expect(steered[Math.floor(0.95 * steered.length)]).toBeLessThanOrEqual(20);
  expect(shown.at(-1)).toBeLessThanOrEqual(50);
});

it('tells only what changed, until it is told to forget', () => {
  const told: Held[] = [];
  const link = new HandLink({ update: () => ({ steering: 0.5, push: 0, brake: 0 }) }, (held) => told.push(held) > 0, 0);
  expect([link.pass(link.look(4)), link.pass(link.look(8))]).toEqual([true, false]);
  link.forget();
  expect(link.pass(link.look(12))).toBe(true);
});
