// A second session that follows this one some time later: a robot's part that goes the way that the filter allowed here.

import { useState } from 'preact/hooks';
import { sceneHash } from '../route';
import type { SceneModel } from '../scene/model';
import { Icon } from '../ui/icons';
import { isHandling } from './reading';

/** Longest delay in s, as the server has it. */
const LONGEST = 2;

/** The address of a page with a session of its own that follows another one. */
export function followerAddress(page: string, scene: string, session: string, delay: number, own: string): string {
  const query = new URLSearchParams({ session: own, follow: session, delay: String(delay) });
  return `${page.split('#')[0]!.split('?')[0]!}?${query}${sceneHash(scene)}`;
}

export function FollowFold({ model }: { model: SceneModel }) {
  const [delay, setDelay] = useState(0.5);
  const hello = model.session.hello.value;
  const following = model.session.state.value?.following ?? null;
  if (!hello || !isHandling(hello.channels) || model.isReplay.value) return null;
  return (
    <section class="group" aria-labelledby="follow-title">
      <header class="group-head"><h2 id="follow-title">Second session</h2></header>
      {following ? (
        <>
          <p class={`handled-verdict ${following.stopped ? 'contact' : 'free'}`} data-following={following.stopped ? 'stopped' : 'follows'}>
            <Icon name={following.stopped ? 'warning' : 'check'} size={16} />
            {following.stopped ? `Stopped: ${following.stopped}.` : `Follows ${following.session}, ${following.delay} s behind.`}
          </p>
          <button type="button" class="button small" onClick={() => model.session.follow(null)}>Go its own way</button>
        </>
      ) : (
        <>
          <p class="promise">Another window goes the way that the filter allows here, bit for bit, and stops where its scene differs.</p>
          <label class="row device-slide">
            <span>Delay</span>
            <input type="range" min={0} max={LONGEST} step={0.1} value={delay} onInput={(event) => setDelay(Number(event.currentTarget.value))} />
            <output>{delay.toFixed(1)} s</output>
          </label>
          <a class="button small" target="_blank" rel="noreferrer" href={followerAddress(location.href, hello.scene.name, hello.session, delay, 'follower')}>Open a follower</a>
        </>
      )}
    </section>
  );
}
