// Under a replay: time and station to scrub, speed, cameras, and the run as curves with a cursor that moves along.

import { useMemo } from 'preact/hooks';
import { Icon } from '../ui/icons';
import { viewNames, views } from './cameras';
import { oneOf, remembered } from '../settings';
import { keys, type ChannelKey } from './channels';
import { diagram, type Over } from './diagrams';
import { signed } from './display';
import { outcome } from './run-list';
import { gap, type RunData } from './runs';
import type { Seat } from './seat';
import { seat as settings } from './seat-settings';

/** Channels in units that people speak in; others have the server's. */
const spoken: Partial<Record<ChannelKey, { label: string; scale: number; unit: string }>> = {
  speed: { label: 'Speed', scale: 3.6, unit: 'km/h' }, load: { label: 'Load', scale: 1, unit: 'g' }, steering: { label: 'Steering', scale: 57.2958, unit: '°' },
};

/** More than these nobody sees at once. */
const MOST_DIAGRAMS = 4;
const isKeys = (value: unknown): value is ChannelKey[] => Array.isArray(value) && value.length >= 1 && value.length <= MOST_DIAGRAMS && value.every((key) => keys.includes(key as ChannelKey));
const shown = remembered<ChannelKey[]>('bob.diagrams', ['speed', 'load', 'steering'], isKeys);
const over = remembered<Over>('bob.diagrams-over', 'time', oneOf('time', 'station'));

export function ReplayBar({ seat }: { seat: Seat }) {
  const replay = seat.replay.value;
  const compared = replay ? seat.keeper.ghosts.value.filter(({ name }) => name !== replay.run.name) : [];
  const diagrams = useMemo(() => (replay ? shown.value.map((key) => diagram(replay.run, key, over.value, compared)) : []), [replay?.run, shown.value, over.value, seat.keeper.ghosts.value]);
  if (!replay) return null;
  const { run, entry, time, playing, speed } = replay;
  const now = { ...run.at(time) };
  const other = seat.keeper.ghosts.value.find(({ name }) => name !== run.name);
  const apart = other ? gap(now.clock, now.station, other) : null;
  const save = () => {
    const link = document.createElement('a');
    link.href = seat.picture();
    link.download = `${entry.track_name || 'run'}-${Math.round(now.station)}m.png`;
    link.click();
  };
  return (
    <section class="bob-replay" aria-label="Replay">
      <div class="bob-charts" aria-hidden="true">
        {shown.value.map((key, i) => {
          const channel = seat.offer.value?.channels.find((candidate) => candidate.key === key);
          const { label, scale, unit } = spoken[key] ?? { label: key.replaceAll('_', ' '), scale: 1, unit: channel?.unit ?? '' };
          const { lines, hits, x } = diagrams[i]!;
          return (
            <figure key={key}>
              <figcaption>{`${label} ${(scale * now[key]).toFixed(1)} ${unit}`}</figcaption>
              <svg viewBox="0 0 100 20" preserveAspectRatio="none">
                {hits.map((at) => <line key={at} class="hit" x1={at} x2={at} y1="0" y2="20" />)}
                {lines.slice(1).map((points, k) => <polyline key={k} class={`other-${k}`} points={points} />)}
                <polyline points={lines[0]} /><line x1={x(time)} x2={x(time)} y1="0" y2="20" />
              </svg>
            </figure>
          );
        })}
      </div>
      <div class="bob-row diagrams">
        {shown.value.map((key, i) => (
          <select key={i} aria-label={`Diagram ${i + 1}`} value={key} onChange={(event) => (shown.value = event.currentTarget.value === '' ? shown.value.filter((_, k) => k !== i) : shown.value.map((other, k) => (k === i ? (event.currentTarget.value as ChannelKey) : other)))}>
            {shown.value.length > 1 && <option value="">none</option>}
            {keys.map((name) => <option key={name} value={name}>{name.replaceAll('_', ' ')}</option>)}
          </select>
        ))}
        {shown.value.length < MOST_DIAGRAMS && <button type="button" class="link" onClick={() => (shown.value = [...shown.value, keys.find((key) => !shown.value.includes(key))!])}>One more diagram</button>}
        <label>over<select aria-label="Diagrams over" value={over.value} onChange={(event) => (over.value = event.currentTarget.value as Over)}><option value="time">time</option><option value="station">station</option></select></label>
        <small>{hitText(run, time)}</small>
      </div>
      <div class="bob-row">
        <button type="button" class="icon-button" aria-label={playing ? 'Pause' : 'Play'} onClick={() => seat.togglePause()}><Icon name={playing ? 'pause' : 'play'} /></button>
        <label class="wide">{`${Math.max(0, now.clock).toFixed(2)} s of ${outcome(entry)}`}{apart === null ? '' : ` · ${signed(apart)} s`}
          <input type="range" aria-label="Time" min={0} max={run.seconds} step={0.01} value={time} onInput={(event) => seat.seekReplay({ time: Number(event.currentTarget.value), playing: false })} />
        </label>
        <label>Station {now.station.toFixed(0)} m
          <input type="range" aria-label="Station" min={Math.ceil(run.valueOf(0, 'station'))} max={Math.floor(run.valueOf(run.count - 1, 'station'))} step={1} value={now.station} onInput={(event) => seat.seekReplay({ time: run.timeAt(Number(event.currentTarget.value)), playing: false })} />
        </label>
        <label>Speed<select aria-label="Speed" value={String(speed)} onChange={(event) => seat.seekReplay({ speed: Number(event.currentTarget.value) })}>{['0.1', '0.25', '0.5', '1', '2', '4'].map((value) => <option key={value} value={value}>{`${value} ×`}</option>)}</select></label>
        <label>View<select aria-label="View" value={settings.view.value} onChange={(event) => seat.setView(event.currentTarget.value as never)}>{views.map((view) => <option key={view} value={view}>{viewNames[view]}</option>)}</select></label>
        <button type="button" class="button" onClick={save}>Picture</button>
        <button type="button" class="button" aria-pressed={seat.filming.value} onClick={() => void seat.film()}>{seat.filming.value ? 'End the film' : 'Film'}</button>
        <button type="button" class="button" onClick={() => seat.send('leave')}>Menu</button>
      </div>
    </section>
  );
}

/** The last bumper hit before a time, in words. */
function hitText(run: RunData, time: number): string {
  const last = run.hitTimes().filter((at) => at <= time).pop();
  if (last === undefined) return '';
  const t = { ...run.at(last) };
  return `Hit at ${t.station.toFixed(0)} m, ${t.hit_side < 0 ? 'left' : 'right'}, ${t.hit_speed.toFixed(2)} m/s${t.wood > 0.5 ? ' on boards' : ''}`;
}
