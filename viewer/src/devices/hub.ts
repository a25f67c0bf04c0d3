// Gamepad and SpaceMouse, polled once per drawn frame: they move the held body, or the camera while nothing is held.

import { settings } from '../settings';
import { announce } from '../ui/announce';
import { notify } from '../ui/messages';
import type { SceneModel } from '../scene/model';
import type { Hand } from '../stage/hand';
import type { Stage } from '../stage/stage';
import { padWithoutDriving } from '../drive/controls';
import { deviceSettings, tuned, type DeviceName } from './device-settings';
import { PadButtons, cameraMotion, handMotion, padActions, type PadAction } from './gamepad';
import { gamepadNames } from './gamepad-names';
import { Rumble } from './rumble';
import { isHandling } from '../hand/reading';
import { Mapping } from './mapping';
import { isStill, still, type SixAxes } from './six-axes';
import { fromDeviceAxes, isSpaceMouse } from './space-mouse';
import { findSpaceMouse, spaceMouse, spaceMouseName } from './space-mouse-hid';

/** Scene radii and radians per second at full deflection. */
const HAND_SPEED = 0.9;
const TURN_SPEED = 1.8;
const CAMERA_SPEED = 0.8;
const ORBIT_SPEED = 1.6;

export class DeviceHub {
  private readonly buttons = new Map<number, PadButtons>();
  private readonly rumble = new Rumble();
  private readonly mouseButtons = new PadButtons();
  private last: number | null = null;
  private selected: number | null = null;
  /** The device that holds a body: the number of a gamepad, or the SpaceMouse of WebHID. */
  private holder: number | 'hid' | null = null;
  private readonly mappings = new Map<DeviceName, Mapping>();
  /** The device whose push the hand goes by. */
  private pusher: DeviceName | null = null;

  constructor(
    private readonly stage: Stage,
    private readonly hand: Hand,
    private readonly model: SceneModel,
  ) {
    void findSpaceMouse();
  }

  update(now: number): void {
    const seconds = this.last === null ? 0 : Math.min(0.1, (now - this.last) / 1000);
    this.last = now;
    const pads = [...(navigator.getGamepads?.() ?? [])].filter((pad): pad is Gamepad => pad !== null);
    this.tellNames(pads);
    this.noticeLoss(pads);
    for (const pad of pads) this.usePad(pad, seconds, now);
    if (spaceMouseName.value !== null) {
      this.move(spaceMouse.motion(deviceSettings['space-mouse'].value.deadZone), seconds);
      const pressed = this.mouseButtons.pressed({ axes: [], buttons: [0, 1].map((i) => ({ pressed: spaceMouse.pressed(i), value: 0 })) });
      if (pressed.includes(0)) this.act('grab', 'hid');
      if (pressed.includes(1)) this.act('next', 'hid');
    }
  }

  /** A device that went away while it held something lets go. */
  private noticeLoss(pads: Gamepad[]): void {
    if (this.hand.heldBy !== 'device') this.holder = null;
    if (!this.hand.isHolding) {
      this.pusher = null;
      for (const mapping of this.mappings.values()) mapping.stop();
    }
    const there = this.holder === null || (this.holder === 'hid' ? spaceMouseName.value !== null : pads.some(({ index }) => index === this.holder));
    if (there) return;
    this.holder = null;
    this.hand.release();
    notify({ kind: 'warn', title: 'The device is gone', text: 'What it held was let go' });
  }

  dispose(): void {
    this.model.feelsForces.value = false;
  }

  private tellNames(pads: Gamepad[]): void {
    const names = pads.map(({ id }) => id);
    if (names.join('\n') !== gamepadNames.value.join('\n')) gamepadNames.value = names;
  }

  private usePad(pad: Gamepad, seconds: number, now: number): void {
    const buttons = this.buttons.get(pad.index) ?? new PadButtons();
    this.buttons.set(pad.index, buttons);
    const free = isSpaceMouse(pad) ? pad : padWithoutDriving(this.model.drive.value?.controls ?? [], pad);
    const pressed = buttons.pressed(free);
    if (isSpaceMouse(pad)) {
      this.move(fromDeviceAxes(pad.axes, deviceSettings['space-mouse'].value.deadZone), seconds);
      if (pressed.includes(0)) this.act('grab', pad.index);
      if (pressed.includes(1)) this.act('next', pad.index);
      return;
    }
    for (const [button, action] of padActions) if (pressed.includes(button)) this.act(action, pad.index);
    const holding = this.hand.heldBy === 'device';
    if (holding) this.moveHand(handMotion(free, deviceSettings.gamepad.value.deadZone), seconds, 'gamepad');
    this.moveCamera(cameraMotion(free, holding), seconds);
    const body = this.hand.body;
    const feels = settings.rumble.value && body !== null;
    this.model.feelsForces.value = feels;
    if (feels) this.rumble.play(this.stage.contactForceNear(body), pad.vibrationActuator, now);
  }

  private move(motion: SixAxes, seconds: number): void {
    if (this.hand.isHolding) this.moveHand(motion, seconds, 'space-mouse');
    else this.moveCamera({ ...still, right: motion.right, up: motion.up, away: motion.away, aboutUp: motion.aboutUp, aboutRight: motion.aboutRight }, seconds);
  }

  private moveHand(raw: SixAxes, seconds: number, device: DeviceName): void {
    const settings = deviceSettings[device].value;
    const mapping = this.mappings.get(device) ?? new Mapping();
    this.mappings.set(device, mapping);
    const motion = mapping.next(tuned(raw, settings), settings.mapping ?? 'velocity', seconds);
    if (isHandling(this.model.session.hello.value?.channels ?? [])) {
      this.push(motion, device);
      return;
    }
    if (isStill(motion)) return;
    const way = HAND_SPEED * this.stage.view.sceneRadius * seconds;
    const angle = TURN_SPEED * seconds;
    this.hand.moveBy(way * motion.right, way * motion.up, way * motion.away);
    this.hand.turnBy(angle * motion.aboutRight, angle * motion.aboutUp, angle * motion.aboutForward, settings.pivot);
  }

  /** Behind a contact filter the part goes on from where it is, so that nothing adds up while it stands. */
  private push(motion: SixAxes, device: DeviceName): void {
    const moves = !isStill(motion);
    // One that rests leaves the hand to others.
    if (!moves && this.pusher !== device) return;
    this.pusher = moves ? device : null;
    const speed = HAND_SPEED * this.stage.view.sceneRadius;
    const { right, up, away, aboutRight, aboutUp, aboutForward } = motion;
    const turn = [TURN_SPEED * aboutRight, TURN_SPEED * aboutUp, TURN_SPEED * aboutForward] as const;
    this.hand.pushBy([speed * right, speed * up, speed * away], turn, deviceSettings[device].value.pivot);
  }

  private moveCamera(motion: SixAxes, seconds: number): void {
    if (isStill(motion)) return;
    const { view } = this.stage;
    view.shift(CAMERA_SPEED * seconds * motion.right, CAMERA_SPEED * seconds * motion.up);
    view.orbit(ORBIT_SPEED * seconds * motion.aboutUp, -ORBIT_SPEED * seconds * motion.aboutRight);
    if (motion.away !== 0) view.zoom(Math.exp(-CAMERA_SPEED * seconds * motion.away));
  }

  private act(action: PadAction, device: number | 'hid'): void {
    switch (action) {
      case 'grab':
        this.grabOrRelease(device);
        break;
      case 'next':
        this.chooseNext(1);
        break;
      case 'previous':
        this.chooseNext(-1);
        break;
      case 'toggle':
        this.model.session.toggle();
        break;
      case 'step':
        this.model.session.step();
        break;
      case 'fit':
        this.stage.fit();
        break;
      case 'back':
        this.model.goBack();
        break;
    }
  }

  private grabOrRelease(device: number | 'hid'): void {
    if (this.hand.isHolding) this.hand.release();
    else {
      if (this.selected === null || !this.stage.bodies?.isThere(this.selected)) this.chooseNext(1);
      if (this.selected === null) return;
      this.hand.takeBody(this.selected, 'device');
      this.holder = device;
    }
  }

  private chooseNext(direction: 1 | -1): void {
    const { bodies } = this.stage;
    const all = this.model.session.hello.value?.assets.bodies ?? [];
    const movable = all.flatMap((body, i) => (body.movable && bodies?.isThere(i) ? [i] : []));
    if (movable.length === 0) return;
    const at = this.selected === null ? (direction > 0 ? -1 : 0) : movable.indexOf(this.selected);
    this.selected = movable[(at + direction + movable.length) % movable.length]!;
    this.stage.select(this.selected);
    announce(this.model.bodyName(this.selected));
  }
}
