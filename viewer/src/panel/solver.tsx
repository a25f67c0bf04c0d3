// Which solver runs, what it promises, and where it comes from.

import { isHandling } from '../hand/reading';
import { quantity } from '../numbers/format';
import type { SceneModel } from '../scene/model';
import { Icon } from '../ui/icons';

export function SolverChoice({ model }: { model: SceneModel }) {
  const { hello, state, phase } = model.session;
  const solvers = hello.value?.solvers ?? [];
  const chosen = solvers.find(({ name }) => name === state.value?.solver);
  const step = hello.value && quantity(hello.value.time_step, 's', 4);
  if (solvers.length === 0) return null;
  return (
    <section class="group" aria-labelledby="solver-title">
      <header class="group-head">
        <h2 id="solver-title">Solver</h2>
        {chosen?.source && <span class="chip">{chosen.source}</span>}
      </header>
      <span class="select wide">
        <select
          aria-labelledby="solver-title"
          aria-describedby="solver-promise"
          disabled={phase.value !== 'open' || model.isReplay.value}
          value={chosen?.name ?? ''}
          onChange={(event) => model.session.solver(event.currentTarget.value)}
        >
          {solvers.map(({ name, title }) => <option key={name} value={name}>{title}</option>)}
        </select>
        <Icon name="chevronDown" size={16} />
      </span>
      <p id="solver-promise" class="promise">{chosen?.promise}</p>
      {hello.value?.kind === 'scene' && hello.value.scene.group === 'Handling' && !isHandling(hello.value.channels) && (
        <p class="promise">This scene has no contact filter that could be switched to freeze, warn or off: its bodies always push back. Devices that press the hand and a second session need one too; Bulb removal and Corner have it.</p>
      )}
      {step && (
        <div class="row fact">
          <span>Time step</span>
          <span class="value">{step.number} <span class="unit">{step.unit}</span></span>
        </div>
      )}
    </section>
  );
}
