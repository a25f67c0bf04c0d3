import { describe, expect, it } from 'vitest';
import { Acknowledgements } from './acknowledgements';

describe('acknowledgements', () => {
  it('measure from sending to the first frame that has seen it', () => {
    const seen = new Acknowledgements();
    expect(seen.next(100)).toBe(1);
    expect(seen.next(110)).toBe(2);
    seen.seen(0, 115);
    expect(seen.delays).toEqual([]);
    seen.seen(2, 130);
    expect(seen.delays).toEqual([30, 20]);
    seen.seen(2, 146);
    expect(seen.delays).toHaveLength(2);
  });

  it('begin anew with a new connection', () => {
    const seen = new Acknowledgements();
    seen.next(0);
    seen.restart();
    expect(seen.next(5)).toBe(1);
    seen.seen(1, 9);
    expect(seen.delays).toEqual([4]);
  });
});
