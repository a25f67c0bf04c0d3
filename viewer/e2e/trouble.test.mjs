// The page in trouble, against a stand-in for the server that makes trouble on demand.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { launch } from './browser.mjs';
import { startMock } from './mock-server.mjs';
import { hook, openPage, sceneAddress, WAIT } from './page.mjs';

let browser;
before(async () => (browser = await launch()));
after(() => browser.close());

/** Runs a test against a stand-in that is stopped afterwards. */
async function withMock(options, test) {
  const server = await startMock(options);
  try {
    await test(server);
  } finally {
    await server.stop();
  }
}

describe('the page', () => {
  it('refuses a server of another protocol', () => withMock({ protocol: 3 }, async ({ url }) => {
    const { page, close } = await openPage(browser, url + sceneAddress().path);
    await page.getByRole('alert').filter({ hasText: 'The server speaks protocol 3, this page 2' }).waitFor();
    await close();
  }));

  it('refuses frames of another protocol', () => withMock({ frameVersion: 3 }, async ({ url }) => {
    const { page, close } = await openPage(browser, url + sceneAddress().path);
    await page.getByRole('alert').filter({ hasText: 'frame of protocol 3' }).waitFor();
    await close();
  }));

  it('says where a server is missing and, when it is back, what is gone', async () => {
    const server = await startMock();
    const { page, close } = await openPage(browser, server.url + sceneAddress().path);
    await hook.started(page);
    await server.stop();
    await page.locator('[data-pace=lost]').waitFor();
    await page.getByText(/Attempt \d+ in \d+ s|Trying again/).first().waitFor();
    assert.ok(await page.getByRole('button', { name: 'Play' }).or(page.getByRole('button', { name: 'Pause' })).isDisabled());
    const again = await startMock({}, Number(new URL(server.url).port));
    await page.locator('.message').getByText(/^Away for [\d.]+ s\. Gone: .* s of simulation/).waitFor();
    await close(/WebSocket|Failed to load resource/);
    await again.stop();
  });

  it('shows what the server refused and goes on', () => withMock({}, async ({ url, sessions }) => {
    const { page, close } = await openPage(browser, url + sceneAddress().path);
    await hook.started(page);
    [...sessions.values()][0].tell({ type: 'error', message: 'restitution must be from 0 to 1, not 7' });
    await page.locator('.message').getByText('restitution must be from 0 to 1, not 7').waitFor();
    const { time } = await hook.read(page);
    await hook.until(page, (before) => window.prall.time > before, time);
    await page.getByRole('button', { name: 'Close message' }).click();
    await page.locator('.message').waitFor({ state: 'detached' });
    await close();
  }));

  it('calls a slow simulation slowed, says why, and offers a way out', () => withMock({ slowed: 'simulation' }, async ({ url }) => {
    const { page, close } = await openPage(browser, url + sceneAddress().path);
    await hook.started(page);
    await page.locator('[data-pace=slowed]').getByText('Slowed to 0.62 ×').waitFor();
    await page.locator('[data-pace=slowed]').getByText('Step 6.7 of 4.2 ms').waitFor();
    await page.locator('.message').getByText('The simulation is slow: a step takes 6.7 ms, and 4.2 ms would be in time').waitFor();
    await page.getByRole('button', { name: 'Run at 0.2×' }).waitFor();
    await close();
  }));

  it('does not blame the simulation for a busy machine', () => withMock({ slowed: 'machine' }, async ({ url }) => {
    const { page, close } = await openPage(browser, url + sceneAddress().path);
    await hook.started(page);
    await page.locator('[data-pace=slowed]').getByText('Machine is busy').waitFor();
    await page.locator('.message').getByText('This machine is busy with something else').waitFor();
    await close();
  }));

  it('without WebGL says so and keeps panel and plots', () => withMock({}, async ({ url }) => {
    const context = await browser.newContext({ viewport: { width: 1200, height: 700 } });
    await context.addInitScript(() => {
      const original = HTMLCanvasElement.prototype.getContext;
      HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {
        return kind.startsWith('webgl') ? null : original.call(this, kind, ...rest);
      };
    });
    const page = await context.newPage();
    await page.goto(url + sceneAddress().path);
    await page.getByText('This browser cannot draw in three dimensions').waitFor();
    await page.waitForFunction(() => window.prall.time > 0.3, null, WAIT);
    await page.getByRole('region', { name: 'Energy', exact: true }).locator('.plot-value').waitFor();
    await page.getByRole('textbox', { name: 'Restitution' }).waitFor();
    await context.close();
  }));

  it('shows a mesh with its line sets as layers', () => withMock({}, async ({ url }) => {
    const { page, close } = await openPage(browser, url + sceneAddress('mesh').path);
    await hook.started(page);
    const open = page.getByRole('checkbox', { name: /Open edges/ });
    assert.ok(await open.isChecked());
    assert.ok(!(await page.getByRole('checkbox', { name: /Box/ }).isChecked()));
    const picture = () => page.locator('#stage').screenshot();
    await page.waitForLoadState('networkidle');
    const before = await picture();
    await open.uncheck();
    await page.getByRole('button', { name: 'Translucent surroundings' }).click();
    const { drawn } = await hook.read(page);
    await hook.until(page, (count) => window.prall.drawn > count, drawn - 1);
    assert.notDeepEqual(await picture(), before);
    await close();
  }));

  it('says where the token is when the server wants one, in the gallery and in a scene', () => withMock({ wantsToken: true }, async ({ url }) => {
    const { page, close } = await openPage(browser, url);
    await page.getByRole('alert').filter({ hasText: 'This server wants its token' }).waitFor();
    await page.goto(url + sceneAddress().path);
    await page.reload();
    await page.getByRole('alert').filter({ hasText: '?token=' }).waitFor();
    await close(/401|WebSocket/);
  }));

  it('draws ten thousand boxes', () => withMock({}, async ({ url }) => {
    const { page, close } = await openPage(browser, url + sceneAddress('heap').path);
    await hook.started(page);
    const { time } = await hook.read(page);
    await hook.until(page, (before) => window.prall.time > before && window.prall.drawn > 3, time);
    assert.equal((await hook.read(page)).bodies.length, 70_000);
    await close();
  }));

  it('shows the flat ground where a card has no picture', () => withMock({}, async ({ url }) => {
    const { page, close } = await openPage(browser, url);
    await page.locator('.card').first().waitFor();
    await page.locator('[data-scene=mesh] img').waitFor({ state: 'detached' });
    assert.ok((await page.locator('[data-scene=mesh] .card-picture').boundingBox()).height > 100);
    await close();
  }));
});
