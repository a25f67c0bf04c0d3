// How the part in hand fares: free, in contact or standing, with what force, how far the hand is ahead, and what the filter costs.

import { useEffect, useState } from 'preact/hooks';
import { fixed, quantityText } from '../numbers/format';
import { announce } from '../ui/announce';
import { Icon } from '../ui/icons';
import type { SceneModel } from '../scene/model';
import { isHandling, readingOf, type HandReading } from './reading';
import { HandSound } from './sound';

/** A plate that changes more often than this cannot be read. */
const EVERY_MS = 120;
/** A word that is gone at once was no news: standing is announced after this. */
const ANNOUNCE_AFTER_MS = 800;

export function HandPlate({ model }: { model: SceneModel }) {
  const channels = model.session.hello.value?.channels ?? [];
  if (!isHandling(channels) || model.stageError.value) return null;
  return <Plate model={model} />;
}

function Plate({ model }: { model: SceneModel }) {
  const [reading, setReading] = useState<HandReading | null>(null);
  useEffect(() => {
    const sound = new HandSound();
    let shown = 0;
    let jammedSince: number | null = null;
    const view = (frame: Parameters<typeof readingOf>[0]) => {
      const now = performance.now();
      const next = readingOf(frame);
      if (next) sound.play(next);
      if (next?.standing !== 'jammed') jammedSince = null;
      else if (jammedSince === null) jammedSince = now;
      else if (now - jammedSince > ANNOUNCE_AFTER_MS && next.words) {
        announce(next.words);
        jammedSince = Infinity;
      }
      if (now - shown < EVERY_MS) return;
      shown = now;
      setReading(next);
    };
    model.frameViews.add(view);
    return () => {
      model.frameViews.delete(view);
      sound.end();
    };
  }, [model]);
  if (!reading) return null;
  const late = model.session.shown.nearlyAll;
  const share = reading.allowed > 0 ? reading.interval / reading.allowed : 0;
  return (
    <section class={`hand-plate plate ${reading.standing}`} aria-label="Part in hand" data-standing={reading.standing}>
      <header>
        <Icon name={reading.standing === 'jammed' ? 'warning' : 'hand'} size={16} />
        <strong>{model.bodyName(reading.held)}</strong>
        <span>{title[reading.standing]}</span>
      </header>
      {reading.words && <p class="hand-words">{reading.words}</p>}
      <dl>
        <dt>Contact force</dt><dd>{quantityText(reading.force, 'N', 2)}</dd>
        <dt>Hand ahead</dt><dd>{fixed(1000 * reading.ahead, 1)} mm, {fixed((180 / Math.PI) * reading.turned, 1)}°</dd>
        <dt>Gap, proven</dt><dd>{reading.gap === null ? 'nothing near' : `≥ ${quantityText(reading.gap, 'm', 2)}`}</dd>
        {late !== null && <><dt title="From a motion of the hand to the picture that shows it; 95 % take no longer">Hand to picture</dt><dd>{fixed(late, 0)} ms</dd></>}
        <dt>Filter</dt><dd>{quantityText(reading.interval, 's', 2)} of {quantityText(reading.allowed, 's', 2)}</dd>
      </dl>
      <div class={`meter${share > 1 ? ' over' : ''}`} role="meter" aria-label="Share of the time that an interval of the filter may take" aria-valuemin={0} aria-valuemax={100} aria-valuenow={Math.round(Math.min(100, 100 * share))}>
        <span style={{ width: `${Math.min(100, 100 * share)}%` }} />
      </div>
    </section>
  );
}

const title = { free: 'free', touching: 'in contact', jammed: 'stands' } as const;
