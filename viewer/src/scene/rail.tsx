// The overlay rail at the stage's top left.

import { settings } from '../settings';
import { Icon, type IconName } from '../ui/icons';
import type { OverlayName } from '../stage/overlays';
import type { SceneModel } from './model';

export interface RailTool {
  icon: IconName;
  label: string;
  on: boolean;
  toggle: () => void;
}

const overlayTools: { name: OverlayName; icon: IconName; label: string }[] = [
  { name: 'contacts', icon: 'contact', label: 'Contact points' },
  { name: 'forces', icon: 'force', label: 'Contact forces' },
  { name: 'velocities', icon: 'velocity', label: 'Velocities' },
  { name: 'joints', icon: 'joint', label: 'Joint errors' },
];

/** What can be shown or hidden, in the rail's order, which is also the order of the keys 1 to 9. */
export function railTools(model: SceneModel): RailTool[] {
  const overlays = overlayTools
    .filter(({ name }) => name !== 'joints' || model.hasJoints.value)
    .map(({ name, icon, label }) => ({ icon, label, on: model.overlays.value.includes(name), toggle: () => model.toggleOverlay(name) }));
  return [...overlays, { icon: 'wireframe', label: 'Wireframe', on: model.wireframe.value, toggle: () => (model.wireframe.value = !model.wireframe.value) }];
}

async function toggleFullScreen(): Promise<void> {
  if (document.fullscreenElement) await document.exitFullscreen();
  else await document.documentElement.requestFullscreen();
}

export function Rail({ model }: { model: SceneModel }) {
  if (!settings.rail.value) {
    return (
      <div class="rail plate">
        <RailButton icon="chevronRight" label="Show the rail" shortcut="O" run={() => (settings.rail.value = true)} />
      </div>
    );
  }
  return (
    <div class="rail plate" role="toolbar" aria-label="Overlays and view" aria-orientation="vertical">
      {railTools(model).map((tool, i) => (
        <RailButton key={tool.label} icon={tool.icon} label={tool.label} shortcut={String(i + 1)} pressed={tool.on} run={tool.toggle} />
      ))}
      <hr />
      <RailButton icon="fit" label="Fit the view" shortcut="F" run={() => model.stage.value?.fit()} />
      {document.fullscreenEnabled && <RailButton icon="fullscreen" label="Full screen" run={() => void toggleFullScreen()} />}
    </div>
  );
}

interface RailButtonProps {
  icon: IconName;
  label: string;
  shortcut?: string;
  pressed?: boolean;
  run: () => void;
}

function RailButton({ icon, label, shortcut, pressed, run }: RailButtonProps) {
  return (
    <button
      type="button"
      class="rail-button"
      aria-pressed={pressed}
      aria-keyshortcuts={shortcut}
      title={shortcut ? `${label} (${shortcut})` : label}
      onClick={run}
    >
      <Icon name={icon} />
      <span class="rail-label">{label}</span>
    </button>
  );
}
