import { Quaternion, Vector3 } from 'three';
import { describe, expect, it } from 'vitest';
import { Chase } from './chase';

const about = (axis: [number, number, number], angle: number) => new Quaternion().setFromAxisAngle(new Vector3(...axis), angle);

describe('a chasing camera', () => {
  it('has made up for a turn of the body after a while, whatever way the body points', () => {
    const lying = about([0, 0, 1], 1.2);
    const chase = new Chase(lying);
    let sum = chase.turn(lying, 0);
    for (let step = 1; step <= 300; step += 1) sum += chase.turn(about([0, 1, 0], Math.min(2, step / 50)).multiply(lying), step / 60);
    expect(sum).toBeCloseTo(2, 3);
  });

  it('does not turn with a body that rolls or pitches', () => {
    const chase = new Chase(new Quaternion());
    chase.turn(new Quaternion(), 0);
    expect(chase.turn(about([0, 0, 1], 0.4), 1)).toBeCloseTo(0);
    expect(chase.turn(about([0, 0, 1], 0.1), 2)).toBeCloseTo(0);
  });

  it('goes back at once where time does', () => {
    const chase = new Chase(about([0, 1, 0], 1));
    chase.turn(about([0, 1, 0], 1), 5);
    expect(chase.turn(new Quaternion(), 0)).toBeCloseTo(-1);
  });
});
