// The way through a visit: choose, count down, push, drive, finish or crash, look at the splits, replay or again.

export type Phase = 'menu' | 'countdown' | 'push' | 'drive' | 'finish' | 'crash' | 'result' | 'replay';

export type FlowEvent =
  | { type: 'start' } // from the menu or the result
  | { type: 'restart' } // R: at once, without counting
  | { type: 'go' } // the countdown is over, or was cut short
  | { type: 'seated' } // the crew sits
  | { type: 'finished' }
  | { type: 'crashed' }
  | { type: 'shown' } // the picture of the end was shown for long enough
  | { type: 'replay' }
  | { type: 'leave' }; // back to the menu

const ways: Record<Phase, Partial<Record<FlowEvent['type'], Phase>>> = {
  menu: { start: 'countdown', replay: 'replay' },
  countdown: { go: 'push', leave: 'menu', restart: 'push' },
  push: { seated: 'drive', crashed: 'crash', finished: 'finish', restart: 'push', leave: 'menu' },
  drive: { finished: 'finish', crashed: 'crash', restart: 'push', leave: 'menu' },
  finish: { shown: 'result', restart: 'push', leave: 'menu', start: 'countdown' },
  crash: { shown: 'result', restart: 'push', leave: 'menu', start: 'countdown' },
  result: { start: 'countdown', restart: 'push', replay: 'replay', leave: 'menu' },
  replay: { start: 'countdown', restart: 'push', leave: 'menu' },
};

/** The next phase; the same one where an event means nothing. */
export function next(phase: Phase, event: FlowEvent): Phase {
  return ways[phase][event.type] ?? phase;
}

/** Whether hands are on the ropes. */
export function isRunning(phase: Phase): boolean {
  return phase === 'push' || phase === 'drive';
}

/** Whether the simulation moves in this phase. */
export function isLive(phase: Phase): boolean {
  return phase === 'menu' || isRunning(phase) || phase === 'finish' || phase === 'crash' || phase === 'result';
}

export const COUNTDOWN_S = 3;

/** Width of the menu with its margin, in pixels. */
const MENU = 616;

/** How far the picture's middle moves to the right beside the menu; not at all where the menu leaves little room. */
export const menuShift = (width: number) => (width - MENU > 250 ? MENU / 2 : 0);

/** What a countdown shows after `seconds`: 3, 2, 1, or null when it is over. */
export function countdownAt(seconds: number): number | null {
  return seconds >= COUNTDOWN_S ? null : COUNTDOWN_S - Math.floor(Math.max(0, seconds));
}
