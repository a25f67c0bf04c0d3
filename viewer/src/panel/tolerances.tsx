// What the solver promises to keep to, beside what it leaves.

import { quantity } from '../numbers/format';
import type { SceneModel } from '../scene/model';
import { Icon } from '../ui/icons';

export function Tolerances({ model }: { model: SceneModel }) {
  const report = model.session.report.value;
  if (!report || (report.position_tolerance === null && report.velocity_tolerance === null)) return null;
  return (
    <section class="group" aria-labelledby="tolerances-title">
      <header class="group-head"><h2 id="tolerances-title">Tolerances</h2><span class="group-note">left / promised</span></header>
      {report.position_tolerance !== null && <Kept label="Position" error={report.position_error} tolerance={report.position_tolerance} unit="m" />}
      {report.velocity_tolerance !== null && <Kept label="Velocity" error={report.velocity_error} tolerance={report.velocity_tolerance} unit="m/s" />}
    </section>
  );
}

function Kept({ label, error, tolerance, unit }: { label: string; error: number; tolerance: number; unit: string }) {
  const left = quantity(error, unit, 2);
  const promised = quantity(tolerance, unit, 2);
  const over = error > tolerance;
  return (
    <div class="row fact">
      <span>{label}</span>
      <span class={`value${over ? ' warned' : ''}`}>
        {over && <span title="Above the tolerance"><Icon name="warning" size={16} /></span>}
        <span class="number">{left.number}</span> <span class="unit">{left.unit}</span> / <span class="number">{promised.number}</span> <span class="unit">{promised.unit}</span>
      </span>
    </div>
  );
}
