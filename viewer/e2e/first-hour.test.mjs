// What a newcomer meets in the first hour: whole views at any window size, a hand that reaches out of the screen, scenes that say
// what to do when nothing moves, a gallery with its best in sight, recordings that stay small, numbers that are never stale.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { launch } from './browser.mjs';
import { command, hold, holdAtStart, hook, joinSession, openPage, openScene, placeAtRest, press, runUntil } from './page.mjs';

const url = process.env.PRALL_URL;
const POSE = 7;

let browser;
before(async () => (browser = await launch()));
after(() => browser.close());

/** Names of the bodies that can be moved and are not in the stage's free part. */
const outside = (page, assets) => page.evaluate(({ bodies }) => {
  const stage = document.getElementById('stage').getBoundingClientRect();
  const panel = document.querySelector('.with-drawer #panel')?.getBoundingClientRect();
  const below = panel && panel.width > 0.9 * stage.width;
  const right = panel && !below ? Math.min(stage.right, panel.left) : stage.right;
  const bottom = panel && below ? Math.min(stage.bottom, panel.top) : stage.bottom;
  return bodies.flatMap(({ name, movable }, body) => {
    if (!movable) return [];
    const { x, y } = window.prall.screenPositionOf(body);
    return x > stage.left && x < right && y > stage.top && y < bottom ? [] : [`${name} at ${x.toFixed(0)}, ${y.toFixed(0)}`];
  });
}, assets);

async function hello(session, scene) {
  const viewer = await joinSession(url, session, scene);
  await viewer.until(() => viewer.last('hello'));
  viewer.close();
  return viewer.last('hello');
}

describe('a start view', () => {
  for (const scene of ['wall', 'funnel', 'pyramid', 'large-pyramid', 'bouncing', 'mass-ratio', 'trebuchet']) {
    it(`of ${scene} shows all that moves, in windows of any size`, async () => {
      const { page, close, session } = await openScene(browser, url, { scene });
      await holdAtStart(page);
      const { assets } = await hello(session, scene);
      for (const [width, height] of [[1120, 640], [390, 844]]) {
        await page.setViewportSize({ width, height });
        await placeAtRest(page, assets.bodies.findIndex(({ movable }) => movable));
        assert.deepEqual((await outside(page, assets)).slice(0, 5), [], `${width} by ${height}`);
      }
      await page.setViewportSize({ width: 1120, height: 640 });
      for (const key of ['ArrowRight', 'ArrowRight', 'f']) {
        await page.locator('#stage').focus();
        await page.keyboard.press(key);
      }
      await placeAtRest(page, assets.bodies.findIndex(({ movable }) => movable));
      assert.deepEqual((await outside(page, assets)).slice(0, 5), [], 'after F');
      await close();
    });
  }

  it('of the coaster rides along', async () => {
    const { page, close, session } = await openScene(browser, url, { scene: 'coaster' });
    const { assets } = await hello(session, 'coaster');
    const start = await page.evaluate((i) => [...window.prall.bodies.slice(7 * i, 7 * i + 3)], assets.ride);
    await hook.until(page, ([i, x, y, z]) => Math.hypot(window.prall.bodies[i] - x, window.prall.bodies[i + 1] - y, window.prall.bodies[i + 2] - z) > 20, [POSE * assets.ride, ...start]);
    await page.getByRole('button', { name: /^Follows the/ }).waitFor();
    const { x, y } = await page.evaluate((i) => window.prall.screenPositionOf(i), assets.ride);
    assert.ok(x > 100 && x < 700 && y > 80 && y < 500, `the train is at ${x}, ${y}`);
    await close();
  });
});

describe('the hand', () => {
  it('pulls a brick out of the middle of the wall, towards the viewer, by the wheel', async () => {
    const { page, close, session } = await openScene(browser, url, { scene: 'wall' });
    const { assets } = await hello(session, 'wall');
    const brick = assets.bodies.findIndex(({ name }) => name === 'brick 9-5');
    const { x, y } = await placeAtRest(page, brick);
    const before = await page.evaluate((i) => window.prall.bodies[i], POSE * brick + 2);
    await page.mouse.move(x, y);
    await page.mouse.down();
    await hook.until(page, (wanted) => window.prall.held === wanted, brick);
    await page.getByText('nearer and farther').waitFor();
    for (let i = 0; i < 12; i += 1) await page.mouse.wheel(0, 100);
    // More than its own depth: it is out, on the viewer's side.
    await hook.until(page, ([i, z]) => window.prall.bodies[i] - z > 0.25, [POSE * brick + 2, before]);
    await page.mouse.up();
    await hook.until(page, () => window.prall.springs === 0);
    await close();
  });

  it('pulls nearer with Alt too', async () => {
    const { page, close } = await openScene(browser, url);
    await holdAtStart(page);
    const ball = await placeAtRest(page);
    await page.mouse.move(ball.x, ball.y);
    await page.mouse.down();
    await hook.until(page, () => window.prall.held === 0);
    await page.keyboard.down('Alt');
    await page.mouse.move(ball.x, ball.y + 80, { steps: 4 });
    await page.keyboard.up('Alt');
    const before = await page.evaluate(() => window.prall.bodies[2]);
    await command(page, () => page.keyboard.press('Space'));
    await hook.until(page, (z) => window.prall.bodies[2] - z > 0.15, before);
    await page.mouse.up();
    await close();
  });
});

describe('a scene that looks dead', () => {
  for (const scene of ['666', 'gyroscope']) {
    it(`is not ${scene}: it moves by itself`, async () => {
      const { page, close } = await openScene(browser, url, { scene });
      await holdAtStart(page);
      const { bodies } = await hook.read(page);
      await runUntil(page, 1);
      // More than the fall of a stack onto itself: sideways too.
      await hook.until(page, (start) => start.some((value, i) => i % 7 !== 1 && Math.abs(window.prall.bodies[i] - value) > 0.02), bodies);
      await close();
    });
  }

  it('says so, and starts again by a click', async () => {
    const { page, close } = await openScene(browser, url, { scene: 'tunnelling' });
    await page.getByText('Nothing moves now').waitFor();
    const { time } = await hook.read(page);
    await command(page, () => page.getByRole('button', { name: 'Start again' }).click());
    await hook.until(page, (end) => window.prall.time < end && window.prall.running, time);
    await page.getByText('Nothing moves now').waitFor({ state: 'detached' });
    await close();
  });

  it('has no warning where nothing is wrong: the wall at rest keeps what it promises', async () => {
    const { page, close } = await openScene(browser, url, { scene: 'wall' });
    await runUntil(page, 1);
    await page.getByText('left / promised').waitFor();
    // A permanent warning never goes; one of a single step may be on the screen just now.
    await page.waitForFunction(() => document.querySelectorAll('.warned').length === 0);
    await close();
  });
});

describe('the gallery', () => {
  it('has one tree, with its size as a parameter that builds it anew', async () => {
    const { scenes } = await (await fetch(new URL('api/scenes', url))).json();
    assert.deepEqual(scenes.map(({ name }) => name).filter((name) => name.startsWith('tree')), ['tree']);
    const { page, close } = await openScene(browser, url, { scene: 'tree' });
    await holdAtStart(page);
    const before = (await hook.read(page)).bodies.length;
    const field = page.getByRole('textbox', { name: 'Levels' });
    await field.fill('3');
    await command(page, () => field.press('Enter'));
    await press(page, 'Reset the scene');
    // Seven bars, a stem each.
    await hook.until(page, () => window.prall.bodies.length === 14 * 7 && window.prall.screenPositionOf(13) !== null);
    assert.ok(before > 14 * 7);
    await close();
  });

  it('shows bobsleigh, car and coaster without a click, and opens the only match by Enter', async () => {
    const { page, close } = await openPage(browser, `${url}?quality=low`);
    await page.locator('.card').first().waitFor();
    for (const scene of ['bobsleigh', 'vehicle', 'coaster', 'wall', 'large-pyramid']) await page.locator(`[data-scene="${scene}"]`).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('trebuchet');
    await page.keyboard.press('Enter');
    await page.waitForURL(/#\/scene\/trebuchet$/);
    await close();
  });
});

describe('numbers', () => {
  it('are those of the moment that was gone to, while paused', async () => {
    const { page, close, session } = await openScene(browser, url);
    const viewer = await joinSession(url, session);
    await runUntil(page, 1.5);
    await hold(page);
    const { time } = await hook.read(page);
    await command(page, () => page.keyboard.press(','));
    await command(page, () => page.keyboard.press('b'));
    await hook.until(page, (then) => window.prall.time < then - 1, time);
    const now = (await hook.read(page)).time;
    await viewer.until(() => viewer.last('report')?.time === now);
    viewer.close();
    await close();
  });

  it('of a body go with the body when it is deleted', async () => {
    const { page, close } = await openScene(browser, url, { scene: 'dominoes' });
    await holdAtStart(page);
    const stone = await page.evaluate(() => {
      const low = [...Array(window.prall.bodies.length / 7).keys()].map((body) => window.prall.screenPositionOf(body).y);
      return low.indexOf(Math.max(...low));
    });
    const choose = async (name) => {
      const { x, y } = await placeAtRest(page, stone);
      await page.mouse.click(x, y, { button: 'right' });
      await page.getByRole('menuitem', { name, exact: true }).click();
    };
    await choose('Properties');
    await page.getByRole('region', { name: /^Properties of/ }).waitFor();
    await command(page, () => choose('Delete'));
    await hook.until(page, (body) => window.prall.marks[body] === 1, stone);
    await page.getByRole('region', { name: /^Properties of/ }).waitFor({ state: 'detached' });
    await press(page, 'Reset the scene');
    await hook.until(page, (body) => window.prall.marks[body] === 0, stone);
    assert.equal(await page.locator('.message').getByText('refused').count(), 0);
    assert.equal(await page.getByRole('region', { name: /^Properties of/ }).count(), 0);
    await close();
  });
});

describe('a recording', () => {
  it('says how large it gets, is small at rest, and shows its forces again', async () => {
    const { page, close, session } = await openScene(browser, url, { scene: 'wall' });
    const viewer = await joinSession(url, session, 'wall');
    await runUntil(page, 1);
    await command(page, () => page.keyboard.press('r'));
    // The state at the start is in the file once; what counts is how it grows.
    await viewer.until(() => viewer.last('report')?.recorded_bytes > 0);
    const begin = viewer.last('report');
    await runUntil(page, begin.time + 4);
    const end = viewer.last('report');
    const rate = (end.recorded_bytes - begin.recorded_bytes) / (end.time - begin.time);
    assert.ok(rate < 100e3, `${(rate / 1e3).toFixed(0)} kB/s at rest`);
    await page.locator('.record-size').getByText(/B\/s/).waitFor();
    await command(page, () => page.keyboard.press('r'));
    await viewer.until(() => viewer.last('recorded'));
    const { recording } = viewer.last('recorded');
    viewer.close();
    await page.goto(`${page.url().split('#')[0]}#/recording/${recording}`);
    await hook.until(page, () => window.prall.frames > 0 && window.prall.drawn > 0);
    await page.getByRole('button', { name: 'Contact forces' }).click();
    await page.locator('.legend').getByText(/force/i).waitFor();
    await close();
  });
});

describe('nothing is cut off', () => {
  it('in the plots of joint-grid, which swings, at 1120 px: headings apart, legends whole, numbers short', async () => {
    const { page, close } = await openScene(browser, url, { scene: 'joint-grid' });
    const { bodies } = await hook.read(page);
    await hook.until(page, (start) => start.some((value, i) => Math.abs(window.prall.bodies[i] - value) > 0.1), bodies);
    await page.locator('.plot-value').nth(3).waitFor();
    const flaws = await page.locator('.plot').evaluateAll((plots) => plots.flatMap((plot) => {
      const box = (selector) => plot.querySelector(selector).getBoundingClientRect();
      const [head, value, whole] = [box('h2'), box('.plot-value'), plot.getBoundingClientRect()];
      const legend = plot.querySelector('.plot-legend');
      const name = plot.querySelector('h2').textContent;
      const number = plot.querySelector('.plot-value strong').textContent;
      return [
        head.right > value.left && `${name}: the heading runs into its value`,
        value.right > whole.right && `${name}: the value leaves its plot`,
        legend.scrollHeight > legend.clientHeight && `${name}: the legend is cut off`,
        number.length > 6 && `${name}: ${number} is too long`,
      ].filter(Boolean);
    }));
    assert.deepEqual(flaws, []);
    await close();
  });

  for (const [width, height] of [[390, 844], [844, 390]]) {
    it(`in a window of ${width} by ${height}`, async () => {
      const { page, close } = await openScene(browser, url, { scene: 'wall', width, height });
      const hidden = await page.locator('.time-bar button, .time-bar select, .scene-bar button').evaluateAll((controls) => controls.flatMap((control) => {
        const { left, right, top, bottom } = control.getBoundingClientRect();
        return left >= 0 && right <= innerWidth && top >= 0 && bottom <= innerHeight ? [] : [`${control.getAttribute('aria-label')} at ${left.toFixed(0)}, ${top.toFixed(0)}`];
      }));
      assert.deepEqual(hidden, []);
      // The stage keeps a good part of the window, and the rail scrolls where it is longer than the stage.
      const stage = await page.locator('main.stage').boundingBox();
      assert.ok(stage.height >= 0.4 * height, `the stage is ${stage.height} px high`);
      const rail = await page.locator('.rail').boundingBox();
      assert.ok(rail.y + rail.height <= stage.y + stage.height);
      await close();
    });
  }
});
