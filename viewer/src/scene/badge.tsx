// The real-time badge at the stage's top right.

import { useEffect, useState } from 'preact/hooks';
import { fixed, quantity } from '../numbers/format';
import { Icon } from '../ui/icons';
import type { SceneModel } from './model';

/** From this age in s on a picture is called late: less is hardly felt. */
export const LATE = 0.4;

export function RealTimeBadge({ model }: { model: SceneModel }) {
  const { pace, factor, report, retry, slowness, lag } = model.session;
  const now = report.value;
  const steps = now ? stepText(now.step_ms, now.aim_ms) : '';
  switch (pace.value) {
    case 'connecting':
      return retry.value ? <Lost model={model} title="No server" /> : null;
    case 'lost':
      return <Lost model={model} title="No server" />;
    case 'paused':
      return <Plate state="paused" icon={<Icon name="pause" />} title="Paused" line={steps && `Last step ${steps}`} />;
    case 'slowed':
      return <Plate state="slowed" icon={<Icon name="warning" />} title={`Slowed to ${fixed(factor.value, 2)} ×`} line={slowness.value === 'machine' ? `Machine is busy; step ${steps}` : `Step ${steps}`} />;
    case 'on-time':
      if (lag.value >= LATE) return <Plate state="late" icon={<Icon name="warning" />} title={`Picture ${fixed(lag.value, 1)} s behind`} line="Drawing is slow; the simulation is not" />;
      return <Plate state="on-time" icon={<span class="dot" />} title={`${fixed(factor.value, 2)} × real time`} line={steps && `Step ${steps}`} />;
  }
}

/** "3.3 of 16.7 ms", or "14 µs of 4.2 ms" where the units differ. */
function stepText(step: number, aim: number): string {
  const taken = quantity(step / 1000, 's', 2);
  const allowed = quantity(aim / 1000, 's', aim >= 10 ? 3 : 2);
  return `${taken.number}${taken.unit === allowed.unit ? '' : ` ${taken.unit}`} of ${allowed.number} ${allowed.unit}`;
}

function Lost({ model, title }: { model: SceneModel; title: string }) {
  const retry = model.session.retry.value;
  const [, tick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => tick((count) => count + 1), 250);
    return () => clearInterval(timer);
  }, []);
  const wait = retry ? Math.max(0, Math.ceil(retry.at - performance.now() / 1000)) : 0;
  const line = wait > 0 ? `Attempt ${retry!.attempt + 1} in ${wait} s` : 'Trying again';
  return <Plate state="lost" icon={<Icon name="plug" />} title={title} line={line} retry={() => model.session.retryNow()} />;
}

interface PlateProps {
  state: string;
  icon: preact.JSX.Element;
  title: string;
  line: string;
  retry?: () => void;
}

function Plate({ state, icon, title, line, retry }: PlateProps) {
  return (
    <div class={`badge plate ${state}`} data-pace={state}>
      <span class="badge-icon">{icon}</span>
      <div>
        <div class="badge-title">{title}</div>
        {line && <div class="badge-line">{line}</div>}
      </div>
      {retry && <button type="button" class="button small" onClick={retry}>Retry</button>}
    </div>
  );
}
