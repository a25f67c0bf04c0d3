// What is known of one body, asked anew twice a second while it is shown.

import { useEffect } from 'preact/hooks';
import { fixed, prefixFor, significant } from '../numbers/format';
import { IconButton } from '../ui/controls';
import type { SceneModel } from './model';

const REFRESH_MS = 500;
const TINY = 1e-9;

export function PropertiesPlate({ model }: { model: SceneModel }) {
  const ref = model.inspected.value;
  useEffect(() => {
    if (!ref) return;
    const timer = setInterval(() => model.session.askProperties(ref.body, ref.track), REFRESH_MS);
    return () => clearInterval(timer);
  }, [ref?.body, ref?.track]);
  const known = model.session.properties.value;
  if (!ref || !known || known.body !== ref.body || known.track !== ref.track) return null;
  return (
    <section class="properties plate" aria-label={`Properties of ${known.name}`}>
      <header class="group-head">
        <h2>{known.name}</h2>
        <IconButton icon="close" class="small" label="Close properties" onClick={() => model.inspect(null)} />
      </header>
      <dl>
        {known.properties.map(({ label, values, unit }) => (
          <div key={label} class="row fact">
            <dt>{label}</dt>
            <dd class="value"><span class="number">{valuesText(values, unit)}</span> <span class="unit">{prefixOf(values, unit)}{unit}</span></dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

/** One prefix for all components, and none where the unit is a compound or has a prefix already. */
function scaleOf(values: number[], unit: string): { factor: number; prefix: string } {
  const largest = Math.max(...values.map(Math.abs));
  if (!/^(m|s|N|J|W|m\/s|rad\/s)$/.test(unit) || largest < TINY) return { factor: 1, prefix: '' };
  return prefixFor(largest);
}

function prefixOf(values: number[], unit: string): string {
  return scaleOf(values, unit).prefix;
}

function valuesText(values: number[], unit: string): string {
  const { factor } = scaleOf(values, unit);
  const largest = Math.max(...values.map(Math.abs)) / factor;
  if (largest < TINY) return values.map(() => '0').join('  ');
  if (values.length === 1) return significant(values[0]! / factor, 4);
  const decimals = Math.min(6, Math.max(0, 2 - Math.floor(Math.log10(largest))));
  return values.map((value) => fixed(value / factor, decimals)).join('  ');
}
