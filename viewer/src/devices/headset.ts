// A headset: the scene in the room, grasped by trigger or pinch, walked through by teleport, scaled between two hands.

import { BufferGeometry, Color, CylinderGeometry, Group, InstancedMesh, Line, LineBasicMaterial, Matrix4, Mesh, MeshBasicMaterial, Quaternion, RingGeometry, SphereGeometry, Vector3, type XRTargetRaySpace } from 'three';
import { signal } from '@preact/signals';
import type { SceneModel } from '../scene/model';
import { settings } from '../settings';
import type { Hand } from '../stage/hand';
import type { Stage } from '../stage/stage';
import { announce } from '../ui/announce';
import { notify } from '../ui/messages';
import { AT_SURFACE, Pinch, type Fingertips } from './pinch';
import { Rumble, type Actuator } from './rumble';
import { scaled, startRoom, teleported, turned, turnOf, type Room } from './room';

/** Reach of a hand beyond a body's surface, in real metres. */
const NEAR_REACH = 0.06;
const SNAP_TURN = Math.PI / 6;
const STICK_ON = 0.7;
const STICK_OFF = 0.3;
/** Scale change per second at full deflection of the left stick. */
const STICK_SCALE = 1.8;
const RAY_LENGTH = 4;
const JOINT_RADIUS = 0.007;
const JOINTS = 25;
/** Joints of a hand come wrist first, then thumb, index, middle, ring and little finger from the palm to the tip: four, and then five each. */
const FINGERS = [4, 5, 5, 5, 5];
const BONE_RADIUS = 0.006;
/** Glyphs are some thousandths of the view high; this many "pixels" make them as fine as on a screen. */
const GLYPH_VIEWPORT = 900;

/** Whether a headset could be entered; asked once. */
export const headsetIsThere = signal(false);
if (typeof navigator !== 'undefined' && navigator.xr) {
  navigator.xr.isSessionSupported('immersive-vr').then((there) => (headsetIsThere.value = there), () => {});
}

interface Wand {
  space: XRTargetRaySpace;
  ray: Line;
  source: XRInputSource | null;
  selecting: boolean;
  squeezing: boolean;
  /** What this hand holds: the grip in its own frame, and how it was turned when it took hold. */
  held: { point: Vector3; turn: Quaternion } | null;
  aim: 'none' | 'teleport';
  stickUsed: boolean;
  joints: InstancedMesh;
  bones: InstancedMesh;
  /** How tracked fingers grasp. */
  pinch: Pinch;
  /** Where thumb and index finger end, in the world; null while no hand is seen. */
  tips: Fingertips | null;
  /** The frame that leads what is held: that of the wrist of a tracked hand, or of the controller. */
  lead: Matrix4;
}

export class Headset {
  private readonly wands: Wand[] = [];
  private readonly target: Mesh;
  private readonly group = new Group();
  private readonly rumble = new Rumble();
  private room: Room | null = null;
  private spread: number | null = null;
  private lastTime = 0;

  constructor(
    private readonly stage: Stage,
    private readonly hand: Hand,
    private readonly model: SceneModel,
  ) {
    this.target = new Mesh(new RingGeometry(0.12, 0.16, 40).rotateX(-Math.PI / 2), new MeshBasicMaterial({ transparent: true, opacity: 0.9, toneMapped: false }));
    this.target.visible = false;
    this.stage.scene.add(this.target);
  }

  /** Asks the browser for the headset; a click must have asked for it. */
  async enter(backdrop: string): Promise<void> {
    const { xr } = this.stage.renderer;
    try {
      const session = await navigator.xr!.requestSession('immersive-vr', { optionalFeatures: ['local-floor', 'hand-tracking'] });
      xr.enabled = true;
      xr.setReferenceSpaceType('local-floor');
      if (this.wands.length === 0) for (const index of [0, 1]) this.wands.push(this.makeWand(index));
      await xr.setSession(session);
      session.addEventListener('end', () => this.left());
      this.entered(backdrop);
    } catch (error) {
      xr.enabled = false;
      notify({ kind: 'error', title: 'The headset did not start', text: `${(error as Error).message}. Put it on, wake it up and try again.` });
    }
  }

  get isPresenting(): boolean {
    return this.stage.renderer.xr.isPresenting;
  }

  /** Once per picture while presenting. */
  update(): void {
    if (!this.isPresenting || !this.room) return;
    const now = performance.now();
    const seconds = Math.min(0.1, (now - this.lastTime) / 1000);
    this.lastTime = now;
    this.applyRoom();
    this.target.visible = false;
    for (const wand of this.wands) {
      this.useStick(wand, seconds);
      this.showWand(wand);
      this.useFingers(wand);
      this.pullBy(wand);
    }
    this.scaleBetweenHands();
    this.feel(now);
    const tips = this.wands.flatMap((wand) => (wand.tips ? [[...wand.tips.thumb.toArray(), ...wand.tips.index.toArray()]] : []));
    window.prall.headset = { scale: this.room.scale, turn: this.room.turn, position: this.room.position.toArray(), tips };
  }

  dispose(): void {
    void this.stage.renderer.xr.getSession()?.end();
    this.target.removeFromParent();
  }

  private entered(backdrop: string): void {
    const { view, scene, overlays } = this.stage;
    this.room = startRoom(view.sceneCentre, view.sceneRadius, this.stage.groundHeight, view.startAzimuth);
    this.lastTime = performance.now();
    scene.background = new Color(backdrop);
    overlays.surroundings.viewport.value.set(GLYPH_VIEWPORT, GLYPH_VIEWPORT);
    view.rig.add(this.group);
    const accent = getComputedStyle(document.documentElement).getPropertyValue('--accent').trim();
    (this.target.material as MeshBasicMaterial).color.set(accent);
    announce('In the headset. Trigger or pinch takes hold; on the ground it teleports; both hands scale.');
  }

  private left(): void {
    const { view, scene, renderer } = this.stage;
    if (this.hand.heldBy === 'headset') this.hand.release();
    renderer.xr.enabled = false;
    scene.background = null;
    this.room = null;
    this.target.visible = false;
    this.group.removeFromParent();
    view.rig.position.set(0, 0, 0);
    view.rig.quaternion.identity();
    view.rig.scale.setScalar(1);
    view.leaveHeadset();
    const canvas = renderer.domElement;
    this.stage.resize(canvas.clientWidth, canvas.clientHeight);
    window.prall.headset = null;
    announce('Out of the headset');
  }

  private makeWand(index: number): Wand {
    const space = this.stage.renderer.xr.getController(index);
    const geometry = new BufferGeometry().setFromPoints([new Vector3(), new Vector3(0, 0, -1)]);
    const ray = new Line(geometry, new LineBasicMaterial({ transparent: true, opacity: 0.6, toneMapped: false }));
    const joints = new InstancedMesh(new SphereGeometry(1, 10, 8), new MeshBasicMaterial({ color: '#9fb0b8' }), JOINTS);
    joints.frustumCulled = false;
    joints.count = 0;
    const bones = new InstancedMesh(new CylinderGeometry(1, 1, 1, 8, 1, true), joints.material, JOINTS);
    bones.frustumCulled = false;
    bones.count = 0;
    const wand: Wand = {
      space, ray, source: null, selecting: false, squeezing: false, held: null, aim: 'none', stickUsed: false, joints, bones, pinch: new Pinch(), tips: null, lead: new Matrix4(),
    };
    space.add(ray);
    this.group.add(space, joints, bones);
    space.addEventListener('connected', ({ data }) => (wand.source = data));
    space.addEventListener('disconnected', () => (wand.source = null));
    space.addEventListener('selectstart', () => this.selectStart(wand));
    space.addEventListener('selectend', () => this.selectEnd(wand));
    space.addEventListener('squeezestart', () => (wand.squeezing = true));
    space.addEventListener('squeezeend', () => (wand.squeezing = false));
    return wand;
  }

  private rayOf({ space }: Wand): { origin: Vector3; direction: Vector3; turn: Quaternion } {
    space.updateWorldMatrix(true, false);
    const turn = space.getWorldQuaternion(new Quaternion());
    return { origin: space.getWorldPosition(new Vector3()), direction: new Vector3(0, 0, -1).applyQuaternion(turn), turn };
  }

  private selectStart(wand: Wand): void {
    wand.selecting = true;
    const { origin, direction, turn } = this.rayOf(wand);
    const hit = this.near(origin) ?? this.stage.pickAlong(origin, direction);
    if (!hit) {
      wand.aim = 'teleport';
      return;
    }
    // Tracked fingers grasp what they are at, see `useFingers`, and nothing from afar.
    if (this.hand.isHolding || wand.source?.hand) return;
    const towards = 'towards' in hit ? (hit.towards as Vector3) : direction;
    this.hand.take(origin, towards, hit.point, 'headset');
    wand.held = { point: wand.space.worldToLocal(hit.point.clone()), turn };
  }

  /** Fingers that close about a body take it, and let it go when they open. */
  private useFingers(wand: Wand): void {
    const { bodies } = this.stage;
    if (!bodies || (!wand.source?.hand && !wand.pinch.holds)) return;
    const scale = this.room!.scale;
    const movable = this.model.session.hello.value?.assets.bodies.flatMap(({ movable: moves }, i) => (moves ? [i] : [])) ?? [];
    const change = wand.pinch.update(wand.tips, movable, (body, point) => bodies.gapTo(body, point, AT_SURFACE * scale), scale);
    if (change?.kind === 'grasps' && !this.hand.isHolding) {
      this.hand.takeBody(change.body, 'headset');
      const { point } = this.hand;
      if (point) wand.held = { point: point.clone().applyMatrix4(wand.lead.clone().invert()), turn: turnOfMatrix(wand.lead) };
    }
    if (change?.kind === 'lets go' && wand.held) {
      wand.held = null;
      if (this.hand.heldBy === 'headset') this.hand.release();
    }
  }

  /** A body within reach of the hand itself; it is gripped where the hand's way to its middle meets it. */
  private near(origin: Vector3): { body: number; point: Vector3; towards: Vector3 } | null {
    const body = this.stage.bodies?.nearest(origin, NEAR_REACH * this.room!.scale) ?? null;
    if (body === null) return null;
    const towards = this.stage.positionOf(body).sub(origin);
    // Within the body there is no way to it: come from outside.
    const from = origin.clone();
    if (towards.length() < 1e-9) towards.set(0, -1, 0);
    towards.normalize();
    const hit = this.stage.pickAlong(from, towards);
    return hit && hit.body === body ? { body, point: hit.point, towards } : null;
  }

  private selectEnd(wand: Wand): void {
    wand.selecting = false;
    if (wand.pinch.holds) return;
    if (wand.held) {
      wand.held = null;
      if (this.hand.heldBy === 'headset') this.hand.release();
      return;
    }
    if (wand.aim === 'teleport' && this.spread === null) this.teleport(wand);
    wand.aim = 'none';
  }

  /** Where the ray meets the ground; null where it does not. */
  private groundHit(wand: Wand): Vector3 | null {
    const ground = this.stage.groundHeight ?? this.stage.view.sceneCentre.y - this.stage.view.sceneRadius;
    const { origin, direction } = this.rayOf(wand);
    const along = (ground - origin.y) / direction.y;
    const farthest = 40 * this.stage.view.sceneRadius;
    return direction.y < 0 && along > 0 && along < farthest ? origin.addScaledVector(direction, along) : null;
  }

  private teleport(wand: Wand): void {
    const to = this.groundHit(wand);
    if (!to || !this.room) return;
    this.room = teleported(this.room, this.head(), to);
  }

  private head(): Vector3 {
    return this.stage.view.camera.getWorldPosition(new Vector3());
  }

  /** Right stick: forward aims a teleport, sideways turns in steps. Left stick: forward and back change the scale. */
  private useStick(wand: Wand, seconds: number): void {
    const axes = wand.source?.gamepad?.axes ?? [];
    // Axes 0 and 1 belong to a touchpad, which may not exist.
    const [x, y] = [2, 3].map((i) => (Number.isFinite(axes[i]) ? axes[i]! : 0)) as [number, number];
    if (wand.source?.handedness === 'left') {
      if (Math.abs(y) > STICK_OFF) this.room = scaled(this.room!, this.head(), STICK_SCALE ** (y * seconds));
      return;
    }
    if (wand.selecting) return;
    if (y < -STICK_ON) wand.aim = 'teleport';
    else if (wand.aim === 'teleport' && y > -STICK_OFF) {
      this.teleport(wand);
      wand.aim = 'none';
    }
    if (Math.abs(x) > STICK_ON && !wand.stickUsed) {
      wand.stickUsed = true;
      this.room = turned(this.room!, this.head(), -Math.sign(x) * SNAP_TURN);
    }
    if (Math.abs(x) < STICK_OFF) wand.stickUsed = false;
  }

  private pullBy(wand: Wand): void {
    if (!wand.held || this.hand.heldBy !== 'headset') return;
    this.hand.moveTo(wand.held.point.clone().applyMatrix4(wand.lead));
    this.hand.turnTo(turnOfMatrix(wand.lead).multiply(wand.held.turn.clone().invert()));
  }

  /** Both hands closed on nothing: the world grows and shrinks with their distance. */
  private scaleBetweenHands(): void {
    const [a, b] = this.wands;
    const closed = (wand: Wand | undefined) => wand !== undefined && wand.held === null && (wand.squeezing || wand.selecting);
    if (!a || !b || !closed(a) || !closed(b)) {
      this.spread = null;
      return;
    }
    const [at, bt] = [this.rayOf(a).origin, this.rayOf(b).origin];
    const distance = at.distanceTo(bt) / this.room!.scale;
    if (this.spread !== null && distance > 0.02) this.room = scaled(this.room!, at.add(bt).multiplyScalar(0.5), this.spread / distance);
    this.spread = distance;
  }

  private applyRoom(): void {
    const { rig } = this.stage.view;
    rig.position.copy(this.room!.position);
    rig.quaternion.copy(turnOf(this.room!));
    rig.scale.setScalar(this.room!.scale);
    rig.updateMatrixWorld(true);
  }

  private showWand(wand: Wand): void {
    wand.ray.scale.z = wand.held ? wand.held.point.length() : RAY_LENGTH;
    wand.ray.visible = wand.source !== null;
    if (wand.aim === 'teleport' && this.spread === null) {
      const hit = this.groundHit(wand);
      if (hit) {
        this.target.visible = true;
        this.target.position.copy(hit);
        this.target.scale.setScalar(this.room!.scale);
      }
    }
    this.showJoints(wand);
  }

  /** A tracked hand as its joints. */
  private showJoints(wand: Wand): void {
    const { xr } = this.stage.renderer;
    const frame = xr.getFrame();
    const space = xr.getReferenceSpace();
    const tracked = wand.source?.hand;
    wand.joints.count = 0;
    wand.bones.count = 0;
    wand.tips = null;
    wand.space.updateWorldMatrix(true, false);
    wand.lead.copy(wand.space.matrixWorld);
    if (!tracked || !frame?.getJointPose || !space) return;
    const matrix = new Matrix4();
    const places: (Vector3 | null)[] = [];
    for (const joint of tracked.values()) {
      const pose = places.length < JOINTS ? frame.getJointPose(joint, space) : null;
      const { x, y, z } = pose?.transform.position ?? { x: 0, y: 0, z: 0 };
      places.push(pose ? new Vector3(x, y, z) : null);
      if (!pose) continue;
      const radius = pose.radius ?? JOINT_RADIUS;
      wand.joints.setMatrixAt(wand.joints.count, matrix.makeScale(radius, radius, radius).setPosition(x, y, z));
      wand.joints.count += 1;
      if (joint.jointName === 'wrist') wand.lead.fromArray(pose.transform.matrix).premultiply(this.group.matrixWorld);
    }
    wand.joints.instanceMatrix.needsUpdate = true;
    this.showBones(wand, places);
    const [thumb, index] = [places[4], places[9]];
    if (thumb && index) wand.tips = { thumb: thumb.clone().applyMatrix4(this.group.matrixWorld), index: index.clone().applyMatrix4(this.group.matrixWorld) };
  }

  /** What joins the joints: from the wrist along each finger to its tip. */
  private showBones({ bones }: Wand, places: readonly (Vector3 | null)[]): void {
    const up = new Vector3(0, 1, 0);
    let joint = 1;
    for (const length of FINGERS) {
      for (let along = 0; along < length; along += 1, joint += 1) {
        const [from, to] = [places[along === 0 ? 0 : joint - 1], places[joint]];
        if (!from || !to) continue;
        const way = to.clone().sub(from);
        const long = way.length();
        if (long < 1e-6) continue;
        const turn = new Quaternion().setFromUnitVectors(up, way.divideScalar(long));
        bones.setMatrixAt(bones.count, new Matrix4().compose(from.clone().add(to).multiplyScalar(0.5), turn, new Vector3(BONE_RADIUS, long, BONE_RADIUS)));
        bones.count += 1;
      }
    }
    bones.instanceMatrix.needsUpdate = true;
  }

  private feel(now: number): void {
    const { body } = this.hand;
    const wand = this.wands.find(({ held }) => held !== null);
    const feels = settings.rumble.value && body !== null && wand !== undefined;
    this.model.feelsForces.value = feels;
    if (!feels) return;
    const pad = wand.source?.gamepad as (Gamepad & { hapticActuators?: readonly Actuator[] }) | undefined;
    this.rumble.play(this.stage.contactForceNear(body), pad?.hapticActuators?.[0] ?? (pad?.vibrationActuator as Actuator | undefined), now);
  }
}

function turnOfMatrix(matrix: Matrix4): Quaternion {
  const turn = new Quaternion();
  matrix.decompose(new Vector3(), turn, new Vector3());
  return turn;
}
