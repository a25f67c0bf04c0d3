// A scene: bar, stage with what floats over it, time bar, plots, panel; in this order for readers too.

import { useEffect, useMemo, useState } from 'preact/hooks';
import { options } from '../route';
import type { Subject } from '../session/open';
import { settings } from '../settings';
import { AddPlate } from '../add/add-plate';
import { CompareShelf } from '../compare/compare-shelf';
import { StageHead } from '../compare/stage-head';
import { DriveChip } from '../drive/drive-chip';
import { Driver } from '../drive/driver';
import { HandPlate } from '../hand/hand-plate';
import { Panel } from '../panel/panel';
import { Plots } from '../plots/plots';
import { DataTable } from '../plots/data-table';
import { Icon } from '../ui/icons';
import { MessageCard } from '../ui/message-card';
import { SettingsSheet } from '../ui/settings-sheet';
import { RealTimeBadge } from './badge';
import { BodyMenu } from './body-menu';
import { SceneAbout, SceneHelp } from './help';
import { Hint } from './hint';
import { handleSceneKey, handleToolKey } from './keys';
import { drawerOpen, usesDrawer } from './layout';
import { Legend } from './legend';
import { SceneModel } from './model';
import { PropertiesPlate } from './properties-plate';
import { Rail } from './rail';
import { SceneBar } from './scene-bar';
import { StageHost } from './stage-host';
import { TimeBar } from './time-bar';

export function SceneView({ subject }: { subject: Subject }) {
  const model = useMemo(() => new SceneModel(subject), []);
  useEffect(() => () => model.end(), [model]);
  useEffect(() => {
    const listeners = new AbortController();
    const { signal } = listeners;
    document.addEventListener('keydown', (event) => void handleToolKey(model, event), { capture: true, signal });
    document.addEventListener('keydown', (event) => void handleSceneKey(model, event), { signal });
    return () => listeners.abort();
  }, [model]);

  useEffect(() => {
    if (options.has('picture')) return;
    const driver = new Driver(model);
    model.letGo = () => driver.letGo();
    return () => driver.end();
  }, [model]);

  const picture = options.has('picture');
  useEffect(() => {
    document.documentElement.classList.toggle('picture', picture);
  }, [picture]);
  if (picture) return <div class="picture-stage"><StageHost model={model} picture track={0} /></div>;

  const compared = model.session.compared.value;
  const drawer = usesDrawer.value;
  const panelOpen = compared === null && (drawer ? drawerOpen.value : settings.panel.value);
  const shelfOpen = compared !== null || settings.shelf.value;
  const classes = ['scene', drawer ? 'with-drawer' : 'with-panel', panelOpen ? 'panel-open' : '', shelfOpen ? 'shelf-open' : '', compared ? 'compared' : ''];
  return (
    <div class={classes.filter(Boolean).join(' ')}>
      <a class="skip" href="#stage" onClick={focusOn('stage')}>To the stage</a>
      {panelOpen && <a class="skip" href="#panel" onClick={focusOn('panel')}>To the panel</a>}
      <SceneBar model={model} />
      <main class="stage">
        {compared === null && <Rail model={model} />}
        <div class="stage-pane">
          <StageHost model={model} picture={false} track={0} />
          {compared && <StageHead model={model} side="A" track={0} />}
        </div>
        {compared && (
          <div class="stage-pane b">
            <StageHost key={compared.track} model={model} picture={false} track={compared.track} />
            <StageHead model={model} side="B" track={compared.track} />
          </div>
        )}
        <StageText model={model} />
        <Opening model={model} />
        <Refused model={model} />
        <NoStage model={model} />
        {model.moves.value && !compared && <div class="float top-right"><RealTimeBadge model={model} /><HandPlate model={model} /><PropertiesPlate model={model} /><AddPlate model={model} /></div>}
        <div class="float bottom-left"><Legend model={model} /></div>
        {!compared && <div class="float bottom-right">{model.drive.value ? <DriveChip model={model} /> : <Hint model={model} />}</div>}
        <div class="float bottom-centre"><MessageCard /></div>
        <BodyMenu model={model} />
      </main>
      {model.moves.value && <TimeBar model={model} />}
      {compared && <CompareShelf model={model} />}
      {!compared && model.moves.value && !drawer && settings.shelf.value && <Plots model={model} />}
      {panelOpen && <Panel model={model} drawer={drawer} />}
      <Sheets model={model} />
    </div>
  );
}

/** Skip links move the focus only: the address stays the scene's. */
function focusOn(id: string) {
  return (event: MouseEvent) => {
    event.preventDefault();
    document.getElementById(id)?.focus();
  };
}

/** The stage in a sentence, refreshed when the simulation pauses or goes on. */
function StageText({ model }: { model: SceneModel }) {
  void model.session.pace.value;
  return <p id="stage-text" class="hidden-text">{model.describe()}. Tab goes through the bodies, arrow keys orbit.</p>;
}

function Opening({ model }: { model: SceneModel }) {
  const [late, setLate] = useState(false);
  const waiting = model.session.phase.value === 'connecting';
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), 300);
    return () => clearTimeout(timer);
  }, []);
  if (!waiting || !late) return null;
  return <div class="stage-note"><strong>{model.title.value}</strong><span>Opening the scene</span></div>;
}

function Refused({ model }: { model: SceneModel }) {
  const refusal = model.session.refusal.value;
  if (!refusal) return null;
  return (
    <div class="stage-note plate" role="alert">
      <span class="note-icon danger"><Icon name="warning" /></span>
      <strong>{refusal.title}</strong>
      <span>{refusal.text}</span>
      <a class="button primary" href="#/">To the gallery</a>
    </div>
  );
}

function NoStage({ model }: { model: SceneModel }) {
  if (!model.stageError.value || model.session.refusal.value) return null;
  return (
    <div class="stage-note plate" role="alert">
      <span class="note-icon"><Icon name="warning" /></span>
      <strong>No picture</strong>
      <span>{model.stageError.value}</span>
    </div>
  );
}

function Sheets({ model }: { model: SceneModel }) {
  switch (model.sheet.value) {
    case 'help':
      return <SceneHelp model={model} />;
    case 'about':
      return <SceneAbout model={model} />;
    case 'settings':
      return <SettingsSheet onClose={() => (model.sheet.value = null)} />;
    case 'table':
      return <DataTable model={model} />;
    case null:
      return null;
  }
}
