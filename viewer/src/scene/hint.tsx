// Bottom right: that one can touch, until one has.

import { settings } from '../settings';
import { Key } from '../ui/controls';
import { coarsePointer } from './layout';
import type { SceneModel } from './model';

export function Hint({ model }: { model: SceneModel }) {
  const body = model.session.hello.value?.assets.bodies.find(({ movable }) => movable);
  if (settings.hasDragged.value || !body || model.stageError.value) return null;
  return (
    <div class="hint plate">
      {coarsePointer.value ? `Touch and drag the ${body.name} to pull it` : `Drag the ${body.name} to pull it`}
      {!coarsePointer.value && <span class="hint-help"><Key>?</Key> help</span>}
    </div>
  );
}
