// The page against a real server, used as a person would.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { launch } from './browser.mjs';
import { command, holdAtStart, hook, joinSession, openPage, openScene, press, sceneAddress, WAIT } from './page.mjs';
import { startServer } from './server.mjs';

const url = process.env.PRALL_URL;
const POSE = 7;
const height = (read) => read.bodies[1];

let browser;
before(async () => (browser = await launch()));
after(() => browser.close());

describe('the gallery', () => {
  it('shows a card for every scene and opens the one that is clicked', async () => {
    const { page, close } = await openPage(browser, `${url}?quality=low`);
    const { scenes } = await (await fetch(new URL('api/scenes', url))).json();
    await page.locator('.card').first().waitFor();
    // Of a group with more than four scenes the others wait behind a link.
    const sizes = new Map();
    for (const { group } of scenes) sizes.set(group, (sizes.get(group) ?? 0) + 1);
    const shown = [...sizes.values()].reduce((sum, size) => sum + Math.min(size, 4), 0);
    assert.equal(await page.locator('.card').count(), shown);
    const card = page.locator('[data-scene="bouncing-ball"]');
    assert.match(await card.innerText(), /Bouncing ball/);
    await card.click();
    await page.waitForURL(/#\/scene\/bouncing-ball$/);
    await hook.started(page);
    await close();
  });

  it('has a picture of every scene', async () => {
    const { scenes } = await (await fetch(new URL('api/scenes', url))).json();
    for (const { name, picture } of scenes) {
      const { status } = await fetch(new URL(picture, url));
      assert.equal(status, 200, `${name} has no ${picture}: run "npm run pictures" and build again`);
    }
  });

  it('searches, says how many it found, and clears with Esc', async () => {
    const { page, close } = await openPage(browser, url);
    await page.locator('.card').first().waitFor();
    const all = await page.locator('.card').count();
    await page.keyboard.press('/');
    await page.keyboard.type('bouncing');
    assert.ok((await page.locator('.card').count()) >= 1);
    await page.getByRole('status').filter({ hasText: /scene/ }).waitFor();
    assert.equal(await page.locator('.card b').first().innerText(), 'Bouncing');
    await page.keyboard.type(' gearbox');
    await page.getByText('No scene matches “bouncing gearbox”').waitFor();
    await page.keyboard.press('Escape');
    assert.equal(await page.locator('.card').count(), all);
    await close();
  });

  it('remembers the theme and follows the system before one was chosen', async () => {
    const { page, close } = await openPage(browser, url, { colorScheme: 'dark' });
    const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
    assert.equal(await theme(), 'dark');
    await page.getByRole('button', { name: 'Light theme' }).click();
    assert.equal(await theme(), 'light');
    await page.reload();
    await page.locator('.card').first().waitFor();
    assert.equal(await theme(), 'light');
    await close();
  });
});

describe('a scene', () => {
  it('runs, stops when paused, and goes on', async () => {
    const { page, close } = await openScene(browser, url);
    await holdAtStart(page);
    const start = height(await hook.read(page));
    await press(page, 'Play');
    await hook.until(page, (y) => window.prall.running && window.prall.bodies[1] < y - 0.1, start);
    await press(page, 'Pause');
    await hook.until(page, () => !window.prall.running);
    const paused = await hook.read(page);
    await page.waitForTimeout(300);
    assert.equal((await hook.read(page)).time, paused.time);
    await page.locator('[data-pace=paused]').waitFor();
    await command(page, () => page.keyboard.press('Space'));
    await hook.until(page, (time) => window.prall.time > time, paused.time);
    await close();
  });

  it('is drawn as it is now, however slow the page is, and says how late its picture is', async () => {
    // A page that takes a third of the frames that the server makes: the others must not wait in line.
    const prepare = (context) => context.addInitScript(() => {
      window.busy = (ms) => { for (const end = performance.now() + ms; performance.now() < end; ); };
      window.WebSocket = class extends WebSocket {
        constructor(...address) {
          super(...address);
          this.addEventListener('message', ({ data }) => typeof data !== 'string' && window.busy(window.messageMs ?? 0));
        }
      };
    });
    const { page, close, session } = await openScene(browser, url, { prepare });
    const viewer = await joinSession(url, session);
    await viewer.until(() => viewer.last('hello'));
    await page.evaluate(() => (window.messageMs = 50));
    const start = viewer.time();
    await viewer.until(() => viewer.time() > start + 6);
    const shown = await page.evaluate(() => window.prall.time);
    // Without a limit it would be behind by four of these six seconds.
    assert.ok(viewer.time() - shown < 2, `the picture shows ${shown} s, the server is at ${viewer.time()} s`);
    // Pictures that take a second each are late however few frames come, and the badge says so.
    await page.evaluate(() => {
      window.messageMs = 0;
      const turn = () => {
        window.busy(1000);
        requestAnimationFrame(turn);
      };
      requestAnimationFrame(turn);
    });
    await page.locator('[data-pace=late]').getByText(/Picture [\d.]+ s behind/).waitFor();
    viewer.close();
    await close();
  });

  it('steps by exactly one time step', async () => {
    const { page, close, session } = await openScene(browser, url);
    const viewer = await joinSession(url, session);
    await viewer.until(() => viewer.last('hello'));
    const step = viewer.last('hello').time_step;
    await holdAtStart(page);
    for (let i = 1; i <= 3; i += 1) {
      await press(page, 'One step');
      await hook.until(page, (before) => window.prall.time > before, (i - 0.5) * step);
      assert.ok(Math.abs((await hook.read(page)).time - i * step) < 1e-9);
    }
    assert.equal(await page.locator('.clock').innerText(), `${(3 * step).toFixed(3)} s`);
    viewer.close();
    await close();
  });

  it('goes back to its start', async () => {
    const { page, close } = await openScene(browser, url);
    await holdAtStart(page);
    const start = height(await hook.read(page));
    await press(page, 'Play');
    await hook.until(page, (y) => window.prall.bodies[1] < y - 0.1, start);
    await press(page, 'Pause');
    await hook.until(page, () => !window.prall.running);
    await command(page, () => page.keyboard.press('Shift+R'));
    await hook.until(page, () => window.prall.time === 0);
    assert.ok(Math.abs(height(await hook.read(page)) - start) < 1e-6);
    await close();
  });

  it('lets a body be dragged by a visible spring', async () => {
    const { page, close } = await openScene(browser, url);
    await page.getByText('Drag the ball to pull it').waitFor();
    await holdAtStart(page);
    const { ball, bodies } = await hook.read(page);
    await page.mouse.move(ball.x, ball.y);
    await page.waitForFunction(() => document.getElementById('stage').dataset.cursor === 'grab', null, WAIT);
    await page.mouse.down();
    await page.waitForFunction(() => document.getElementById('stage').dataset.cursor === 'grabbing', null, WAIT);
    await page.mouse.move(ball.x - 110, ball.y - 10, { steps: 4 });
    await page.keyboard.press('Space');
    // The hand is some 110 px to the left: the ball follows it on the screen and hangs there.
    await hook.until(page, (x) => window.prall.screenPositionOf(0).x < x - 60, ball.x);
    assert.equal((await hook.read(page)).springs, 1);
    assert.match(await page.locator('.callout').innerText(), /^[\d.]+ (m|k)?N$/);
    assert.ok(Math.abs(height(await hook.read(page)) - bodies[1]) < 0.3);
    await page.mouse.up();
    await hook.until(page, () => window.prall.springs === 0);
    assert.equal(await page.getByText('Drag the ball to pull it').count(), 0);
    await close();
  });

  it('lets a body be moved by the keyboard alone', async () => {
    const { page, close } = await openScene(browser, url);
    await holdAtStart(page);
    await page.locator('#stage').focus();
    await page.keyboard.press('Tab');
    assert.equal(await page.locator('#stage').getAttribute('data-selected'), '0');
    await page.keyboard.press('Enter');
    await page.getByRole('status').filter({ hasText: 'Holding the ball' }).waitFor();
    for (let i = 0; i < 8; i += 1) await page.keyboard.press('ArrowUp');
    const { bodies } = await hook.read(page);
    await page.keyboard.press('Space');
    await hook.until(page, (y) => window.prall.bodies[1] > y + 0.1, bodies[1]);
    await page.keyboard.press('Enter');
    await hook.until(page, () => window.prall.springs === 0);
    await page.keyboard.press('Tab');
    assert.notEqual(await page.evaluate(() => document.activeElement.id), 'stage');
    await close();
  });

  it('orbits when the drag begins beside the body, and Home brings the start view back', async () => {
    const { page, close } = await openScene(browser, url);
    await holdAtStart(page);
    const before = (await hook.read(page)).ball;
    const box = await page.locator('#stage').boundingBox();
    await page.mouse.move(box.x + box.width * 0.3, box.y + box.height * 0.6);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.4, box.y + box.height * 0.4, { steps: 5 });
    await page.mouse.up();
    await hook.until(page, ({ x, y }) => {
      const now = window.prall.screenPositionOf(0);
      return Math.hypot(now.x - x, now.y - y) > 2;
    }, before);
    await page.keyboard.press('Home');
    await hook.until(page, ({ x, y }) => {
      const now = window.prall.screenPositionOf(0);
      return Math.hypot(now.x - x, now.y - y) < 1;
    }, before);
    await close();
  });

  it('sends a changed parameter to the server, and shows what others change', async () => {
    const { page, close, session } = await openScene(browser, url);
    const viewer = await joinSession(url, session);
    await viewer.until(() => viewer.last('hello'));
    const field = page.getByRole('textbox', { name: 'Restitution' });
    await field.fill('55 %');
    await field.press('Enter');
    await viewer.until(() => viewer.last('state')?.values.restitution === 0.55);
    assert.equal(await field.inputValue(), '0.55');
    await field.fill('7');
    await field.press('Enter');
    await page.getByText('Between 0.00 and 1.00').waitFor();
    assert.equal(viewer.last('state').values.restitution, 0.55);
    await field.press('Escape');
    await page.getByRole('button', { name: /^Restitution: back to/ }).click();
    const { default: original } = viewer.last('hello').parameters.find(({ key }) => key === 'restitution');
    await viewer.until(() => viewer.last('state').values.restitution === original);
    viewer.send({ type: 'set', parameter: 'restitution', value: 0.25 });
    await page.waitForFunction(() => document.getElementById('parameter-restitution').value === '0.25', null, WAIT);
    await page.getByRole('slider', { name: 'Restitution' }).focus();
    await page.keyboard.press('ArrowRight');
    await viewer.until(() => viewer.last('state').values.restitution === 0.26);
    viewer.close();
    await close();
  });

  it('changes solver and speed', async () => {
    const { page, close, session } = await openScene(browser, url);
    const viewer = await joinSession(url, session);
    await viewer.until(() => viewer.last('hello'));
    const { solvers } = viewer.last('hello');
    const other = solvers.at(-1);
    await page.getByRole('combobox', { name: 'Solver' }).selectOption(other.name);
    await viewer.until(() => viewer.last('state')?.solver === other.name);
    await page.getByText(other.promise).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('combobox', { name: 'Speed' }).selectOption('0.5');
    await viewer.until(() => viewer.last('state').speed === 0.5);
    viewer.close();
    await close();
  });

  it('shows overlays by key, and letters do nothing in a field', async () => {
    const { page, close } = await openScene(browser, url);
    const forces = page.getByRole('button', { name: 'Contact forces' });
    const key = await forces.getAttribute('aria-keyshortcuts');
    await page.keyboard.press(key);
    assert.equal(await forces.getAttribute('aria-pressed'), 'true');
    await page.keyboard.press('0');
    assert.equal(await forces.getAttribute('aria-pressed'), 'false');
    const field = page.getByRole('textbox', { name: 'Restitution' });
    await field.fill('');
    await page.keyboard.type(`${key}p`);
    assert.equal(await forces.getAttribute('aria-pressed'), 'false');
    assert.equal(await page.locator('#panel').count(), 1);
    await field.press('Escape');
    await page.locator('#stage').focus();
    await page.keyboard.press('p');
    assert.equal(await page.locator('#panel').count(), 0);
    await close();
  });

  it('draws plots with one cursor, and gives their numbers as a file and a table', async () => {
    const { page, close } = await openScene(browser, url);
    await hook.until(page, () => window.prall.time > 0.6);
    const energy = page.getByRole('region', { name: 'Energy', exact: true });
    await energy.locator('.plot-value').waitFor();
    await energy.getByRole('img').focus();
    await page.keyboard.press('ArrowLeft');
    // Every plot shows the same moment.
    const plots = await page.locator('.plot').count();
    assert.ok(plots >= 5, `${plots} plots`);
    await page.locator('.plot-cursor').nth(plots - 1).waitFor();
    assert.equal(new Set(await page.locator('.plot-cursor').allTextContents()).size, 1);
    const download = page.waitForEvent('download');
    await energy.getByRole('button', { name: 'Download energy as CSV' }).click();
    assert.match((await download).suggestedFilename(), /^bouncing-ball-energy\.csv$/);
    await energy.getByRole('button', { name: 'Energy as a table' }).click();
    await page.getByRole('dialog').getByRole('columnheader', { name: 'Kinetic, J' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await close();
  });

  it('lists its keys and its paragraph in the help sheet', async () => {
    const { page, close } = await openScene(browser, url);
    await page.keyboard.press('?');
    const sheet = page.getByRole('dialog', { name: 'Help' });
    await sheet.getByText('Reset the scene').waitFor();
    const { scenes } = await (await fetch(new URL('api/scenes', url))).json();
    const { about } = scenes.find(({ name }) => name === 'bouncing-ball');
    assert.ok((await sheet.innerText()).includes(about.slice(0, 40)));
    await page.keyboard.press('Escape');
    await sheet.waitFor({ state: 'detached' });
    await close();
  });

  it('that does not exist is refused with a sentence and a way back', async () => {
    const { page, close } = await openPage(browser, url + sceneAddress('no-such-scene').path);
    const note = page.getByRole('alert').filter({ hasText: 'no-such-scene' });
    await note.waitFor();
    await note.getByRole('link', { name: 'To the gallery' }).click();
    await page.locator('.card').first().waitFor();
    await close();
  });

  it('works as a drawer on a tablet and from below on a phone', async () => {
    const { page, close } = await openScene(browser, url, { width: 1024, height: 768 });
    await page.getByRole('tab', { name: 'Scene' }).click();
    await page.getByRole('textbox', { name: 'Restitution' }).waitFor();
    await page.keyboard.press('ArrowRight');
    assert.equal(await page.getByRole('tab', { name: 'Plots' }).getAttribute('aria-selected'), 'true');
    await page.setViewportSize({ width: 560, height: 800 });
    const panel = await page.locator('#panel').boundingBox();
    assert.ok(panel.width > 550 && panel.y > 300);
    await page.getByRole('button', { name: 'Panel' }).click();
    assert.equal(await page.locator('#panel').count(), 0);
    await close();
  });
});

describe('a lost server', { skip: !process.env.PRALL_BIN && 'needs PRALL_BIN to stop and start' }, () => {
  it('leaves the last picture, and the page comes back by itself', async () => {
    const server = await startServer(process.env.PRALL_BIN);
    const { page, close } = await openScene(browser, server.url);
    await hook.until(page, () => window.prall.time > 0.2);
    await server.stop();
    await page.getByText('No server').waitFor();
    await page.locator('.stage-canvas.dimmed').waitFor();
    assert.equal((await hook.read(page)).bodies.length, POSE);
    const { frames } = await hook.read(page);
    const again = await startServer(process.env.PRALL_BIN, server.port);
    await page.locator('.message').getByText('The server was restarted').waitFor();
    await hook.until(page, (before) => window.prall.frames > before, frames);
    await close(/WebSocket|ERR_CONNECTION|Failed to load resource/);
    await again.stop();
  });
});
