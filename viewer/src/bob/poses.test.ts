import { Matrix4, Quaternion, Vector3 } from 'three';
import { expect, it } from 'vitest';
import { BodyFrames, bodyNames } from './poses';

it('frames of bodies are found from parts anywhere on them', () => {
  const parts = bodyNames.flatMap((body, i) => [
    { body, place: [0.1 * i, 0.2, -0.3, 0, Math.sin(0.2), 0, Math.cos(0.2)] },
    { body, place: [9, 9, 9, 0, 0, 0, 1] },
  ]);
  const frames = new BodyFrames(parts);
  const poses = new Float32Array(7 * parts.length);
  const truth = bodyNames.map((_, i) => new Matrix4().compose(new Vector3(i, 2 * i, 3), new Quaternion().setFromAxisAngle(new Vector3(0.6, 0, 0.8), 0.1 * i), new Vector3(1, 1, 1)));
  parts.forEach(({ place }, i) => {
    const [x, y, z, a, b, c, d] = place as [number, number, number, number, number, number, number];
    const pose = truth[i >> 1]!.clone().multiply(new Matrix4().compose(new Vector3(x, y, z), new Quaternion(a, b, c, d), new Vector3(1, 1, 1)));
    const [p, q, s] = [new Vector3(), new Quaternion(), new Vector3()];
    pose.decompose(p, q, s);
    poses.set([...p.toArray(), ...q.toArray()], 7 * i);
  });
  frames.take(poses);
  bodyNames.forEach((name, i) => frames.matrix(name).elements.forEach((x, k) => expect(x).toBeCloseTo(truth[i]!.elements[k]!, 5)));
});

it('a server that draws another sled is refused by name', () => {
  expect(() => new BodyFrames([])).toThrow('rear_hull');
});
