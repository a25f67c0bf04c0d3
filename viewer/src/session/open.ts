// Addresses: where this page finds its server, and how it opens a session there.

import type { Socket } from '../protocol/connection';
import type { SceneList } from '../protocol/messages';
import { options } from '../route';

/** The page's folder; the server's addresses are relative to it. */
const base = new URL('.', location.href.split(/[?#]/)[0]);

export function apiAddress(path: string): string {
  return new URL(`api/${path}`, base).href;
}

export function openSocket(scene: string): Socket {
  const address = new URL('ws', base);
  address.protocol = base.protocol === 'https:' ? 'wss:' : 'ws:';
  address.searchParams.set('scene', scene);
  const session = options.get('session');
  if (session) address.searchParams.set('session', session);
  return new WebSocket(address) as unknown as Socket;
}

export async function fetchScenes(): Promise<SceneList> {
  const answer = await fetch(apiAddress('scenes'));
  if (!answer.ok) throw new Error(`The server answered ${answer.status}`);
  return (await answer.json()) as SceneList;
}

/** Whether the server lists the scene; null if it did not answer. */
export async function sceneExists(name: string): Promise<boolean | null> {
  try {
    return (await fetchScenes()).scenes.some((scene) => scene.name === name);
  } catch {
    return null;
  }
}

export async function fetchBinary(path: string): Promise<ArrayBuffer> {
  const answer = await fetch(apiAddress(path));
  if (!answer.ok) throw new Error(`The server answered ${answer.status} for ${path}`);
  return answer.arrayBuffer();
}
