// What the mechanics says of itself, drawn over the bodies: contacts, forces, velocities, joints, and the hand's spring.

import { Group, Vector3 } from 'three';
import { CalmRange } from '../numbers/range';
import { niceAbove, niceBelow } from '../numbers/nice';
import { ITEM_WORDS, OverlayKind, type Frame } from '../protocol/frame';
import { glyphSurroundings, makeArrows, makeDiscs, setDataColor, type Glyphs, type GlyphSurroundings } from './glyphs';

export type OverlayName = 'contacts' | 'forces' | 'velocities' | 'joints';

export const ARROW_LIMIT = 150;
/** Length of the largest arrow as a share of the scene's radius. */
const LONGEST = 0.55;
/** Arrows of less than this share of the largest are not drawn. */
const THRESHOLD = 0.002;
const LEGEND_PIXELS = 44;

/** How long arrows are: length grows with the square root of the value. */
interface ArrowScale {
  range: CalmRange;
  /** The value that is drawn at full length. */
  full: number;
  /** Whether there was any value yet. */
  known: boolean;
}

export interface LegendEntry {
  overlay: OverlayName;
  /** The arrow's value in its SI unit, and how long it is on the screen at the target's distance. */
  value: number;
  pixels: number;
  drawn: number;
  total: number;
}

export interface Spring {
  grip: Vector3;
  hand: Vector3;
  force: number | null;
}

export class Overlays {
  readonly group = new Group();
  readonly surroundings: GlyphSurroundings = glyphSurroundings();
  readonly shown = new Set<OverlayName>();
  /** The springs in the last frame, for their labels. */
  springs: Spring[] = [];
  /** Whether this scene has ever shown a joint. */
  hasJoints = false;
  private radius = 1;
  private readonly contacts: Glyphs;
  private readonly forces: Glyphs;
  private readonly velocities: Glyphs;
  private readonly joints: Glyphs;
  private readonly springLines: Glyphs;
  private readonly springEnds: Glyphs;
  private readonly scales: Record<'forces' | 'velocities', ArrowScale> = {
    forces: { range: new CalmRange(1e-2), full: 1, known: false },
    velocities: { range: new CalmRange(1e-2), full: 1, known: false },
  };
  private readonly counts: Record<'forces' | 'velocities', { drawn: number; total: number }> = {
    forces: { drawn: 0, total: 0 },
    velocities: { drawn: 0, total: 0 },
  };

  constructor() {
    this.velocities = makeArrows(this.surroundings, 20);
    this.forces = makeArrows(this.surroundings, 24);
    this.contacts = makeDiscs(this.surroundings, 28);
    this.joints = makeDiscs(this.surroundings, 32);
    this.springLines = makeArrows(this.surroundings, 36);
    this.springEnds = makeDiscs(this.surroundings, 40);
    for (const glyphs of this.all) this.group.add(glyphs.group);
  }

  setScale(sceneRadius: number): void {
    this.radius = sceneRadius;
    // Creeping at a twentieth of the scene per second deserves no long arrow.
    this.scales.velocities.range = new CalmRange(niceAbove(0.5 * sceneRadius));
  }

  setColors(colors: { data: string; second: string; accent: string; halo: string }): void {
    setDataColor(this.forces.color, colors.data);
    setDataColor(this.contacts.color, colors.data);
    setDataColor(this.velocities.color, colors.second);
    setDataColor(this.joints.color, colors.second);
    setDataColor(this.springLines.color, colors.accent);
    setDataColor(this.springEnds.color, colors.accent);
    setDataColor(this.surroundings.halo.value, colors.halo);
  }

  /** Takes a frame's items; `own` is the spring of this page's hand if the server has not drawn it yet. */
  apply(frame: Frame, own: Spring | null, now: number): void {
    const places = new Map<number, number[]>();
    for (let i = 0; i < frame.itemCount; i += 1) {
      const kind = frame.itemWords[ITEM_WORDS * i]!;
      const list = places.get(kind);
      if (list) list.push(i);
      else places.set(kind, [i]);
    }
    this.drawContacts(frame, places.get(OverlayKind.contact) ?? []);
    this.drawArrows('forces', this.forces, frame, places.get(OverlayKind.force) ?? [], now);
    this.drawArrows('velocities', this.velocities, frame, places.get(OverlayKind.velocity) ?? [], now);
    this.drawJoints(frame, places.get(OverlayKind.joint) ?? []);
    this.drawSprings(frame, places.get(OverlayKind.grip) ?? [], own);
  }

  /** What the legend says of the arrows that are shown. */
  legend(pixelsPerMetre: number): LegendEntry[] {
    return (['forces', 'velocities'] as const)
      .filter((name) => this.shown.has(name) && this.scales[name].known)
      .map((overlay) => {
        const longest = LONGEST * this.radius * pixelsPerMetre;
        const { full } = this.scales[overlay];
        const value = niceBelow(full * (LEGEND_PIXELS / longest) ** 2);
        return { overlay, value, pixels: longest * Math.sqrt(value / full), ...this.counts[overlay] };
      });
  }

  dispose(): void {
    for (const glyphs of this.all) glyphs.dispose();
  }

  private get all(): Glyphs[] {
    return [this.velocities, this.forces, this.contacts, this.joints, this.springLines, this.springEnds];
  }

  private drawContacts(frame: Frame, items: number[]): void {
    this.contacts.begin(items.length);
    if (this.shown.has('contacts')) {
      for (const item of items) {
        const from = fromOf(frame, item).toArray();
        this.contacts.add(from, from, 4, 0);
      }
    }
    this.contacts.end();
  }

  private drawArrows(name: 'forces' | 'velocities', glyphs: Glyphs, frame: Frame, items: number[], now: number): void {
    const scale = this.scales[name];
    const values = items.map((item) => Math.abs(valueOf(frame, item)));
    scale.full = scale.range.fit(Math.max(0, ...values), now);
    if (items.length > 0) scale.known = true;
    const drawn = items
      .map((item, i) => ({ item, value: values[i]! }))
      .filter(({ value }) => value > THRESHOLD * scale.full)
      .sort((a, b) => b.value - a.value);
    this.counts[name] = { drawn: Math.min(ARROW_LIMIT, drawn.length), total: drawn.length };
    glyphs.begin(ARROW_LIMIT);
    if (this.shown.has(name)) {
      for (const { item, value } of drawn.slice(0, ARROW_LIMIT)) {
        const from = fromOf(frame, item);
        const direction = toOf(frame, item).sub(from).normalize();
        const share = Math.sqrt(value / scale.full);
        const to = from.clone().addScaledVector(direction, LONGEST * this.radius * share);
        glyphs.add(from.toArray(), to.toArray(), 1.4 + 1.6 * share, 9 + 7 * share);
      }
    }
    glyphs.end();
  }

  private drawJoints(frame: Frame, items: number[]): void {
    if (items.length > 0) this.hasJoints = true;
    this.joints.begin(items.length);
    if (this.shown.has('joints')) {
      // The ring's smallest size is 5 px; an error of a hundredth of the scene doubles it.
      for (const item of items) {
        const outer = 5 + 5 * Math.min(4, Math.abs(valueOf(frame, item)) / (0.01 * this.radius));
        this.joints.add(fromOf(frame, item).toArray(), toOf(frame, item).toArray(), outer, outer - 2);
      }
    }
    this.joints.end();
  }

  private drawSprings(frame: Frame, items: number[], own: Spring | null): void {
    this.springs = items.map((item) => ({ grip: fromOf(frame, item), hand: toOf(frame, item), force: valueOf(frame, item) }));
    if (this.springs.length === 0 && own) this.springs = [own];
    this.springLines.begin(this.springs.length);
    this.springEnds.begin(2 * this.springs.length);
    for (const { grip, hand } of this.springs) {
      this.springLines.add(grip.toArray(), hand.toArray(), 1.25, 0);
      this.springEnds.add(grip.toArray(), grip.toArray(), 4.5, 0);
      this.springEnds.add(hand.toArray(), hand.toArray(), 8, 5.5);
    }
    this.springLines.end();
    this.springEnds.end();
  }
}

function fromOf({ items }: Frame, item: number): Vector3 {
  return new Vector3().fromArray(items, ITEM_WORDS * item + 1);
}

function toOf({ items }: Frame, item: number): Vector3 {
  return new Vector3().fromArray(items, ITEM_WORDS * item + 4);
}

function valueOf({ items }: Frame, item: number): number {
  return items[ITEM_WORDS * item + 7]!;
}
