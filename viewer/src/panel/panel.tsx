// The panel: beside the stage, or as a drawer with tabs.

import { Plots } from '../plots/plots';
import { FollowFold } from '../hand/follow';
import { HandledPaths } from '../hand/handled-paths';
import { drawerTab } from '../scene/layout';
import type { SceneModel } from '../scene/model';
import { Icon } from '../ui/icons';
import { Budget } from './budget';
import { Joints } from './joints';
import { Layers } from './layers';
import { LiveNumbers } from './live-numbers';
import { Parameters } from './parameters';
import { SectionPlane } from './section';
import { SolverChoice } from './solver';
import { Takes } from './takes';
import { Tolerances } from './tolerances';

export function Panel({ model, drawer }: { model: SceneModel; drawer: boolean }) {
  return drawer ? <Drawer model={model} /> : (
    <aside id="panel" class="panel" aria-label="Panel" tabIndex={-1}>
      <div class="panel-scroll">
        {model.moves.value && <><SolverChoice model={model} /><Tolerances model={model} /><Budget model={model} /></>}
        {!model.moves.value && <Findings model={model} />}
        <SectionPlane model={model} />
        <Layers model={model} />
        <Parameters model={model} />
        <Joints model={model} />
        {model.moves.value && <><HandledPaths model={model} /><FollowFold model={model} /><Takes model={model} /><LiveNumbers model={model} /></>}
      </div>
      {model.moves.value && <About model={model} />}
    </aside>
  );
}

const tabs = [
  { key: 'solver', text: 'Solver' },
  { key: 'scene', text: 'Scene' },
  { key: 'plots', text: 'Plots' },
] as const;

function Drawer({ model }: { model: SceneModel }) {
  const chosen = model.moves.value ? drawerTab.value : 'scene';
  const move = (event: KeyboardEvent) => {
    const direction = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (direction === 0) return;
    event.preventDefault();
    const next = tabs[(tabs.findIndex(({ key }) => key === chosen) + direction + tabs.length) % tabs.length]!;
    drawerTab.value = next.key;
    document.getElementById(`tab-${next.key}`)?.focus();
  };
  return (
    <aside id="panel" class="panel drawer plate" aria-label="Panel" tabIndex={-1}>
      <div class="tabs" role="tablist" aria-label="Panel" onKeyDown={move}>
        {tabs.filter(({ key }) => model.moves.value || key === 'scene').map(({ key, text }) => (
          <button
            key={key}
            id={`tab-${key}`}
            type="button"
            role="tab"
            aria-selected={key === chosen}
            aria-controls="tab-content"
            tabIndex={key === chosen ? 0 : -1}
            onClick={() => (drawerTab.value = key)}
          >
            {text}
          </button>
        ))}
      </div>
      <div class="panel-scroll" id="tab-content" role="tabpanel" aria-labelledby={`tab-${chosen}`} tabIndex={0}>
        {chosen === 'solver' && <><SolverChoice model={model} /><Tolerances model={model} /><Budget model={model} /><LiveNumbers model={model} /></>}
        {chosen === 'scene' && (
          <>
            {!model.moves.value && <Findings model={model} />}
            <SectionPlane model={model} />
            <Layers model={model} />
            <Parameters model={model} />
            <Joints model={model} />
            {model.moves.value && <><HandledPaths model={model} /><FollowFold model={model} /><Takes model={model} /></>}
            {model.moves.value && <About model={model} />}
          </>
        )}
        {chosen === 'plots' && <Plots model={model} />}
      </div>
    </aside>
  );
}

/** What is known about a thing at rest; nothing moves that would need explaining. */
function Findings({ model }: { model: SceneModel }) {
  const scene = model.session.hello.value?.scene;
  if (!scene?.about) return null;
  return (
    <section class="group" aria-labelledby="findings-title">
      <header class="group-head"><h2 id="findings-title">Findings</h2></header>
      <p class="promise">{scene.about}</p>
    </section>
  );
}

function About({ model }: { model: SceneModel }) {
  const scene = model.session.hello.value?.scene;
  if (!scene?.about) return null;
  return (
    <button type="button" class="about" onClick={() => (model.sheet.value = 'about')}>
      <span class="about-icon"><Icon name="book" /></span>
      <span class="about-text"><strong>About this scene</strong><span>{scene.line}</span></span>
      <Icon name="chevronRight" size={16} />
    </button>
  );
}
