// The time bar: what runs, how fast, and when it is.

import { settings } from '../settings';
import { fixed } from '../numbers/format';
import { IconButton } from '../ui/controls';
import { Icon } from '../ui/icons';
import { usesDrawer } from './layout';
import { SPEEDS, type SceneModel } from './model';

export function TimeBar({ model }: { model: SceneModel }) {
  const { session } = model;
  const open = session.phase.value === 'open';
  const running = session.state.value?.running ?? false;
  return (
    <section class="time-bar" aria-label="Time">
      <IconButton icon="reset" label="Reset the scene" shortcut="Shift+R" disabled={!open} onClick={session.reset} />
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
      <div class="clock" role="timer" aria-label="Simulated time">
        <span ref={(element) => { model.clock = element; if (element) element.textContent = fixed(model.time, 3); }} /> <span class="unit">s</span>
      </div>
      <span class="spacer" />
      <SpeedSelect model={model} disabled={!open} />
      {!usesDrawer.value && (
        <IconButton icon="chart" label="Plots" shortcut="L" pressed={settings.shelf.value} onClick={() => (settings.shelf.value = !settings.shelf.value)} />
      )}
    </section>
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
