// What a newcomer does in the first minute: find the wall, pull a brick out, and replay the collapse from another side.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { launch } from './browser.mjs';
import { hook, joinSession, openPage, placeAtRest } from './page.mjs';

const url = process.env.PRALL_URL;
const POSE = 7;

let browser;
before(async () => (browser = await launch()));
after(() => browser.close());

const heights = (page) => page.evaluate((pose) => [...window.prall.bodies].filter((_, i) => i % pose === 1), POSE);

describe('the first minute', () => {
  it('finds the wall, pulls a brick out of it and replays what fell from another side', async () => {
    const { page, close } = await openPage(browser, `${url}?quality=low&session=first-minute`);
    await page.locator('.card').first().waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('wall');
    await page.locator('[data-scene="wall"]').click();
    await hook.started(page);
    const names = await bodyNames('wall');
    const brick = names.indexOf('brick 3-10');
    assert.ok(brick >= 0, 'the wall has a tenth brick in its third row');

    await page.keyboard.press('r');
    await page.getByRole('button', { name: 'Stop recording' }).waitFor();
    const { x, y } = await placeAtRest(page, brick);
    await page.mouse.move(x, y);
    await page.waitForFunction(() => document.getElementById('stage').dataset.cursor === 'grab');
    const before = (await hook.read(page)).bodies.slice(POSE * brick, POSE * brick + 3);
    const standing = await heights(page);
    await page.mouse.down();
    await hook.until(page, (wanted) => window.prall.held === wanted, brick);
    await page.mouse.move(x + 180, y, { steps: 8 });
    await hook.until(page, ([i, bx, by, bz]) => Math.hypot(window.prall.bodies[i] - bx, window.prall.bodies[i + 1] - by, window.prall.bodies[i + 2] - bz) > 0.4, [POSE * brick, ...before]);
    await page.mouse.up();
    // What lay on it comes down.
    await hook.until(page, ([start, pose]) => start.some((height, i) => height - window.prall.bodies[pose * i + 1] > 0.05), [standing, POSE]);
    await page.getByRole('button', { name: 'Stop recording' }).click();

    await page.locator('.message').getByRole('link', { name: 'Replay' }).or(page.locator('.message').getByRole('button', { name: 'Replay' })).click();
    await page.waitForURL(/#\/recording\/wall-/);
    await hook.started(page);
    await page.getByRole('link', { name: 'Leave replay' }).waitFor();
    const side = await placeAtRest(page, brick);
    await page.locator('#stage').focus();
    for (let i = 0; i < 6; i += 1) await page.keyboard.press('ArrowLeft');
    await hook.until(page, ([body, from]) => Math.abs(window.prall.screenPositionOf(body).x - from) > 3, [brick, side.x]);
    await hook.until(page, ([start, pose]) => start.some((height, i) => height - window.prall.bodies[pose * i + 1] > 0.05), [standing, POSE]);
    await close();
  });
});

const { scenes } = await (await fetch(new URL('api/scenes', url))).json();

describe('every scene', () => {
  let page;
  let close;
  before(async () => ({ page, close } = await openPage(browser, `${url}?quality=low&session=every`, { width: 800, height: 500 })));
  after(() => close());

  for (const { name } of scenes) {
    it(`${name} opens and moves`, async () => {
      await page.evaluate((scene) => {
        window.prall = undefined;
        location.hash = `#/scene/${scene}`;
      }, name);
      await hook.started(page);
      // From the start again: what runs to an end in seconds may have come to it before the page was drawn.
      const viewer = await joinSession(url, 'every', name);
      await viewer.until(() => viewer.last('hello'));
      for (const type of ['pause', 'reset']) viewer.send({ type });
      await hook.until(page, () => window.prall.time === 0 && !window.prall.running);
      const start = await hook.read(page);
      viewer.send({ type: 'play' });
      // Piles stand as they should, to the last bit: what lies on top of them is thrown.
      const { actions, assets } = viewer.last('hello');
      const height = (body) => (assets.bodies[body].movable ? start.bodies[POSE * body + 1] : -Infinity);
      const body = assets.bodies.reduce((highest, _, other) => (height(other) > height(highest) ? other : highest), 0);
      if (actions.includes('throw')) viewer.send({ type: 'throw', body, velocity: [0.3, 3, 0.3] });
      await hook.until(page, ([time, bodies]) => window.prall.time > time && bodies.some((value, i) => Math.abs(window.prall.bodies[i] - value) > 1e-3), [start.time, start.bodies]);
      viewer.close();
    });
  }
});

async function bodyNames(scene) {
  const viewer = await joinSession(url, 'first-minute', scene);
  await viewer.until(() => viewer.last('hello'));
  viewer.close();
  return viewer.last('hello').assets.bodies.map(({ name }) => name);
}
