// axe-core over every view, in both themes.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, before, describe, it } from 'node:test';
import { launch } from './browser.mjs';
import { hook, openPage, openScene } from './page.mjs';

const url = process.env.PRALL_URL;
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

let browser;
before(async () => (browser = await launch()));
after(() => browser.close());

async function check(page) {
  // The page itself lets no foreign script in.
  await page.evaluate(axe);
  const { violations, passes } = await page.evaluate(async () => {
    const result = await window.axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] });
    const describe = ({ id, help, nodes }) => `${id}: ${help} (${nodes.map(({ target, failureSummary }) => `${target} ${failureSummary}`).join('; ')})`;
    return { violations: result.violations.map(describe), passes: result.passes.map(({ id }) => id) };
  });
  assert.ok(passes.includes('color-contrast') && passes.length > 20, 'axe-core looked at the page');
  assert.deepEqual(violations, []);
}

for (const colorScheme of ['light', 'dark']) {
  describe(`in the ${colorScheme} theme nothing stands in anybody's way`, () => {
    it('in the gallery', async () => {
      const { page, close } = await openPage(browser, url, { colorScheme });
      await page.locator('.card').first().waitFor();
      await check(page);
      await page.getByRole('link', { name: 'Recordings' }).click();
      await page.getByRole('heading', { name: 'Recordings' }).waitFor();
      await check(page);
      await close();
    });

    it('in a scene, running and paused, with overlays, with a menu, and side by side', async () => {
      const { page, close } = await openScene(browser, url, { colorScheme });
      for (const key of ['1', '2', '3']) await page.keyboard.press(key);
      await hook.until(page, () => window.prall.time > 0.5);
      await check(page);
      await page.keyboard.press('Space');
      await page.locator('[data-pace=paused]').waitFor();
      await check(page);
      await page.locator('#stage').focus();
      await page.keyboard.press('Tab');
      await page.keyboard.press('Shift+F10');
      await page.getByRole('menu').waitFor();
      await check(page);
      await page.keyboard.press('Escape');
      await page.keyboard.press('c');
      await page.locator('.stage-pane.b canvas').waitFor();
      await check(page);
      await close();
    });

    it('in the help and the settings', async () => {
      const { page, close } = await openScene(browser, url, { colorScheme });
      await page.keyboard.press('?');
      await page.getByRole('dialog', { name: 'Help' }).waitFor();
      await check(page);
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Settings' }).click();
      await page.getByRole('dialog', { name: 'Settings' }).waitFor();
      await check(page);
      await close();
    });

    it('on a tablet', async () => {
      const { page, close } = await openScene(browser, url, { colorScheme, width: 1024, height: 768 });
      for (const name of ['Scene', 'Plots']) {
        await page.getByRole('tab', { name }).click();
        await check(page);
      }
      await close();
    });
  });
}
