// A part in hand: by axes, keys and gamepad, with settings that are remembered; what a person sees of it; and what happens when a device, a page or another person comes in between.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { launch } from './browser.mjs';
import { command, giveGamepad, holdAtStart, hook, openPage, openScene, padPress, place, placeAtRest, press } from './page.mjs';

const url = process.env.PRALL_URL;

let browser;
before(async () => (browser = await launch()));
after(() => browser.close());

const poseOf = (page, body) => page.evaluate((i) => [...window.prall.bodies.slice(7 * i, 7 * i + 7)], body);
const apart = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
const angleOf = ([, , , x, y, z]) => 2 * Math.asin(Math.min(1, Math.hypot(x, y, z)));

async function atStart(scene, options = {}) {
  const opened = await openScene(browser, url, { scene, ...options });
  await holdAtStart(opened.page);
  return opened;
}

/** By key: Space on the stage, with the focus there. */
async function play(page) {
  await page.locator('#stage').focus();
  await page.keyboard.press('Space');
  await hook.until(page, () => window.prall.running);
}

/** Lets simulated time pass, so that a part can follow its hand. */
async function pass(page, seconds) {
  await hook.until(page, (time) => window.prall.time > time, (await hook.read(page)).time + seconds);
}

/** Chooses a body with Tab and takes it with Enter. */
async function takeByKeys(page, body) {
  await page.locator('#stage').focus();
  for (let i = 0; i < 50 && (await page.locator('#stage').getAttribute('data-selected')) !== String(body); i += 1) await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await hook.until(page, (wanted) => window.prall.held === wanted, body);
}

async function openSettings(page, device) {
  await page.getByRole('button', { name: 'Settings' }).click();
  await page.locator('.device-form summary', { hasText: device }).click();
}

describe('a device', () => {
  it('has settings of its own that are remembered, and turns about the pivot that was chosen', async () => {
    const { page, close } = await atStart('corner');
    await openSettings(page, 'Gamepad');
    const gamepad = page.locator('.device-form', { hasText: 'Gamepad' });
    await gamepad.getByLabel('Moving').fill('0.5');
    await gamepad.getByLabel('Dead zone').fill('0.3');
    await gamepad.getByLabel('Only the strongest axis').check();
    await page.locator('.device-form summary', { hasText: 'Keyboard' }).click();
    await page.locator('.device-form', { hasText: 'Keyboard' }).getByLabel('Turns about').selectOption('centre');
    await page.reload();
    await hook.started(page);
    await openSettings(page, 'Gamepad');
    assert.equal(await gamepad.getByLabel('Moving').inputValue(), '0.5');
    assert.equal(await gamepad.getByLabel('Dead zone').inputValue(), '0.3');
    assert.ok(await gamepad.getByLabel('Only the strongest axis').isChecked());
    await page.keyboard.press('Escape');

    const turned = async (pivot) => {
      await openSettings(page, 'Keyboard');
      await page.locator('.device-form', { hasText: 'Keyboard' }).getByLabel('Turns about').selectOption(pivot);
      await page.keyboard.press('Escape');
      await holdAtStart(page);
      await takeByKeys(page, 0);
      await play(page);
      const before = await poseOf(page, 0);
      for (let i = 0; i < 6; i += 1) await page.keyboard.press('Alt+ArrowRight');
      await hook.until(page, () => 2 * Math.asin(Math.hypot(...window.prall.bodies.slice(3, 6))) > 0.5);
      await pass(page, 0.3);
      const after = await poseOf(page, 0);
      await page.keyboard.press('Enter');
      await hook.until(page, () => window.prall.held === null);
      return apart(before, after);
    };
    // The block is held 0.1 m from its middle; 30 degrees about its middle leave it where it is.
    assert.ok((await turned('centre')) < 2e-3);
    assert.ok((await turned('hand')) > 0.03);
    await close();
  });

  it('that goes away lets go', async () => {
    const { page, close } = await atStart('corner', { prepare: giveGamepad });
    await padPress(page, 0);
    await hook.until(page, () => window.prall.held === 0);
    await page.evaluate(() => (window.pad.connected = false));
    await hook.until(page, () => window.prall.held === null);
    await page.getByText('The device is gone', { exact: true }).waitFor();
    await close();
  });
});

describe('axes on a part', () => {
  it('shift it along its own axis, and with Shift turn it', async () => {
    const { page, close } = await atStart('corner');
    await page.locator('#stage').focus();
    await page.keyboard.press('y');
    await hook.until(page, () => window.prall.arrowOf('x') !== null);
    const arrow = async () => page.evaluate(() => window.prall.arrowOf('x'));
    const [middle, tip, start] = [await placeAtRest(page, 0), await arrow(), await poseOf(page, 0)];
    await page.mouse.move(tip.x, tip.y);
    await page.mouse.down();
    await hook.until(page, () => window.prall.held === 0);
    await play(page);
    const along = { x: tip.x - middle.x, y: tip.y - middle.y };
    await page.mouse.move(tip.x + along.x, tip.y + along.y, { steps: 4 });
    await hook.until(page, (x) => window.prall.bodies[0] > x + 0.03, start[0]);
    await pass(page, 0.3);
    const shifted = await poseOf(page, 0);
    // Along x only; what is left is rounding of single precision.
    assert.ok(Math.hypot(shifted[1] - start[1], shifted[2] - start[2]) < 1e-3, `${shifted}`);
    assert.ok(angleOf(shifted) < 1e-3);
    await page.mouse.up();
    await hook.until(page, () => window.prall.held === null);

    // With Shift there are rings instead: that of z goes through the arrows of x and y, a quarter farther out, and between them.
    const before = await poseOf(page, 0);
    const [m, x, y] = [await placeAtRest(page, 0), await arrow(), await page.evaluate(() => window.prall.arrowOf('y'))];
    const on = (angle) => {
      const [c, s] = [1.25 * Math.cos(angle), 1.25 * Math.sin(angle)];
      return [m.x + c * (x.x - m.x) + s * (y.x - m.x), m.y + c * (x.y - m.y) + s * (y.y - m.y)];
    };
    await page.keyboard.down('Shift');
    await page.mouse.move(...on(0.8));
    await page.mouse.down();
    await hook.until(page, () => window.prall.held === 0);
    for (const angle of [0.9, 1, 1.1, 1.2]) await page.mouse.move(...on(angle));
    await hook.until(page, () => Math.hypot(...window.prall.bodies.slice(3, 6)) > Math.sin(0.1));
    await pass(page, 0.3);
    await page.mouse.up();
    await page.keyboard.up('Shift');
    await hook.until(page, () => window.prall.held === null);
    const turned = await poseOf(page, 0);
    assert.ok(Math.hypot(turned[3], turned[4]) < 0.02 * Math.abs(turned[5]), `about z: ${turned}`);
    assert.ok(apart(before, turned) < 2e-3, `its origin stays: ${before} ${turned}`);

    await page.keyboard.press('y');
    await page.getByRole('button', { name: 'Axes to turn about' }).waitFor();
    await page.keyboard.press('y');
    await hook.until(page, () => window.prall.arrowOf('x') === null);
    await close();
  });
});

describe('what a person sees of a part in hand', () => {
  it('a bulb behind its cover is taken by keys, and what hides it becomes translucent', async () => {
    const { page, close } = await atStart('bulb-removal');
    const bulb = await page.evaluate(() => window.prall.names.indexOf('right bulb'));
    await takeByKeys(page, bulb);
    await hook.until(page, () => window.prall.cleared.length > 0);
    await page.keyboard.press('Enter');
    await hook.until(page, () => window.prall.held === null && window.prall.cleared.length === 0);
    await close();
  });

  it('a section plane cuts the picture open and is moved', async () => {
    const { page, close } = await atStart('peg-in-hole');
    const picture = async () => {
      const { drawn } = await hook.read(page);
      await page.keyboard.press('Shift+ArrowRight');
      await page.keyboard.press('Shift+ArrowLeft');
      await hook.until(page, (before) => window.prall.drawn > before, drawn);
      // The first key may have been drawn without the second: a picture counts once it stays.
      const shot = async () => (await page.locator('#stage canvas').screenshot()).toString('base64');
      let [before, now] = [await shot(), await shot()];
      while (now !== before) [before, now] = [now, await shot()];
      return now;
    };
    await page.locator('#stage').focus();
    const whole = await picture();
    await page.keyboard.press('v');
    await page.getByRole('heading', { name: 'Section plane' }).waitFor();
    const cut = await picture();
    assert.notEqual(cut, whole);
    await page.getByRole('slider', { name: 'Depth' }).fill('0.4');
    await page.locator('#stage').focus();
    assert.notEqual(await picture(), cut);
    await page.getByRole('button', { name: 'Whole again' }).click();
    await page.locator('#stage').focus();
    assert.equal(await picture(), whole);
    await close();
  });

  it('the nearest distance is written with its name', async () => {
    const { page, close } = await atStart('corner');
    await command(page, () => page.getByRole('button', { name: 'Clearance of the part in hand' }).click());
    await hook.until(page, () => [...document.querySelectorAll('.stage-labels > *')].some(({ textContent }) => /^\d[\d.]* (µm|mm|m) to (left wall|floor|back wall)$/.test(textContent)));
    await page.getByText('red below 0.1 mm').waitFor();
    await close();
  });

  it('draws only what moves while a part is held and gets the same picture', async () => {
    const { page, close } = await atStart('corner');
    await takeByKeys(page, 0);
    const shot = async () => (await page.locator('#stage canvas').screenshot()).toString('base64');
    const drawnAnew = async (act) => {
      const { drawn } = await hook.read(page);
      await act();
      await hook.until(page, (before) => window.prall.drawn > before, drawn);
      return (await hook.read(page)).triangles;
    };
    // A window of another size is drawn whole; a hand that goes there and back is drawn by what moves.
    const whole = await drawnAnew(() => page.setViewportSize({ width: 1100, height: 640 }));
    await page.waitForFunction(() => window.prall.drawn > 0 && window.prall.acknowledged >= window.prall.sent);
    const before = await shot();
    await drawnAnew(() => command(page, () => page.keyboard.press('ArrowRight')));
    const moving = await drawnAnew(() => command(page, () => page.keyboard.press('ArrowLeft')));
    assert.ok(moving < whole, `${moving} of ${whole} triangles`);
    assert.equal(await shot(), before);
    await close();
  });

  it('a scene without a contact filter says so where the filter would be switched off', async () => {
    for (const [scene, count] of [['hinged-cover', 1], ['corner', 0]]) {
      const { page, close } = await openScene(browser, url, { scene });
      assert.equal(await page.getByText('This scene has no contact filter').count(), count, scene);
      await close();
    }
  });

  it('the plate tells how long it takes from the hand to the picture', async () => {
    const { page, close } = await atStart('corner');
    await takeByKeys(page, 0);
    await play(page);
    for (let i = 0; i < 24; i += 1) await command(page, () => page.keyboard.press(i % 2 ? 'ArrowLeft' : 'ArrowRight'));
    await page.locator('.hand-plate', { hasText: /Hand to picture\s*\d+ ms/ }).waitFor();
    await close();
  });
});

describe('a hand that is interrupted', () => {
  it('a page that is loaded again in mid-grasp has let go, and can take the part again', async () => {
    const { page, close } = await atStart('corner');
    const at = await placeAtRest(page, 0);
    await page.mouse.move(at.x, at.y);
    await page.mouse.down();
    await hook.until(page, () => window.prall.held === 0);
    await page.reload();
    await hook.started(page);
    await page.mouse.up();
    assert.equal((await hook.read(page)).held, null);
    const again = await placeAtRest(page, 0);
    await page.mouse.move(again.x, again.y);
    await page.mouse.down();
    await hook.until(page, () => window.prall.held === 0);
    await page.mouse.up();
    await close();
  });

  it('of two people on one scene one holds, and the other is told', async () => {
    const { page: first, session, close } = await atStart('corner');
    const second = await openPage(browser, `${url}?quality=low&session=${session}#/scene/corner`);
    await hook.started(second.page);
    await takeByKeys(first, 0);
    const at = await placeAtRest(second.page, 0);
    await second.page.mouse.move(at.x, at.y);
    await second.page.mouse.down();
    await second.page.getByText('another viewer holds a body').first().waitFor();
    await second.page.mouse.up();
    assert.equal((await hook.read(second.page)).held, null);
    assert.equal((await hook.read(first)).held, 0);
    await first.keyboard.press('Enter');
    await hook.until(first, () => window.prall.held === null);
    const now = await place(second.page, 0);
    await second.page.mouse.move(now.x, now.y);
    await second.page.mouse.down();
    await hook.until(second.page, () => window.prall.held === 0);
    await second.page.mouse.up();
    await press(first, 'Play');
    await second.close();
    await close();
  });
});

describe('what a hand feels and hears without a force-feedback device', () => {
  it('a gamepad moves a part by velocity, rumbles where it touches, and rests when its stick does', async () => {
    const { page, close } = await atStart('corner', { prepare: giveGamepad });
    await padPress(page, 0);
    await hook.until(page, () => window.prall.held === 0);
    await play(page);
    await page.evaluate(() => (window.pad.buttons[6].value = 1));
    // Down to the floor and against it.
    await hook.until(page, () => window.prall.bodies[1] < 0.0802);
    await page.waitForFunction(() => window.pad.rumbles > 0);
    await pass(page, 0.5);
    // Nothing has added up: it leaves the floor at once when the other trigger is pressed.
    await page.evaluate(() => Object.assign(window.pad, { buttons: window.pad.buttons.map((button, i) => (i === 6 ? { ...button, value: 0 } : i === 7 ? { ...button, value: 1 } : button)) }));
    await hook.until(page, () => window.prall.bodies[1] > 0.0802);
    await hook.until(page, () => window.prall.bodies[1] > 0.15);
    await page.evaluate(() => (window.pad.buttons[7].value = 0));
    const still = async () => {
      for (let before = null; ;) {
        const now = JSON.stringify(await poseOf(page, 0));
        if (now === before) return JSON.parse(now);
        before = now;
        await pass(page, 0.2);
      }
    };
    const rested = await still();
    assert.ok(rested[1] > 0.15, `${rested}`);
    await close();
  });

  it('contacts click, thud by their impulse, and scrape by their speed', async () => {
    const { page, close } = await atStart('corner');
    const levels = await page.evaluate(async () => {
      const plain = { held: 0, standing: 'touching', force: 10, moment: 0, ahead: 0, turned: 0, gap: null, interval: 0, allowed: 1, sliding: 0, struck: 0, words: '' };
      const rms = (buffer, from, to) => {
        const data = buffer.getChannelData(0).subarray(from * 48000, to * 48000);
        return 10 * Math.log10(data.reduce((sum, x) => sum + x * x, 0) / data.length + 1e-20);
      };
      /** How often the sign changes in a second: bright is often. */
      const crossings = (buffer, from, to) => {
        const data = buffer.getChannelData(0).subarray(from * 48000, to * 48000);
        let count = 0;
        for (let i = 1; i < data.length; i += 1) count += Number(data[i] > 0 !== data[i - 1] > 0);
        return count / (to - from);
      };
      const hear = (change, seconds) => window.prall.hearHand((t) => ({ ...plain, ...change(t) }), seconds);
      const rest = await hear(() => ({}), 0.5);
      const thuds = [];
      for (const struck of [0.001, 0.02, 0.2]) thuds.push(rms(await hear((t) => ({ struck: t > 0.2 && t < 0.23 ? struck : 0 }), 0.4), 0.2, 0.3));
      const [scrapes, bright] = [[], []];
      for (const sliding of [0.005, 0.05, 0.5]) {
        const buffer = await hear(() => ({ sliding }), 0.6);
        scrapes.push(rms(buffer, 0.3, 0.6));
        bright.push(crossings(buffer, 0.3, 0.6));
      }
      return { rest: rms(rest, 0, 0.5), thuds, scrapes, bright };
    });
    const rises = (list, by) => list.slice(1).every((x, i) => x > list[i] + by);
    assert.ok(levels.rest < -150, `silence at rest: ${JSON.stringify(levels)}`);
    assert.ok(rises(levels.thuds, 2) && rises(levels.scrapes, 2) && rises(levels.bright, 300), JSON.stringify(levels));
    await close();
  });
});

describe('a second session', () => {
  it('is opened from the panel, goes the same way, and stops where its scene differs', async () => {
    const { page, session, close } = await openScene(browser, url, { scene: 'peg-in-hole' });
    await hook.started(page);
    await holdAtStart(page);
    const address = await page.getByRole('link', { name: 'Open a follower' }).getAttribute('href');
    const query = new URL(address).searchParams;
    assert.equal(query.get('follow'), `${session}.peg-in-hole`);
    const second = await openPage(browser, `${url}?quality=low&session=${session}-2&follow=${query.get('follow')}&delay=0.2#/scene/peg-in-hole`);
    await hook.started(second.page);
    await second.page.locator('[data-following="follows"]').waitFor();
    await play(page);
    await pass(page, 1.5);
    await page.keyboard.press('Space');
    await hook.until(page, () => !window.prall.running);
    const there = await poseOf(page, 0);
    await hook.until(second.page, (pose) => pose.every((x, i) => window.prall.bodies[i] === x), there);
    // What begins anew has not gone there.
    await holdAtStart(page);
    await play(page);
    await second.page.locator('[data-following="stopped"]', { hasText: 'has jumped' }).waitFor();
    await second.page.getByRole('button', { name: 'Go its own way' }).click();
    await second.page.getByRole('link', { name: 'Open a follower' }).waitFor();
    await second.close();
    await close();
  });
});
