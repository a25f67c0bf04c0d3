// A headset in the sled: the head is the pilot's, and the two hands pull the ropes.

import { Quaternion, Vector3 } from 'three';
import { announce } from '../ui/announce';
import type { Hands } from './hands';
import { ropes } from './steering';
import type { World } from './world/world';

/** Hands are counted along the room's own forward axis, wherever the head looks. */
const AHEAD = [0, 0, -1];

interface Rope {
  place: Vector3;
  side: XRHandedness;
  pressed: boolean;
}

export class SeatHeadset {
  private readonly held: Rope[] = [];

  /** `clicked`: a trigger was pulled, which starts a run where one can be started. */
  constructor(
    private readonly world: World,
    private readonly hands: Hands,
    private readonly clicked: () => void,
  ) {}

  get isPresenting(): boolean {
    return this.world.renderer.xr.isPresenting;
  }

  /** Asks the browser for the headset; a click must have asked for it. `left` is called when it is taken off. */
  async enter(left: () => void): Promise<void> {
    const { xr } = this.world.renderer;
    const session = await navigator.xr!.requestSession('immersive-vr', { optionalFeatures: ['local'] });
    xr.enabled = true;
    // The place of the head when it is put on is the pilot's.
    xr.setReferenceSpaceType('local');
    for (const index of [0, 1]) this.listen(index);
    await xr.setSession(session);
    session.addEventListener('end', () => {
      xr.enabled = false;
      this.hands.ropes = null;
      this.hands.ropeBrake = false;
      this.world.leaveHeadset();
      window.prall.headset = null;
      left();
      announce('Out of the headset');
    });
    announce('In the sled. Pull a rope with either hand; both triggers brake.');
  }

  private listen(index: number): void {
    if (this.held[index]) return;
    const space = this.world.renderer.xr.getController(index);
    const rope: Rope = { place: space.position, side: 'none', pressed: false };
    this.held[index] = rope;
    this.world.rig.add(space);
    space.addEventListener('connected', ({ data }) => (rope.side = data.handedness));
    space.addEventListener('disconnected', () => (rope.side = 'none'));
    space.addEventListener('selectstart', () => {
      rope.pressed = true;
      this.clicked();
    });
    space.addEventListener('selectend', () => (rope.pressed = false));
  }

  /** Once per picture: the head sits in the sled, the ropes are where the hands are. */
  update(position: Vector3, turn: Quaternion): void {
    if (!this.isPresenting) return;
    this.world.sitAt(position, turn);
    const hand = (side: XRHandedness) => this.held.find((rope) => rope.side === side);
    const [left, right] = [hand('left'), hand('right')];
    this.hands.ropes = left && right ? ropes(left.place.toArray(), right.place.toArray(), AHEAD) : null;
    this.hands.ropeBrake = Boolean(left?.pressed && right?.pressed);
    window.prall.headset = { scale: 1, turn: 0, position: position.toArray() };
  }

  end(): void {
    void this.world.renderer.xr.getSession()?.end();
  }
}
