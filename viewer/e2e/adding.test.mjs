// Adding bodies where one points, throwing by an arrow, undoing; joints by sliders, phases, the chosen plot, and what a restart costs.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { launch } from './browser.mjs';
import { command, hold, holdAtStart, hook, openScene, placeAtRest, press } from './page.mjs';
import { startServer } from './server.mjs';

const url = process.env.PRALL_URL;
const POSE = 7;

let browser;
before(async () => (browser = await launch()));
after(() => browser.close());

const bodyCount = (page) => page.evaluate((floats) => window.prall.bodies.length / floats, POSE);
const untilCount = (page, count) => hook.until(page, ([wanted, floats]) => window.prall.bodies.length === wanted * floats, [count, POSE]);

describe('adding', () => {
  it('shoots a ball, drops a box where one clicks, duplicates a body, and undoes all of it', async () => {
    const { page, close } = await openScene(browser, url, { scene: 'pyramid' });
    await holdAtStart(page);
    const count = await bodyCount(page);
    const place = await placeAtRest(page, 0);
    await page.keyboard.press('n');
    await page.getByRole('button', { name: 'Shoot a ball' }).waitFor();
    await page.mouse.click(place.x, place.y);
    await untilCount(page, count + 1);
    await page.getByRole('button', { name: 'Drop a box' }).click();
    await page.mouse.click(place.x, place.y);
    await untilCount(page, count + 2);
    assert.equal((await hook.read(page)).held, null, 'a click adds and does not take hold');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Drop a box' }).waitFor({ state: 'detached' });
    await page.mouse.click(place.x, place.y, { button: 'right' });
    await page.getByRole('menuitem', { name: 'Duplicate' }).click();
    await untilCount(page, count + 3);
    for (let left = 2; left >= 0; left -= 1) {
      await page.keyboard.press('Control+z');
      await untilCount(page, count + left);
    }
    await close();
  });

  it('drops a body of another gallery scene', async () => {
    const { page, close } = await openScene(browser, url, { scene: 'pyramid' });
    await holdAtStart(page);
    const count = await bodyCount(page);
    const place = await placeAtRest(page, 0);
    await page.getByRole('button', { name: 'Add bodies', exact: true }).click();
    await page.getByRole('button', { name: 'From the gallery' }).click();
    await page.getByRole('combobox', { name: 'Scene' }).selectOption('dominoes');
    await page.getByRole('combobox', { name: 'Body' }).selectOption('stone 1');
    await page.mouse.click(place.x, place.y);
    await untilCount(page, count + 1);
    await close();
  });

  it('throws as the arrow says', async () => {
    const { page, close } = await openScene(browser, url, { scene: 'pyramid' });
    await holdAtStart(page);
    const count = await bodyCount(page);
    const place = await placeAtRest(page, count - 1);
    await page.mouse.click(place.x, place.y, { button: 'right' });
    await page.getByRole('menuitem', { name: 'Throw' }).click();
    await page.mouse.move(place.x, place.y);
    await page.mouse.down();
    await page.mouse.move(place.x + 40, place.y - 160, { steps: 4 });
    await page.locator('.stage-labels', { hasText: 'm/s' }).waitFor();
    await command(page, () => page.mouse.up());
    const before = await page.evaluate(() => [...window.prall.bodies]);
    await press(page, 'One step');
    await hook.until(page, () => window.prall.time > 0);
    const after = await page.evaluate(() => [...window.prall.bodies]);
    const moved = [...Array(count).keys()].filter((body) => after[POSE * body + 1] - before[POSE * body + 1] > 1e-3);
    assert.equal(moved.length, 1, 'one body flies up');
    await close();
  });
});

describe('looking into a machine', () => {
  it('sets joints by sliders', async () => {
    const { page, close } = await openScene(browser, url, { scene: 'pendulum-cart' });
    await holdAtStart(page);
    const before = await page.evaluate(() => [...window.prall.bodies]);
    const joints = page.getByRole('region', { name: 'Joints' });
    const field = joints.getByRole('textbox').last();
    await field.fill('90');
    await command(page, () => field.press('Enter'));
    await hook.until(page, (old) => window.prall.bodies.some((value, i) => Math.abs(value - old[i]) > 1e-3), before);
    await close();
  });

  it('has a table of phases and a plot of a chosen quantity', async () => {
    const { page, close } = await openScene(browser, url, { scene: 'wall', height: 800 });
    const table = page.getByRole('table', { name: /Time of a step/ });
    await table.getByRole('row', { name: /Solve/ }).waitFor();
    assert.equal(await table.getByRole('row').count(), 7);
    await page.getByRole('combobox', { name: 'Plotted quantity' }).selectOption('kinetic');
    await page.getByRole('img', { name: /Kinetic energy over time, now/ }).waitFor();
    await close();
  });

  it('shows the torque of a hand that pulls off centre', async () => {
    const { page, close } = await openScene(browser, url, { scene: 'dominoes' });
    await hold(page);
    const place = await placeAtRest(page, 20);
    await page.mouse.move(place.x, place.y - 3);
    await page.mouse.down();
    await hook.until(page, () => window.prall.held !== null);
    await page.mouse.move(place.x + 60, place.y - 40, { steps: 4 });
    await page.locator('.stage-labels', { hasText: 'N m' }).waitFor();
    await page.mouse.up();
    await close();
  });
});

describe('a restart of the server', { skip: process.env.PRALL_BIN ? false : 'needs PRALL_BIN' }, () => {
  it('is told with what was lost, and parameters can be set again', async () => {
    let server = await startServer(process.env.PRALL_BIN);
    const { page, close } = await openScene(browser, server.url, { scene: 'bouncing-ball' });
    const field = page.getByRole('textbox', { name: /Restitution/ });
    await field.fill('0.9');
    await command(page, () => field.press('Enter'));
    await page.locator('#stage').focus();
    await command(page, () => page.keyboard.press('k'));
    await page.getByRole('button', { name: /^Forget snapshot/ }).waitFor();
    await server.stop();
    server = await startServer(process.env.PRALL_BIN, server.port);
    await page.locator('main').getByText('The server was restarted').waitFor();
    await page.locator('main').getByText(/1 snapshot and 1 changed parameter \(restitution\)/).waitFor();
    await command(page, () => page.getByRole('button', { name: 'Set parameters again' }).click());
    await page.waitForFunction(() => [...document.querySelectorAll('input')].some(({ value }) => value === '0.90' || value === '0.9'));
    await close(/WebSocket|ERR_CONNECTION|Failed to load/);
    await server.stop();
  });
});
