// Settings of the devices that move a hand, one fold for each.

import { Icon } from '../ui/icons';
import type { MappingName } from './mapping';
import { DEAD_ZONES, GAINS, deviceInfos, deviceSettings, type DeviceInfo, type DeviceSettings, type Pivot } from './device-settings';

const pivots: [Pivot, string][] = [['hand', 'The point that is held'], ['centre', 'The middle of the part'], ['point', 'A point that was chosen']];

export function DeviceForms() {
  return <>{deviceInfos.map((info) => <DeviceForm key={info.name} info={info} />)}</>;
}

function DeviceForm({ info }: { info: DeviceInfo }) {
  const settings = deviceSettings[info.name];
  const now = settings.value;
  const set = (change: Partial<DeviceSettings>) => (settings.value = { ...now, ...change });
  const changed = JSON.stringify(now) !== JSON.stringify(info.usual);
  return (
    <details class="device-form">
      <summary>{info.title}{changed && <span class="count">changed</span>}</summary>
      <Slide label={info.moves} value={now.move} range={GAINS} text={`${now.move.toFixed(2)} ×`} onChange={(move) => set({ move })} />
      <Slide label="Turning" value={now.turn} range={GAINS} text={`${now.turn.toFixed(2)} ×`} onChange={(turn) => set({ turn })} />
      {info.axes && (
        <>
          <Slide label="Dead zone" value={now.deadZone} range={DEAD_ZONES} text={`${Math.round(100 * now.deadZone)} %`} onChange={(deadZone) => set({ deadZone })} />
          <label class="check">
            <input type="checkbox" checked={now.dominant} onChange={(event) => set({ dominant: event.currentTarget.checked })} />
            Only the strongest axis
          </label>
          <label class="row">
            <span>Deflection is</span>
            <span class="select">
              <select value={now.mapping ?? 'velocity'} onChange={(event) => set({ mapping: event.currentTarget.value as MappingName })}>
                <option value="velocity">A velocity: rests when let go</option>
                <option value="force">A force: gathers speed and coasts</option>
              </select>
              <Icon name="chevronDown" size={16} />
            </span>
          </label>
        </>
      )}
      <label class="row">
        <span>Turns about</span>
        <span class="select">
          <select value={now.pivot} onChange={(event) => set({ pivot: event.currentTarget.value as Pivot })}>
            {pivots.map(([key, text]) => <option key={key} value={key}>{text}</option>)}
          </select>
          <Icon name="chevronDown" size={16} />
        </span>
      </label>
      {now.pivot === 'point' && <p class="small-print">Right click a part, then Turn about this point. Until then it is the point that is held.</p>}
      <button type="button" class="button" disabled={!changed} onClick={() => (settings.value = info.usual)}>As usual</button>
    </details>
  );
}

interface SlideProps {
  label: string;
  value: number;
  range: { least: number; most: number };
  text: string;
  onChange: (value: number) => void;
}

function Slide({ label, value, range, text, onChange }: SlideProps) {
  return (
    <label class="row device-slide">
      <span>{label}</span>
      <input type="range" min={range.least} max={range.most} step={0.01} value={value} onInput={(event) => onChange(Number(event.currentTarget.value))} />
      <output>{text}</output>
    </label>
  );
}
