// Below two stages: both errors in one chart, and both runs in numbers.

import { useMemo } from 'preact/hooks';
import { fixed, quantity } from '../numbers/format';
import { Plot } from '../plots/plots';
import { compareSpec } from '../plots/specs';
import type { SceneModel } from '../scene/model';
import { Icon } from '../ui/icons';
import { summarise, type Summary } from './summary';

const rows: { label: string; value: (summary: Summary) => number; unit: string }[] = [
  { label: 'Step time, mean', value: ({ stepMean }) => stepMean, unit: 's' },
  { label: 'Step time, 99th percentile', value: ({ stepP99 }) => stepP99, unit: 's' },
  { label: 'Position error, largest', value: ({ positionError }) => positionError, unit: 'm' },
  { label: 'Velocity error, largest', value: ({ velocityError }) => velocityError, unit: 'm/s' },
  { label: 'Energy drift', value: ({ energyDrift }) => energyDrift, unit: '%' },
  { label: 'Lost time', value: ({ lostTime }) => lostTime, unit: 's' },
];

export function CompareShelf({ model }: { model: SceneModel }) {
  const { session } = model;
  const track = session.compared.value!.track;
  const titleOf = (name: string | null | undefined) => session.hello.value?.solvers.find((solver) => solver.name === name)?.title ?? name ?? '';
  const a = titleOf(session.state.value?.solver);
  const b = titleOf(session.compared.value!.solver);
  const spec = useMemo(() => compareSpec(session.historyOf(track), { a, b }), [session, track, a, b]);
  return (
    <section class="compare-shelf" aria-label="Comparison">
      <Plot key={`${track}-${a}-${b}`} spec={spec} model={model} />
      <CompareTable model={model} track={track} a={a} b={b} />
    </section>
  );
}

function CompareTable({ model, track, a, b }: { model: SceneModel; track: number; a: string; b: string }) {
  void model.session.reports.value;
  const summaries = [summarise(model.session.history), summarise(model.session.historyOf(track))];
  const tolerance = model.session.report.value?.position_tolerance ?? null;
  return (
    <table class="compare-table">
      <caption class="hidden-text">Both solvers since the first report</caption>
      <thead>
        <tr><th scope="col">Since reset</th><th scope="col" class="a">A {a}</th><th scope="col" class="b">B {b}</th></tr>
      </thead>
      <tbody>
        {rows.map(({ label, value, unit }) => (
          <tr key={label}>
            <th scope="row">{label}</th>
            {summaries.map((summary, i) => <Cell key={i} value={summary ? value(summary) : NaN} unit={unit} over={unit === 'm' && tolerance !== null && summary !== null && value(summary) > tolerance} />)}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Cell({ value, unit, over }: { value: number; unit: string; over: boolean }) {
  const shown = unit === '%' ? { number: fixed(100 * value, 2), unit } : quantity(value, unit, 3);
  if (Number.isNaN(value)) return <td>–</td>;
  return (
    <td class={over ? 'over' : ''}>
      {over && <span title="Above the tolerance"><Icon name="warning" size={16} /></span>}
      <span class="number">{shown.number}</span> <span class="unit">{shown.unit}</span>
    </td>
  );
}
