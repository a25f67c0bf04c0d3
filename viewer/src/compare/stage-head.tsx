// Over each of two stages: which one it is, and which solver runs in it.

import { fixed } from '../numbers/format';
import type { SceneModel } from '../scene/model';
import { Icon } from '../ui/icons';
import { summarise } from './summary';

export function StageHead({ model, side, track }: { model: SceneModel; side: 'A' | 'B'; track: number }) {
  const { hello, state, compared, reports } = model.session;
  void reports.value;
  const solvers = hello.value?.solvers ?? [];
  const chosen = track === 0 ? state.value?.solver : compared.value?.solver;
  const solver = solvers.find(({ name }) => name === chosen);
  const cut = summarise(model.session.historyOf(track))?.cut ?? 0;
  return (
    <>
      <div class={`stage-head plate ${side.toLowerCase()}`}>
        <span class="side" aria-hidden="true">{side}</span>
        <div class="stage-head-text">
          <span class="select bare">
            <select aria-label={`Solver ${side}`} value={chosen ?? ''} onChange={(event) => model.session.solver(event.currentTarget.value, track)}>
              {solvers.map(({ name, title }) => <option key={name} value={name}>{title}</option>)}
            </select>
            <Icon name="chevronDown" size={16} />
          </span>
          <span class="stage-head-promise">{solver?.promise}</span>
        </div>
      </div>
      {cut > 0 && <div class="stage-cut plate">Budget cut {fixed(100 * cut, 0)} % of steps</div>}
    </>
  );
}
