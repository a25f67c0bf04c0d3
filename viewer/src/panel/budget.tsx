// What a step may cost, by the clock and in work units. Off is no limit.

import { fixed, significant } from '../numbers/format';
import type { Parameter, StepBudget } from '../protocol/messages';
import type { SceneModel } from '../scene/model';
import { ParameterField } from './parameter-field';

const time: Parameter = {
  key: 'budget-ms', label: 'Time per step', unit: 'ms', min: 0.01, max: 100, default: 8, value: 8, step: 0.01, scale: 'log', text: 'Most that a step may take. What is not solved by then is left as an error and reported.',
};
const work: Parameter = {
  key: 'budget-work', label: 'Work per step', unit: '', min: 10, max: 1e7, default: 1e4, value: 1e4, step: 1, scale: 'log', text: 'Most elementary steps of work; unlike time the same on every machine, so that a replay is exact.',
};

export function Budget({ model }: { model: SceneModel }) {
  const { state, report, phase } = model.session;
  const budget = state.value?.budget;
  if (!budget || model.isReplay.value) return null;
  const set = (change: Partial<StepBudget>) => model.session.budget({ ...budget, ...change });
  const disabled = phase.value !== 'open';
  const used = report.value && budget.ms !== null ? `${fixed(report.value.step_ms, 2)} of ${significant(budget.ms, 2)} ms used` : report.value ? `${significant(report.value.work, 3)} units of work` : '';
  return (
    <section class="group" aria-labelledby="budget-title">
      <header class="group-head">
        <h2 id="budget-title">Budget</h2>
        <span class="group-note">{used}</span>
      </header>
      <Limit text="Limit the time of a step" on={budget.ms !== null} disabled={disabled} toggle={(on) => set({ ms: on ? time.default : null })} />
      {budget.ms !== null && <ParameterField parameter={time} value={budget.ms} disabled={disabled} onChange={(ms) => set({ ms })} />}
      <Limit text="Limit the work of a step" on={budget.work !== null} disabled={disabled} toggle={(on) => set({ work: on ? work.default : null })} />
      {budget.work !== null && <ParameterField parameter={work} value={budget.work} disabled={disabled} onChange={(units) => set({ work: Math.round(units) })} />}
      {report.value?.budget_cut && <p class="promise warned">The budget cut the last steps; the errors say what is left.</p>}
    </section>
  );
}

function Limit({ text, on, disabled, toggle }: { text: string; on: boolean; disabled: boolean; toggle: (on: boolean) => void }) {
  return (
    <label class="check">
      <input type="checkbox" checked={on} disabled={disabled} onChange={(event) => toggle(event.currentTarget.checked)} />
      {text}
    </label>
  );
}
