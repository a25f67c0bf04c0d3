// The bar over a scene: where one is, whose scene it is, and the way back.

import { settings } from '../settings';
import { IconButton, ThemeButton } from '../ui/controls';
import { Icon, Mark } from '../ui/icons';
import { togglePanel } from './keys';
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
      <span class="spacer" />
      <ThemeButton />
      <IconButton icon="settings" label="Settings" onClick={() => (model.sheet.value = 'settings')} />
      <IconButton icon="help" label="Help" shortcut="?" onClick={() => (model.sheet.value = 'help')} />
      <IconButton icon="panel" label="Panel" shortcut="P" pressed={panelOpen} onClick={togglePanel} />
    </header>
  );
}
