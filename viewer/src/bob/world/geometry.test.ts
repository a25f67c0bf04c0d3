import { describe, expect, it } from 'vitest';
import { MeshBuilder } from './geometry';

/** Volume by the divergence theorem: positive where all triangles face outwards. */
function volume({ positions, indices }: MeshBuilder): number {
  let sum = 0;
  for (let i = 0; i < indices.length; i += 3) {
    const [a, b, c] = [0, 1, 2].map((k) => positions.slice(3 * indices[i + k]!, 3 * indices[i + k]! + 3)) as [number[], number[], number[]];
    sum += a[0]! * (b[1]! * c[2]! - b[2]! * c[1]!) - a[1]! * (b[0]! * c[2]! - b[2]! * c[0]!) + a[2]! * (b[0]! * c[1]! - b[1]! * c[0]!);
  }
  return sum / 6;
}

describe('things that are made', () => {
  it('have the volume of their closed form and face outwards', () => {
    const box = new MeshBuilder();
    box.box([-1, 0, 2], [1, 3, 4], '#fff');
    expect(volume(box)).toBeCloseTo(12, 9);
    const tube = new MeshBuilder();
    tube.tube([0, 0, 0], [0, 3, 4], 0.5, '#fff', 48);
    expect(volume(tube) / (Math.PI * 0.25 * 5)).toBeCloseTo(1, 2);
    const ball = new MeshBuilder();
    ball.ball([1, 1, 1], [1, 2, 3], '#fff', 64);
    expect(volume(ball) / ((4 / 3) * Math.PI * 6)).toBeCloseTo(1, 2);
    const hull = new MeshBuilder();
    // With the exponent 1 a ring is an ellipse: a cylinder of half axes 0.5 and 0.25 and length 2.
    hull.loft([[-1, 0.5, 0, 0.5], [1, 0.5, 0, 0.5]], () => '#fff', { corners: 96, power: 1 });
    expect(volume(hull) / (Math.PI * 0.5 * 0.25 * 2)).toBeCloseTo(1, 2);
  });
});
