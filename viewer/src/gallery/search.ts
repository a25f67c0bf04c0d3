// Searching scenes: every word of the query must occur somewhere in what a card says, or in the names of its solvers.

import type { SceneEntry } from '../protocol/messages';

function fold(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}

export function wordsOf(query: string): string[] {
  return fold(query).split(/\s+/).filter(Boolean);
}

export function matches(scene: SceneEntry, words: string[]): boolean {
  const solvers = (scene.solvers ?? []).flatMap(({ name, title }) => [name, title]);
  const text = fold([scene.title, scene.name, scene.line, scene.source, scene.group, scene.size, ...solvers].join('\n'));
  return words.every((word) => text.includes(word));
}

export interface Piece {
  text: string;
  match: boolean;
}

/** Cuts `text` where words of the query occur, so that they can be set bold. */
export function highlight(text: string, words: string[]): Piece[] {
  const folded = fold(text);
  // Folding may change lengths (accents); then the places would not fit and nothing is marked.
  if (words.length === 0 || folded.length !== text.length) return [{ text, match: false }];
  const marked = new Array<boolean>(text.length).fill(false);
  for (const word of words) {
    for (let at = folded.indexOf(word); at >= 0; at = folded.indexOf(word, at + 1)) marked.fill(true, at, at + word.length);
  }
  const pieces: Piece[] = [];
  for (let i = 0; i < text.length; i += 1) {
    const last = pieces[pieces.length - 1];
    if (last && last.match === marked[i]) last.text += text[i];
    else pieces.push({ text: text[i]!, match: marked[i]! });
  }
  return pieces;
}
