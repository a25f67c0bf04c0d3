// What hides the part in hand becomes translucent, by itself.

import { Quaternion, Raycaster, Vector3 } from 'three';
import type { Stage } from './stage';

/** Places of the part that are looked at in turn, in radii to the right and up as the viewer sees it. */
const TARGETS = [[0, 0], [0.5, 0], [-0.5, 0], [0, 0.5], [0, -0.5]] as const;
/** So many of them hidden make the part hidden. */
const HIDDEN = 2;
/** One of them at a time, and not for more than a share of the time: rays meet every triangle. */
const EVERY_MS = 60;
const SHARE = 0.05;

export class SeeThrough {
  private readonly raycaster = new Raycaster();
  private blockers: number[][] = TARGETS.map(() => []);
  private next = 0;
  private lookAgainAt = -Infinity;
  private body: number | null = null;

  constructor(private readonly stage: Stage) {}

  /** Looks at one place of the body; null looks at nothing, and everything is as it was. */
  update(body: number | null, now: number): void {
    const { bodies } = this.stage;
    if (!bodies) return;
    if (body !== this.body) {
      this.body = body;
      this.blockers = TARGETS.map(() => []);
      if (body === null && bodies.setCleared([])) this.stage.touch();
    }
    if (body === null || now < this.lookAgainAt) return;
    const begin = performance.now();
    const { camera } = this.stage.view;
    const eye = camera.getWorldPosition(new Vector3());
    const facing = camera.getWorldQuaternion(new Quaternion());
    const [right, up] = TARGETS[this.next]!;
    const aside = new Vector3(right, up, 0).multiplyScalar(bodies.radiusOf(body)).applyQuaternion(facing);
    const target = bodies.middleOf(body).applyMatrix4(bodies.matrixOf(body)).add(aside);
    const way = target.sub(eye);
    this.raycaster.set(eye, way.clone().normalize());
    // What is at the part itself does not hide it.
    this.raycaster.far = Math.max(0, way.length() - 0.7 * bodies.radiusOf(body));
    this.blockers[this.next] = bodies.fixedAlong(this.raycaster);
    this.next = (this.next + 1) % TARGETS.length;
    this.lookAgainAt = now + Math.max(EVERY_MS, (performance.now() - begin) / SHARE);
    const hidden = this.blockers.filter((list) => list.length > 0).length;
    const changed = hidden >= HIDDEN ? bodies.setCleared(this.blockers.flat()) : hidden === 0 && bodies.setCleared([]);
    if (changed) this.stage.touch();
  }
}
