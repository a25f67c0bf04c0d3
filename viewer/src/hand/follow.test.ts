import { expect, it } from 'vitest';
import { parseHash, parseOptions } from '../route';
import { followerAddress } from './follow';

it('opens the same scene in a session of its own that follows', () => {
  const address = new URL(followerAddress('http://localhost:7878/?quality=low#/scene/corner', 'corner', 'a b.corner', 1.5, 'second'));
  expect(parseHash(address.hash)).toEqual({ page: 'scene', name: 'corner' });
  const options = parseOptions(address.search, address.hash);
  expect([options.get('session'), options.get('follow'), options.get('delay')]).toEqual(['second', 'a b.corner', '1.5']);
});
