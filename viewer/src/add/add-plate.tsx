// The plate of what can be added: choose a body, then click where it goes.

import { useEffect, useState } from 'preact/hooks';
import { significant } from '../numbers/format';
import { parseQuantity } from '../numbers/units';
import { ask, fetchScenes } from '../session/open';
import type { SceneModel } from '../scene/model';
import { IconButton } from '../ui/controls';
import { Icon, type IconName } from '../ui/icons';
import type { AddKind } from './tool';

const kinds: { kind: AddKind; icon: IconName; text: string; hint: string }[] = [
  { kind: 'ball', icon: 'throw', text: 'Shoot a ball', hint: 'Click where it should fly' },
  { kind: 'box', icon: 'volume', text: 'Drop a box', hint: 'Click where it should stand' },
  { kind: 'hull', icon: 'cone', text: 'Drop a stone', hint: 'Click where it should lie' },
  { kind: 'gallery', icon: 'list', text: 'From the gallery', hint: 'Choose a body, then click where it goes' },
];

export function AddPlate({ model }: { model: SceneModel }) {
  const tool = model.tool.value;
  if (!model.adding.value) return null;
  const chosen = tool && tool.kind !== 'throw' ? tool.kind : null;
  return (
    <section class="add-plate plate" aria-label="Add bodies">
      <header class="group-head">
        <h2>Add</h2>
        <span class="spacer" />
        <IconButton icon="back" class="small" label="Undo" shortcut="Ctrl Z" disabled={!model.session.state.value?.undo} onClick={() => model.undo()} />
        <IconButton icon="close" class="small" label="Close adding" onClick={() => model.toggleAdding()} />
      </header>
      <div class="add-kinds" role="group" aria-label="What to add">
        {kinds.map(({ kind, icon, text }) => (
          <button key={kind} type="button" class="button" aria-pressed={chosen === kind} onClick={() => (model.tool.value = chosen === kind ? null : { kind })}>
            <Icon name={icon} size={16} /><span>{text}</span>
          </button>
        ))}
      </div>
      {chosen === 'gallery' ? <GalleryChoice model={model} /> : chosen && <Measure label="Size" unit="m" value={model.addSize.value} min={0.001} max={1000} onChange={(size) => (model.addSize.value = size)} />}
      {chosen === 'ball' && <Measure label="Speed" unit="m/s" value={model.addSpeed.value} min={0} max={1000} onChange={(speed) => (model.addSpeed.value = speed)} />}
      <p class="promise">{kinds.find(({ kind }) => kind === chosen)?.hint ?? 'Choose what to add'}</p>
    </section>
  );
}

interface MeasureProps {
  label: string;
  unit: string;
  value: number;
  min: number;
  max: number;
  onChange: (value: number) => void;
}

function Measure({ label, unit, value, min, max, onChange }: MeasureProps) {
  const [refusal, setRefusal] = useState<string | null>(null);
  const commit = (text: string) => {
    const result = parseQuantity(text, unit);
    if ('error' in result) setRefusal(result.error);
    else if (result.value < min || result.value > max) setRefusal(`Between ${min} and ${max} ${unit}`);
    else {
      setRefusal(null);
      onChange(result.value);
    }
  };
  return (
    <label class="row fact">
      <span>{label}</span>
      <span class={`number-field${refusal ? ' refused' : ''}`}>
        <input type="text" inputMode="decimal" value={significant(value, 3)} aria-invalid={refusal !== null} onChange={(event) => commit(event.currentTarget.value)} />
        <span class="unit">{unit}</span>
      </span>
      {refusal && <span class="refusal" role="alert">{refusal}</span>}
    </label>
  );
}

/** Whose bodies are offered first. */
const USUAL_SCENE = 'wall';

/** A scene of the gallery, and one of its bodies. */
function GalleryChoice({ model }: { model: SceneModel }) {
  const [scenes, setScenes] = useState<{ name: string; title: string }[]>([]);
  const [bodies, setBodies] = useState<string[]>([]);
  const chosen = model.addGallery.value;
  const scene = chosen?.scene ?? USUAL_SCENE;
  useEffect(() => {
    fetchScenes().then(({ scenes: all }) => setScenes(all.filter(({ group }) => !['Files', 'Bobsleigh', 'Handling'].includes(group))), () => setScenes([]));
  }, []);
  useEffect(() => {
    // An answer for a scene that is no longer the chosen one is of no use.
    const isChosen = () => (model.addGallery.value?.scene ?? USUAL_SCENE) === scene;
    void ask(`scenes/${encodeURIComponent(scene)}/bodies`).then(async (answer) => {
      const { bodies: names } = (await answer.json()) as { bodies: string[] };
      if (!isChosen()) return;
      setBodies(names);
      if (names.length > 0 && !names.includes(model.addGallery.value?.body ?? '')) model.addGallery.value = { scene, body: names[0]! };
    }, () => isChosen() && setBodies([]));
  }, [scene]);
  return (
    <>
      <label class="row fact">
        <span>Scene</span>
        <span class="select">
          <select value={scene} onChange={(event) => (model.addGallery.value = { scene: event.currentTarget.value, body: '' })}>
            {scenes.map(({ name, title }) => <option key={name} value={name}>{title}</option>)}
          </select>
          <Icon name="chevronDown" size={16} />
        </span>
      </label>
      {bodies.length === 0 ? <p class="promise">Nothing of this scene can be added.</p> : (
        <label class="row fact">
          <span>Body</span>
          <span class="select">
            <select value={chosen?.body} onChange={(event) => (model.addGallery.value = { scene, body: event.currentTarget.value })}>
              {bodies.map((name) => <option key={name} value={name}>{name}</option>)}
            </select>
            <Icon name="chevronDown" size={16} />
          </span>
        </label>
      )}
    </>
  );
}
