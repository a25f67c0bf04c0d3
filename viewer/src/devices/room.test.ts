import { Vector3 } from 'three';
import { describe, expect, it } from 'vitest';
import { scaled, startRoom, teleported, toWorld, turned } from './room';

describe('the room of a headset', () => {
  it('shows a scene of a metre at its true size, before the person', () => {
    const room = startRoom(new Vector3(2, 0.5, 1), 1, 0, 0);
    expect(room.scale).toBe(1);
    // 1.6 m before the person, on the floor.
    const foot = toWorld(room, new Vector3(0, 0, -1.6));
    expect(foot.distanceTo(new Vector3(2, 0, 1))).toBeLessThan(1e-12);
  });

  it.each([[0.002, 1 / 300], [600, 1000]])('shows a scene of radius %f m at scale %f', (radius, scale) => {
    expect(startRoom(new Vector3(), radius, 0, 0.7).scale).toBeCloseTo(scale, 12);
  });

  it('puts small scenes on a table', () => {
    const room = startRoom(new Vector3(0, 0.1, 0), 0.3, 0, 0);
    expect(toWorld(room, new Vector3(0, 0.75, -0.9)).length()).toBeLessThan(1e-12);
  });

  it('looks from where the scene’s camera looks', () => {
    const azimuth = 1.1;
    const room = startRoom(new Vector3(), 1, 0, azimuth);
    const person = toWorld(room, new Vector3());
    expect(Math.atan2(person.x, person.z)).toBeCloseTo(azimuth, 12);
  });

  it('takes the person along when it is teleported, and keeps the height', () => {
    const room = startRoom(new Vector3(), 1, 0, 0.4);
    const head = toWorld(room, new Vector3(0.1, 1.6, 0.2));
    const after = toWorld(teleported(room, head, new Vector3(3, 9, -2)), new Vector3(0.1, 1.6, 0.2));
    expect(after.distanceTo(new Vector3(3, head.y, -2))).toBeLessThan(1e-12);
  });

  it('keeps the pivot where it is when it turns or scales', () => {
    const room = startRoom(new Vector3(), 1, 0, 0.4);
    const local = new Vector3(0.3, 1.2, -0.5);
    const pivot = toWorld(room, local);
    expect(toWorld(turned(room, pivot, 0.9), local).distanceTo(pivot)).toBeLessThan(1e-12);
    expect(toWorld(scaled(room, pivot, 2.5), local).distanceTo(pivot)).toBeLessThan(1e-12);
    expect(scaled(room, pivot, 2.5).scale).toBeCloseTo(2.5, 12);
  });
});
