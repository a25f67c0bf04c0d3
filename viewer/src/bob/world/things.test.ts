import { expect, it } from 'vitest';
import { makeTrack } from '../test-track';
import { rimColour } from './along';
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
