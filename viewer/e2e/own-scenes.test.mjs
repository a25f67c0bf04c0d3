// Scene files of one's own: a card with a picture, and a page that follows the file.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { launch } from './browser.mjs';
import { hook, openPage, openScene } from './page.mjs';
import { startServer } from './server.mjs';

const ball = (title, more = '') => `title = '${title}'\n[[bodies]]\nname = 'ball'\ncolour = 'orange'\nposition = [0, 0.5, 0]\nshapes = [{ shape.sphere = { radius = 0.1 } }]\n${more}`;
const other = "[[bodies]]\nname = 'other'\nposition = [1, 0.5, 0]\nshapes = [{ shape.box = { size = [0.2, 0.2, 0.2] } }]\n";

let browser;
let server;
let folder;
let file;
before(async () => {
  browser = await launch();
  folder = mkdtempSync(join(tmpdir(), 'prall-own-'));
  file = join(folder, 'mine.toml');
  writeFileSync(file, ball('My ball'));
  server = await startServer(process.env.PRALL_BIN, 0, [file]);
});
after(async () => {
  await browser.close();
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

describe('a scene file', { skip: process.env.PRALL_BIN ? false : 'needs PRALL_BIN' }, () => {
  it('stands on ground that nobody wrote, and its card shows what the first page has drawn', async () => {
    const origin = new URL('/', server.url).href;
    const first = await openPage(browser, `${origin}?quality=low`);
    const card = first.page.locator('[data-scene=mine]');
    await card.waitFor();
    assert.equal(await card.locator('img').count(), 0, 'no picture yet');
    await first.close();
    const scene = await openScene(browser, origin, { scene: 'mine' });
    // The ball of 0.1 m comes to rest on the ground at 0.
    await hook.until(scene.page, () => Math.abs(window.prall.bodies[1] - 0.1) < 2e-3);
    await scene.page.waitForFunction(async () => (await fetch('api/scenes')).json().then(({ scenes }) => scenes.find(({ name }) => name === 'mine').pictured));
    await scene.close();
    const again = await openPage(browser, `${origin}?quality=low`);
    const picture = again.page.locator('[data-scene=mine] img');
    await again.page.waitForFunction(() => document.querySelector('[data-scene=mine] img')?.naturalWidth > 100);
    assert.match(await picture.getAttribute('src'), /api\/scenes\/mine\/picture/);
    await again.close();
  });

  it('is read again when it is saved, and a slip in it is named while the scene goes on', async () => {
    const { page, close } = await openScene(browser, new URL('/', server.url).href, { scene: 'mine' });
    writeFileSync(file, ball('My ball').replace('radius', 'radus'));
    await page.locator('main').getByText(/goes on as it was/).waitFor();
    await page.locator('main').getByText(/did you mean 'radius'/).waitFor();
    const { frames } = await hook.read(page);
    await hook.until(page, (before) => window.prall.frames > before, frames);
    writeFileSync(file, ball('Ball and box', other));
    await page.getByRole('heading', { name: 'Ball and box' }).waitFor();
    await hook.until(page, () => window.prall.bodies.length === 14);
    await close();
  });
});
