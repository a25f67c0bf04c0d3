// The time bar: what runs, how fast, when it is, how far one can go back, and whether it is recorded.

import { useEffect, useRef } from 'preact/hooks';
import { settings } from '../settings';
import { bytesText, fixed } from '../numbers/format';
import { sceneHash } from '../route';
import { IconButton } from '../ui/controls';
import { Icon } from '../ui/icons';
import { usesDrawer } from './layout';
import { BACK_SECONDS, SPEEDS, type SceneModel } from './model';

export function TimeBar({ model }: { model: SceneModel }) {
  const { session } = model;
  const open = session.phase.value === 'open';
  const running = session.state.value?.running ?? false;
  return (
    <section class="time-bar" aria-label="Time">
      <IconButton icon="reset" label="Reset the scene" shortcut="Shift+R" disabled={!open} onClick={session.reset} />
      <IconButton icon="back" label={`Back ${BACK_SECONDS} s`} shortcut="B" class="wide" disabled={!open} onClick={() => model.goBack()}><span aria-hidden="true">{BACK_SECONDS} s</span></IconButton>
      <IconButton icon="stepBack" label="One step back" shortcut="," disabled={!open} class="filled" onClick={session.stepBack} />
      <button
        type="button"
        class="play-button"
        disabled={!open}
        aria-label={running ? 'Pause' : 'Play'}
        aria-keyshortcuts="Space"
        title={running ? 'Pause (Space)' : 'Play (Space)'}
        onClick={session.toggle}
      >
        <Icon name={running ? 'pause' : 'play'} />
      </button>
      <IconButton icon="step" label="One step" shortcut="." disabled={!open} class="filled" onClick={session.step} />
      <TimeTrack model={model} disabled={!open} />
      <Clock model={model} />
      <SpeedSelect model={model} disabled={!open} />
      {model.isReplay.value ? <LeaveReplay model={model} /> : <RecordButton model={model} disabled={!open} />}
      {!usesDrawer.value && session.compared.value === null && (
        <IconButton icon="chart" label="Plots" shortcut="L" pressed={settings.shelf.value} onClick={() => (settings.shelf.value = !settings.shelf.value)} />
      )}
    </section>
  );
}

function Clock({ model }: { model: SceneModel }) {
  const place = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    const show = (time: number) => place.current && (place.current.textContent = fixed(time, 3));
    show(model.time);
    model.timeViews.add(show);
    return () => void model.timeViews.delete(show);
  }, [model]);
  return (
    <div class="clock" role="timer" aria-label="Simulated time">
      <span ref={place} /> <span class="unit">s</span>
    </div>
  );
}

/** The part of time that can be gone to, with the place where it is. What lies ahead after going back stays until time goes on. */
function TimeTrack({ model, disabled }: { model: SceneModel; disabled: boolean }) {
  const input = useRef<HTMLInputElement>(null);
  const held = useRef(false);
  const wanted = useRef<number | null>(null);
  const { session } = model;
  const state = session.state.value;
  const history = state?.history ?? { from: 0, to: 0 };

  useEffect(() => {
    const show = (time: number) => {
      const element = input.current;
      if (!element) return;
      const { from, to } = session.state.value?.history ?? { from: 0, to: 0 };
      const end = Math.max(to, time, from + 1e-6);
      element.min = String(from);
      element.max = String(end);
      if (!held.current) element.value = String(time);
      const share = (100 * (Number(element.value) - from)) / (end - from);
      element.style.setProperty('--to', `${share}%`);
      element.setAttribute('aria-valuetext', `${fixed(Number(element.value), 3)} s`);
    };
    show(model.time);
    model.timeViews.add(show);
    return () => void model.timeViews.delete(show);
  }, [model, history.from, history.to]);

  const end = Math.max(history.to, history.from + 1e-6);
  const marks = (state?.snapshots ?? []).filter(({ time }) => time >= history.from && time <= end);
  return (
    <div class="time-track">
      <input
        ref={input}
        type="range"
        class="slider"
        step="any"
        disabled={disabled}
        aria-label="Go to a time"
        style={{ '--from': '0%', '--to': '100%' }}
        onPointerDown={() => {
          held.current = true;
          if (state?.running) session.pause();
        }}
        onPointerUp={() => (held.current = false)}
        onKeyDown={(event) => {
          const by = { ArrowLeft: -1, ArrowRight: 1, PageDown: -10, PageUp: 10 }[event.key];
          if (!by) return;
          event.preventDefault();
          event.stopPropagation();
          session.seek(Math.min(end, Math.max(history.from, model.time + 0.1 * by)));
        }}
        onInput={(event) => {
          const first = wanted.current === null;
          wanted.current = Number(event.currentTarget.value);
          // At most one wish per frame: a fast hand would otherwise ask more often than the server answers.
          if (first) requestAnimationFrame(() => {
            session.seek(wanted.current!);
            wanted.current = null;
          });
        }}
      />
      {marks.map(({ name, time }) => <span key={name} class="time-mark" style={{ left: `${(100 * (time - history.from)) / (end - history.from)}%` }} />)}
    </div>
  );
}

function RecordButton({ model, disabled }: { model: SceneModel; disabled: boolean }) {
  const recording = model.session.state.value?.recording ?? null;
  const elapsed = useRef<HTMLSpanElement>(null);
  const since = recording?.since ?? null;
  useEffect(() => {
    if (since === null) return;
    const show = (time: number) => elapsed.current && (elapsed.current.textContent = `${fixed(Math.max(0, time - since), 1)} s`);
    show(model.time);
    model.timeViews.add(show);
    return () => void model.timeViews.delete(show);
  }, [model, since]);
  return (
    <button
      type="button"
      class={`button record${recording ? ' on' : ''}`}
      disabled={disabled}
      aria-pressed={recording !== null}
      aria-label={recording ? 'Stop recording' : 'Record'}
      aria-keyshortcuts="R"
      title={recording ? `Stop recording ${recording.name} (R)` : 'Record (R)'}
      onClick={() => model.toggleRecord()}
    >
      <span class="record-icon"><Icon name="record" /></span>
      <span class="record-text">{recording ? <span ref={elapsed} /> : 'Record'}</span>
      {recording && <RecordedSize model={model} since={recording.since} />}
    </button>
  );
}

/** Size of the file so far, and how fast it grows. */
function RecordedSize({ model, since }: { model: SceneModel; since: number }) {
  const report = model.session.report.value;
  // The state at the start is in the file once and says nothing of how it grows.
  const first = useRef<{ bytes: number; time: number } | null>(null);
  useEffect(() => void (first.current = null), [since]);
  if (!report?.recorded_bytes) return null;
  first.current ??= { bytes: report.recorded_bytes, time: report.time };
  const seconds = report.time - first.current.time;
  const rate = (report.recorded_bytes - first.current.bytes) / seconds;
  return <span class="record-size">{bytesText(report.recorded_bytes)}{seconds > 1 && <>, {bytesText(rate)}/s</>}</span>;
}

function LeaveReplay({ model }: { model: SceneModel }) {
  const hello = model.session.hello.value!;
  return (
    <a class="button record" href={sceneHash(hello.scene.name)} title={`${hello.recording?.name ?? 'Recording'}: back to the scene itself`}>Leave replay</a>
  );
}

function SpeedSelect({ model, disabled }: { model: SceneModel; disabled: boolean }) {
  const speed = model.session.state.value?.speed ?? 1;
  const speeds = SPEEDS.includes(speed) ? SPEEDS : [...SPEEDS, speed].sort((a, b) => a - b);
  return (
    <span class="select speed">
      <select
        aria-label="Speed"
        title="Simulated seconds per second (− and +)"
        disabled={disabled}
        value={String(speed)}
        onChange={(event) => model.session.speed(Number(event.currentTarget.value))}
      >
        {speeds.map((value) => <option key={value} value={String(value)}>{value}×</option>)}
      </select>
      <Icon name="chevronDown" size={16} />
    </span>
  );
}
