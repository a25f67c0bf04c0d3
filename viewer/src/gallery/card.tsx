import { useState } from 'preact/hooks';
import type { SceneEntry } from '../protocol/messages';
import { sceneHash } from '../route';
import { Icon } from '../ui/icons';
import { highlight } from './search';

/** One scene. The whole card is one link; without its picture the flat stage ground stays. */
export function SceneCard({ scene, words }: { scene: SceneEntry; words: string[] }) {
  const [broken, setBroken] = useState(false);
  return (
    <a class="card" href={sceneHash(scene.name)} data-scene={scene.name}>
      <span class="card-picture">
        {!broken && scene.pictured !== false && <img src={scene.picture} alt="" width="528" height="300" decoding="async" onError={() => setBroken(true)} />}
      </span>
      <span class="card-text">
        <span class="card-head">
          <strong class="card-title"><Marked text={scene.title} words={words} /></strong>
          <span class="card-open" aria-hidden="true">Open<Icon name="chevronRight" size={16} /></span>
        </span>
        <span class="card-line"><Marked text={scene.line} words={words} /></span>
        <span class="card-foot">
          <Icon name="book" size={16} />
          <span class="card-source"><Marked text={scene.source} words={words} /></span>
          <span class="card-size">{scene.size}</span>
        </span>
      </span>
    </a>
  );
}

function Marked({ text, words }: { text: string; words: string[] }) {
  return <>{highlight(text, words).map((piece, i) => (piece.match ? <b key={i}>{piece.text}</b> : piece.text))}</>;
}
