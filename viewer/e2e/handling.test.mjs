// Parts in hand: pushed in by mouse, said to stand, recorded, certified and written down.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { validateBytes } from 'gltf-validator';
import { launch } from './browser.mjs';
import { MouseHand } from './mouse-hand.mjs';
import { holdAtStart, hook, joinSession, openScene, press } from './page.mjs';

const url = process.env.PRALL_URL;

let browser;
before(async () => (browser = await launch()));
after(() => browser.close());

/** A scene at its start, running, and a hand with a mouse. */
async function atHand(scene) {
  const opened = await openScene(browser, url, { scene });
  const { page, session } = opened;
  const viewer = await joinSession(url, session, scene);
  await viewer.until(() => viewer.last('hello'));
  const { assets } = viewer.last('hello');
  await holdAtStart(page);
  const { height } = await page.locator('#stage').boundingBox();
  return { ...opened, viewer, assets, hand: new MouseHand(page, assets.camera, height) };
}

/** By key: the mouse is busy. */
async function play(page) {
  await page.keyboard.press('Space');
  await hook.until(page, () => window.prall.running);
}

describe('a part in hand', () => {
  it('is pushed into its slot by mouse and its way is certified', async () => {
    const { page, viewer, hand, close } = await atHand('car-radio');
    await hand.take(0);
    await play(page);
    await page.keyboard.press('r');
    await hook.until(page, () => document.querySelector('.hand-plate') !== null);
    await hand.turnTo(0);
    await hand.moveTo([0, 0.25, 0.12]);
    for (const z of [0.06, 0.02, -0.03, -0.0795]) await hand.moveTo([0, 0.25, z], 2e-3);
    await hand.letGo();
    await page.keyboard.press('r');
    await viewer.until(() => viewer.last('recorded'));
    const { recording } = viewer.last('recorded');

    await page.getByRole('button', { name: 'Certify' }).click();
    await page.getByText(/Certified free, gap at least/).waitFor();
    const get = async (document) => fetch(new URL(`api/recordings/${recording}/handled/${document}`, url));
    const report = await (await get('report.html')).text();
    assert.match(report, /Certified free/);
    assert.doesNotMatch(report, /https?:/);
    const animation = Buffer.from(await (await get('animation.glb')).arrayBuffer());
    assert.equal(animation.toString('latin1', 0, 4), 'glTF');
    assert.equal(animation.readUInt32LE(8), animation.length);
    const judged = await validateBytes(new Uint8Array(animation));
    assert.deepEqual([judged.issues.numErrors, judged.issues.numWarnings], [0, 0], JSON.stringify(judged.issues.messages.slice(0, 5)));
    assert.ok(judged.info.animationCount >= 1 && judged.info.totalTriangleCount > 0);
    assert.match(await (await get('path.csv')).text(), /^t,part,x,y,z/);
    assert.equal((await get('nothing')).status, 404);
    viewer.close();
    await close();
  });

  it('says why it stands and what would free it', async () => {
    const { page, viewer, close } = await atHand('car-radio');
    await press(page, 'Play');
    const plate = page.locator('.hand-plate');
    await page.locator('.hand-plate[data-standing="jammed"]').waitFor();
    await hook.until(page, () => /slot.*: (turn|shift|go back|no small)/.test(document.querySelector('.hand-words')?.textContent ?? ''));
    assert.match(await plate.innerText(), /Filter/);
    // Texts are read whole, not cut by the edge of the window.
    const cut = await page.evaluate(() => {
      const stage = document.querySelector('.stage-labels').getBoundingClientRect();
      return [...document.querySelectorAll('.stage-labels > :not([hidden])')].map((label) => label.getBoundingClientRect()).filter(({ left, right }) => left < stage.left - 1 || right > stage.right + 1).length;
    });
    assert.equal(cut, 0);
    viewer.close();
    await close();
  });

  it('the cover of a lamp comes off by mouse and goes out between lamp and hose', async () => {
    const { page, viewer, hand, assets, close } = await atHand('bulb-removal');
    const cover = assets.bodies.findIndex(({ name }) => name === 'right cover');
    await hand.take(cover);
    await play(page);
    for (const goal of [[0.055, 0.002, 0.012], [0.055, 0.05, 0.0122], [0.055, 0.11, 0.013], [0.12, 0.2, 0.02]]) await hand.moveTo(goal, 2e-3);
    await hand.letGo();
    assert.equal((await hook.read(page)).held, null);
    viewer.close();
    await close();
  });

  it('a bolt is turned two turns into its nut by mouse', async () => {
    const { page, viewer, hand, close } = await atHand('bolt-and-nut');
    await page.evaluate(() => localStorage.setItem('prall.device.mouse', JSON.stringify({ move: 1, turn: 1, deadZone: 0, dominant: false, pivot: 'centre' })));
    await page.reload();
    await hook.started(page);
    await holdAtStart(page);
    const heading = async () => {
      const [, , , , y, , w] = await hand.pose(0);
      return 2 * Math.atan2(y, w);
    };
    const start = (await hand.pose(0))[1];
    let [turned, last] = [0, await heading()];
    /** Adds what it has turned since; less than half a turn each time. */
    const count = async () => {
      const now = await heading();
      const step = (((now - last + Math.PI) % (2 * Math.PI)) + 2 * Math.PI) % (2 * Math.PI) - Math.PI;
      [turned, last] = [turned + step, now];
    };
    // Each drag turns by some 115 degrees; the part is given time to follow, and is taken anew.
    for (let drags = 0; drags < 20 && Math.abs(turned) < 4 * Math.PI; drags += 1) {
      // Its middle sinks into the nut.
      await hand.take(0, 30);
      if (drags === 0) await play(page);
      await page.keyboard.down('Shift');
      await hand.drag(-200, 0);
      await page.keyboard.up('Shift');
      await hook.until(page, (from) => Math.abs(Math.sin(Math.atan2(window.prall.bodies[4], window.prall.bodies[6]) - from / 2)) > Math.sin(0.95), last);
      await count();
      await hand.letGo();
    }
    assert.ok(turned < -4 * Math.PI, `turned by ${turned / (2 * Math.PI)} turns`);
    // A pitch of 25 mm; the play of the thread is left.
    const sunk = start - (await hand.pose(0))[1];
    assert.ok(Math.abs(sunk + (turned / (2 * Math.PI)) * 0.025) < 3e-3, `sunk by ${sunk} m in ${turned / (2 * Math.PI)} turns`);
    viewer.close();
    await close();
  });
});
