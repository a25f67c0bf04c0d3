import { expect, it } from 'vitest';
import { parseMessage } from './messages';

it('reads a message by its type', () => {
  expect(parseMessage('{"type":"error","message":"no"}')).toEqual({ type: 'error', message: 'no' });
});

it.each(['', 'null', '7', '[]', '{}', '{"type":7}', '{"type":"newer"}', '{"type":'])('passes over %s', (text) => {
  expect(parseMessage(text)).toBeNull();
});
