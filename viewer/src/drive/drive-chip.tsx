// Bottom right of a scene that can be driven: which keys drive, who drives, and where the controls are.

import type { DriveControl } from '../protocol/messages';
import { Key } from '../ui/controls';
import type { SceneModel } from '../scene/model';
import { driveKeys, keyCap } from './controls';

export function DriveChip({ model }: { model: SceneModel }) {
  const drive = model.drive.value;
  if (!drive || model.stageError.value) return null;
  const own = model.driving.value;
  const others = !own && model.session.state.value?.driven === true;
  return (
    <section class={`drive plate${own ? ' on' : ''}`} aria-label="Driving">
      <span class="drive-title">{own ? 'You drive' : others ? 'Another viewer drives' : 'Drive'}</span>
      {!others && drive.controls.map((control, i) => (
        <span key={control.key} class="drive-control" title={control.text}>
          <span class="drive-keys">{caps(control).map((cap) => <Key key={cap}>{cap}</Key>)}</span>
          {control.label}
          <Gauge control={control} value={own ? (model.driveValues.value[i] ?? 0) : 0} />
        </span>
      ))}
      {own && <button type="button" class="button small" onClick={() => model.letGo?.()}>Let go</button>}
      <span class="hint-help"><Key>?</Key> help</span>
    </section>
  );
}

/** The first key of each direction; the help sheet has all of them. */
function caps({ more, less }: DriveControl): string[] {
  return [more[0], less[0]].flatMap((code) => (code === undefined ? [] : [keyCap(code)]));
}

/** A bar from rest to where the control is. */
function Gauge({ control, value }: { control: DriveControl; value: number }) {
  const rest = control.kind === 'axis' ? 0.5 : 0;
  const share = control.kind === 'axis' ? 0.5 * value : value;
  // Keys that go up may be on the left: a steering wheel's bar goes where the keys are.
  const turned = control.more.some((code) => code === 'ArrowLeft' || code === 'KeyA');
  const from = Math.min(rest, rest + share);
  const left = turned ? 1 - from - Math.abs(share) : from;
  return (
    <span class="drive-gauge" aria-hidden="true">
      <i style={{ left: `${100 * left}%`, width: `${100 * Math.abs(share)}%` }} />
    </span>
  );
}

/** The section of the help sheet. */
export function DriveHelp({ model, list }: { model: SceneModel; list: (keys: { label: string; text: string }[]) => preact.JSX.Element }) {
  const drive = model.drive.value;
  if (!drive) return null;
  return (
    <section>
      <h3>Drive</h3>
      <p class="prose">These keys, or a gamepad, drive; the camera comes along. With Shift they do what the page’s own lists below say. While you drive, sliders of the same names wait.</p>
      {list(driveKeys(drive.controls))}
    </section>
  );
}
