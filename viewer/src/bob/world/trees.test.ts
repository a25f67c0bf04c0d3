import { expect, it } from 'vitest';
import { InstancedMesh, Matrix4, MeshBasicMaterial, Vector3 } from 'three';
import { levels } from '../quality';
import { makeTrack } from '../test-track';
import { Terrain } from './terrain';
import { Forest } from './trees';

/** Places of all trees that are drawn. */
function drawn(forest: Forest): Vector3[] {
  const matrix = new Matrix4();
  return forest.group.children.flatMap((child) => {
    const mesh = child as InstancedMesh;
    return Array.from({ length: mesh.count }, (_, i) => {
      mesh.getMatrixAt(i, matrix);
      return new Vector3().setFromMatrixPosition(matrix);
    });
  });
}

it('trees are drawn wherever a view may look, and not behind it', () => {
  const forest = new Forest(new Terrain(makeTrack()), new MeshBasicMaterial(), levels.medium, []);
  const eye = new Vector3(0, 2, -20);
  forest.update(eye, null, 1);
  const all = drawn(forest);
  expect(all.length).toBeGreaterThan(300);
  const ahead = new Vector3(0, 0, -1);
  forest.update(eye, ahead, 1);
  // Turned by less than a new choice takes, with half of the widest view beside it: 12 and 55 degrees.
  for (const turn of [0, 0.2, -0.2]) {
    const looking = ahead.clone().applyAxisAngle(new Vector3(0, 1, 0), turn);
    forest.update(eye, looking, 1);
    const seen = new Set(drawn(forest).map(({ x, z }) => `${x} ${z}`));
    const wanted = all.filter((place) => place.clone().sub(eye).setY(0).angleTo(looking) < 0.96);
    expect(wanted.filter(({ x, z }) => !seen.has(`${x} ${z}`))).toEqual([]);
    expect(seen.size).toBeLessThan(0.75 * all.length);
  }
  // The other way: chosen anew though the eye has not moved.
  forest.update(eye, new Vector3(0, 0, 1), 1);
  expect(drawn(forest).filter(({ z }) => z > eye.z + 100).length).toBeGreaterThan(20);
});
