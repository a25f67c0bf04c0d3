// Driving: keys move the car, letting go of them and the brake stop it, and the page's own keys stay within reach.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { launch } from './browser.mjs';
import { giveGamepad, hook, joinSession, openScene } from './page.mjs';

const url = process.env.PRALL_URL;

let browser;
before(async () => (browser = await launch()));
after(() => browser.close());

/** Position of the car's chassis. */
const place = (page, body) => page.evaluate((i) => [...window.prall.bodies.slice(7 * i, 7 * i + 3)], body);
const distance = (a, b) => Math.hypot(...a.map((x, i) => x - b[i]));

describe('a car', () => {
  it('is driven by keys and stops by the brake', async () => {
    const { page, session, close } = await openScene(browser, url, { scene: 'vehicle' });
    const other = await joinSession(url, session, 'vehicle');
    await other.until(() => other.last('hello') !== undefined);
    const { body, controls } = other.last('hello').drive;
    assert.deepEqual(controls.map(({ key }) => key), ['throttle', 'steering', 'brake']);
    // On level ground and with the sliders at zero it stands until somebody drives.
    other.send({ type: 'set', parameter: 'hills', value: 0 });
    other.send({ type: 'set', parameter: 'throttle', value: 0 });
    other.send({ type: 'set', parameter: 'steering', value: 0 });
    other.send({ type: 'reset' });
    await page.getByText('Drive', { exact: true }).waitFor();
    await hook.until(page, () => window.prall.time > 0.5 && window.prall.time < 30);
    const start = await place(page, body);

    await page.keyboard.down('w');
    await page.locator('.drive.on').waitFor();
    await hook.until(page, ([i, z]) => window.prall.bodies[7 * i + 2] < z - 2, [body, start[2]]);
    await other.until(() => other.last('state').driven === true);
    // The camera comes along: the car stays on the screen.
    const screen = await page.evaluate((i) => window.prall.screenPositionOf(i), body);
    assert.ok(screen.x > 0 && screen.x < 1120 && screen.y > 0 && screen.y < 640, JSON.stringify(screen));

    await page.keyboard.up('w');
    // Space brakes and does not pause.
    await page.keyboard.down(' ');
    let before = await place(page, body);
    for (;;) {
      const time = (await hook.read(page)).time;
      await hook.until(page, (then) => window.prall.time > then + 0.5, time);
      const now = await place(page, body);
      if (distance(now, before) < 0.02) break;
      before = now;
    }
    assert.equal((await hook.read(page)).running, true);
    await page.keyboard.up(' ');
    assert.ok(distance(await place(page, body), start) > 2);

    // With Shift the key is the page's own.
    await page.keyboard.press('Shift+Space');
    await hook.until(page, () => !window.prall.running);
    await page.getByRole('button', { name: 'Let go' }).click();
    await other.until(() => other.last('state').driven === false);
    await page.getByText('Drive', { exact: true }).waitFor();

    await page.keyboard.press('?');
    await page.getByRole('dialog').getByText('Steering +').waitFor();
    other.close();
    await close();
  });
});

describe('a sled with a pilot', () => {
  it('is followed as soon as it goes off', async () => {
    const { page, session, close } = await openScene(browser, url, { scene: 'bobsleigh' });
    const other = await joinSession(url, session, 'bobsleigh');
    await other.until(() => other.last('hello') !== undefined);
    const { body } = other.last('hello').drive;
    const start = await place(page, body);
    await hook.until(page, ([i, x, z]) => Math.hypot(window.prall.bodies[7 * i] - x, window.prall.bodies[7 * i + 2] - z) > 15, [body, start[0], start[2]]);
    await page.getByRole('button', { name: /^Follows the/ }).waitFor();
    const screen = await page.evaluate((i) => window.prall.screenPositionOf(i), body);
    assert.ok(screen.x > 0 && screen.x < 1120 && screen.y > 0 && screen.y < 640, JSON.stringify(screen));
    other.close();
    await close();
  });

  it('is taken over by a gamepad: triggers push and brake, the stick pulls the ropes', async () => {
    const { page, session, close } = await openScene(browser, url, { scene: 'bobsleigh', prepare: giveGamepad });
    const other = await joinSession(url, session, 'bobsleigh');
    await other.until(() => other.last('hello') !== undefined);
    const { body } = other.last('hello').drive;
    const hold = (button, value) => page.evaluate(([i, by]) => Object.assign(window.pad.buttons[i], { pressed: by > 0, value: by }), [button, value]);
    // Back at the block the brake holds the sled, whoever pushed it before.
    await hold(6, 1);
    await page.locator('.drive.on').waitFor();
    other.send({ type: 'reset' });
    await other.until(() => other.last('state').driven === true);
    await hook.until(page, () => window.prall.time > 0.5 && window.prall.time < 20);
    const start = await place(page, body);
    await hold(6, 0);
    await hold(7, 1);
    await page.evaluate(() => (window.pad.axes = [-0.2, 0, 0, 0]));
    const away = ([i, x, z]) => Math.hypot(window.prall.bodies[7 * i] - x, window.prall.bodies[7 * i + 2] - z) > 3;
    await hook.until(page, away, [body, start[0], start[2]]);
    assert.equal(other.last('state').driven, true);
    other.close();
    await close();
  });
});
