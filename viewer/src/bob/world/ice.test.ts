import { expect, it } from 'vitest';
import { MeshLambertMaterial, Vector3, type Mesh } from 'three';
import { levels } from '../quality';
import { makeTrack } from '../test-track';
import { gridIndices, IceMesh, picks } from './ice';

it('levels keep both rims', () => {
  expect(picks(13, 6)).toEqual([0, 6, 12]);
  expect(picks(14, 6)).toEqual([0, 6, 12, 13]);
  expect(gridIndices([0, 2], [0, 3], 4)).toEqual([0, 3, 11, 0, 11, 8]);
});

it('normals point to the driving side and far chunks have fewer triangles', () => {
  const track = makeTrack();
  const ice = new IceMesh(track, [], new MeshLambertMaterial(), { ...levels.high, iceStep: [1, 1] });
  const mesh = ice.group.children[0] as Mesh;
  const { position, normal } = mesh.geometry.attributes;
  // Towards the axis of the half-pipe: up at the floor.
  const floor = 6;
  expect(position!.getX(floor)).toBeCloseTo(0, 3);
  expect(normal!.getY(floor)).toBeGreaterThan(0.9);
  expect(normal!.getX(0)).toBeGreaterThan(0.5);
  ice.update(new Vector3(0, 0, 0));
  const near = mesh.geometry.index!.count;
  ice.update(new Vector3(0, 3000, 0));
  expect(mesh.geometry.index!.count).toBeLessThan(near / 10);
});
