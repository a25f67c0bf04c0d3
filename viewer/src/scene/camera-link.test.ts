import { Vector3 } from 'three';
import { describe, expect, it } from 'vitest';
import type { Placement, View } from '../stage/view';
import { CameraLink } from './camera-link';

class StandIn {
  constructor(private at: number) {}
  get placement(): Placement {
    return { position: new Vector3(this.at, 1, 0), target: new Vector3() };
  }
  placeAt({ position }: Placement): void {
    this.at = position.x;
  }
}

const make = (at: number) => new StandIn(at) as unknown as View & StandIn;

describe('linked cameras', () => {
  it('follow whichever is moved', () => {
    const link = new CameraLink();
    const [a, b] = [make(1), make(1)];
    link.sync(a);
    link.sync(b);
    a.placeAt(make(2).placement);
    link.sync(a);
    link.sync(b);
    expect(b.placement.position.x).toBe(2);
    b.placeAt(make(3).placement);
    link.sync(b);
    link.sync(a);
    expect(a.placement.position.x).toBe(3);
  });

  it('give a stage that is built anew the view of the one before', () => {
    const link = new CameraLink();
    link.sync(make(5));
    const later = make(1);
    link.sync(later);
    expect(later.placement.position.x).toBe(5);
  });
});
