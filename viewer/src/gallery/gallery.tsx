// The gallery: every scene as a card, in bands by group.

import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { SceneList } from '../protocol/messages';
import { fetchScenes, tokenRefusal, Unauthorized } from '../session/open';
import { sceneHash } from '../route';
import { settings } from '../settings';
import { toggleTheme } from '../theme';
import { announce } from '../ui/announce';
import { Icon } from '../ui/icons';
import { SettingsSheet } from '../ui/settings-sheet';
import { isTyping } from '../ui/typing';
import { Band } from './band';
import { GalleryBar } from './gallery-bar';
import { GalleryHelp } from './gallery-help';
import { groupScenes } from './groups';
import { matches, wordsOf } from './search';

const RETRY_MS = 2000;

export function Gallery({ group }: { group: string | null }) {
  const list = useSignal<SceneList | null>(null);
  const failure = useSignal<Error | null>(null);
  const query = useSignal('');
  const sheet = useSignal<'help' | 'settings' | null>(null);
  const search = useRef<HTMLInputElement>(null);

  useEffect(() => {
    document.title = 'Prall';
    let timer: ReturnType<typeof setTimeout> | undefined;
    const load = () => fetchScenes().then(
      (scenes) => {
        list.value = scenes;
        failure.value = null;
      },
      (error: Error) => {
        failure.value = error;
        timer = setTimeout(load, RETRY_MS);
      },
    );
    void load();
    return () => clearTimeout(timer);
  }, []);

  useEffect(() => {
    const listener = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target, event.key) || sheet.value || !settings.letterKeys.value) return;
      if (event.key === '/') search.current?.focus();
      else if (event.key === '?') sheet.value = 'help';
      else if (event.key.toLowerCase() === 't') toggleTheme();
      else return;
      event.preventDefault();
    };
    document.addEventListener('keydown', listener);
    return () => document.removeEventListener('keydown', listener);
  }, []);

  const scenes = list.value?.scenes ?? [];
  const groups = groupScenes(scenes);
  const words = wordsOf(query.value);
  const inGroup = groups.some(({ slug }) => slug === group) ? groups.filter(({ slug }) => slug === group) : groups;
  const bands = inGroup
    .map((band) => ({ ...band, scenes: band.scenes.filter((scene) => matches(scene, words)) }))
    .filter((band) => band.scenes.length > 0);
  const found = bands.reduce((count, band) => count + band.scenes.length, 0);

  const setQuery = (text: string) => {
    query.value = text;
  };
  const open = () => {
    if (found === 1) location.hash = sceneHash(bands[0]!.scenes[0]!.name);
    else if (found > 1) document.querySelector<HTMLElement>('.card')?.focus();
  };
  useEffect(() => {
    if (query.value) announce(found === 0 ? 'No scene matches' : `${found} ${found === 1 ? 'scene' : 'scenes'}`);
  }, [query.value, found]);

  return (
    <div class="gallery">
      <a class="skip" href="#scenes" onClick={(event) => { event.preventDefault(); document.getElementById('scenes')?.focus(); }}>To the scenes</a>
      <GalleryBar
        groups={groups}
        total={scenes.length}
        group={inGroup.length === groups.length ? null : group}
        query={query.value}
        search={search}
        onQuery={setQuery}
        onEnter={open}
        onHelp={() => (sheet.value = 'help')}
        onSettings={() => (sheet.value = 'settings')}
      />
      <main id="scenes" tabIndex={-1}>
        <h1 class="hidden-text">Scenes</h1>
        {bands.map((band) => <Band key={band.slug} band={band} words={words} whole={words.length > 0 || inGroup.length === 1} />)}
        {list.value && found === 0 && <NoMatch query={query.value} sources={[...new Set(scenes.map(({ source }) => source))]} onClear={() => setQuery('')} />}
        {failure.value && !list.value && <NoServer wantsToken={failure.value instanceof Unauthorized} />}
      </main>
      {sheet.value === 'help' && <GalleryHelp version={list.value?.version ?? null} onClose={() => (sheet.value = null)} />}
      {sheet.value === 'settings' && <SettingsSheet onClose={() => (sheet.value = null)} />}
    </div>
  );
}

function NoMatch({ query, sources, onClear }: { query: string; sources: string[]; onClear: () => void }) {
  return (
    <div class="empty">
      <Icon name="search" />
      <strong>No scene matches “{query}”</strong>
      <span>Try a source such as {sources[0] ?? 'Bender'}, or a group.</span>
      <button type="button" class="link" onClick={onClear}>Clear search</button>
    </div>
  );
}

function NoServer({ wantsToken }: { wantsToken: boolean }) {
  if (wantsToken) {
    return (
      <div class="empty" role="alert">
        <Icon name="plug" />
        <strong>{tokenRefusal.title}</strong>
        <span>{tokenRefusal.text}</span>
      </div>
    );
  }
  return (
    <div class="empty" role="alert">
      <Icon name="plug" />
      <strong>No server</strong>
      <span>The list of scenes did not come; trying again. Is <code>prall serve</code> running?</span>
    </div>
  );
}
