// What the mechanics says of itself, drawn over the bodies: contacts, forces, joints, volumes, and the hand's spring.

import { Group, Quaternion, Vector3 } from 'three';
import { niceAbove } from '../numbers/nice';
import { BOX_WORDS, BoxKind, ITEM_WORDS, OverlayKind, type Frame } from '../protocol/frame';
import type { Role } from '../protocol/messages';
import { ARROW_LIMIT, ArrowScale, type ArrowLegend } from './arrow-scale';
import { CONE_LIMIT, FrictionCones } from './friction-cones';
import { glyphSurroundings, makeArrows, makeDiscs, setDataColor, type Glyphs, type GlyphSurroundings } from './glyphs';
import type { OverlayName } from './overlay-names';
import { WireBoxes } from './wire-boxes';

/** Lengths as shares of the scene's radius. */
const NORMAL_LENGTH = 0.12;
const CONE_HEIGHT = 0.16;
const AXIS_LENGTH = 0.14;
/** Roles of lines and points by the number that the protocol gives them. */
const roleOrder: Role[] = ['accent', 'second', 'danger', 'warn', 'ink'];

export interface LegendEntry {
  overlay: OverlayName;
  /** How many of it the picture shows; null where counting says nothing. */
  count: number | null;
  arrow: ArrowLegend | null;
}

export interface Spring {
  grip: Vector3;
  hand: Vector3;
  force: number | null;
  /** About the centre of mass, in N m. */
  torque?: number | null;
}

export interface OverlayColors {
  data: string;
  halo: string;
  roles: Record<Role, string>;
}

type ItemLists = Map<number, number[]>;

export class Overlays {
  readonly group = new Group();
  readonly surroundings: GlyphSurroundings = glyphSurroundings();
  readonly shown = new Set<OverlayName>();
  /** The springs in the last frame, for their labels. */
  springs: Spring[] = [];
  private radius = 1;
  private readonly arrows = {
    velocities: makeArrows(this.surroundings, 20),
    normals: makeArrows(this.surroundings, 24),
    forces: makeArrows(this.surroundings, 28),
    axes: makeArrows(this.surroundings, 36),
    springs: makeArrows(this.surroundings, 48),
  };
  private readonly discs = {
    contacts: makeDiscs(this.surroundings, 32),
    joints: makeDiscs(this.surroundings, 40),
    centres: makeDiscs(this.surroundings, 44),
    springs: makeDiscs(this.surroundings, 52),
  };
  private readonly marks: { lines: Glyphs; points: Glyphs }[] = roleOrder.map(() => ({ lines: makeArrows(this.surroundings, 56), points: makeDiscs(this.surroundings, 60) }));
  private readonly cones = new FrictionCones();
  private readonly boxes = { bounds: new WireBoxes(0.7), index: new WireBoxes(0.55) };
  private scales = { forces: new ArrowScale(1e-2, 1), velocities: new ArrowScale(1e-2, 1) };
  private readonly counts = new Map<OverlayName, number>();

  constructor() {
    for (const glyphs of this.allGlyphs) this.group.add(glyphs.group);
    this.group.add(this.cones.group, this.boxes.bounds.mesh, this.boxes.index.mesh);
  }

  setScale(sceneRadius: number): void {
    this.radius = sceneRadius;
    // Creeping at a twentieth of the scene per second deserves no long arrow.
    this.scales = { forces: new ArrowScale(1e-2, sceneRadius), velocities: new ArrowScale(niceAbove(0.5 * sceneRadius), sceneRadius) };
  }

  setColors({ data, halo, roles }: OverlayColors): void {
    const { arrows, discs } = this;
    for (const glyphs of [arrows.forces, arrows.normals, discs.contacts]) setDataColor(glyphs.color, data);
    for (const glyphs of [arrows.velocities, discs.joints, arrows.axes]) setDataColor(glyphs.color, roles.second);
    for (const glyphs of [arrows.springs, discs.springs]) setDataColor(glyphs.color, roles.accent);
    setDataColor(discs.centres.color, roles.ink);
    setDataColor(this.surroundings.halo.value, halo);
    this.cones.setColor(data);
    this.boxes.bounds.setColor(data);
    this.boxes.index.setColor(roles.second);
    this.marks.forEach(({ lines, points }, i) => {
      setDataColor(lines.color, roles[roleOrder[i]!]);
      setDataColor(points.color, roles[roleOrder[i]!]);
    });
  }

  /** Takes a frame's items; `own` is the spring of this page's hand if the server has not drawn it yet. */
  apply(frame: Frame, own: Spring | null, now: number): void {
    const lists: ItemLists = new Map();
    for (let i = 0; i < frame.itemCount; i += 1) {
      const kind = frame.itemWords[ITEM_WORDS * i]!;
      const list = lists.get(kind);
      if (list) list.push(i);
      else lists.set(kind, [i]);
    }
    const of = (overlay: OverlayName, kind: number) => (this.shown.has(overlay) ? (lists.get(kind) ?? []) : []);
    this.counts.clear();
    this.drawContacts(frame, of('contacts', OverlayKind.contact));
    this.drawNormals(frame, of('normals', OverlayKind.normal));
    this.drawCones(frame, of('friction', OverlayKind.friction));
    this.drawArrows(this.arrows.forces, this.scales.forces, frame, [
      ...of('forces', OverlayKind.force), ...of('forces', OverlayKind.frictionForce), ...of('joints', OverlayKind.jointForce),
    ], now);
    this.drawArrows(this.arrows.velocities, this.scales.velocities, frame, of('velocities', OverlayKind.velocity), now);
    this.drawJoints(frame, of('joints', OverlayKind.joint));
    this.drawAxes(frame, of('joints', OverlayKind.jointAxis), this.shown.has('joints'));
    this.drawCentres(frame, of('centres', OverlayKind.centre));
    this.drawBoxes(frame);
    this.drawMarks(frame, lists.get(OverlayKind.line) ?? [], lists.get(OverlayKind.point) ?? []);
    this.counts.set('labels', frame.labels.length);
    this.drawSprings(frame, lists.get(OverlayKind.grip) ?? [], lists.get(OverlayKind.gripTorque) ?? [], own);
  }

  /** What the legend says of what is shown. */
  legend(pixelsPerMetre: number): LegendEntry[] {
    return [...this.shown].flatMap((overlay): LegendEntry[] => {
      if (overlay === 'forces' || overlay === 'velocities') {
        const arrow = this.scales[overlay].legend(pixelsPerMetre);
        return arrow ? [{ overlay, count: null, arrow }] : [];
      }
      // Labels are shown wherever a scene has some; where it has none, there is nothing to explain.
      if (overlay === 'labels' && !this.counts.get('labels')) return [];
      return [{ overlay, count: this.counts.get(overlay) ?? null, arrow: null }];
    });
  }

  dispose(): void {
    for (const glyphs of this.allGlyphs) glyphs.dispose();
    this.cones.dispose();
    this.boxes.bounds.dispose();
    this.boxes.index.dispose();
  }

  private get allGlyphs(): Glyphs[] {
    return [...Object.values(this.arrows), ...Object.values(this.discs), ...this.marks.flatMap(({ lines, points }) => [lines, points])];
  }

  private drawContacts(frame: Frame, items: number[]): void {
    const { contacts } = this.discs;
    contacts.begin(items.length);
    for (const item of items) contacts.add(fromOf(frame, item).toArray(), fromOf(frame, item).toArray(), 4, 0);
    contacts.end();
    this.counts.set('contacts', items.length);
  }

  private drawNormals(frame: Frame, items: number[]): void {
    const { normals } = this.arrows;
    normals.begin(items.length);
    for (const item of items) {
      const from = fromOf(frame, item);
      normals.add(from.toArray(), from.addScaledVector(directionOf(frame, item), NORMAL_LENGTH * this.radius).toArray(), 1, 7);
    }
    normals.end();
    this.counts.set('normals', items.length);
  }

  private drawCones(frame: Frame, items: number[]): void {
    this.cones.begin();
    for (const item of items.slice(0, CONE_LIMIT)) this.cones.add(fromOf(frame, item), directionOf(frame, item), valueOf(frame, item), CONE_HEIGHT * this.radius);
    this.counts.set('friction', items.length);
  }

  private drawArrows(glyphs: Glyphs, scale: ArrowScale, frame: Frame, items: number[], now: number): void {
    glyphs.begin(ARROW_LIMIT);
    for (const { index, share } of scale.take(items.map((item) => Math.abs(valueOf(frame, item))), now)) {
      const from = fromOf(frame, items[index]!);
      const to = from.clone().addScaledVector(directionOf(frame, items[index]!), scale.longest * share);
      glyphs.add(from.toArray(), to.toArray(), 1.4 + 1.6 * share, 9 + 7 * share);
    }
    glyphs.end();
  }

  private drawJoints(frame: Frame, items: number[]): void {
    const { joints } = this.discs;
    joints.begin(items.length);
    // The ring's smallest size is 5 px; an error of a hundredth of the scene doubles it.
    for (const item of items) {
      const outer = 5 + 5 * Math.min(4, Math.abs(valueOf(frame, item)) / (0.01 * this.radius));
      joints.add(fromOf(frame, item).toArray(), toOf(frame, item).toArray(), outer, outer - 2);
    }
    joints.end();
    this.counts.set('joints', items.length);
  }

  /** Axes that joints turn about or slide along, and the three axes of each joint's frame. */
  private drawAxes(frame: Frame, items: number[], frames: boolean): void {
    const { axes } = this.arrows;
    axes.begin(items.length + (frames ? 3 * frame.boxCount : 0));
    const reach = 0.5 * AXIS_LENGTH * this.radius;
    for (const item of items) {
      const direction = directionOf(frame, item);
      const at = fromOf(frame, item);
      axes.add(at.clone().addScaledVector(direction, -reach).toArray(), at.addScaledVector(direction, reach).toArray(), 1, 0);
    }
    for (let i = 0; frames && i < frame.boxCount; i += 1) {
      if (frame.boxWords[BOX_WORDS * i] !== BoxKind.frame) continue;
      const at = BOX_WORDS * i + 1;
      const centre = new Vector3().fromArray(frame.boxes, at);
      const turn = new Quaternion().fromArray(frame.boxes, at + 3);
      for (let k = 0; k < 3; k += 1) {
        const arm = new Vector3().setComponent(k, frame.boxes[at + 7 + k]!).applyQuaternion(turn);
        axes.add(centre.toArray(), arm.add(centre).toArray(), 1, 6);
      }
    }
    axes.end();
  }

  private drawCentres(frame: Frame, items: number[]): void {
    const { centres } = this.discs;
    centres.begin(2 * items.length);
    for (const item of items) {
      const at = fromOf(frame, item).toArray();
      centres.add(at, at, 2, 0);
      centres.add(at, at, 6.5, 5);
    }
    centres.end();
    this.counts.set('centres', items.length);
  }

  private drawBoxes(frame: Frame): void {
    for (const [overlay, kind] of [['bounds', BoxKind.volume], ['index', BoxKind.index]] as const) {
      const boxes = this.boxes[overlay];
      boxes.begin(this.shown.has(overlay) ? frame.boxCount : 0);
      let count = 0;
      for (let i = 0; this.shown.has(overlay) && i < frame.boxCount; i += 1) {
        if (frame.boxWords[BOX_WORDS * i] !== kind) continue;
        boxes.add(frame.boxes, BOX_WORDS * i + 1);
        count += 1;
      }
      boxes.end();
      this.counts.set(overlay, count);
    }
  }

  private drawMarks(frame: Frame, lines: number[], points: number[]): void {
    this.marks.forEach((glyphs, role) => {
      const ofRole = (items: number[]) => items.filter((item) => Math.round(valueOf(frame, item)) === role);
      const [ownLines, ownPoints] = [ofRole(lines), ofRole(points)];
      glyphs.lines.begin(ownLines.length);
      for (const item of ownLines) glyphs.lines.add(fromOf(frame, item).toArray(), toOf(frame, item).toArray(), 1.1, 0);
      glyphs.lines.end();
      glyphs.points.begin(ownPoints.length);
      for (const item of ownPoints) glyphs.points.add(fromOf(frame, item).toArray(), fromOf(frame, item).toArray(), 4, 0);
      glyphs.points.end();
    });
  }

  private drawSprings(frame: Frame, items: number[], torques: number[], own: Spring | null): void {
    this.springs = items.map((item, i) => ({
      grip: fromOf(frame, item), hand: toOf(frame, item), force: valueOf(frame, item), torque: torques[i] === undefined ? null : valueOf(frame, torques[i]),
    }));
    if (this.springs.length === 0 && own) this.springs = [own];
    const { springs: lines } = this.arrows;
    const { springs: ends } = this.discs;
    lines.begin(this.springs.length);
    ends.begin(2 * this.springs.length);
    for (const { grip, hand } of this.springs) {
      lines.add(grip.toArray(), hand.toArray(), 1.25, 0);
      ends.add(grip.toArray(), grip.toArray(), 4.5, 0);
      ends.add(hand.toArray(), hand.toArray(), 8, 5.5);
    }
    lines.end();
    ends.end();
  }
}

function fromOf({ items }: Frame, item: number): Vector3 {
  return new Vector3().fromArray(items, ITEM_WORDS * item + 1);
}

function toOf({ items }: Frame, item: number): Vector3 {
  return new Vector3().fromArray(items, ITEM_WORDS * item + 4);
}

function directionOf(frame: Frame, item: number): Vector3 {
  return toOf(frame, item).sub(fromOf(frame, item)).normalize();
}

function valueOf({ items }: Frame, item: number): number {
  return items[ITEM_WORDS * item + 7]!;
}
