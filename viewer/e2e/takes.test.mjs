// Going back, recording, replaying, comparing, and what the menu of a body does.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { launch } from './browser.mjs';
import { command, hold, holdAtStart, hook, openScene, placeAtRest, press, runUntil } from './page.mjs';

const url = process.env.PRALL_URL;

let browser;
before(async () => (browser = await launch()));
after(() => browser.close());

/** Clicks where a time is on the slider, which depends on how late a slow machine paused. */
const goTo = async (page, time) => {
  const slider = page.getByRole('slider', { name: 'Go to a time' });
  const { x, y, width, height } = await slider.boundingBox();
  const share = await slider.evaluate(({ min, max }, wanted) => (wanted - min) / (max - min), time);
  await command(page, () => page.mouse.click(x + share * width, y + height / 2));
};

describe('time', () => {
  it('goes back three seconds, one step, and to where the slider is put', async () => {
    const { page, close } = await openScene(browser, url);
    await runUntil(page, 3.4);
    await hold(page);
    const { time } = await hook.read(page);
    await command(page, () => page.keyboard.press('b'));
    await hook.until(page, (before) => Math.abs(window.prall.time - (before - 3)) < 0.1, time);
    const after = (await hook.read(page)).time;
    await command(page, () => page.keyboard.press(','));
    await hook.until(page, (before) => window.prall.time < before && window.prall.time > before - 0.05, after);
    await goTo(page, after + 2);
    await hook.until(page, (before) => window.prall.time > before + 1, after);
    assert.ok((await hook.read(page)).time < time);
    await close();
  });

  it('keeps moments as snapshots', async () => {
    const { page, close } = await openScene(browser, url);
    await hold(page);
    const { time } = await hook.read(page);
    await command(page, () => page.keyboard.press('k'));
    const kept = page.getByRole('button', { name: `${time.toFixed(3)} s`, exact: true });
    await kept.waitFor();
    await press(page, 'One step');
    await hook.until(page, (before) => window.prall.time > before, time);
    await command(page, () => kept.click());
    await hook.until(page, (wanted) => Math.abs(window.prall.time - wanted) < 1e-6, time);
    await page.getByRole('button', { name: /^Forget snapshot/ }).click();
    await kept.waitFor({ state: 'detached' });
    await close();
  });
});

describe('two solvers', () => {
  it('run side by side, in step, with both errors', async () => {
    const { page, close } = await openScene(browser, url);
    await holdAtStart(page);
    await press(page, 'Side by side');
    await page.locator('.stage-pane.b canvas').waitFor();
    await page.getByRole('combobox', { name: 'Solver B' }).waitFor();
    // One camera: the other stage takes part in an orbit. At the start the ball is high above what the camera looks at.
    const before = (await hook.read(page)).ball;
    await page.locator('#stage').focus();
    for (let i = 0; i < 5; i += 1) await page.keyboard.press('ArrowUp');
    await hook.until(page, ({ x, y }) => {
      const now = window.prall.screenPositionOf(0);
      return Math.hypot(now.x - x, now.y - y) > 0.5;
    }, before);
    await press(page, 'Play');
    await page.locator('.compare-shelf .plot-value.pair').waitFor();
    const [a, b] = await Promise.all(['A', 'B'].map((side) => page.getByRole('combobox', { name: `Solver ${side}` }).inputValue()));
    assert.notEqual(a, b);
    await page.getByRole('row', { name: /Position error, largest/ }).waitFor();
    await page.keyboard.press('c');
    await page.locator('.stage-pane.b').waitFor({ state: 'detached' });
    await close();
  });
});

describe('a body', () => {
  it('can be pinned, looked at, followed, thrown and deleted from its menu', async () => {
    const { page, close } = await openScene(browser, url, { scene: 'dominoes' });
    await holdAtStart(page);
    // The nearest one: nothing stands before it.
    const stone = await page.evaluate(() => {
      const low = [...Array(window.prall.bodies.length / 7).keys()].map((body) => window.prall.screenPositionOf(body).y);
      return low.indexOf(Math.max(...low));
    });
    const mark = (wanted) => hook.until(page, ([body, bits]) => window.prall.marks[body] === bits, [stone, wanted]);
    const menu = async (name) => {
      const { x, y } = await placeAtRest(page, stone);
      await page.mouse.click(x, y, { button: 'right' });
      await page.getByRole('menu', { name: `stone ${stone + 1}` }).waitFor();
      await page.getByRole('menuitem', { name, exact: true }).click();
      await page.getByRole('menu').waitFor({ state: 'detached' });
    };
    await menu('Pin');
    await mark(2);
    await menu('Unpin');
    await mark(0);
    await menu('Properties');
    await page.getByRole('region', { name: /^Properties of/ }).getByText('Mass').waitFor();
    await page.getByRole('button', { name: 'Close properties' }).click();
    await menu('Follow');
    await page.getByRole('button', { name: /^Follows the/ }).click();
    await menu('Throw');
    await command(page, () => page.keyboard.press('Enter'));
    const at = 7 * stone;
    const before = (await hook.read(page)).bodies.slice(at, at + 3);
    await press(page, 'Play');
    await hook.until(page, ([i, x, y, z]) => Math.hypot(window.prall.bodies[i] - x, window.prall.bodies[i + 1] - y, window.prall.bodies[i + 2] - z) > 0.1, [at, ...before]);
    await holdAtStart(page);
    await menu('Delete');
    await mark(1);
    await close();
  });

  it('has its menu by key too', async () => {
    const { page, close } = await openScene(browser, url);
    await hold(page);
    await page.locator('#stage').focus();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Shift+F10');
    await page.getByRole('menu').waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Escape');
    await page.getByRole('menu').waitFor({ state: 'detached' });
    assert.equal(await page.evaluate(() => document.activeElement.id), 'stage');
    await close();
  });

  it('turns when it is dragged with Shift', async () => {
    const { page, close } = await openScene(browser, url);
    await holdAtStart(page);
    const ball = await placeAtRest(page);
    await page.mouse.move(ball.x, ball.y);
    await page.mouse.down();
    await hook.until(page, () => window.prall.held === 0);
    await page.keyboard.down('Shift');
    await page.mouse.move(ball.x + 60, ball.y, { steps: 3 });
    await hook.until(page, () => Math.abs(window.prall.handTurn) > 0.3);
    await page.keyboard.up('Shift');
    await page.mouse.up();
    await hook.until(page, () => window.prall.springs === 0);
    await close();
  });
});

describe('a recording', () => {
  it('is made, listed, shown as a ghost, played, scrubbed and left', async () => {
    const { page, close } = await openScene(browser, url);
    await holdAtStart(page);
    await command(page, () => page.keyboard.press('r'));
    await page.getByRole('button', { name: 'Stop recording' }).waitFor();
    await runUntil(page, 0.8);
    await hold(page);
    await page.getByRole('button', { name: 'Stop recording' }).click();
    await page.locator('.message').getByText(/^Recorded [\d.]+ s/).waitFor();

    await page.getByRole('button', { name: 'Ghost' }).first().click();
    await hook.until(page, () => window.prall.ghosts === 1);
    await page.locator('.legend-ghost').waitFor();
    await page.getByRole('button', { name: 'Ghost', pressed: true }).click();
    await hook.until(page, () => window.prall.ghosts === 0);

    await page.locator('.takes a').first().click();
    await page.waitForURL(/#\/recording\//);
    await hook.until(page, () => window.prall.frames > 0 && window.prall.drawn > 0);
    await page.getByRole('link', { name: 'Leave replay' }).waitFor();
    await hook.until(page, () => window.prall.time > 0.7 || window.prall.ended);
    await hold(page);
    await goTo(page, 0.2);
    await hook.until(page, () => window.prall.time < 0.4);
    await page.getByRole('link', { name: 'Leave replay' }).click();
    await page.waitForURL(/#\/scene\//);
    await page.goto(`${page.url().split('#')[0]}#/recordings`);
    await page.getByRole('link', { name: 'Play' }).first().waitFor();
    await close();
  });
});
