// One camera for several stages: whichever is moved, the others follow. It also outlives a stage that is built anew.

import type { Placement, View } from '../stage/view';

export class CameraLink {
  private shared: Placement | null = null;
  private readonly applied = new WeakMap<View, Placement>();

  /** Whether somebody has looked through it yet. */
  get isSet(): boolean {
    return this.shared !== null;
  }

  /** Once per drawn frame and stage: hands on what this view was moved to, or takes over what another was. */
  sync(view: View): void {
    const now = view.placement;
    const before = this.applied.get(view);
    const moved = before !== undefined && !same(before, now);
    if (moved || this.shared === null) this.shared = now;
    else if (!same(this.shared, now)) view.placeAt(this.shared);
    this.applied.set(view, view.placement);
  }
}

function same(a: Placement, b: Placement): boolean {
  return a.position.distanceToSquared(b.position) + a.target.distanceToSquared(b.target) < 1e-18;
}
