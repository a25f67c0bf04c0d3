// The keys of the scene view, in one table: what acts, and what the help sheet lists.

import { settings } from '../settings';
import { toggleTheme } from '../theme';
import { isTyping } from '../ui/typing';
import type { SceneModel } from './model';
import { drawerOpen, usesDrawer } from './layout';
import { railTools } from './rail';

export interface KeyBinding {
  /** Values of KeyboardEvent.key. */
  keys: string[];
  shift?: boolean;
  /** As the help sheet shows it. */
  label: string;
  text: string;
  run: (model: SceneModel, key: string) => void;
}

export function togglePanel(): void {
  const open = usesDrawer.value ? drawerOpen : settings.panel;
  open.value = !open.value;
}

export const sceneKeys: KeyBinding[] = [
  { keys: [' '], label: 'Space', text: 'Play, pause', run: ({ session }) => session.toggle() },
  { keys: ['.'], label: '.', text: 'One step', run: ({ session }) => session.step() },
  { keys: [','], label: ',', text: 'One step back', run: ({ session }) => session.stepBack() },
  { keys: ['b'], label: 'B', text: 'Back 3 s', run: (model) => model.goBack() },
  { keys: ['-', '−'], label: '-', text: 'Slower', run: (model) => model.changeSpeed(-1) },
  { keys: ['+', '='], label: '+', text: 'Faster', run: (model) => model.changeSpeed(1) },
  { keys: ['r'], label: 'R', text: 'Record, stop recording', run: (model) => model.toggleRecord() },
  { keys: ['k'], label: 'K', text: 'Snapshot', run: (model) => model.takeSnapshot() },
  { keys: ['n'], label: 'N', text: 'Add bodies: shoot, drop', run: (model) => model.toggleAdding() },
  { keys: ['c'], label: 'C', text: 'Two solvers side by side', run: (model) => model.toggleCompare() },
  { keys: ['R'], shift: true, label: 'Shift R', text: 'Reset the scene', run: ({ session }) => session.reset() },
  {
    keys: ['1', '2', '3', '4', '5', '6', '7', '8', '9'], label: '1 to 9', text: 'Overlays, in the order of the rail',
    run: (model, key) => railTools(model).find(({ shortcut }) => shortcut === key)?.toggle(),
  },
  { keys: ['m'], label: 'M', text: 'Wireframe', run: (model) => (model.wireframe.value = !model.wireframe.value) },
  { keys: ['x'], label: 'X', text: 'Translucent surroundings', run: (model) => (model.translucent.value = !model.translucent.value) },
  { keys: ['v'], label: 'V', text: 'Section plane', run: (model) => model.toggleSection() },
  { keys: ['y'], label: 'Y', text: 'Axes on the part: to shift, to turn, none', run: (model) => model.hasAxes && model.cycleAxes() },
  { keys: ['0'], label: '0', text: 'All overlays off', run: (model) => model.hideOverlays() },
  { keys: ['f'], label: 'F', text: 'Fit the view', run: ({ stage }) => stage.value?.fit() },
  { keys: ['Home'], label: 'Home', text: 'Start view', run: ({ stage }) => stage.value?.home() },
  { keys: ['p'], label: 'P', text: 'Panel', run: togglePanel },
  { keys: ['l'], label: 'L', text: 'Plots', run: () => (settings.shelf.value = !settings.shelf.value) },
  { keys: ['o'], label: 'O', text: 'Rail of overlays', run: () => (settings.rail.value = !settings.rail.value) },
  { keys: ['t'], label: 'T', text: 'Light or dark', run: toggleTheme },
  { keys: ['g'], label: 'G', text: 'Gallery', run: () => (location.hash = '#/') },
  { keys: ['?'], label: '?', text: 'This help', run: (model) => (model.sheet.value = 'help') },
];

/** Keys that the stage itself takes while it has the focus; listed for the help sheet. */
export const stageKeys: { label: string; text: string }[] = [
  { label: 'Arrows', text: 'Orbit; with Shift, pan' },
  { label: 'W A S D', text: 'Fly, with the right button held; Q and E sink and rise' },
  { label: 'Tab', text: 'Next body' },
  { label: 'Enter', text: 'Take hold of it, let go' },
  { label: 'Arrows, Page keys', text: 'Move the hand, while holding; with Alt, turn it' },
  { label: 'Menu, Shift F10', text: 'Menu of the chosen body' },
  { label: 'Esc', text: 'Let go, close, end adding' },
  { label: 'Ctrl Z', text: 'Undo what was last done to a body: back to the moment before' },
];

/** Keys of what is being added or thrown, and undo: they come before those of the stage. Returns whether one did something. */
export function handleToolKey(model: SceneModel, event: KeyboardEvent): boolean {
  if (isTyping(event.target, event.key) || model.sheet.value !== null) return false;
  const { tool, stage, session } = model;
  if ((event.ctrlKey || event.metaKey) && !event.shiftKey && event.key.toLowerCase() === 'z') {
    model.undo();
  } else if (event.key === 'Enter' && tool.value?.kind === 'throw' && stage.value && model.menu.value === null) {
    session.throw(tool.value.body, stage.value.throwVelocity());
    tool.value = null;
  } else if (event.key === 'Escape' && tool.value !== null) {
    model.adding.value = false;
    tool.value = null;
  } else {
    return false;
  }
  event.preventDefault();
  event.stopPropagation();
  return true;
}

/** A key press anywhere in the scene view; returns whether it did something. */
export function handleSceneKey(model: SceneModel, event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target, event.key) || model.sheet.value !== null) return false;
  // Space and Enter on a button belong to the button.
  const onButton = event.target instanceof HTMLElement && event.target.closest('button, a, [role=tab]') !== null;
  if (event.key === ' ' && onButton) return false;
  const isCharacter = event.key.length === 1 && event.key !== ' ';
  if (isCharacter && !settings.letterKeys.value) return false;
  const isLetter = /^[a-z]$/i.test(event.key);
  const binding = sceneKeys.find(({ keys, shift = false }) =>
    isLetter ? shift === event.shiftKey && keys.some((key) => key.toLowerCase() === event.key.toLowerCase()) : keys.includes(event.key));
  if (!binding) return false;
  event.preventDefault();
  binding.run(model, event.key);
  return true;
}
