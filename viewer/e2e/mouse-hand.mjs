// A hand that has nothing but a mouse: it looks where the part is and drags, turns and wheels it towards a place, as a person would.

import { hook, place } from './page.mjs';

const POSE = 7;
/** Vertical angle of view of the page's camera. */
const FIELD_OF_VIEW = (32 * Math.PI) / 180;
/** As in stage/pointer-hand.ts: metres of depth per wheel pixel and metre of distance, radians per pixel. */
const DEPTH_PER_WHEEL_PIXEL = 0.0005;
const TURN_PER_PIXEL = 0.01;
/** Simulated seconds that the part is given to follow a drag. */
const LOOK_AGAIN = 0.12;
/** Shares of the way that is left that a drag and the wheel go: a window of another shape has its camera farther away than the scene says. */
const CAREFUL = { across: 0.7, depth: 0.45 };

const sub = (a, b) => a.map((value, i) => value - b[i]);
const dot = (a, b) => a.reduce((sum, value, i) => sum + value * b[i], 0);
const unit = (a) => a.map((value) => value / Math.hypot(...a));
const cross = ([a, b, c], [d, e, f]) => [b * f - c * e, c * d - a * f, a * e - b * d];

export class MouseHand {
  /** `camera` is that of the scene's greeting; nobody has moved it. */
  constructor(page, camera, stageHeight) {
    this.page = page;
    this.forward = unit(sub(camera.target, camera.position));
    this.right = unit(cross(this.forward, [0, 1, 0]));
    this.up = cross(this.right, this.forward);
    this.eye = camera.position;
    this.distance = Math.hypot(...sub(camera.target, camera.position));
    this.focal = stageHeight / 2 / Math.tan(FIELD_OF_VIEW / 2);
  }

  async pose(body) {
    const all = await this.page.evaluate(() => [...window.prall.bodies]);
    return all.slice(POSE * body, POSE * body + POSE);
  }

  /** Takes a body at its middle, or so many pixels above it. */
  async take(body, above = 0) {
    const at = await place(this.page, body);
    this.at = { x: at.x, y: at.y - above };
    await this.page.mouse.move(this.at.x, this.at.y);
    await this.page.mouse.down();
    await hook.until(this.page, (wanted) => window.prall.held === wanted, body);
    this.body = body;
  }

  async letGo() {
    await this.page.mouse.up();
    await hook.until(this.page, () => window.prall.held === null);
  }

  async follow() {
    await hook.until(this.page, (time) => window.prall.time > time, (await hook.read(this.page)).time + LOOK_AGAIN);
  }

  async drag(right, down) {
    this.at = { x: this.at.x + right, y: this.at.y + down };
    await this.page.mouse.move(this.at.x, this.at.y, { steps: 3 });
  }

  /** Turns about the vertical until the body's heading is this one, in radians. */
  async turnTo(heading, tolerance = 0.005) {
    for (let tries = 0; tries < 20; tries += 1) {
      const pose = await this.pose(this.body);
      const left = heading - 2 * Math.atan2(pose[4], pose[6]);
      if (Math.abs(left) < tolerance) return;
      await this.page.keyboard.down('Shift');
      await this.drag(left / TURN_PER_PIXEL, 0);
      await this.page.keyboard.up('Shift');
      await this.follow();
    }
    throw new Error('it did not turn');
  }

  /** Drags and wheels until the body's origin is within a tolerance of a place in the world, in m. */
  async moveTo(goal, tolerance = 1e-3) {
    let left = [];
    for (let tries = 0; tries < 60; tries += 1) {
      const here = (await this.pose(this.body)).slice(0, 3);
      left = sub(goal, here);
      if (Math.hypot(...left) < tolerance) return;
      const perMetre = (CAREFUL.across * this.focal) / dot(sub(here, this.eye), this.forward);
      const nearer = -CAREFUL.depth * dot(left, this.forward);
      if (Math.abs(nearer) > 0.2 * tolerance) await this.page.mouse.wheel(0, nearer / (DEPTH_PER_WHEEL_PIXEL * this.distance));
      await this.drag(dot(left, this.right) * perMetre, -dot(left, this.up) * perMetre);
      await this.follow();
    }
    throw new Error(`it stays ${left.map((value) => (1000 * value).toFixed(1))} mm away from where it should be`);
  }
}
