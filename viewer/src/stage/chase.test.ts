import { Quaternion, Vector3 } from 'three';
import { describe, expect, it } from 'vitest';
import { Chase } from './chase';

const about = (axis: [number, number, number], angle: number) => new Quaternion().setFromAxisAngle(new Vector3(...axis), angle);

/** The camera's angle after a way that is given by place and turn at every time; it begins at `angle`. */
function chased(way: (time: number) => [Vector3, Quaternion], seconds: number, angle: number): number {
  const chase = new Chase(...way(0));
  for (let step = 0; step <= 60 * seconds; step += 1) angle += chase.turn(...way(step / 60), step / 60, angle);
  return angle;
}

/** Once round a quarter of a circle of 20 m, then straight on; ahead is -z at first, +x at last. */
function curve(time: number): [Vector3, number] {
  const [angle, on] = [Math.min(0.5 * time, Math.PI / 2), 10 * Math.max(0, time - Math.PI)];
  return [new Vector3(20 * (1 - Math.cos(angle)) + on, 0, -20 * Math.sin(angle)), -angle];
}

describe('a chasing camera', () => {
  it('comes round behind a body that goes straight, from wherever it looked', () => {
    for (const start of [-1, 0, 1.2]) {
      const angle = chased((time) => [new Vector3(0, 0, -10 * time), new Quaternion()], 5, start);
      expect(angle).toBeCloseTo(0, 3);
    }
  });

  it('is behind after a curve, also of a body that rolls and pitches on the way', () => {
    const way = (time: number): [Vector3, Quaternion] => {
      const [place, yaw] = curve(time);
      const tumbled = about([0, 1, 0], yaw).multiply(about([0, 0, 1], 1.3 * Math.sin(2 * time))).multiply(about([1, 0, 0], 0.4 * Math.sin(3 * time)));
      return [place, tumbled];
    };
    expect(chased(way, 6, 0.3)).toBeCloseTo(-Math.PI / 2, 2);
  });

  it('stays where it is while the body goes backwards', () => {
    const way = (time: number): [Vector3, Quaternion] => [new Vector3(0, 0, time < 2 ? -10 * time : -40 + 10 * time), new Quaternion()];
    expect(chased(way, 4, 0)).toBeCloseTo(0, 6);
  });

  it('does not turn with a body that stands', () => {
    expect(chased((time) => [new Vector3(0.1 * Math.sin(time), 0, 0), about([0, 0, 1], 0.4 * time)], 3, 0.7)).toBe(0.7);
  });

  it('goes back at once where time does, and is behind again', () => {
    const turned = about([0, 1, 0], -Math.PI / 2);
    const chase = new Chase(new Vector3(), new Quaternion());
    let angle = 0;
    for (let step = 0; step <= 600; step += 1) {
      const [place, yaw] = curve(step / 60);
      angle += chase.turn(place, about([0, 1, 0], yaw), step / 60, angle);
    }
    expect(angle).toBeCloseTo(-Math.PI / 2, 2);
    const back = chase.turn(new Vector3(), new Quaternion(), 0, angle);
    expect(back).toBeCloseTo(2 * Math.acos(Math.abs(turned.w)), 6);
    angle += back;
    for (let step = 1; step <= 100; step += 1) angle += chase.turn(new Vector3(0, 0, -step / 6), new Quaternion(), step / 60, angle);
    expect(angle).toBeCloseTo(0, 2);
  });
});
