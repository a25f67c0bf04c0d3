// Devices: an emulated headset and a made-up gamepad take hold of a body.

import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { after, before, describe, it } from 'node:test';
import { launch } from './browser.mjs';
import { giveGamepad, holdAtStart, hook, openPage, padPress, sceneAddress, WAIT } from './page.mjs';

const url = process.env.PRALL_URL;
const iwer = createRequire(import.meta.url).resolve('iwer/build/iwer.min.js');

let browser;
before(async () => (browser = await launch()));
after(() => browser.close());

describe('a headset', () => {
  it('is entered, grasps a body, moves it, lets go, teleports, scales, and is left', async () => {
    const { page, close } = await openPage(browser, url + sceneAddress().path, {}, async (context) => {
      await context.addInitScript({ path: iwer });
      await context.addInitScript(() => {
        const device = new window.IWER.XRDevice(window.IWER.metaQuest3);
        device.installRuntime({ forceInstall: true });
        window.xrDevice = device;
      });
    });
    await hook.started(page);
    await holdAtStart(page);
    await page.getByRole('button', { name: 'Enter the headset' }).click();
    await hook.until(page, () => window.prall.headset !== null);

    // The ball's place in the room: the page's room is world = position + turn (scale room).
    const place = () => page.evaluate(() => {
      const { scale, position, turn } = window.prall.headset;
      const [x, y, z] = [0, 1, 2].map((i) => (window.prall.bodies[i] - position[i]) / scale);
      return [x * Math.cos(turn) - z * Math.sin(turn), y, x * Math.sin(turn) + z * Math.cos(turn)];
    });
    const controller = (position, trigger) => page.evaluate(([[x, y, z], pressed]) => {
      const { right } = window.xrDevice.controllers;
      right.position.set(x, y, z);
      right.quaternion.set(0, 0, 0, 1);
      right.updateButtonValue('trigger', pressed);
    }, [position, trigger]);

    /** A pose counts from the next picture on, however long that takes. */
    const pictures = async () => {
      const { drawn } = await hook.read(page);
      await hook.until(page, (count) => window.prall.drawn > count + 2, drawn);
    };

    const ball = await place();
    const behind = [ball[0], ball[1], ball[2] + 0.5];
    await controller(behind, 0);
    await pictures();
    await controller(behind, 1);
    await hook.until(page, () => window.prall.held === 0);
    await page.locator('#stage').focus(); // on its button, Space would enter the headset again
    const { bodies } = await hook.read(page);
    await page.keyboard.press('Space');
    await hook.until(page, () => window.prall.running);
    await controller([behind[0], behind[1] + 0.4, behind[2]], 1);
    await hook.until(page, (y) => window.prall.bodies[1] > y + 0.1, bodies[1]);
    await controller(behind, 0);
    await hook.until(page, () => window.prall.held === null);

    // A trigger at the ground goes there: the room moves, its height stays.
    const before = await page.evaluate(() => window.prall.headset.position);
    const aim = (trigger) => page.evaluate((pressed) => {
      const { right } = window.xrDevice.controllers;
      right.position.set(0.6, 1.4, 0);
      right.quaternion.set(Math.sin(-0.4), 0, 0, Math.cos(-0.4)); // 46 degrees down
      right.updateButtonValue('trigger', pressed);
    }, trigger);
    await aim(0);
    await pictures();
    await aim(1);
    await pictures();
    await aim(0);
    await hook.until(page, ([x, , z]) => Math.hypot(window.prall.headset.position[0] - x, window.prall.headset.position[2] - z) > 0.2, before);

    const { scale } = await page.evaluate(() => window.prall.headset);
    await page.evaluate(() => window.xrDevice.controllers.left.updateAxes('thumbstick', 0, 1));
    await hook.until(page, (old) => window.prall.headset.scale > 1.05 * old, scale);

    await page.evaluate(() => window.xrDevice.activeSession.end());
    await hook.until(page, () => window.prall.headset === null);
    await close();
  });

  it('with tracked hands: fingers grasp what both tips are at, lead it, and let go when they open; a pinch in the air grasps nothing', async () => {
    const { page, close } = await openPage(browser, url + sceneAddress('corner').path, {}, async (context) => {
      await context.addInitScript({ path: iwer });
      await context.addInitScript(() => {
        const device = new window.IWER.XRDevice(window.IWER.metaQuest3);
        device.installRuntime({ forceInstall: true });
        device.primaryInputMode = 'hand';
        window.xrDevice = device;
      });
    });
    await hook.started(page);
    await holdAtStart(page);
    await page.getByRole('button', { name: 'Enter the headset' }).click();
    await hook.until(page, () => window.prall.headset !== null);
    const pictures = async () => {
      const { drawn } = await hook.read(page);
      await hook.until(page, (count) => window.prall.drawn > count + 2, drawn);
    };
    /** Puts the right hand so that the middle of its tips is at a place of the world, from what the page has seen of it. */
    const tipsAt = async (goal) => {
      for (let turn = 0; turn < 3; turn += 1) {
        await pictures();
        await page.evaluate((to) => {
          const { scale, turn: angle, tips } = window.prall.headset;
          const { right } = window.xrDevice.hands;
          // The nearer hand is the right one: that which moves.
          const all = tips.map((six) => [0, 1, 2].map((i) => (six[i] + six[i + 3]) / 2));
          const own = all[all.length - 1];
          const [x, y, z] = to.map((value, i) => (value - own[i]) / scale);
          right.position.x += x * Math.cos(angle) - z * Math.sin(angle);
          right.position.y += y;
          right.position.z += x * Math.sin(angle) + z * Math.cos(angle);
        }, goal);
      }
      await pictures();
    };
    const pinch = async (value) => {
      await page.evaluate((v) => window.xrDevice.hands.right.updatePinchValue(v), value);
      await pictures();
    };
    await page.evaluate(() => (window.xrDevice.hands.left.connected = false));
    await hook.until(page, () => window.prall.headset.tips?.length === 1);
    // The block stands at 0.3, 0.3, 0.3 and is 0.2 by 0.16 by 0.2 m.
    await tipsAt([0.3, 0.6, 0.3]);
    await pinch(1);
    await pinch(0);
    assert.equal((await hook.read(page)).held, null, 'nothing in the air');
    await pinch(1);
    await tipsAt([0.3, 0.36, 0.3]);
    await hook.until(page, () => window.prall.held === 0);
    await page.locator('#stage').focus();
    await page.keyboard.press('Space');
    await hook.until(page, () => window.prall.running);
    await tipsAt([0.3, 0.5, 0.3]);
    await hook.until(page, () => window.prall.bodies[1] > 0.4);
    await pinch(0);
    await hook.until(page, () => window.prall.held === null);
    await page.evaluate(() => window.xrDevice.activeSession.end());
    await hook.until(page, () => window.prall.headset === null);
    await close();
  });
});

describe('a gamepad', () => {
  it('chooses a body, takes it, moves it, rumbles, and plays and pauses', async () => {
    const { page, close } = await openPage(browser, url + sceneAddress().path, {}, giveGamepad);
    await hook.started(page);
    await holdAtStart(page);
    const press = (button) => padPress(page, button);
    await press(0);
    await hook.until(page, () => window.prall.held === 0);
    await press(9);
    await hook.until(page, () => window.prall.running);
    const { bodies } = await hook.read(page);
    await page.evaluate(() => (window.pad.axes = [1, 0, 0, 0]));
    const moved = ([x, , z]) => Math.hypot(window.prall.bodies[0] - x, window.prall.bodies[2] - z) > 0.15;
    await hook.until(page, moved, bodies);
    // Pushed against the ground, it can be felt.
    await page.evaluate(() => { window.pad.axes = [0, 0, 0, 0]; window.pad.buttons[6].value = 1; });
    await page.waitForFunction(() => window.pad.rumbles > 0, null, WAIT);
    await page.evaluate(() => (window.pad.buttons[6].value = 0));
    await press(0);
    await hook.until(page, () => window.prall.held === null);
    await page.getByRole('button', { name: 'Settings' }).click();
    await page.getByText('Stand-in pad').waitFor();
    assert.equal(await page.getByRole('checkbox', { name: 'Rumble with the contact force' }).isChecked(), true);
    await close();
  });
});
