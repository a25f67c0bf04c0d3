// Keys of the seat beside those that drive: everything can be done without a mouse.

import { views } from './cameras';
import type { Phase } from './flow';
import type { Seat } from './seat';
import { seat as settings } from './seat-settings';
import { DAY_HOUR, NIGHT_HOUR } from './world/daylight';

/** Does what a key asks for; false where it asks for nothing. */
export function shortcut(seat: Seat, code: string, phase: Phase): boolean {
  switch (code) {
    case 'KeyR':
      seat.send('restart');
      return true;
    case 'Escape':
      seat.send('leave');
      return true;
    case 'Enter':
      if (phase === 'countdown') seat.tryGo(true);
      else if (phase === 'result') seat.send('start');
      else return false;
      return true;
    case 'Space':
      if (phase === 'countdown') seat.tryGo(true);
      else if (phase === 'result') {
        const entry = seat.keeper.result.value?.entry;
        if (entry) void seat.showReplay(entry);
      } else seat.togglePause();
      return true;
    case 'KeyC':
    case 'KeyV':
      seat.setView(views[(views.indexOf(settings.view.value) + 1) % views.length]!);
      return true;
    case 'KeyH':
      settings.hud.value = !settings.hud.value;
      return true;
    case 'KeyM':
      settings.muted.value = !settings.muted.value;
      return true;
    case 'KeyN':
      settings.hour.value = settings.hour.value === NIGHT_HOUR ? DAY_HOUR : NIGHT_HOUR;
      return true;
    case 'KeyL':
      settings.ideal.value = !settings.ideal.value;
      return true;
    case 'KeyI':
      seat.showCost.value = !seat.showCost.value;
      return true;
    case 'ArrowLeft':
    case 'ArrowRight':
      if (phase !== 'replay') return false;
      seat.seekReplay({ time: (seat.replay.value?.time ?? 0) + (code === 'ArrowLeft' ? -1 : 1) });
      return true;
    default: {
      const digit = /^Digit([1-6])$/.exec(code);
      if (digit) seat.setView(views[Number(digit[1]) - 1]!);
      return digit !== null;
    }
  }
}
