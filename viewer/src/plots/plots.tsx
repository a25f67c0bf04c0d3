// The plot shelf: plots with one time axis and one cursor.

import { effect } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { fixed, type Quantity } from '../numbers/format';
import type { SceneModel } from '../scene/model';
import { theme } from '../theme';
import { IconButton } from '../ui/controls';
import { Chart } from './chart';
import { settings } from '../settings';
import { choiceOf, choices, chosenSpec } from './chosen';
import { plotSpecs, timeRange, type PlotSpec } from './specs';

export function Plots({ model }: { model: SceneModel }) {
  return (
    <section class="plots" aria-label="Plots">
      {plotSpecs.map((spec) => <Plot key={spec.key} spec={spec} model={model} />)}
      <ChosenPlot model={model} />
    </section>
  );
}

/** The plot whose quantity stands in a list in place of its title. */
function ChosenPlot({ model }: { model: SceneModel }) {
  const choice = choiceOf(settings.plotted.value);
  const spec = useMemo(() => chosenSpec(choice), [choice]);
  const body = choice.ofBody && model.plotted !== null ? model.bodyName(model.plotted) : null;
  return (
    <Plot spec={spec} model={model}>
      <select class="field plot-choice" aria-label="Plotted quantity" title={body ? `${choice.label}: ${body}` : choice.label} value={choice.column} onChange={(event) => (settings.plotted.value = event.currentTarget.value)}>
        {choices.map(({ column, label }) => <option key={column} value={column}>{label}</option>)}
      </select>
    </Plot>
  );
}

export function Plot({ spec, model, children }: { spec: PlotSpec; model: SceneModel; children?: ComponentChildren }) {
  const place = useRef<HTMLDivElement>(null);
  const chart = useRef<Chart | null>(null);
  const [[heading, second], setHeadings] = useState<[Quantity | null, Quantity | null]>([null, null]);
  const [cursor, setCursor] = useState<{ time: number; left: number } | null>(null);

  useEffect(() => {
    const element = place.current!;
    const made = new Chart(element, spec, { heading: (first, other) => setHeadings([first, other]), cursor: setCursor });
    chart.current = made;
    const size = () => made.resize(element.clientWidth, element.clientHeight);
    const observer = new ResizeObserver(size);
    observer.observe(element);
    size();
    const stopData = effect(() => {
      void model.session.reports.value;
      made.update(model.session.history, performance.now() / 1000);
    });
    let first = true;
    const stopTheme = effect(() => {
      void theme.value;
      if (!first) made.repaint(performance.now() / 1000);
      first = false;
    });
    return () => {
      observer.disconnect();
      stopData();
      stopTheme();
      made.dispose();
    };
  }, [model, spec]);

  const keyDown = (event: KeyboardEvent) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (event.key === 'Escape') chart.current?.leave();
    if (!by) return;
    event.preventDefault();
    event.stopPropagation();
    chart.current?.moveCursor(event.shiftKey ? 10 * by : by);
  };
  const now = heading ? `${heading.number} ${heading.unit}` : 'no data yet';
  return (
    <section class="plot" aria-labelledby={`plot-${spec.key}`}>
      <header class="plot-head">
        <h2 id={`plot-${spec.key}`} class={children ? 'hidden-text' : ''}>{spec.title}</h2>
        {children}
        <span class="plot-tools">
          <IconButton icon="table" class="tiny" label={`${spec.title} as a table`} onClick={() => showTable(model)} />
          <IconButton icon="download" class="tiny" label={`Download ${spec.title.toLowerCase()} as CSV`} onClick={() => download(spec, model)} />
        </span>
        <span class="spacer" />
        {heading && second && <span class="plot-value pair"><b class="a">A {heading.number} {heading.unit}</b> <b class="b">B {second.number} {second.unit}</b></span>}
        {heading && !second && <span class="plot-value"><strong>{heading.number}</strong> <span class="unit">{heading.unit}</span></span>}
      </header>
      <div
        ref={place}
        class="plot-canvas"
        tabIndex={0}
        role="img"
        aria-label={`${spec.title} over time, ${cursor ? `at ${fixed(cursor.time, 3)} s` : 'now'} ${now}. Left and right move the cursor.`}
        onKeyDown={keyDown}
        onBlur={() => chart.current?.leave()}
      >
        {cursor && <span class="plot-cursor" style={{ left: `${cursor.left}px` }}>{fixed(cursor.time, 3)}</span>}
      </div>
      <Legend spec={spec} />
    </section>
  );
}

function Legend({ spec }: { spec: PlotSpec }) {
  const named = spec.lines.filter((line) => !line.unnamed);
  const ordered = named[0]?.fill ? [...named].reverse() : named;
  return (
    <ul class="plot-legend">
      {ordered.map(({ label, fill, color, dash, width }) => (
        <li key={label}>
          {fill ? <span class="area" style={{ background: `var(--${fill})` }} /> : (
            <svg width="14" height="4" aria-hidden="true"><path d="M0 2H14" style={{ stroke: `var(--${color})`, strokeWidth: width, strokeDasharray: dash?.join(' ') }} /></svg>
          )}
          {label}
        </li>
      ))}
    </ul>
  );
}

function showTable(model: SceneModel): void {
  model.sheet.value = 'table';
}

function download(spec: PlotSpec, model: SceneModel): void {
  const { history } = model.session;
  const [from] = timeRange(history.column('time').at(-1) ?? 0);
  const address = URL.createObjectURL(new Blob([history.csv(spec.columns, from)], { type: 'text/csv' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = `${model.name.replace(/\.mcap$/, '')}-${spec.key}.csv`;
  link.click();
  URL.revokeObjectURL(address);
}
