// After a run: splits beside the best run, and what to do next.

import { useEffect, useRef } from 'preact/hooks';
import { signed } from './display';
import { outcome, whose } from './run-list';
import { splitGaps } from './runs';
import type { Seat } from './seat';

const causes = ['', 'rolled over', 'on its side', 'over the edge'];

export function ResultCard({ seat }: { seat: Seat }) {
  const again = useRef<HTMLButtonElement>(null);
  useEffect(() => again.current?.focus(), []);
  const result = seat.keeper.result.value;
  const entry = result?.entry ?? null;
  const best = result?.best ?? null;
  const isBest = entry?.time != null && (best === null || entry.time < best.time!);
  return (
    <section class="bob-card" aria-label="Result">
      <h2>{entry === null ? 'Saving the run …' : entry.time !== null ? `Finish: ${entry.time.toFixed(3)} s` : entry.crash ? `Crash at ${entry.crash[0].toFixed(0)} m, ${causes[entry.crash[1]]}` : 'Broken off'}</h2>
      {entry && <p>{[whose(entry), `${(3.6 * entry.top_speed).toFixed(1)} km/h`, `${entry.largest_load.toFixed(1)} g`, `${entry.hits} ${entry.hits === 1 ? 'hit' : 'hits'}`].join(' · ')}{isBest && entry.curve === 0 ? <strong> · Best run on this track</strong> : ''}</p>}
      {entry && (
        <table>
          <thead><tr><th>Barrier</th><th>Time</th><th>Speed</th><th>{best ? `To the best (${outcome(best)})` : ''}</th></tr></thead>
          <tbody>
            {splitGaps(entry.splits, best?.splits ?? []).map(({ s, time, gap }, i) => (
              <tr key={s}><td>{`${s.toFixed(0)} m`}</td><td>{`${time.toFixed(3)} s`}</td><td>{`${(3.6 * entry.splits[i]!.speed).toFixed(1)} km/h`}</td><td class={gap !== null && gap < 0 ? 'ahead' : ''}>{gap === null ? '' : signed(gap, 3)}</td></tr>
            ))}
          </tbody>
        </table>
      )}
      {entry && <Coach seat={seat} />}
      <footer>
        <button ref={again} type="button" class="button primary" onClick={() => seat.send('start')}>Again</button>
        <button type="button" class="button" disabled={entry === null} onClick={() => entry && void seat.showReplay(entry)}>Replay</button>
        <button type="button" class="button" disabled={entry === null} aria-pressed={entry !== null && seat.keeper.ghosts.value.some(({ name }) => name === entry.name)} onClick={() => entry && void seat.keeper.toggleGhost(entry.name)}>As a ghost</button>
        <button type="button" class="button" onClick={() => seat.send('leave')}>Menu</button>
      </footer>
    </section>
  );
}

/** More than this nobody keeps in mind for the next run. */
const MAX_ADVICE = 3;

function Coach({ seat }: { seat: Seat }) {
  const coached = seat.keeper.coached.value;
  if (coached === null) return <p class="bob-coach"><small>The coach looks at the run …</small></p>;
  if (typeof coached === 'string') return <p class="bob-coach"><small>{`No coach: ${coached}`}</small></p>;
  const whom = coached.against === null ? 'the pilot' : 'the best run';
  if (coached.advice.length === 0) return <p class="bob-coach"><small>{`Coach: nothing lost on ${whom}.`}</small></p>;
  return (
    <div class="bob-coach">
      <small>{`Coach, against ${whom}`}</small>
      <ul>{coached.advice.slice(0, MAX_ADVICE).map(({ from, text }) => <li key={from}>{text}</li>)}</ul>
    </div>
  );
}
