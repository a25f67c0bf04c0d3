// Bottom right: that one can touch, how to pull nearer while one does, and what to do with a scene in which nothing moves.

import { settings } from '../settings';
import { Key } from '../ui/controls';
import { coarsePointer } from './layout';
import type { SceneModel } from './model';

export function Hint({ model }: { model: SceneModel }) {
  const body = model.session.hello.value?.assets.bodies.find(({ movable }) => movable);
  if (model.stageError.value) return null;
  if (model.heldBy.value === 'pointer' && !coarsePointer.value) {
    return (
      <div class="hint plate">
        <span><Key>Wheel</Key> or <Key>Alt</Key> drag: nearer and farther</span>
        <span><Key>Shift</Key> drag: turn</span>
      </div>
    );
  }
  if (model.tool.value?.kind === 'throw') {
    return <div class="hint plate" role="note"><span>Drag the arrow of the throw: its length is the speed</span><span><Key>Enter</Key> away from you</span><span><Key>Esc</Key> leave it</span></div>;
  }
  if (model.still.value) {
    return (
      <div class="hint plate" role="note">
        <span>Nothing moves now.{body ? ` Drag the ${body.name}, or` : ''} {body ? 'start' : 'Start'} again</span>
        <button type="button" class="button small" onClick={() => model.startAgain()}>Start again</button>
      </div>
    );
  }
  if (settings.hasDragged.value || !body) return null;
  return (
    <div class="hint plate">
      {coarsePointer.value ? `Touch and drag the ${body.name} to pull it` : `Drag the ${body.name} to pull it`}
      {!coarsePointer.value && <span class="hint-help"><Key>?</Key> help</span>}
    </div>
  );
}
