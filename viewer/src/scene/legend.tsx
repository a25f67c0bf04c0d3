// Bottom left: what an arrow means, and how long a metre is.

import { quantityText } from '../numbers/format';
import type { LegendEntry } from '../stage/overlays';
import type { SceneModel } from './model';

const names: Record<string, { text: string; unit: string }> = {
  forces: { text: 'Contact force', unit: 'N' },
  velocities: { text: 'Velocity', unit: 'm/s' },
};

export function Legend({ model }: { model: SceneModel }) {
  const { metres, pixels } = model.scaleBar.value;
  if (pixels === 0) return null;
  return (
    <div class="legend plate">
      {model.legend.value.map((entry) => (
        <ArrowLegend key={entry.overlay} entry={entry} />
      ))}
      <span class="legend-item">
        <svg width={Math.round(pixels) + 2} height="10" aria-hidden="true" class="scale-bar">
          <path d={`M1 1v8M1 5h${Math.round(pixels)}M${Math.round(pixels) + 1} 1v8`} />
        </svg>
        {scaleText(metres)}
      </span>
    </div>
  );
}

/** Scales read best without a decimal point: 50 cm, not 0.5 m. */
function scaleText(metres: number): string {
  if (metres >= 1000) return `${metres / 1000} km`;
  if (metres >= 1) return `${metres} m`;
  if (metres >= 0.01) return `${Math.round(metres * 100)} cm`;
  return quantityText(metres, 'm', 1);
}

function ArrowLegend({ entry }: { entry: LegendEntry }) {
  const { text, unit } = names[entry.overlay]!;
  const length = Math.round(Math.max(18, entry.pixels));
  return (
    <span class={`legend-item ${entry.overlay}`}>
      <svg width={length} height="12" aria-hidden="true" class="legend-arrow">
        <path d={`M0 6H${length - 9}`} stroke-width="2" />
        <path d={`M${length - 10} 1.2 ${length} 6l-10 4.8z`} class="tip" />
      </svg>
      {text}, {unit === 'N' ? quantityText(entry.value, unit, 1) : `${Number(entry.value.toPrecision(3))} ${unit}`}
      {entry.total > entry.drawn && <span class="legend-note">largest {entry.drawn} of {entry.total}</span>}
    </span>
  );
}
