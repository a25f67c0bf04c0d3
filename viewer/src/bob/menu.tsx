// The menu: track, start, who drives, view and light, setup, sound, runs. Everything can be reached by keys; Enter starts.

import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Icon } from '../ui/icons';
import { viewNames, views } from './cameras';
import { requestWheel } from './force';
import { seatQuality, type BobQualityChoice } from './quality';
import { LandmarkPage } from './landmark-page';
import { PilotPage } from './pilot-page';
import { seated } from './pilots';
import { RunList } from './run-list';
import { setupKeys, type Seat, type StartChoice } from './seat';
import { seat as settings, type Driver } from './seat-settings';
import { headsetIsThere } from '../devices/headset';
import { SetupFiles } from './setup-page';
import { Calibrator } from './steering';

const drivers: [Driver, string, string][] = [
  ['helped', 'You, with help', 'The pilot’s hands beside yours: for the first runs'],
  ['alone', 'You alone', 'Nobody helps'],
  ['pilot', 'The pilot', 'Sit behind him and watch'],
];

const pages = ['drive', 'setup', 'pilot', 'landmarks', 'runs'] as const;
type Page = (typeof pages)[number];

export function Menu({ seat }: { seat: Seat }) {
  const start = useRef<HTMLButtonElement>(null);
  const page = useSignal<Page>('drive');
  useEffect(() => start.current?.focus(), []);
  useEffect(() => {
    if (page.value !== 'landmarks') seat.lookAt.value = null;
  }, [page.value]);
  const offer = seat.offer.value;
  return (
    <section class="bob-menu" aria-label="Menu">
      <header>
        <a class="icon-button" href="#/" aria-label="To the gallery" title="To the gallery"><Icon name="chevronLeft" /></a>
        <h2>Bobsleigh</h2>
        <nav aria-label="Pages of the menu">
          {pages.map((name) => (
            <button key={name} type="button" class="bob-tab" aria-pressed={page.value === name} onClick={() => (page.value = name)}>{{ drive: 'Drive', setup: 'Setup', pilot: seated.value || 'Pilot', landmarks: 'Landmarks', runs: `Runs (${seat.keeper.runs.value.length})` }[name]}</button>
          ))}
        </nav>
      </header>
      <div class="bob-page">
        {page.value === 'drive' && (
          <>
            <fieldset>
              <legend>Track</legend>
              {offer?.tracks.map((track, i) => (
                <Choice key={track.name} name="track" checked={seat.track.value === i + 1} onChoose={() => (seat.track.value = i + 1)} title={track.name} text={`${Math.round(track.finish)} m, ${track.curves} curves, ${Math.round(track.drop)} m down`} />
              ))}
            </fieldset>
            <fieldset>
              <legend>Who drives</legend>
              {drivers.map(([driver, title, text]) => <Choice key={driver} name="driver" checked={settings.driver.value === driver} onChoose={() => (settings.driver.value = driver)} title={title} text={text} />)}
            </fieldset>
            <div class="bob-row">
              <StartField seat={seat} />
              <label>View<select aria-label="View" value={settings.view.value} onChange={(event) => (settings.view.value = event.currentTarget.value as never)}>{views.map((view, i) => <option key={view} value={view}>{`${i + 1} ${viewNames[view]}`}</option>)}</select></label>
              <label>Time<select aria-label="Time" value={String(seat.timeScale.value)} onChange={(event) => (seat.timeScale.value = Number(event.currentTarget.value))}>{[['0.25', 'Slow motion ¼'], ['0.5', 'Slow motion ½'], ['1', 'As it is'], ['2', 'Twice as fast'], ['4', 'Four times']].map(([value, text]) => <option key={value} value={value}>{text}</option>)}</select></label>
            </div>
            <div class="bob-row">
              <Slider label={`Hour ${Math.floor(settings.hour.value)}:${String(Math.round((60 * settings.hour.value) % 60)).padStart(2, '0')}`} min={0} max={24} step={0.5} value={settings.hour.value} onChange={(value) => (settings.hour.value = value)} />
              <Slider label={settings.muted.value ? 'Sound off' : `Sound ${Math.round(100 * settings.volume.value)} %`} min={0} max={1} step={0.05} value={settings.volume.value} onChange={(value) => (settings.volume.value = value)} />
              <label>Picture<select aria-label="Picture" value={seatQuality.value} onChange={(event) => (seatQuality.value = event.currentTarget.value as BobQualityChoice)}>{[['auto', 'Automatic'], ['high', 'High'], ['medium', 'Medium'], ['low', 'Low'], ['test', 'Lowest']].map(([value, text]) => <option key={value} value={value}>{text}</option>)}</select></label>
            </div>
            <div class="bob-row checks">
              <Check label="Sails closed" setting={settings.sails} />
              <Check label="Display" setting={settings.hud} />
              <Check label="Ideal line" setting={settings.ideal} />
              <Check label="Mouse steers" setting={settings.mouse} />
              <Check label="Push by hand" setting={settings.handPush} />
              <Check label="Mute" setting={settings.muted} />
            </div>
          </>
        )}
        {page.value === 'setup' && <Setup seat={seat} />}
        {page.value === 'pilot' && <PilotPage seat={seat} />}
        {page.value === 'landmarks' && <LandmarkPage seat={seat} />}
        {page.value === 'runs' && <RunList seat={seat} />}
      </div>
      <footer>
        <span class="bob-ghosts">{seat.keeper.ghosts.value.length > 0 ? `Against ${seat.keeper.ghosts.value.length === 1 ? 'a ghost' : `${seat.keeper.ghosts.value.length} ghosts`}` : ''}</span>
        {headsetIsThere.value && <button type="button" class="button" onClick={() => void seat.enterHeadset()}>Headset</button>}
        <button ref={start} type="button" class="button primary" disabled={seat.loading.value !== null || offer === null} onClick={() => seat.send('start')}>Start</button>
      </footer>
    </section>
  );
}

function Choice({ name, checked, onChoose, title, text }: { name: string; checked: boolean; onChoose: () => void; title: string; text: string }) {
  return <label class="bob-choice"><input type="radio" name={name} checked={checked} onChange={onChoose} /><span><strong>{title}</strong><small>{text}</small></span></label>;
}

function Check({ label, setting }: { label: string; setting: { value: boolean } }) {
  return <label><input type="checkbox" checked={setting.value} onChange={(event) => (setting.value = event.currentTarget.checked)} />{label}</label>;
}

export function Slider({ label, min, max, step, value, onChange }: { label: ComponentChildren; min: number; max: number; step: number; value: number; onChange: (value: number) => void }) {
  return <label>{label}<input type="range" min={min} max={max} step={step} value={value} onInput={(event) => onChange(Number(event.currentTarget.value))} /></label>;
}

function StartField({ seat }: { seat: Seat }) {
  const { kind, curve } = seat.start.value;
  const curves = seat.offer.value?.tracks[seat.track.value - 1]?.curves ?? 0;
  const choose = (text: string) => {
    const choice: StartChoice = text === 'push' || text === 'flying' ? { kind: text, curve: 1 } : { kind: 'curve', curve: Number(text) };
    seat.start.value = choice;
  };
  return (
    <label>Start<select aria-label="Start" value={kind === 'curve' ? String(curve) : kind} onChange={(event) => choose(event.currentTarget.value)}>
      <option value="push">With a push</option>
      <option value="flying">Flying</option>
      {Array.from({ length: curves }, (_, i) => <option key={i} value={String(i + 1)}>{`Before curve ${i + 1}`}</option>)}
    </select></label>
  );
}

function Setup({ seat }: { seat: Seat }) {
  const values = settings.setup.value;
  const fields = seat.parameters.value.filter(({ key }) => setupKeys.includes(key));
  const set = (key: string, value: number, plain: number) => {
    const { [key]: _, ...others } = values;
    settings.setup.value = value === plain ? others : { ...others, [key]: value };
  };
  return (
    <div class="bob-setup">
      {fields.map(({ key, label, min, max, step, default: plain, unit, text }) => {
        const value = values[key] ?? plain;
        return <div key={key} title={text}><Slider label={<>{label} <b class={value === plain ? '' : 'changed'}>{`${value} ${unit}`.trim()}</b></>} min={min} max={max} step={step} value={value} onChange={(next) => set(key, next, plain)} /><small>{text.replace(/,? from the next reset on/, '')}</small></div>;
      })}
      <SetupFiles />
      <Devices seat={seat} />
    </div>
  );
}

/** Calibration of a wheel or a stick, rumble, and wheels with a motor. */
function Devices({ seat }: { seat: Seat }) {
  const step = useSignal<string | null>(null);
  const pad = () => [...(navigator.getGamepads?.() ?? [])].find((candidate) => candidate !== null) ?? null;
  const calibrate = () => {
    const device = pad();
    if (!device) {
      step.value = 'No device: press one of its buttons first.';
      return;
    }
    const calibrator = new Calibrator();
    step.value = 'Turn it to both ends, let it go to the middle, then press Enter.';
    const timer = setInterval(() => calibrator.see(pad()?.axes ?? []), 8);
    const done = (event: KeyboardEvent) => {
      if (event.code !== 'Enter') return;
      event.preventDefault();
      clearInterval(timer);
      document.removeEventListener('keydown', done, true);
      const found = calibrator.finish(pad()?.axes ?? []);
      if (found) settings.calibrations.value = { ...settings.calibrations.value, [device.id]: found };
      step.value = found ? `Axis ${found.axis} of ${device.id} steers.` : 'Nothing moved far enough; try again.';
    };
    document.addEventListener('keydown', done, true);
  };
  const connect = () => {
    requestWheel(() => (seat.wheel.value = null)).then((wheel) => {
      seat.wheel.value = wheel;
      step.value = wheel ? `${wheel.name} pushes back.` : 'No wheel with a motor was chosen.';
    }, (error: Error) => (step.value = `The wheel cannot be used: ${error.message}`));
  };
  return (
    <fieldset>
      <legend>Devices</legend>
      <div class="bob-row checks">
        <Check label="Rumble" setting={settings.rumble} />
        <Check label="Head moves with the load" setting={settings.head} />
        <Check label="Low bass of hits" setting={settings.bass} />
        <button type="button" class="link" onClick={calibrate}>Calibrate a wheel</button>
        {'hid' in navigator && <button type="button" class="link" onClick={connect}>Connect a wheel with a motor</button>}
      </div>
      <Slider label={settings.fov.value ? `Cockpit ${settings.fov.value}° high` : 'Cockpit: its own angle'} min={0} max={110} step={2} value={settings.fov.value} onChange={(value) => (settings.fov.value = value < 20 ? 0 : value)} />
      {step.value && <p role="status">{step.value}</p>}
    </fieldset>
  );
}
