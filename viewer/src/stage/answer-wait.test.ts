import { describe, expect, it } from 'vitest';
import { AnswerWait } from './answer-wait';

const TURN = 1000 / 60;

/**
 * A page whose hand moves at every turn of the frame loop, and a server that answers after `answerMs`. Pictures take `pictureMs`, and the next turn comes when they are done.
 * Returns for each motion the pictures that were begun after it without its answer, before one with it.
 */
function stalePictures(answerMs: number, pictureMs: number, waits: boolean): number[] {
  const wait = new AnswerWait();
  const arrivals: { id: number; at: number }[] = [];
  const stale = new Map<number, number>();
  const counted: number[] = [];
  let [sent, answered, now] = [0, 0, 0];
  const picture = () => {
    for (const [id, count] of stale) {
      if (id <= answered) {
        counted.push(count);
        stale.delete(id);
      } else stale.set(id, count + 1);
    }
    wait.drew(answered);
    now += pictureMs;
  };
  const arrive = () => {
    while (arrivals.length > 0 && arrivals[0]!.at <= now) answered = arrivals.shift()!.id;
  };
  while (now < 5000) {
    arrive();
    sent += 1;
    stale.set(sent, 0);
    arrivals.push({ id: sent, at: now + answerMs });
    const next = now + TURN;
    if (!waits || wait.isDue(sent, answered, now)) picture();
    // Between two turns an answer is drawn as it comes, but one picture at a time.
    else if (arrivals[0]!.at < next) {
      now = arrivals[0]!.at;
      arrive();
      if (wait.hasNews(answered)) picture();
    }
    now = Math.max(next, Math.ceil(now / TURN) * TURN);
  }
  return counted;
}

describe('pictures under a hand', () => {
  it('show the answer to a motion in the first picture after it where answers come within a turn', () => {
    for (const pictureMs of [1, 12, 30, 100]) expect(Math.max(...stalePictures(4, pictureMs, true))).toBe(0);
  });
  it('would show old states first without waiting', () => {
    for (const pictureMs of [1, 12, 30, 100]) expect(Math.min(...stalePictures(4, pictureMs, false))).toBe(1);
  });
  it('go on where answers are slow', () => {
    expect(stalePictures(300, 10, true).length).toBeGreaterThan(100);
    const wait = new AnswerWait();
    wait.drew(0);
    expect([0, 20, 39, 40].map((now) => wait.isDue(1, 0, now))).toEqual([false, false, false, true]);
  });
  it('do not wait where everything is answered, nor for numbers of an old connection', () => {
    const wait = new AnswerWait();
    wait.drew(500);
    expect(wait.isDue(500, 500, 0)).toBe(true);
    expect(wait.isDue(3, 2, 0)).toBe(true);
  });
});
