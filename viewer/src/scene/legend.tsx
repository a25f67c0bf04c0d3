// Bottom left: what each overlay shows, and how long a metre is.

import { quantityText } from '../numbers/format';
import { Icon } from '../ui/icons';
import { overlayInfos } from '../stage/overlay-names';
import type { LegendEntry } from '../stage/overlays';
import type { SceneModel } from './model';

const arrowUnits: Record<string, { text: string; unit: string }> = {
  forces: { text: 'Contact force', unit: 'N' },
  velocities: { text: 'Velocity', unit: 'm/s' },
};

/** What a sign means where the name of its overlay does not say it. */
const meanings: Record<string, string> = {
  joints: 'Joints, ring grows with the error',
  friction: 'Friction cones, half angle atan µ',
  bounds: 'Bounding volumes',
  index: 'Boxes of the pair index',
  trails: 'Trails, last 3 s',
  clearance: 'Clearance: red below 0.1 mm, amber below 1 mm',
};

export function Legend({ model }: { model: SceneModel }) {
  const { metres, pixels } = model.scaleBar.value;
  const ghosts = model.session.ghosts.value;
  if (pixels === 0) return null;
  return (
    <div class="legend plate">
      {model.legend.value.filter(({ overlay }) => model.offers(overlay)).map((entry) => (
        entry.arrow ? <ArrowLegend key={entry.overlay} entry={entry} /> : <SignLegend key={entry.overlay} entry={entry} />
      ))}
      {ghosts.length > 0 && <span class="legend-item ghost"><span class="legend-ghost" />{ghosts.length === 1 ? ghosts[0]!.title : `${ghosts.length} ghosts`}</span>}
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

function SignLegend({ entry: { overlay, count } }: { entry: LegendEntry }) {
  const { icon, label } = overlayInfos.find(({ name }) => name === overlay)!;
  return (
    <span class={`legend-item sign ${overlay}`}>
      <Icon name={icon} size={16} />
      {meanings[overlay] ?? label}
      {count !== null && <span class="legend-note">{count}</span>}
    </span>
  );
}

function ArrowLegend({ entry }: { entry: LegendEntry }) {
  const { text, unit } = arrowUnits[entry.overlay]!;
  const { value, pixels, drawn, total } = entry.arrow!;
  const length = Math.round(Math.max(18, pixels));
  return (
    <span class={`legend-item ${entry.overlay}`}>
      <svg width={length} height="12" aria-hidden="true" class="legend-arrow">
        <path d={`M0 6H${length - 9}`} stroke-width="2" />
        <path d={`M${length - 10} 1.2 ${length} 6l-10 4.8z`} class="tip" />
      </svg>
      {text}, {unit === 'N' ? quantityText(value, unit, 1) : `${Number(value.toPrecision(3))} ${unit}`}
      {total > drawn && <span class="legend-note">largest {drawn} of {total}</span>}
    </span>
  );
}
