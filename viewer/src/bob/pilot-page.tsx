// Who sits in the seat, and what each pilot's best times are.

import { useSignal } from '@preact/signals';
import { viewNames } from './cameras';
import { bestTimes, cleanName, drivenBy, forget, pilots, seated, sitDown } from './pilots';
import type { Seat } from './seat';

export function PilotPage({ seat }: { seat: Seat }) {
  const name = useSignal('');
  const add = () => {
    if (cleanName(name.value) === '') return;
    sitDown(name.value);
    name.value = '';
  };
  const tracks = seat.offer.value?.tracks ?? [];
  return (
    <div class="bob-pilots">
      <p class="bob-row checks">
        <label>New pilot<input type="text" aria-label="Name of the pilot" maxLength={24} value={name.value} onInput={(event) => (name.value = event.currentTarget.value)} /></label>
        <button type="button" class="button" onClick={add}>Sit down</button>
        {seated.value !== '' && <button type="button" class="link" onClick={() => sitDown('')}>Drive as a visitor</button>}
      </p>
      {pilots.value.length === 0 && <p class="bob-empty">A pilot keeps directness, devices, view and best times on this machine.</p>}
      <ol class="bob-runs">
        {pilots.value.map((pilot) => {
          const best = bestTimes(seat.keeper.runs.value, drivenBy.value, pilot.name);
          const times = tracks.map((track, i) => (best.has(i + 1) ? `${track.name} ${best.get(i + 1)!.time!.toFixed(2)} s` : null)).filter(Boolean).join(' · ');
          const devices = Object.keys(pilot.calibrations).length;
          const kept = [`directness ${pilot.directness ?? 'of the sled'}`, viewNames[pilot.view], devices > 0 ? `${devices} calibrated ${devices === 1 ? 'device' : 'devices'}` : null].filter(Boolean).join(', ');
          return (
            <li key={pilot.name}>
              <span class="bob-run"><strong>{pilot.name}</strong><small>{`${kept} · ${times || 'no whole run yet'}`}</small></span>
              <button type="button" class="bob-tab" aria-pressed={seated.value === pilot.name} onClick={() => sitDown(pilot.name)}>{seated.value === pilot.name ? 'Sits here' : 'Sit down'}</button>
              <button type="button" class="bob-tab" onClick={() => forget(pilot.name)}>Forget</button>
            </li>
          );
        })}
      </ol>
    </div>
  );
}
