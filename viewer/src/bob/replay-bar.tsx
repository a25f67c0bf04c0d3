// Under a replay: time and station to scrub, speed, cameras, and the run as curves with a cursor that moves along.

import { useMemo } from 'preact/hooks';
import { Icon } from '../ui/icons';
import { viewNames, views } from './cameras';
import type { ChannelKey } from './channels';
import { signed } from './display';
import { outcome } from './run-list';
import { gap, type RunData } from './runs';
import type { Seat } from './seat';
import { seat as settings } from './seat-settings';

const curves: { key: ChannelKey; label: string; scale: number; unit: string }[] = [
  { key: 'speed', label: 'Speed', scale: 3.6, unit: 'km/h' }, { key: 'load', label: 'Load', scale: 1, unit: 'g' }, { key: 'steering', label: 'Steering', scale: 57.2958, unit: '°' },
];

/** A channel as a line in a box of 100 by 20, over the run's time. */
export function polyline(run: RunData, key: ChannelKey, points = 300): string {
  const values = Array.from({ length: points }, (_, i) => run.at((run.seconds * i) / (points - 1))[key]);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const span = high - low || 1;
  return values.map((value, i) => `${((100 * i) / (points - 1)).toFixed(2)},${(19.5 - (19 * (value - low)) / span).toFixed(2)}`).join(' ');
}

export function ReplayBar({ seat }: { seat: Seat }) {
  const replay = seat.replay.value;
  const lines = useMemo(() => (replay ? curves.map(({ key }) => polyline(replay.run, key)) : []), [replay?.run]);
  if (!replay) return null;
  const { run, entry, time, playing, speed } = replay;
  const now = { ...run.at(time) };
  const other = seat.ghosts.value.find(({ name }) => name !== run.name);
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
        {curves.map(({ key, label, scale, unit }, i) => (
          <figure key={key}>
            <figcaption>{`${label} ${(scale * now[key]).toFixed(1)} ${unit}`}</figcaption>
            <svg viewBox="0 0 100 20" preserveAspectRatio="none"><polyline points={lines[i]} /><line x1={(100 * time) / run.seconds} x2={(100 * time) / run.seconds} y1="0" y2="20" /></svg>
          </figure>
        ))}
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
        <button type="button" class="button" onClick={() => seat.send('leave')}>Menu</button>
      </div>
    </section>
  );
}
