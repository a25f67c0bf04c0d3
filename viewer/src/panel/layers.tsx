// What a mesh shows beside its surface: the line sets of the assets, and the surface itself opaque or translucent.

import type { SceneModel } from '../scene/model';

export function Layers({ model }: { model: SceneModel }) {
  const assets = model.session.hello.value?.assets;
  if (!assets) return null;
  const hasMesh = assets.shapes.some(({ kind }) => kind === 'mesh');
  if (!hasMesh && assets.lines.length === 0) return null;
  return (
    <section class="group" aria-labelledby="layers-title">
      <header class="group-head"><h2 id="layers-title">Layers</h2></header>
      {hasMesh && (
        <>
          <label class="check">
            <input type="checkbox" checked={model.translucent.value} onChange={(event) => (model.translucent.value = event.currentTarget.checked)} />
            Translucent surfaces
          </label>
          <label class="check">
            <input type="checkbox" checked={model.wireframe.value} onChange={(event) => (model.wireframe.value = event.currentTarget.checked)} />
            Wireframe
          </label>
        </>
      )}
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
