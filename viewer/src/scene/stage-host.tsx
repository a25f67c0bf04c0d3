// Where the stage meets the page: the canvas, the frame loop, and what floats over it.

import { effect } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { fixed, quantityText } from '../numbers/format';
import { Hand } from '../stage/hand';
import { chosenQuality } from '../stage/quality';
import { Stage, type StageColors } from '../stage/stage';
import { settings } from '../settings';
import { freshHook } from '../test-hook';
import { theme, token } from '../theme';
import { announce } from '../ui/announce';
import { notify } from '../ui/messages';
import { drawerBelow, drawerOpen, usesDrawer } from './layout';
import type { SceneModel } from './model';
import { StageKeys } from './stage-keys';

export function StageHost({ model, picture }: { model: SceneModel; picture: boolean }) {
  const host = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const label = useRef<HTMLDivElement>(null);
  const quality = chosenQuality();
  useEffect(() => run(model, host.current!, canvas.current!, label.current!, picture), [model, quality.name, picture]);
  const dimmed = model.session.phase.value === 'lost';
  return (
    <div
      ref={host}
      id="stage"
      class={`stage-canvas${dimmed ? ' dimmed' : ''}`}
      tabIndex={0}
      role="application"
      aria-roledescription="stage"
      aria-label={`Stage: ${model.title.value}`}
      aria-describedby="stage-text"
    >
      {/* A canvas keeps its first context for good, so each quality has its own. */}
      <canvas key={quality.name} ref={canvas} />
      <div ref={label} class="callout" hidden />
    </div>
  );
}

function colors(picture: boolean): StageColors {
  const light = theme.value === 'light';
  const roles = { accent: token('accent'), second: token('second'), danger: token('danger'), warn: token('warn'), ink: token('ink') };
  // A card's picture stands on both themes, so its grid is a grey between them.
  const grid = picture ? { grid: '#7d8b91', gridStrength: 0.34 } : light ? { grid: '#6d7b82', gridStrength: 0.29 } : { grid: '#9fb0b8', gridStrength: 0.2 };
  return { data: light ? '#00717c' : '#4fd6de', halo: light ? '#ffffff' : '#0b1012', roles, ...grid };
}

function makeStage(model: SceneModel, host: HTMLElement, canvas: HTMLCanvasElement): Stage | null {
  try {
    const stage = new Stage(canvas, host, chosenQuality());
    model.stageError.value = null;
    return stage;
  } catch {
    model.stageError.value = 'This browser cannot draw in three dimensions (WebGL 2). Look for “hardware acceleration” in its settings. Panel and plots work all the same.';
    return null;
  }
}

/** Runs the stage until the returned function is called. Without a stage, clock, panel and plots still run. */
function run(model: SceneModel, host: HTMLElement, canvas: HTMLCanvasElement, label: HTMLElement, picture: boolean): () => void {
  const { session } = model;
  const stage = makeStage(model, host, canvas);
  const hook = freshHook();
  window.prall = hook;
  const stops: (() => void)[] = [];
  let hand: Hand | null = null;

  if (stage) {
    const bodyName = (body: number) => session.hello.value?.assets.bodies[body]?.name ?? 'body';
    hand = new Hand(host, stage, session, {
      hover: (body) => (host.dataset.cursor = body === null ? '' : 'grab'),
      holds: (body, by) => {
        host.dataset.cursor = body === null ? '' : 'grabbing';
        model.holding.value = body === null ? null : bodyName(body);
        if (by === 'keys') announce(body === null ? 'Let go' : `Holding the ${bodyName(body)}. Arrow and page keys move the hand.`);
      },
      dragged: () => (settings.hasDragged.value = true),
    });
    const keys = new StageKeys(host, stage, session, hand);
    const resize = new ResizeObserver(() => stage.resize(Math.max(1, host.clientWidth), Math.max(1, host.clientHeight)));
    resize.observe(host);
    stage.resize(Math.max(1, host.clientWidth), Math.max(1, host.clientHeight));
    host.addEventListener('dblclick', centreOn);
    stops.push(
      () => resize.disconnect(),
      () => keys.dispose(),
      () => host.removeEventListener('dblclick', centreOn),
      effect(() => {
        const hello = session.hello.value;
        if (hello) stage.build(hello, model.fetchBinary).catch((error: Error) => notify({ kind: 'error', title: 'Geometry is missing', text: error.message }));
      }),
      effect(() => stage.setColors(colors(picture))),
      effect(() => stage.setLayers({
        overlays: model.overlays.value,
        wireframe: model.wireframe.value,
        translucent: model.translucent.value,
        lines: model.lines.value,
      })),
      effect(() => {
        const covered = usesDrawer.value && drawerOpen.value && !picture;
        stage.view.setInset(covered && !drawerBelow.value ? 312 + 12 : 0, 0);
      }),
    );
    model.stage.value = { fit: () => stage.fit(), home: () => stage.view.home() };
    hook.screenPositionOf = (body) => {
      const box = host.getBoundingClientRect();
      const { x, y } = stage.toScreen(stage.positionOf(body));
      return { x: box.left + x, y: box.top + y };
    };
  }

  function centreOn(event: MouseEvent): void {
    const box = host.getBoundingClientRect();
    const hit = stage!.pick(event.clientX - box.left, event.clientY - box.top);
    if (hit) stage!.view.centre(stage!.positionOf(hit.body));
  }

  let request = requestAnimationFrame(tick);
  function tick(now: number): void {
    request = requestAnimationFrame(tick);
    const frame = session.takeFrame();
    if (frame) {
      hook.frames += 1;
      hook.time = frame.time;
      hook.running = frame.running;
      hook.bodies = frame.poses;
      model.time = frame.time;
      if (model.clock) model.clock.textContent = fixed(frame.time, 3);
      stage?.apply(frame);
      if (picture) stage?.fit();
    }
    session.updatePace();
    if (!stage) return;
    hand!.update();
    if (!stage.draw(now)) return;
    hook.drawn += 1;
    hook.springs = stage.overlays.springs.length;
    showSpringLabel(stage, label);
    publish(model, stage);
  }

  return () => {
    cancelAnimationFrame(request);
    hand?.dispose();
    for (const stop of stops) stop();
    model.stage.value = null;
    stage?.dispose();
  };
}

/** Hands what the picture shows to the legend, only when it has changed. */
function publish(model: SceneModel, stage: Stage): void {
  if (stage.overlays.hasJoints) model.hasJoints.value = true;
  const bar = stage.scaleBar;
  const shown = model.scaleBar.value;
  if (bar.metres !== shown.metres || Math.abs(bar.pixels - shown.pixels) > 0.5) model.scaleBar.value = bar;
  const legend = stage.legend();
  if (JSON.stringify(legend) !== JSON.stringify(model.legend.value)) model.legend.value = legend;
}

function showSpringLabel(stage: Stage, label: HTMLElement): void {
  const spring = stage.overlays.springs[0];
  const force = spring?.force ?? null;
  label.hidden = force === null;
  if (!spring || force === null) return;
  const { x, y } = stage.toScreen(spring.hand);
  label.textContent = quantityText(force, 'N', 2);
  label.style.transform = `translate(${Math.round(x + 14)}px, ${Math.round(y - 34)}px)`;
}
