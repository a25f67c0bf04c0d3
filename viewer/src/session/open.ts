// Addresses: where this page finds its server, and how it opens a session there.

import type { Socket } from '../protocol/connection';
import type { RecordingEntry, SceneList } from '../protocol/messages';
import { options } from '../route';
import type { Refusal } from './session';

/** The page's folder; the server's addresses are relative to it. */
const base = new URL('.', location.href.split(/[?#]/)[0]);

export function apiAddress(path: string): string {
  return new URL(`api/${path}`, base).href;
}

/** What a session shows: a scene that runs, or a recording of one. */
export type Subject = { scene: string } | { recording: string };

/** Frames that the server may send beyond those that this page has taken: one is being taken, one follows it. */
const FRAMES_ON_THEIR_WAY = 2;

/** `session` is the room; without one it is that of the address, or the one that all share. */
export function openSocket(subject: Subject, session = options.get('session')): Socket {
  const address = new URL('ws', base);
  address.protocol = base.protocol === 'https:' ? 'wss:' : 'ws:';
  for (const [key, value] of Object.entries(subject)) address.searchParams.set(key, value);
  address.searchParams.set('window', String(FRAMES_ON_THEIR_WAY));
  if (session) address.searchParams.set('session', session);
  return new WebSocket(address) as unknown as Socket;
}

/** The server is there and does not let this page in. */
export class Unauthorized extends Error {}

/** Asks the server; an error is what it said, or its number. */
export async function ask(path: string, init?: RequestInit): Promise<Response> {
  const answer = await fetch(apiAddress(path), init);
  if (answer.status === 401) throw new Unauthorized(await answer.text());
  if (!answer.ok) throw new Error(`The server answered ${answer.status} for ${path}`);
  return answer;
}

export async function fetchScenes(): Promise<SceneList> {
  return (await (await ask('scenes')).json()) as SceneList;
}

export async function fetchRecordings(): Promise<RecordingEntry[]> {
  return ((await (await ask('recordings')).json()) as { recordings: RecordingEntry[] }).recordings;
}

/** What other programs bring to the server: a tracked hand, and a device that feels. */
export interface ServerDevices {
  tracker: { address: string; packets: number; refused: number; late: number } | null;
  wrench: { address: string; packets: number } | null;
  /** The device that presses the tracked hand. */
  force: { address: string; packets: number } | null;
}

export async function fetchDevices(): Promise<ServerDevices> {
  return (await (await ask('devices')).json()) as ServerDevices;
}

export async function deleteRecording(name: string): Promise<void> {
  await ask(`recordings/${encodeURIComponent(name)}`, { method: 'DELETE' });
}

export async function fetchBinary(path: string): Promise<ArrayBuffer> {
  return (await ask(path)).arrayBuffer();
}

/** What to show where a socket closed without a word; null where the server cannot be reached and trying again may help. */
export async function inquire(subject: Subject): Promise<Refusal | null> {
  try {
    if ('scene' in subject) {
      const known = (await fetchScenes()).scenes.some((scene) => scene.name === subject.scene);
      return known ? null : { title: 'No such scene', text: `The server is there, but it has no scene called ${subject.scene}.` };
    }
    const known = (await fetchRecordings()).some(({ name }) => name === subject.recording);
    return known ? null : { title: 'No such recording', text: `The server is there, but it has no recording called ${subject.recording}.` };
  } catch (error) {
    return error instanceof Unauthorized ? tokenRefusal : null;
  }
}

export const tokenRefusal: Refusal = {
  title: 'This server wants its token',
  text: 'Open the whole address that prall serve printed when it started, with ?token= at its end.',
};
