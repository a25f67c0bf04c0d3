// Ghosts: recorded runs as sleds of glass beside the present one.

import { BodyFrames } from './poses';
import { gap, type RunData, type Split } from './runs';
import type { Offer } from './track';
import { SledModel } from './world/sled-model';
import type { World } from './world/world';

const COLOURS = ['#27c4d6', '#f0a048', '#b06cff', '#7bd65a'];
export const MOST_GHOSTS = COLOURS.length;

/** How far behind the first ghost a split is, in s: its own clock at the same barrier where it has one, which is exact; else by its frames. */
export function ghostSplitGap(split: Split, ghost: RunData, splits: readonly Split[]): number | null {
  const same = splits.find(({ s }) => Math.abs(s - split.s) < 0.5);
  return same ? split.time - same.time : gap(split.time, split.s, ghost);
}

export class GhostSleds {
  private models: { model: SledModel; frames: BodyFrames; poses: Float32Array }[] = [];

  /** Forgets the models: the world they stood in is gone. */
  clear(): void {
    this.models = [];
  }

  /** Places runs where they were at a clock; before it they stand where they were as long before. Returns how many are seen. */
  place(runs: readonly RunData[], clock: number, hidden: string | null, world: World, offer: Offer): number {
    while (this.models.length < runs.length) {
      const model = new SledModel(world.quality, COLOURS[this.models.length]!);
      world.scene.add(model.group);
      this.models.push({ model, frames: new BodyFrames(offer.sled.parts), poses: new Float32Array(7 * offer.sled.parts.length) });
    }
    this.models.forEach(({ model, frames, poses }, i) => {
      const run = runs[i];
      model.group.visible = run !== undefined && run.name !== hidden;
      if (!run || !model.group.visible) return;
      frames.take(run.poses(run.zero + (clock >= 0 ? clock : -0.001), poses));
      model.place(frames, false);
    });
    return this.models.filter(({ model }) => model.group.visible).length;
  }
}
