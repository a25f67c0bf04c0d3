// Where the section plane is.

import type { SceneModel } from '../scene/model';

export function SectionPlane({ model }: { model: SceneModel }) {
  const section = model.section.value;
  if (!section) return null;
  return (
    <section class="group" aria-labelledby="section-title">
      <header class="group-head"><h2 id="section-title">Section plane</h2></header>
      <label class="row device-slide">
        <span>Depth</span>
        <input type="range" min={-1} max={1} step={0.01} value={section.depth} onInput={(event) => (model.section.value = { ...section, depth: Number(event.currentTarget.value) })} />
      </label>
      <div class="row">
        <button type="button" class="button" onClick={() => model.cutTowardsViewer()}>Face the camera</button>
        <button type="button" class="button" onClick={() => (model.section.value = null)}>Whole again</button>
      </div>
    </section>
  );
}
