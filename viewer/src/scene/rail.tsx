// The overlay rail at the stage's top left.

import { settings } from '../settings';
import { Icon, type IconName } from '../ui/icons';
import { overlayInfos } from '../stage/overlay-names';
import type { SceneModel } from './model';

export interface RailTool {
  icon: IconName;
  label: string;
  on: boolean;
  /** The key that does the same. */
  shortcut: string | undefined;
  toggle: () => void;
}

/** What can be shown or hidden. Overlays have the keys 1 to 9 in the rail's order, the way bodies are drawn has letters. */
export function railTools(model: SceneModel): RailTool[] {
  const overlays = overlayInfos.filter(({ name }) => model.offers(name)).map(({ name, icon, label }, i) => ({
    icon, label, on: model.overlays.value.includes(name), shortcut: i < 9 ? String(i + 1) : undefined, toggle: () => model.toggleOverlay(name),
  }));
  return [
    ...overlays,
    { icon: 'wireframe', label: 'Wireframe', on: model.wireframe.value, shortcut: 'M', toggle: () => (model.wireframe.value = !model.wireframe.value) },
    { icon: 'translucent', label: 'Translucent surroundings', on: model.translucent.value, shortcut: 'X', toggle: () => (model.translucent.value = !model.translucent.value) },
    { icon: 'section', label: 'Section plane', on: model.section.value !== null, shortcut: 'V', toggle: () => model.toggleSection() },
    ...(model.hasAxes ? [{ icon: 'axes' as const, label: model.axes.value === 'rotate' ? 'Axes to turn about' : 'Axes to shift along', on: model.axes.value !== null, shortcut: 'Y', toggle: () => model.cycleAxes() }] : []),
  ];
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
  const following = model.following.value !== null;
  return (
    <div class="rail plate" role="toolbar" aria-label="Overlays and view" aria-orientation="vertical" tabIndex={-1}>
      {railTools(model).map(({ icon, label, shortcut, on, toggle }) => (
        <RailButton key={label} icon={icon} label={label} shortcut={shortcut} pressed={on} run={toggle} />
      ))}
      {model.overlays.value.includes('bounds') && model.offers('bounds') && <LevelChoice model={model} />}
      <hr />
      {model.can('add') && !model.isReplay.value && <RailButton icon="add" label="Add bodies" shortcut="N" pressed={model.adding.value} run={() => model.toggleAdding()} />}
      <RailButton icon="fit" label="Fit the view" shortcut="F" run={() => model.stage.value?.fit()} />
      {following && <RailButton icon="follow" label={`Follows the ${model.bodyName(model.following.value!)}`} pressed run={() => model.follow(null)} />}
      {document.fullscreenEnabled && <RailButton icon="fullscreen" label="Full screen" run={() => void toggleFullScreen()} />}
    </div>
  );
}

/** Which level of the bounding volumes is shown, from the root down. */
function LevelChoice({ model }: { model: SceneModel }) {
  const level = model.level.value;
  return (
    <div class="rail-level" role="group" aria-label="Level of the bounding volumes">
      <button type="button" class="rail-step" aria-label="Level up, coarser" disabled={level === 0} onClick={() => (model.level.value = level - 1)}>−</button>
      <span aria-live="polite">{level}</span>
      <button type="button" class="rail-step" aria-label="Level down, finer" disabled={level >= 30} onClick={() => (model.level.value = level + 1)}>+</button>
    </div>
  );
}

interface RailButtonProps {
  icon: IconName;
  label: string;
  shortcut?: string | undefined;
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
