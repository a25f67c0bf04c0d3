import { describe, expect, it } from 'vitest';
import { parseHash, parseOptions, sceneHash } from './route';

describe('the address', () => {
  it.each(['', '#', '#/'])('%j is the whole gallery', (hash) => expect(parseHash(hash)).toEqual({ page: 'gallery', group: null }));
  it('#handling is one group', () => expect(parseHash('#handling')).toEqual({ page: 'gallery', group: 'handling' }));
  it.each(['#bob', '#/bob', '#bob?track=2'])('%s is the seat', (hash) => expect(parseHash(hash)).toEqual({ page: 'bob' }));
  it('names a scene, options or not', () => {
    expect(parseHash('#/scene/bouncing-ball')).toEqual({ page: 'scene', name: 'bouncing-ball' });
    expect(parseHash('#/scene/bouncing-ball?quality=low')).toEqual({ page: 'scene', name: 'bouncing-ball' });
  });
  it('carries any name', () => expect(parseHash(sceneHash('a/b ü?#'))).toEqual({ page: 'scene', name: 'a/b ü?#' }));
  it('with a stray percent sign does no harm', () => expect(parseHash('#/scene/50%')).toEqual({ page: 'scene', name: '50%' }));
  it('may carry options before and after the hash; those after it win', () => {
    expect(parseOptions('?quality=low', '#/').get('quality')).toBe('low');
    expect(parseOptions('', '#/scene/x?quality=high').get('quality')).toBe('high');
    expect(parseOptions('?quality=low', '#/?quality=high').get('quality')).toBe('high');
  });
});
