// What the plots draw, as a table: for those who read rather than look. It stands still while it is open.

import { useMemo } from 'preact/hooks';
import { significant } from '../numbers/format';
import type { SceneModel } from '../scene/model';
import type { Column } from '../session/history';
import { Sheet } from '../ui/sheet';
import { timeRange } from './specs';

const shown: { column: Column; heading: string }[] = [
  { column: 'time', heading: 'Time, s' },
  { column: 'step_ms', heading: 'Step, ms' },
  { column: 'contacts', heading: 'Contacts' },
  { column: 'position_error', heading: 'Position error, m' },
  { column: 'velocity_error', heading: 'Velocity error, m/s' },
  { column: 'energy_gained', heading: 'Energy gained, J' },
  { column: 'energy_unexplained', heading: 'Unexplained, J' },
  { column: 'kinetic', heading: 'Kinetic, J' },
  { column: 'potential', heading: 'Potential, J' },
];

function cell(column: Column, value: number): string {
  if (column === 'contacts') return String(value);
  if (column === 'time') return value.toFixed(3);
  return value !== 0 && Math.abs(value) < 1e-3 ? value.toExponential(2).replaceAll('-', '−') : significant(value, 4);
}

export function DataTable({ model }: { model: SceneModel }) {
  const rows = useMemo(() => {
    const { history } = model.session;
    const times = history.column('time');
    const [from] = timeRange(times.at(-1) ?? 0);
    return times
      .flatMap((time, i) => (time >= from ? [i] : []))
      .reverse()
      .map((i) => shown.map(({ column }) => cell(column, history.column(column)[i]!)));
  }, [model]);
  return (
    <Sheet title="Reports" onClose={() => (model.sheet.value = null)}>
      {rows.length === 0 ? <p class="small-print">No report has come yet.</p> : (
        <div class="table-scroll" tabIndex={0} role="region" aria-label="Reports, newest first">
          <table>
            <thead><tr>{shown.map(({ heading }) => <th key={heading} scope="col">{heading}</th>)}</tr></thead>
            <tbody>{rows.map((row) => <tr key={row[0]}>{row.map((text, i) => <td key={i}>{text}</td>)}</tr>)}</tbody>
          </table>
        </div>
      )}
    </Sheet>
  );
}
