import { Vector3 } from 'three';
import { expect, it } from 'vitest';
import { Pinch, type DistanceTo } from './pinch';

/** A ball of 30 mm about the origin, and one beside it. */
const distance: DistanceTo = (body, point) => (body === 0 ? point.length() - 0.03 : body === 1 ? point.distanceTo(new Vector3(0.1, 0, 0)) - 0.03 : null);
const bodies = [0, 1, 2];
const tips = (thumb: number, index: number) => ({ thumb: new Vector3(thumb, 0, 0), index: new Vector3(index, 0, 0) });

it('grasps what both tips are at and lets go when they open', () => {
  const pinch = new Pinch();
  expect(pinch.update(tips(-0.06, 0.06), bodies, distance)).toBeNull();
  const grasp = pinch.update(tips(-0.032, 0.033), bodies, distance);
  expect(grasp).toMatchObject({ kind: 'grasps', body: 0 });
  expect(pinch.holds).toBe(true);
  // Fingers tremble, and are pressed.
  expect(pinch.update(tips(-0.034, 0.036), bodies, distance)).toBeNull();
  expect(pinch.update(tips(-0.02, 0.02), bodies, distance)).toBeNull();
  expect(pinch.update(tips(-0.045, 0.045), bodies, distance)).toEqual({ kind: 'lets go' });
  expect(pinch.holds).toBe(false);
});

it('grasps nothing in the air nor with one tip outside', () => {
  const pinch = new Pinch();
  expect(pinch.update({ thumb: new Vector3(0, 0.2, 0), index: new Vector3(0.01, 0.2, 0) }, bodies, distance)).toBeNull();
  expect(pinch.update(tips(0.02, 0.05), bodies, distance)).toBeNull();
  // One tip in each of two bodies.
  expect(pinch.update(tips(0.02, 0.08), bodies, distance)).toBeNull();
  expect(pinch.holds).toBe(false);
});

it('does not take hold again before the tips have left, and a hand that is not seen lets go', () => {
  const pinch = new Pinch();
  pinch.update(tips(-0.02, 0.02), bodies, distance);
  expect(pinch.update(tips(-0.036, 0.036), bodies, distance)).toEqual({ kind: 'lets go' });
  expect(pinch.update(tips(-0.033, 0.033), bodies, distance)).toBeNull();
  expect(pinch.update(tips(-0.06, 0.06), bodies, distance)).toBeNull();
  expect(pinch.update(tips(-0.033, 0.033), bodies, distance)).toMatchObject({ kind: 'grasps' });
  expect(pinch.update(null, bodies, distance)).toEqual({ kind: 'lets go' });
});

it('measures in the scale of the room', () => {
  expect(new Pinch().update(tips(-0.045, 0.045), bodies, distance, 1)).toBeNull();
  expect(new Pinch().update(tips(-0.045, 0.045), bodies, distance, 2)).toMatchObject({ kind: 'grasps', body: 0 });
});
