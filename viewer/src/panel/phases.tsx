// Where the time of a step goes: phase by phase, now, on average and at worst over what the plots remember.

import { fixed } from '../numbers/format';
import type { SceneModel } from '../scene/model';
import { phaseTable } from './phase-table';

export function Phases({ model }: { model: SceneModel }) {
  void model.session.reports.value;
  const rows = phaseTable(model.session.history);
  if (!rows) return null;
  return (
    <>
      <h3 id="phases-title">Time of a step, ms</h3>
      <table class="phases" aria-labelledby="phases-title">
        <thead><tr><th scope="col">Phase</th><th scope="col">now</th><th scope="col">mean</th><th scope="col">most</th><th scope="col">share</th></tr></thead>
        <tbody>
          {rows.map(({ name, now, mean, most, share }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{fixed(now, 3)}</td><td>{fixed(mean, 3)}</td><td>{fixed(most, 3)}</td><td>{fixed(100 * share, 0)} %</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
