// The help sheet: the keys of this view only, and what the scene teaches.

import { keyCap } from '../drive/controls';
import { DriveHelp } from '../drive/drive-chip';
import { KeyList } from '../ui/key-list';
import { Sheet } from '../ui/sheet';
import { sceneKeys, stageKeys } from './keys';
import type { SceneModel } from './model';

/** Whether a key of the page drives in this scene. */
function takenByDriving(model: SceneModel, keys: string[]): boolean {
  const controls = model.drive.value?.controls ?? [];
  const driving = controls.flatMap(({ more, less }) => [...more, ...less]).map((code) => (code === 'Space' ? ' ' : keyCap(code).toLowerCase()));
  return keys.some((key) => driving.includes(key));
}

export function SceneHelp({ model }: { model: SceneModel }) {
  const hello = model.session.hello.value;
  return (
    <Sheet title="Help" onClose={() => (model.sheet.value = null)}>
      {hello?.scene.about && (
        <section>
          <h3>{hello.scene.title}</h3>
          <p class="prose">{hello.scene.about}</p>
        </section>
      )}
      <DriveHelp model={model} list={(keys) => <KeyList keys={keys} />} />
      <section>
        <h3>Keys</h3>
        <KeyList keys={sceneKeys.map((binding) => (takenByDriving(model, binding.keys) ? { ...binding, label: `Shift, ${binding.label}` } : binding))} />
      </section>
      <section>
        <h3>On the stage</h3>
        <p class="prose">Drag a body to pull it, with Shift to turn it; a right click opens its menu. Drag beside it to orbit, with the right button to pan, turn the wheel to zoom, double-click to centre.</p>
        <KeyList keys={stageKeys} />
      </section>
      {hello && <p class="small-print">Prall {hello.version}, session {hello.session}</p>}
    </Sheet>
  );
}

export function SceneAbout({ model }: { model: SceneModel }) {
  const scene = model.session.hello.value?.scene;
  if (!scene) return null;
  return (
    <Sheet title={scene.title} onClose={() => (model.sheet.value = null)}>
      <p class="prose">{scene.about}</p>
      <p class="small-print">{scene.source}, {scene.size}</p>
    </Sheet>
  );
}
