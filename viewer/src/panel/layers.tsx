// What is drawn beside the bodies: the line sets of the assets.

import type { SceneModel } from '../scene/model';

export function Layers({ model }: { model: SceneModel }) {
  const assets = model.session.hello.value?.assets;
  if (!assets) return null;
  if (assets.lines.length === 0) return null;
  return (
    <section class="group" aria-labelledby="layers-title">
      <header class="group-head"><h2 id="layers-title">Layers</h2></header>
      {assets.lines.map((set, index) => (
        <label class="check" key={index}>
          <input type="checkbox" checked={model.lines.value[index] ?? false} disabled={set.segments === 0} onChange={() => model.toggleLines(index)} />
          <span class={`swatch ${set.role}`} aria-hidden="true" />
          {set.name}
          <span class="count">{set.segments}</span>
        </label>
      ))}
    </section>
  );
}
