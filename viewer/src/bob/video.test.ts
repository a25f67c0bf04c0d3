import { expect, it } from 'vitest';
import { fileNameOf } from './download';
import { videoKind } from './video';

it('the best kind of film that the browser makes is taken', () => {
  expect(videoKind(() => true)).toBe('video/webm;codecs=vp9');
  expect(videoKind((kind) => kind === 'video/webm')).toBe('video/webm');
  expect(videoKind(() => false)).toBeNull();
});

it('setups have names that files may have', () => {
  expect([fileNameOf(' Hard springs / 2 '), fileNameOf('…')]).toEqual(['hard-springs-2.toml', 'setup.toml']);
});
