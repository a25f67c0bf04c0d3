// node e2e/measure-bob.mjs BINARY: what the seat costs here. Time from the start of the server to a sled that is steered, pictures a second and
// script time with and without scenery, steps from a hand to the picture, and the page's memory. It asserts nothing; numbers go to docs/seat.md.

import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { launch } from './browser.mjs';
import { hook, openPage } from './page.mjs';
import { startServer } from './server.mjs';

const binary = process.argv[2];
if (!binary) throw new Error('Say which prall is measured: node e2e/measure-bob.mjs ../target/release/prall');
const SIZE = { width: 640, height: 360, deviceScaleFactor: 1 };
/** How long pictures are counted, in s. */
const COUNTED = 8;
/** Pictures before that: the first ones compile. */
const WARM = 12;

const begun = performance.now();
const server = await startServer(binary);
const listening = performance.now();
const browser = await launch();
const opening = performance.now();

async function drive(quality) {
  const { page, close } = await openPage(browser, `${server.url}${quality === 'auto' ? '' : `?quality=${quality}`}#bob`, SIZE);
  await hook.until(page, () => window.prall?.bob?.ready && window.prall.drawn > 1);
  const ready = performance.now();
  await page.getByRole('radio', { name: /^You, with help/ }).check();
  await page.getByRole('button', { name: 'Start', exact: true }).focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Enter');
  await hook.until(page, () => window.prall.bob.telemetry.driven === 1 && window.prall.bob.telemetry.speed > 0.1);
  return { page, close, ready, driving: performance.now() };
}

const first = await drive('low');
console.log(`server listens after ${((listening - begun) / 1000).toFixed(1)} s; page is there ${((first.ready - opening) / 1000).toFixed(1)} s after it was opened; the sled moves ${((first.driving - first.ready) / 1000).toFixed(1)} s later`);
await first.close();

for (const quality of process.argv[3]?.split(',') ?? ['auto', 'test', 'low', 'medium', 'high']) {
  const { page, close } = await drive(quality);
  await page.keyboard.press('Digit1');
  await hook.until(page, () => window.prall.bob.view === 'cockpit' && window.prall.bob.telemetry.speed > 5);
  const client = await page.context().newCDPSession(page);
  // Of the page's own thread: what others do on the machine is not counted.
  await client.send('Performance.enable', { timeDomain: 'threadTicks' });
  const metrics = async () => Object.fromEntries((await client.send('Performance.getMetrics')).metrics.map(({ name, value }) => [name, value]));
  const warmed = await page.evaluate(() => window.prall.drawn);
  await hook.until(page, (count) => window.prall.drawn > count, warmed + WARM);
  const before = { ...(await metrics()), drawn: await page.evaluate(() => window.prall.drawn), at: performance.now() };
  await page.evaluate((seconds) => new Promise((resolve) => setTimeout(resolve, 1000 * seconds)), COUNTED);
  const after = { ...(await metrics()), drawn: await page.evaluate(() => window.prall.drawn), at: performance.now() };
  const pictures = after.drawn - before.drawn;
  const { calls, triangles, pixels } = await page.evaluate(() => window.prall.bob);
  await page.keyboard.down('ArrowLeft');
  await hook.until(page, () => window.prall.delays.length > 5);
  await page.keyboard.up('ArrowLeft');
  const delays = await page.evaluate(() => [...window.prall.delays].sort((a, b) => a - b));
  console.log(`${quality} (loadavg ${readFileSync('/proc/loadavg', 'utf8').trim()}): ${pixels} pixels for one of the page, ${((1000 * pictures) / (after.at - before.at)).toFixed(1)} pictures/s, script ${((1000 * (after.ScriptDuration - before.ScriptDuration)) / pictures).toFixed(1)} ms a picture, ${calls} draw calls, ${Math.round(triangles / 1000)} k triangles, heap ${(after.JSHeapUsedSize / 1e6).toFixed(0)} MB, hand to picture ${delays[delays.length >> 1].toFixed(0)} ms in the median, ${delays.at(-1).toFixed(0)} ms at most`);
  await close();
}

await browser.close();
await server.stop();
