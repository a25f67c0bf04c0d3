import { Icon } from '../ui/icons';
import { SceneCard } from './card';
import type { Group } from './groups';

const BAND_LIMIT = 4;

/** One group: name and sentence at the left, cards at the right; more than four wait behind a link. */
export function Band({ band, words, whole }: { band: Group; words: string[]; whole: boolean }) {
  const limited = !whole && band.scenes.length > BAND_LIMIT;
  const shown = limited ? band.scenes.slice(0, BAND_LIMIT) : band.scenes;
  return (
    <section class={`band${limited ? ' limited' : ''}`} aria-labelledby={`band-${band.slug}`}>
      <header class="band-head">
        <h2 id={`band-${band.slug}`}>{band.name}</h2>
        {band.sentence && <p>{band.sentence}</p>}
        {limited && <a class="link" href={`#${band.slug}`}>All {band.scenes.length} scenes<Icon name="chevronRight" size={16} /></a>}
      </header>
      <ul class={`cards${band.name === 'Bobsleigh' ? ' wide' : ''}`}>
        {shown.map((scene) => <li key={scene.name}><SceneCard scene={scene} words={words} /></li>)}
      </ul>
    </section>
  );
}
