// Settings, and the log of messages.

import { useEffect, useState } from 'preact/hooks';
import { DeviceForms } from '../devices/device-form';
import { gamepadNames } from '../devices/gamepad-names';
import { hidIsThere, requestSpaceMouse, spaceMouseName } from '../devices/space-mouse-hid';
import { settings, type QualityChoice, type ThemeChoice } from '../settings';
import { options } from '../route';
import { fetchDevices, type ServerDevices } from '../session/open';
import { Icon } from './icons';
import { log } from './messages';
import { Sheet } from './sheet';

const qualities: [QualityChoice, string][] = [
  ['auto', 'Automatic'],
  ['low', 'Low: no shadows'],
  ['medium', 'Medium'],
  ['high', 'High'],
];
const themes: [ThemeChoice, string][] = [['system', 'As the system'], ['light', 'Light'], ['dark', 'Dark']];

export function SettingsSheet({ onClose }: { onClose: () => void }) {
  const fixedQuality = options.get('quality');
  return (
    <Sheet title="Settings" onClose={onClose}>
      <section class="setting-list">
        <Choice label="Quality of the picture" value={settings.quality.value} choices={qualities} onChange={(value) => (settings.quality.value = value)} />
        {fixedQuality && <p class="small-print">The address asks for {fixedQuality} quality; that goes first.</p>}
        <Choice label="Theme" value={settings.theme.value} choices={themes} onChange={(value) => (settings.theme.value = value)} />
        <label class="check">
          <input type="checkbox" checked={settings.letterKeys.value} onChange={(event) => (settings.letterKeys.value = event.currentTarget.checked)} />
          Single letters are shortcuts
        </label>
        <label class="check">
          <input type="checkbox" checked={settings.seeThrough.value} onChange={(event) => (settings.seeThrough.value = event.currentTarget.checked)} />
          See through what hides the part in hand
        </label>
      </section>
      <Devices />
      <section>
        <h3>Messages</h3>
        {log.value.length === 0 ? (
          <p class="small-print">None so far</p>
        ) : (
          <ol class="log">
            {log.value.map((message) => (
              <li key={message.id}>
                <time dateTime={message.at.toISOString()}>{message.at.toLocaleTimeString()}</time>
                <span><strong>{message.title}</strong> {message.text}</span>
              </li>
            ))}
          </ol>
        )}
      </section>
    </Sheet>
  );
}

function Devices() {
  const names = [...gamepadNames.value, ...(spaceMouseName.value === null ? [] : [spaceMouseName.value])];
  return (
    <section class="setting-list">
      <h3>Devices</h3>
      {names.length === 0 && <p class="small-print">A gamepad is found when one of its buttons is pressed. Its left stick moves what is held, A takes hold and lets go.</p>}
      {names.map((name) => <p key={name} class="device"><Icon name="gamepad" />{name}</p>)}
      {hidIsThere() && spaceMouseName.value === null && (
        <button type="button" class="button" onClick={() => void requestSpaceMouse().catch(() => {})}>Connect a SpaceMouse</button>
      )}
      <label class="check">
        <input type="checkbox" checked={settings.rumble.value} onChange={(event) => (settings.rumble.value = event.currentTarget.checked)} />
        Rumble with the contact force
      </label>
      <label class="check">
        <input type="checkbox" checked={settings.handSound.value} onChange={(event) => (settings.handSound.value = event.currentTarget.checked)} />
        Sound of a part in hand
      </label>
      <DeviceForms />
      <ServerSide />
    </section>
  );
}

/** Hands and devices that other programs bring to the server. */
function ServerSide() {
  const [devices, setDevices] = useState<ServerDevices | null>(null);
  useEffect(() => {
    const look = () => void fetchDevices().then(setDevices, () => setDevices(null));
    look();
    const timer = setInterval(look, 1000);
    return () => clearInterval(timer);
  }, []);
  if (!devices?.tracker && !devices?.wrench) return null;
  const { tracker, wrench, force } = devices;
  return (
    <>
      {tracker && <p class="device"><Icon name="hand" />Tracked hand at {tracker.address}: {tracker.packets} packets, {tracker.refused} refused, {tracker.late} late</p>}
      {force && <p class="device"><Icon name="force" />Force feedback to {force.address}: {force.packets} packets. It presses the hand in scenes with a contact filter only</p>}
      {wrench && <p class="device"><Icon name="force" />Contact forces to {wrench.address}: {wrench.packets} packets</p>}
    </>
  );
}

function Choice<T extends string>({ label, value, choices, onChange }: { label: string; value: T; choices: [T, string][]; onChange: (value: T) => void }) {
  return (
    <label class="row">
      <span>{label}</span>
      <span class="select">
        <select value={value} onChange={(event) => onChange(event.currentTarget.value as T)}>
          {choices.map(([key, text]) => <option key={key} value={key}>{text}</option>)}
        </select>
        <Icon name="chevronDown" size={16} />
      </span>
    </label>
  );
}
