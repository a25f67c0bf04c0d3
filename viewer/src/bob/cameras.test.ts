import { Quaternion, Vector3 } from 'three';
import { describe, expect, it } from 'vitest';
import { Eyes, fovOfScreen, tvCameras, tvIndex, viewMatrix, views, type EyeOptions, type Rider } from './cameras';
import { courseAt, makeTrack } from './test-track';

const options: EyeOptions = { headMoves: true, orbit: { turn: 0.5, lift: 0.3, distance: 7 }, fov: 0 };

function riderAt(s: number, speed = 20): Rider {
  const { x, y, z, heading } = courseAt(s - 1.69);
  return { position: new Vector3(x, y, z), turn: new Quaternion().setFromAxisAngle(new Vector3(0, 1, 0), heading), station: s, speed, load: 1 };
}

describe('every view', () => {
  const track = makeTrack();
  it('stands above the ice that it shows and has its own up', () => {
    for (const view of views) {
      const eyes = new Eyes(track);
      for (let s = 5; s < 85; s += 0.5) {
        const rider = riderAt(s);
        const shot = eyes.see(view, rider, 0.025, options);
        expect(shot.fov).toBeGreaterThan(10);
        expect(shot.fov).toBeLessThan(90);
        // The lowest ice within 3 m of where it stands, seen from above.
        let floor = -Infinity;
        for (let row = 0; row < track.count; row += 1) if (Math.hypot(track.floors[3 * row]! - shot.position.x, track.floors[3 * row + 2]! - shot.position.z) < 3) floor = Math.max(floor, track.floors[3 * row + 1]!);
        expect(shot.position.y, `${view} at ${s}`).toBeGreaterThan(floor + 0.3);
        expect(shot.position.distanceTo(shot.target)).toBeGreaterThan(0.5);
      }
    }
  });
  it('shows the sled, but for the cockpit, which shows the way', () => {
    for (const view of ['follow', 'outside', 'side', 'tv'] as const) {
      const eyes = new Eyes(track);
      for (let s = 10; s < 85; s += 0.5) {
        const rider = riderAt(s);
        const shot = eyes.see(view, rider, 0.025, options);
        const seen = rider.position.clone().add(new Vector3(0, 0.4, 0)).applyMatrix4(viewMatrix(shot));
        const angle = (180 / Math.PI) * Math.atan(Math.hypot(seen.x, seen.y) / -seen.z);
        expect(seen.z, `${view} at ${s}`).toBeLessThan(0);
        expect(angle, `${view} at ${s}`).toBeLessThan(shot.fov);
      }
    }
  });
});

it('the cockpit looks into the curve before it comes', () => {
  const track = makeTrack();
  const look = (s: number) => {
    const shot = new Eyes(track).see('cockpit', riderAt(s, 25), 0.016, options);
    return shot.target.clone().sub(shot.position).normalize();
  };
  // On the straight far before, straight on; right before the curve, to the left, which is -x.
  expect(Math.abs(look(15).x)).toBeLessThan(0.03);
  expect(look(52).x).toBeLessThan(-0.04);
});

it('a sled that stands in a pause is not left behind', () => {
  const eyes = new Eyes(makeTrack());
  let shot = eyes.see('follow', riderAt(30), 0.016, options);
  const before = shot.target.clone();
  for (let i = 0; i < 200; i += 1) shot = eyes.see('follow', riderAt(30), 0.016, options);
  expect(shot.target.distanceTo(before)).toBeLessThan(0.01);
});

it('the head gives way to the load only where it may', () => {
  const track = makeTrack();
  const height = (headMoves: boolean) => {
    const eyes = new Eyes(track);
    let y = 0;
    for (let i = 0; i < 60; i += 1) y = eyes.see('cockpit', { ...riderAt(20), load: 4 }, 0.016, { ...options, headMoves }).position.y;
    return y;
  };
  expect(height(false) - height(true)).toBeGreaterThan(0.04);
});

it('television cuts before every curve and never goes back', () => {
  const track = makeTrack();
  const cameras = tvCameras(track);
  const indices = Array.from({ length: 100 }, (_, i) => tvIndex(cameras, i));
  expect(indices).toEqual([...indices].sort((a, b) => a - b));
  expect(new Set(indices).size).toBe(cameras.length);
});

it('a screen as high as the eye is far spans 53 degrees', () => {
  expect(fovOfScreen(1, 1)).toBeCloseTo(53.13, 2);
});

it('the outside view stands on the inner side of a bend', () => {
  const track = makeTrack();
  // The only bend turns left: inside is to the left of the course.
  for (const s of [40, 70, 85]) {
    const rider = riderAt(s);
    const { position } = new Eyes(track).see('outside', rider, 0.025, options);
    const { right } = track.at(s);
    expect((position.x - rider.position.x) * right[0] + (position.z - rider.position.z) * right[2]).toBeLessThan(-1);
  }
});
