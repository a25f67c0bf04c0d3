// The page of the seat: the picture, and over it what the phase asks for.

import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { Icon } from '../ui/icons';
import { Display } from './display';
import { Menu } from './menu';
import { ReplayBar } from './replay-bar';
import { ResultCard } from './result-card';
import { Seat } from './seat';
import { seat as settings } from './seat-settings';
import '../styles/bob.css';

export function BobView() {
  const canvas = useRef<HTMLCanvasElement>(null);
  const made = useSignal<Seat | null>(null);
  useEffect(() => {
    document.title = 'Bobsleigh · Prall';
    const fresh = new Seat(canvas.current!);
    made.value = fresh;
    return () => fresh.end();
  }, []);
  const seat = made.value;
  return (
    <main class="bob">
      <h1 class="hidden-text">Bobsleigh: sit down and drive</h1>
      <canvas ref={canvas} class="bob-picture" tabIndex={-1} aria-label="The track from the sled" />
      {seat && <Over seat={seat} />}
    </main>
  );
}

function Over({ seat }: { seat: Seat }) {
  const phase = seat.phase.value;
  const shownDisplay = settings.hud.value && phase !== 'menu';
  return (
    <>
      {shownDisplay && <Display seat={seat} />}
      {phase === 'menu' && <Menu seat={seat} />}
      {phase === 'countdown' && <Countdown seat={seat} />}
      {(phase === 'finish' || phase === 'crash') && <p class={`bob-end ${phase}`} role="status">{phase === 'finish' ? 'Finish' : 'Crash'}</p>}
      {phase === 'result' && <ResultCard seat={seat} />}
      {phase === 'replay' && <ReplayBar seat={seat} />}
      {phase === 'push' && <p class="bob-hint">{settings.handPush.value ? 'Hold ↑ to push, then steer with ← →' : 'The crew pushes. Steer with ← →'}</p>}
      {seat.paused.value && <p class="bob-hint">Paused · Space goes on</p>}
      {seat.loading.value !== null && <p class="bob-loading" role="status">{seat.loading.value} …</p>}
      {seat.message.value !== null && (
        <div class="bob-message" role="alert">
          <Icon name="warning" size={16} /><span>{seat.message.value}</span>
          <button type="button" class="link" onClick={() => (seat.message.value = null)}>Close</button>
        </div>
      )}
      {seat.showCost.value && <Cost seat={seat} />}
    </>
  );
}

function Countdown({ seat }: { seat: Seat }) {
  const ready = seat.loading.value === null;
  return (
    <div class="bob-countdown" role="status">
      <strong>{ready ? (seat.countdown.value ?? 1) : '…'}</strong>
      <span>Enter starts at once · ← → steer · ↓ brakes · R again · C camera · Esc menu</span>
    </div>
  );
}

/** What a picture costs, and how late it is. */
function Cost({ seat }: { seat: Seat }) {
  const cost = seat.cost.value;
  const latency = seat.latency.summary;
  return (
    <p class="bob-cost">
      {cost ? `${cost.calls} draw calls · ${Math.round(cost.triangles / 1000)} k triangles` : 'measuring'}
      {latency ? ` · hand to picture ${latency.median.toFixed(0)} ms, at most ${latency.largest.toFixed(0)} ms` : ''}
    </p>
  );
}
