// What the last report said, in numbers with their units.

import type { ComponentChildren } from 'preact';
import { fixed, prefixFor, quantity } from '../numbers/format';
import type { SceneModel } from '../scene/model';
import { Phases } from './phases';

export function LiveNumbers({ model }: { model: SceneModel }) {
  const report = model.session.report.value;
  return (
    <section class="group" aria-labelledby="numbers-title">
      <header class="group-head"><h2 id="numbers-title">Now</h2></header>
      {report ? (
        <>
          <StepTime step={report.step_ms} aim={report.aim_ms} />
          <Fact label="Contacts"><span class="number">{report.contacts}</span></Fact>
          <QuantityFact label="Position error" value={report.position_error} unit="m" />
          <QuantityFact label="Velocity error" value={report.velocity_error} unit="m/s" />
          {report.lost_time > 0 && <QuantityFact label="Lost time" value={report.lost_time} unit="s" />}
          {report.budget_cut && <Fact label="Budget"><span class="warned">cut the step</span></Fact>}
          <Phases model={model} />
          <h3>Energy</h3>
          <Energy {...report.energy} />
        </>
      ) : (
        <p class="promise">Numbers come with the first step.</p>
      )}
    </section>
  );
}

function Fact({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    <div class="row fact">
      <span>{label}</span>
      <span class="value">{children}</span>
    </div>
  );
}

/** All three in the prefix of the largest, so that one sees them add up. */
function Energy({ kinetic, potential }: { kinetic: number; potential: number }) {
  const { factor, prefix } = prefixFor(Math.max(Math.abs(kinetic), Math.abs(potential)));
  const rows = [['Kinetic', kinetic], ['Potential', potential], ['Total', kinetic + potential]] as const;
  return (
    <>
      {rows.map(([label, value]) => (
        <Fact key={label} label={label}><span class="number">{fixed(value / factor, 3)}</span> <span class="unit">{prefix}J</span></Fact>
      ))}
    </>
  );
}

function QuantityFact({ label, value, unit }: { label: string; value: number; unit: string }) {
  const { number, unit: prefixed } = quantity(value, unit);
  return (
    <Fact label={label}>
      <span class="number">{number}</span> <span class="unit">{prefixed}</span>
    </Fact>
  );
}

function StepTime({ step, aim }: { step: number; aim: number }) {
  const taken = quantity(step / 1000, 's');
  const allowed = quantity(aim / 1000, 's');
  const share = aim > 0 ? step / aim : 0;
  return (
    <div class="step-time">
      <Fact label="Step time">
        <span class="number">{taken.number}</span> <span class="unit">{taken.unit} of {allowed.number} {allowed.unit}</span>
      </Fact>
      <div class={`meter${share > 1 ? ' over' : ''}`} role="meter" aria-label="Share of the time a step may take" aria-valuemin={0} aria-valuemax={100} aria-valuenow={Math.round(Math.min(100, 100 * share))}>
        <span style={{ width: `${Math.min(100, 100 * share)}%` }} />
      </div>
    </div>
  );
}
