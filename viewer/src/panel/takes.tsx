// Snapshots of this session, and recordings of this scene: go back to one, play it, see it as a ghost.

import { fixed } from '../numbers/format';
import { recordingHash } from '../route';
import { recordedText } from '../recordings/recorded-text';
import type { SceneModel } from '../scene/model';
import { IconButton } from '../ui/controls';
import { Icon } from '../ui/icons';

const SHOWN = 6;

export function Takes({ model }: { model: SceneModel }) {
  const { state, ghosts, hello } = model.session;
  const snapshots = state.value?.snapshots ?? [];
  const scene = hello.value?.scene.name;
  const recordings = model.recordings.value.filter((recording) => recording.scene === scene && recording.name !== hello.value?.recording?.name);
  return (
    <section class="group" aria-labelledby="takes-title">
      <header class="group-head">
        <h2 id="takes-title">Snapshots and recordings</h2>
        {!model.isReplay.value && <IconButton icon="camera" class="small" label="Snapshot" shortcut="K" onClick={() => model.takeSnapshot()} />}
      </header>
      {snapshots.length + recordings.length === 0 && <p class="promise">None yet. K keeps the present moment, R records from now on.</p>}
      <ul class="takes">
        {snapshots.map(({ name }) => (
          <li key={`s-${name}`}>
            <Icon name="camera" size={16} />
            <button type="button" class="take-name" title="Go back to this moment" onClick={() => model.session.restore(name)}>{name}</button>
            <IconButton icon="close" class="tiny" label={`Forget snapshot ${name}`} onClick={() => model.session.forget(name)} />
          </li>
        ))}
        {recordings.slice(0, SHOWN).map(({ name, recorded, seconds }) => {
          const shown = ghosts.value.some(({ recording }) => recording === name);
          return (
            <li key={name}>
              <Icon name="record" size={16} />
              <a class="take-name" href={recordingHash(name)} title={`Play ${name}`}>{recordedText(recorded, Date.now() / 1000)}{seconds === null ? '' : `, ${fixed(seconds, 1)} s`}</a>
              <button type="button" class="button small" aria-pressed={shown} title="Show it beside the running scene" onClick={() => model.session.ghost(shown ? null : name)}>Ghost</button>
            </li>
          );
        })}
      </ul>
      {recordings.length > SHOWN && <a class="link" href="#/recordings">All {recordings.length} recordings<Icon name="chevronRight" size={16} /></a>}
    </section>
  );
}
