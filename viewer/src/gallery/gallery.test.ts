import { describe, expect, it } from 'vitest';
import type { SceneEntry } from '../protocol/messages';
import { groupScenes, slugOf } from './groups';
import { highlight, matches, wordsOf } from './search';

const scene = (title: string, group: string, more: Partial<SceneEntry> = {}): SceneEntry => ({
  name: title.toLowerCase(), title, line: 'A line', group, source: 'Bender 2007', size: '1 body', about: '', picture: '', solvers: [{ name: 'impulses', title: 'Impulses, shock propagation' }], ...more,
});

describe('groups', () => {
  it('come in the gallery’s order, others behind them, empty ones not at all', () => {
    const groups = groupScenes([scene('A', 'Judged by'), scene('B', 'Own'), scene('C', 'Contacts'), scene('D', 'Contacts')]);
    expect(groups.map(({ name, scenes }) => [name, scenes.length])).toEqual([['Contacts', 2], ['Judged by', 1], ['Own', 1]]);
  });
  it('keep their scenes in the server’s order', () => {
    expect(groupScenes([scene('B', 'Contacts'), scene('A', 'Contacts')])[0]!.scenes.map(({ title }) => title)).toEqual(['B', 'A']);
  });
  it('have names that fit an address', () => expect(slugOf('Judged by')).toBe('judged-by'));
});

describe('a search', () => {
  const wall = scene('Brick wall', 'Contacts', { line: 'A car drives into 252 bricks' });
  it('wants every word, anywhere on the card, in any case', () => {
    expect(matches(wall, wordsOf('BENDER car'))).toBe(true);
    expect(matches(wall, wordsOf('bender plane'))).toBe(false);
  });
  it('finds a scene by its solvers', () => expect(matches(wall, wordsOf('shock'))).toBe(true));
  it('of nothing finds everything', () => expect(matches(wall, wordsOf('  '))).toBe(true));
  it('does not mind accents', () => expect(matches(scene('Café', 'Contacts'), wordsOf('cafe'))).toBe(true));
  it('marks what it found', () => {
    expect(highlight('Brick wall', wordsOf('wall ri'))).toEqual([
      { text: 'B', match: false }, { text: 'ri', match: true }, { text: 'ck ', match: false }, { text: 'wall', match: true },
    ]);
    expect(highlight('Brick', [])).toEqual([{ text: 'Brick', match: false }]);
  });
});
