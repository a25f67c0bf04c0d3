// What the seat asks the server beside its session.

import { parseTriangles } from '../protocol/geometry';
import { apiAddress, ask } from '../session/open';
import { RunData, type RunEntry } from './runs';
import { TrackShape, type LinePoint, type Offer, type TrackData } from './track';

async function json<T>(path: string): Promise<T> {
  return (await (await ask(path)).json()) as T;
}

export const fetchOffer = () => json<Offer>('bob');

export async function fetchTrack(number: number): Promise<TrackShape> {
  const geometry = async (part: string) => parseTriangles(await (await ask(`bob/tracks/${number}/${part}`)).arrayBuffer());
  const [data, ice, boards] = await Promise.all([json<TrackData>(`bob/tracks/${number}`), geometry('ice'), geometry('boards')]);
  return new TrackShape(data, ice.positions, boards);
}

export const fetchLine = async (number: number) => (await json<{ points: LinePoint[] }>(`bob/tracks/${number}/line`)).points;

export const fetchRuns = async () => (await json<{ runs: RunEntry[] }>('bob/runs')).runs;

export async function fetchRun(name: string): Promise<RunData> {
  return new RunData(name, await (await ask(`bob/runs/${encodeURIComponent(name)}`)).arrayBuffer());
}

/** What a coach says of a run, the dearest curve first. */
export interface Coached {
  /** Name of the run it is compared with; null is the pilot's. */
  against: string | null;
  advice: { curve: number; from: number; lost: number; text: string }[];
}

export const fetchCoach = (name: string, against: string | null) =>
  json<Coached>(`bob/runs/${encodeURIComponent(name)}/coach${against === null ? '' : `?against=${encodeURIComponent(against)}`}`);

/** The sled's file with sliders at these values. */
export async function setupText(values: Record<string, number>): Promise<string> {
  const query = new URLSearchParams(Object.entries(values).map(([key, value]) => [key, String(value)]));
  return answered(await fetch(apiAddress(`bob/setup?${query}`)));
}

/** Where the sliders stand for a file; what is wrong with it, or cannot be set in the page, is said in words. */
export async function slidersOf(text: string): Promise<Record<string, number>> {
  const { values } = JSON.parse(await answered(await fetch(apiAddress('bob/setup'), { method: 'PUT', body: text }))) as { values: Record<string, number> };
  return values;
}

async function answered(answer: Response): Promise<string> {
  const text = await answer.text();
  if (!answer.ok) throw new Error(text || `the server answered ${answer.status}`);
  return text;
}
