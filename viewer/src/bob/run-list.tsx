// All runs of this machine: the board of the best on the chosen track, and every file with what can be done with it.

import { useSignal } from '@preact/signals';
import { apiAddress } from '../session/open';
import { Icon } from '../ui/icons';
import { download } from './download';
import { drivenBy } from './pilots';
import { board, fileName, type RunEntry } from './runs';
import type { Seat } from './seat';
import { fetchRun } from './server';

/** Everybody's runs. */
const ALL = '';

export function RunList({ seat }: { seat: Seat }) {
  const whom = useSignal(ALL);
  const here = seat.keeper.runs.value.filter(({ track }) => track === seat.track.value);
  const names = [...new Set(here.map(({ name }) => drivenBy.value[name]).filter((name) => name !== undefined))].sort();
  const runs = here.filter(({ name }) => whom.value === ALL || drivenBy.value[name] === whom.value);
  const best = board(runs, seat.track.value);
  if (here.length === 0) return <p class="bob-empty">No run on this track yet. Every run that ends in a finish or a crash is kept.</p>;
  return (
    <>
      {names.length > 0 && (
        <label class="bob-board">Board of<select aria-label="Board of" value={whom.value} onChange={(event) => (whom.value = event.currentTarget.value)}>
          <option value={ALL}>everybody</option>
          {names.map((name) => <option key={name} value={name}>{name}</option>)}
        </select></label>
      )}
      <ol class="bob-runs">
        {runs.map((run) => <Row key={run.name} seat={seat} run={run} rank={best.indexOf(run)} />)}
      </ol>
    </>
  );
}

const date = (seconds: number) => new Date(1000 * seconds).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' });

export function outcome(run: RunEntry): string {
  if (run.time !== null) return `${run.time.toFixed(2)} s`;
  return run.crash ? `crash at ${run.crash[0].toFixed(0)} m` : 'broken off';
}

export function whose(run: RunEntry): string {
  const how = run.driven ? (run.help > 0 ? 'with help' : 'alone') : 'the pilot';
  const who = [drivenBy.value[run.name], how].filter(Boolean).join(' ');
  const changed = Object.entries(run.changed).filter(([key]) => !['curve', 'help', 'speed', 'line'].includes(key)).map(([key, value]) => `${key} ${value}`);
  return [who, run.curve > 0 ? `from curve ${run.curve}` : null, ...changed].filter(Boolean).join(', ');
}

function Row({ seat, run, rank }: { seat: Seat; run: RunEntry; rank: number }) {
  const isGhost = seat.keeper.ghosts.value.some(({ name }) => name === run.name);
  const table = async () => download(fileName(run, 'csv'), (await fetchRun(run.name)).csv(), 'text/csv');
  return (
    <li>
      <span class="bob-rank">{rank >= 0 ? rank + 1 : ''}</span>
      <span class="bob-run"><strong>{outcome(run)}</strong><small>{`${date(run.recorded)} · ${whose(run)} · ${(3.6 * run.top_speed).toFixed(0)} km/h`}</small></span>
      <button type="button" class="bob-tab" onClick={() => void seat.showReplay(run)}>Replay</button>
      <button type="button" class="bob-tab" aria-pressed={isGhost} onClick={() => void seat.keeper.toggleGhost(run.name)}>Ghost</button>
      <button type="button" class="bob-tab" onClick={() => void table()}>CSV</button>
      <a class="bob-tab" href={apiAddress(`recordings/${encodeURIComponent(run.name)}`)} download>File</a>
      <button type="button" class="icon-button" aria-label="Delete" title="Delete" onClick={() => void seat.keeper.remove(run)}><Icon name="trash" size={16} /></button>
    </li>
  );
}
