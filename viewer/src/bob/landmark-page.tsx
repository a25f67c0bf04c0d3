// Landmarks are placed and moved here, in the picture of the station that they stand at.

import { useSignal } from '@preact/signals';
import { download, fileNameOf } from './download';
import { book, keep, landmarksOf, reset, toml } from './landmarks';
import { Slider } from './menu';
import type { Seat } from './seat';
import type { Landmark } from './track';

const fresh = (s: number): Landmark => ({ s, side: 'right', height: 1.5, kind: 'board', text: 'BRAKE', colour: '#ff6a13' });

export function LandmarkPage({ seat }: { seat: Seat }) {
  const chosen = useSignal(0);
  const track = seat.trackData;
  if (!track) return <p class="bob-empty">The track is not there yet.</p>;
  const list = landmarksOf(track, book.value);
  const index = Math.min(chosen.value, list.length - 1);
  const landmark = list[index];
  const choose = (i: number, from = list) => {
    chosen.value = i;
    if (from[i]) seat.lookAt.value = from[i].s;
  };
  /** Kept in the order of stations; what was changed stays chosen. */
  const put = (next: Landmark[], mine: Landmark | null) => {
    keep(track.name, next);
    const sorted = [...next].sort((a, b) => a.s - b.s);
    choose(mine ? sorted.indexOf(mine) : 0, sorted);
  };
  const change = (by: Partial<Landmark>) => {
    const mine = { ...landmark!, ...by };
    if (mine.kind !== 'board') mine.text = '';
    else if (mine.text === '') mine.text = 'BRAKE';
    put(list.map((other, i) => (i === index ? mine : other)), mine);
  };
  const add = () => {
    const mine = fresh(Math.round(seat.lookAt.value ?? landmark?.s ?? 50));
    put([...list, mine], mine);
  };
  return (
    <div class="bob-setup">
      <p class="bob-row checks">
        <label>Landmark<select aria-label="Landmark" value={String(index)} onChange={(event) => choose(Number(event.currentTarget.value))}>
          {list.map(({ s, kind, text, side }, i) => <option key={i} value={String(i)}>{`${s.toFixed(0)} m, ${kind}${text ? ` ${text}` : ''}, ${side}`}</option>)}
        </select></label>
        <button type="button" class="button" onClick={add}>Place one more</button>
        {landmark && <button type="button" class="link" onClick={() => put(list.filter((_, i) => i !== index), null)}>Take it away</button>}
      </p>
      {landmark && (
        <>
          <Slider label={<>Station <b>{`${landmark.s.toFixed(0)} m`}</b></>} min={0} max={Math.floor(track.finish)} step={1} value={landmark.s} onChange={(s) => change({ s })} />
          <Slider label={<>Height above the edge <b>{`${landmark.height.toFixed(1)} m`}</b></>} min={0.5} max={4} step={0.1} value={landmark.height} onChange={(height) => change({ height })} />
          <p class="bob-row checks">
            <label>Side<select aria-label="Side" value={landmark.side} onChange={(event) => change({ side: event.currentTarget.value as Landmark['side'] })}><option value="left">left</option><option value="right">right</option></select></label>
            <label>Kind<select aria-label="Kind" value={landmark.kind} onChange={(event) => change({ kind: event.currentTarget.value as Landmark['kind'] })}><option value="board">board</option><option value="flag">flag</option><option value="post">post</option></select></label>
            {landmark.kind === 'board' && <label>Text<input type="text" aria-label="Text" maxLength={16} value={landmark.text} onChange={(event) => change({ text: event.currentTarget.value })} /></label>}
            <label>Colour<input type="color" aria-label="Colour" value={landmark.colour} onInput={(event) => change({ colour: event.currentTarget.value })} /></label>
          </p>
        </>
      )}
      <p class="bob-row checks">
        <button type="button" class="button" onClick={() => download(`landmarks-${fileNameOf(track.name)}`, toml(list))}>Save as a file</button>
        <button type="button" class="link" disabled={!(track.name in book.value)} onClick={() => reset(track.name)}>Those of the track file</button>
      </p>
      <small>Kept on this machine, for every view and replay. The file has them as a track file wants them.</small>
    </div>
  );
}
