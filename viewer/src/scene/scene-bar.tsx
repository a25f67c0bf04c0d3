// The bar over a scene: where one is, whose scene it is, and the way back.

import { settings } from '../settings';
import { IconButton, ThemeButton } from '../ui/controls';
import { Icon, Mark } from '../ui/icons';
import { togglePanel } from './keys';
import { headsetIsThere } from '../devices/headset';
import { drawerOpen, usesDrawer } from './layout';
import type { SceneModel } from './model';

export function SceneBar({ model }: { model: SceneModel }) {
  const source = model.session.hello.value?.scene.source;
  const panelOpen = usesDrawer.value ? drawerOpen.value : settings.panel.value;
  return (
    <header class="bar scene-bar">
      <a class="brand" href="#/" aria-label="Prall, gallery"><Mark /><span class="brand-name">Prall</span></a>
      <nav class="trail" aria-label="Where you are">
        <a href="#/">Gallery</a>
        <Icon name="chevronRight" size={16} />
        <h1 aria-current="page">{model.title.value}</h1>
      </nav>
      {source && <span class="source"><Icon name="book" size={16} />{source}</span>}
      {model.isReplay.value && <span class="chip">Recording</span>}
      <span class="spacer" />
      <CompareButton model={model} />
      {headsetIsThere.value && <IconButton icon="headset" label="Enter the headset" onClick={() => void model.stage.value?.enterHeadset()} />}
      <ThemeButton />
      <IconButton icon="settings" label="Settings" onClick={() => (model.sheet.value = 'settings')} />
      <IconButton icon="help" label="Help" shortcut="?" onClick={() => (model.sheet.value = 'help')} />
      {model.session.compared.value === null && <IconButton icon="panel" label="Panel" shortcut="P" pressed={panelOpen} onClick={togglePanel} />}
    </header>
  );
}

/** Only where there is something to compare: two solvers of a running scene. */
function CompareButton({ model }: { model: SceneModel }) {
  const { hello, compared } = model.session;
  if (model.isReplay.value || !model.moves.value || (hello.value?.solvers.length ?? 0) < 2) return null;
  return (
    <button type="button" class="button split" aria-pressed={compared.value !== null} aria-keyshortcuts="C" title="Two solvers side by side (C)" onClick={() => model.toggleCompare()}>
      <Icon name="split" />
      <span>Side by side</span>
    </button>
  );
}
