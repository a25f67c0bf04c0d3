// Where the page is: `#/` and `#group` are the gallery, `#/scene/NAME` is a scene, `#/recordings` lists what was recorded,
// `#/recording/NAME` plays it, `#bob` is the pilot's seat.
// Options may stand before the hash or after it: `?quality=low#/scene/x` and `#/scene/x?quality=low` are the same.

import { signal } from '@preact/signals';

export type Route =
  | { page: 'gallery'; group: string | null }
  | { page: 'scene'; name: string }
  | { page: 'bob' }
  | { page: 'recordings' }
  | { page: 'recording'; name: string };

export function parseHash(hash: string): Route {
  const path = hash.replace(/^#/, '').split('?')[0]!;
  const named = /^\/(scene|recording)\/([^/]+)\/?$/.exec(path);
  if (named) return { page: named[1] as 'scene' | 'recording', name: decode(named[2]!) };
  if (/^\/recordings\/?$/.test(path)) return { page: 'recordings' };
  if (/^\/?bob\/?$/.test(path)) return { page: 'bob' };
  const group = path.replace(/^\/+/, '');
  return { page: 'gallery', group: group === '' ? null : decode(group) };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a stray percent sign is part of a name nobody has
  }
}

export function parseOptions(search: string, hash: string): URLSearchParams {
  const options = new URLSearchParams(search);
  const query = hash.indexOf('?');
  if (query >= 0) for (const [key, value] of new URLSearchParams(hash.slice(query + 1))) options.set(key, value);
  return options;
}

export function sceneHash(name: string): string {
  return `#/scene/${encodeURIComponent(name)}`;
}

export function recordingHash(name: string): string {
  return `#/recording/${encodeURIComponent(name)}`;
}

const atStart = typeof location === 'undefined' ? { search: '', hash: '' } : location;
export const route = signal<Route>(parseHash(atStart.hash));
/** Options of the address the page was opened with; they hold until it is loaded anew. */
export const options = parseOptions(atStart.search, atStart.hash);

if (typeof window !== 'undefined') {
  window.addEventListener('hashchange', () => {
    // `#stage` and `#panel` are skip links, not places.
    if (document.getElementById(location.hash.slice(1)) === null) route.value = parseHash(location.hash);
  });
}
