// The camera: orbits a point, never dips below the ground, moves smoothly where motion is welcome.

import { type Box3, Group, MathUtils, MOUSE, PerspectiveCamera, Spherical, TOUCH, Vector3 } from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import { framing } from './framing';

export const FIELD_OF_VIEW = 32;
const MOVE_MS = 320;
/** Height of the lowest view above the ground, as a share of the distance to the target. */
const LOWEST = 0.02;
const UP = new Vector3(0, 1, 0);
/** Share of the free picture that a subject takes: plates float at its edges. */
const FIT_SHARE = 0.84;
/** Width over height of the middle of a picture in which a scene's own camera has what matters. */
const COMPOSED = 1.3;

export interface Placement {
  position: Vector3;
  target: Vector3;
}

export class View {
  /** What the camera stands on: a headset moves the camera, and this moves the headset's room. */
  readonly rig = new Group();
  readonly camera = new PerspectiveCamera(FIELD_OF_VIEW, 1, 0.01, 1000);
  readonly controls: OrbitControls;
  private start: Placement = { position: new Vector3(3, 1.5, 4), target: new Vector3() };
  private move: { from: Placement; to: Placement; began: number } | null = null;
  private subject: Box3 | null = null;
  /** The camera stands where the start view has it, and stays there when the window changes. */
  private atStart = false;
  private ground: number | null = null;
  private size = { width: 1, height: 1 };
  private inset = { right: 0, bottom: 0 };

  constructor(element: HTMLElement, private readonly changed: () => void) {
    this.rig.add(this.camera);
    this.controls = new OrbitControls(this.camera, element);
    this.controls.enableDamping = false;
    this.controls.zoomToCursor = true;
    this.controls.mouseButtons = { LEFT: MOUSE.ROTATE, MIDDLE: MOUSE.DOLLY, RIGHT: MOUSE.PAN };
    this.controls.touches = { ONE: TOUCH.ROTATE, TWO: TOUCH.DOLLY_PAN };
    this.controls.addEventListener('change', changed);
    this.controls.addEventListener('start', () => {
      this.move = null;
      this.atStart = false;
    });
    this.put(this.start);
  }

  get target(): Vector3 {
    return this.controls.target;
  }

  get distance(): number {
    return this.camera.position.distanceTo(this.target);
  }

  /** Radius of what the start view shows at its target: the scene's own size. */
  get sceneRadius(): number {
    return this.start.position.distanceTo(this.start.target) * Math.tan(MathUtils.degToRad(FIELD_OF_VIEW / 2));
  }

  get sceneCentre(): Vector3 {
    return this.start.target;
  }

  /** Angle around y from which the start view looks. */
  get startAzimuth(): number {
    return azimuth(this.start);
  }

  /** Angle about the vertical at which the camera is, seen from its target. */
  get azimuth(): number {
    return azimuth({ position: this.camera.position, target: this.target });
  }

  /** The start view looks from `position` towards `target`; with a subject it shows all of it, from the same side. */
  setStart(position: Vector3, target: Vector3, ground: number | null, jump: boolean, subject: Box3 | null = null): void {
    this.start = { position, target };
    this.subject = subject;
    this.ground = ground;
    this.controls.minDistance = this.sceneRadius * 0.05;
    this.controls.maxDistance = this.sceneRadius * 60;
    this.updateFrustum();
    if (jump) this.putAtStart();
  }

  resize(width: number, height: number): void {
    this.size = { width, height };
    this.updateFrustum();
    if (this.atStart) this.putAtStart();
  }

  /** Keeps the subject's centre clear of a drawer that covers this much of the right or bottom edge. */
  setInset(right: number, bottom: number): void {
    this.inset = { right, bottom };
    this.updateFrustum();
    if (this.atStart) this.putAtStart();
    this.changed();
  }

  get placement(): Placement {
    return { position: this.camera.position.clone(), target: this.target.clone() };
  }

  /** Looks from there at once. */
  placeAt(placement: Placement): void {
    this.put(placement);
  }

  /** Takes camera and target along by a vector of the world, also in the middle of a move. */
  carry(by: Vector3): void {
    this.atStart = false;
    if (this.move) {
      for (const { position, target } of [this.move.from, this.move.to]) {
        position.add(by);
        target.add(by);
      }
    }
    this.camera.position.add(by);
    this.target.add(by);
    this.changed();
  }

  /** Turns the view about the vertical through its target, also in the middle of a move. */
  swing(angle: number): void {
    const turn = ({ position, target }: Placement) => position.sub(target).applyAxisAngle(UP, angle).add(target);
    if (this.move) [this.move.from, this.move.to].forEach(turn);
    turn({ position: this.camera.position, target: this.target });
    this.changed();
  }

  /** A headset has moved the camera: looks from where it looked before. */
  leaveHeadset(): void {
    this.camera.fov = FIELD_OF_VIEW;
    this.camera.zoom = 1;
    this.updateFrustum();
    this.put(this.framedStart());
  }

  /** Turns the gaze by angles to the left and up; the camera stays where it is. */
  look(left: number, up: number): void {
    const gaze = new Spherical().setFromVector3(this.target.clone().sub(this.camera.position));
    gaze.theta += left;
    gaze.phi = MathUtils.clamp(gaze.phi - up, 0.05, Math.PI - 0.05);
    this.put({ position: this.camera.position.clone(), target: this.camera.position.clone().add(new Vector3().setFromSpherical(gaze)) });
  }

  home(): void {
    this.moveTo(this.framedStart());
  }

  /** Shows all of a box, from the side from which the camera looks now. */
  fit(box: Box3): void {
    this.moveTo(this.framed(box, this.camera.position.clone().sub(this.target)));
  }

  centre(point: Vector3): void {
    const shift = point.clone().sub(this.target);
    this.moveTo({ position: this.camera.position.clone().add(shift), target: point.clone() });
  }

  orbit(turn: number, rise: number): void {
    const spherical = new Spherical().setFromVector3(this.camera.position.clone().sub(this.target));
    spherical.theta += turn;
    spherical.phi = MathUtils.clamp(spherical.phi - rise, 0.02, Math.PI - 0.02);
    this.put({ position: this.target.clone().add(new Vector3().setFromSpherical(spherical)), target: this.target.clone() });
  }

  /** Shifts camera and target by shares of the distance between them, along the view's right, up and forward. */
  shift(right: number, up: number, forward = 0): void {
    const by = new Vector3(right, up, -forward).multiplyScalar(this.distance).applyQuaternion(this.camera.quaternion);
    this.put({ position: this.camera.position.clone().add(by), target: this.target.clone().add(by) });
  }

  zoom(factor: number): void {
    const away = this.camera.position.clone().sub(this.target).multiplyScalar(factor);
    this.put({ position: this.target.clone().add(away), target: this.target.clone() });
  }

  /** Pixels per metre at the target's distance. */
  get pixelsPerMetre(): number {
    return this.size.height / (2 * this.distance * Math.tan(MathUtils.degToRad(FIELD_OF_VIEW / 2)));
  }

  /** Goes on with a move and keeps above the ground; called before each drawn frame. Returns whether it moves. */
  update(now: number): boolean {
    const moving = this.move !== null;
    if (this.move) {
      const t = Math.min(1, (now - this.move.began) / MOVE_MS);
      const eased = 1 - (1 - t) ** 3;
      this.target.lerpVectors(this.move.from.target, this.move.to.target, eased);
      this.camera.position.lerpVectors(this.move.from.position, this.move.to.position, eased);
      if (t >= 1) this.move = null;
    }
    this.keepAboveGround();
    this.controls.update();
    return moving;
  }

  dispose(): void {
    this.controls.dispose();
  }

  private get freeWidth(): number {
    return Math.max(1, this.size.width - this.inset.right);
  }

  private get freeHeight(): number {
    return Math.max(1, this.size.height - this.inset.bottom);
  }

  private framed(box: Box3, away: Vector3): Placement {
    const { height } = this.size;
    return framing(box, away, { fieldOfView: FIELD_OF_VIEW, width: (FIT_SHARE * this.freeWidth) / height, height: (FIT_SHARE * this.freeHeight) / height });
  }

  private putAtStart(): void {
    this.put(this.framedStart());
    this.atStart = true;
  }

  /** The start view: all of the subject; without one as it was given, further away where the picture is narrower than what it was composed for. */
  private framedStart(): Placement {
    if (this.subject) return this.framed(this.subject, this.start.position.clone().sub(this.start.target));
    const further = Math.max(1, (COMPOSED * this.freeHeight) / this.freeWidth);
    const { position, target } = this.start;
    return { position: position.clone().sub(target).multiplyScalar(further).add(target), target: target.clone() };
  }

  private moveTo(to: Placement): void {
    if (matchMedia('(prefers-reduced-motion: reduce)').matches) {
      this.put(to);
      return;
    }
    this.atStart = false;
    this.move = { from: { position: this.camera.position.clone(), target: this.target.clone() }, to, began: performance.now() };
    this.changed();
  }

  private put({ position, target }: Placement): void {
    this.move = null;
    this.atStart = false;
    this.camera.position.copy(position);
    this.target.copy(target);
    this.keepAboveGround();
    this.controls.update();
    this.changed();
  }

  private keepAboveGround(): void {
    if (this.ground === null) return;
    const { target, distance } = this;
    target.y = Math.max(target.y, this.ground);
    const lowest = this.ground + LOWEST * distance;
    this.controls.maxPolarAngle = Math.acos(MathUtils.clamp((lowest - target.y) / distance, -1, 1));
  }

  private updateFrustum(): void {
    const { width, height } = this.size;
    this.camera.aspect = width / height;
    this.camera.setViewOffset(width, height, this.inset.right / 2, this.inset.bottom / 2, width, height);
    this.camera.near = this.sceneRadius * 0.02;
    this.camera.far = this.sceneRadius * 200;
    this.camera.updateProjectionMatrix();
  }
}

function azimuth({ position, target }: Placement): number {
  return Math.atan2(position.x - target.x, position.z - target.z);
}
