import { expect, it } from 'vitest';
import { makeTrack } from '../test-track';
import { MeshBasicMaterial, type Mesh } from 'three';
import { levels } from '../quality';
import { alongMesh, rimColour } from './along';
import { Terrain } from './terrain';
import { LAMP_SPACING, lamps, landmarkPlace, outerSide } from './things';

it('lamps stand outside the bend, above the rim, evenly', () => {
  const track = makeTrack();
  const list = lamps(track);
  expect(list.length).toBeGreaterThan(4);
  list.slice(1).forEach(({ s }, i) => expect(s - list[i]!.s).toBeCloseTo(LAMP_SPACING, 9));
  for (const { s, head } of list.filter(({ s: at }) => at > 62)) {
    // A curve to the left: outside is to the right.
    const { floor, right, rightEdge } = track.at(s);
    expect((head[0] - floor[0]) * right[0] + (head[2] - floor[2]) * right[2]).toBeGreaterThan(1.5);
    expect(head[1]).toBeGreaterThan(rightEdge[1] + 3);
  }
});

it('rims tell outside from inside', () => {
  expect(rimColour(0.02, 'right')).toBe(rimColour(-0.02, 'left'));
  expect(rimColour(0.02, 'right')).not.toBe(rimColour(0.02, 'left'));
  expect(rimColour(0, 'left')).toBe(rimColour(0, 'right'));
});

it('banks of snow face up and planks outwards on both sides', () => {
  const track = makeTrack();
  const { normal, aStation, position } = (alongMesh(track, new Terrain(track), new MeshBasicMaterial(), levels.high).children[0] as Mesh).geometry.attributes;
  let [banks, planks] = [0, 0];
  for (let quad = 0; quad < normal!.count / 4; quad += 1) {
    const [n, s] = [[normal!.getX(4 * quad), normal!.getY(4 * quad), normal!.getZ(4 * quad)], aStation!.getX(4 * quad)];
    const { floor, right } = track.at(s);
    const side = Math.sign((position!.getX(4 * quad) - floor[0]) * right[0] + (position!.getZ(4 * quad) - floor[2]) * right[2]);
    // Of seven strips the fifth is the plank wall and the last one a bank.
    if (quad % 7 === 4) planks += side * (n[0]! * right[0] + n[2]! * right[2]) > 0.8 ? 1 : -1e6;
    if (quad % 7 === 6) banks += n[1]! > 0.3 ? 1 : -1e6;
  }
  expect(Math.min(banks, planks)).toBeGreaterThan(20);
});

it('before a curve the outside is that of the coming one', () => {
  const track = makeTrack();
  expect(outerSide(track, 10)).toBe('right');
  expect(outerSide(track, 70)).toBe('right');
});

it('landmarks stand outside their edge as high as the file says', () => {
  const track = makeTrack();
  for (const landmark of track.data.landmarks) {
    const place = landmarkPlace(track, landmark);
    const { leftEdge, rightEdge, right } = track.at(landmark.s);
    const edge = landmark.side === 'left' ? leftEdge : rightEdge;
    const out = ((place[0] - edge[0]) * right[0] + (place[2] - edge[2]) * right[2]) * (landmark.side === 'left' ? -1 : 1);
    expect(out).toBeGreaterThan(0.5);
    expect(place[1] - edge[1]).toBeCloseTo(landmark.height, 5);
  }
});
