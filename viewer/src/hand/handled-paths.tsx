// The paths that were recorded of parts in hand: duration, smallest gap, largest force; certified by one click, and as files.

import { useEffect, useState } from 'preact/hooks';
import { fixed, quantityText } from '../numbers/format';
import { recordedText } from '../recordings/recorded-text';
import type { SceneModel } from '../scene/model';
import { apiAddress, ask } from '../session/open';
import { Icon } from '../ui/icons';
import { certificateText, type Answer, type Summary } from './certificate-text';
import { isHandling } from './reading';

const SHOWN = 4;

async function fetchJson<T>(path: string): Promise<T> {
  return (await (await ask(path)).json()) as T;
}

export function HandledPaths({ model }: { model: SceneModel }) {
  const hello = model.session.hello.value;
  if (!hello || !isHandling(hello.channels) || model.isReplay.value) return null;
  const recordings = model.recordings.value.filter(({ scene, seconds }) => scene === hello.scene.name && seconds !== null);
  return (
    <section class="group" aria-labelledby="handled-title">
      <header class="group-head"><h2 id="handled-title">Handled paths</h2></header>
      {recordings.length === 0 && <p class="promise">None yet. Press R, move the part, press R again.</p>}
      <ul class="handled-paths">
        {recordings.slice(0, SHOWN).map(({ name, recorded }) => <HandledPath key={name} name={name} recorded={recorded} />)}
      </ul>
    </section>
  );
}

function HandledPath({ name, recorded }: { name: string; recorded: number }) {
  const [summary, setSummary] = useState<Summary | null>(null);
  const [answer, setAnswer] = useState<Answer | 'asked' | null>(null);
  const [refused, setRefused] = useState('');
  const place = (document: string) => `recordings/${encodeURIComponent(name)}/handled/${document}`;
  useEffect(() => {
    let gone = false;
    fetchJson<Summary>(place('summary.json')).then((found) => !gone && setSummary(found), (error: Error) => !gone && setRefused(error.message));
    return () => void (gone = true);
  }, [name]);
  const certify = () => {
    setAnswer('asked');
    fetchJson<Answer>(place('certificate.json')).then(setAnswer, (error: Error) => {
      setAnswer(null);
      setRefused(error.message);
    });
  };
  const verdict = answer !== null && answer !== 'asked' ? certificateText(answer) : null;
  const gaps = summary?.parts.flatMap(({ proven_gap }) => (proven_gap === null ? [] : [proven_gap])) ?? [];
  const force = Math.max(0, ...(summary?.parts.map(({ largest_force }) => largest_force) ?? []));
  return (
    <li>
      <div class="handled-head">
        <span>{recordedText(recorded, Date.now() / 1000)}</span>
        {summary && <span>{fixed(summary.seconds, 1)} s, {gaps.length > 0 ? `≥ ${quantityText(Math.min(...gaps), 'm', 2)}` : 'nothing near'}, {quantityText(force, 'N', 2)}</span>}
      </div>
      {refused && <p class="promise">{refused}</p>}
      {verdict && <p class={`handled-verdict ${verdict.free ? 'free' : 'contact'}`}><Icon name={verdict.free ? 'check' : 'warning'} size={16} />{verdict.text}</p>}
      <div class="handled-actions">
        {verdict === null && <button type="button" class="button small" disabled={answer === 'asked' || summary === null} onClick={certify}>{answer === 'asked' ? 'Certifying' : 'Certify'}</button>}
        <a class="button small" href={apiAddress(place('report.html'))} target="_blank" rel="noreferrer">Report</a>
        <a class="button small" href={apiAddress(place('path.csv'))} download={`${name}.csv`}>CSV</a>
        <a class="button small" href={apiAddress(place('animation.glb'))} download={`${name}.glb`}>glTF</a>
      </div>
    </li>
  );
}
