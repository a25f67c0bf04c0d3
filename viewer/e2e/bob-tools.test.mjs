// The seat's tools: setups as files, pilots, ropes in a headset, films of a replay, landmarks.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, before, describe, it } from 'node:test';
import { launch } from './browser.mjs';
import { hook, openPage } from './page.mjs';

const url = process.env.PRALL_URL;
const SIZE = { width: 640, height: 360, deviceScaleFactor: 1 };
const iwer = createRequire(import.meta.url).resolve('iwer/build/iwer.min.js');

let browser;
before(async () => (browser = await launch()));
after(() => browser.close());

async function sitDown(prepare, quality = 'test', size = SIZE) {
  const opened = await openPage(browser, `${url}?quality=${quality}#bob`, size, prepare);
  await hook.until(opened.page, () => window.prall?.bob?.ready && window.prall.drawn > 1);
  return opened;
}

const phase = (page, wanted) => hook.until(page, (name) => window.prall.bob.phase === name, wanted);
const tab = (page, name) => page.getByRole('button', { name, exact: true }).click();
const stored = (page, key) => page.evaluate((name) => JSON.parse(localStorage.getItem(`prall.${name}`)), key);

async function saved(page, press) {
  const [download] = await Promise.all([page.waitForEvent('download'), press()]);
  return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
}

/** From the menu into a run that begins before a curve. */
async function begin(page, curve, time = '1') {
  await page.getByLabel('Start', { exact: true }).selectOption(curve);
  await page.getByLabel('Time', { exact: true }).selectOption(time);
  await page.getByRole('button', { name: 'Start', exact: true }).focus();
  await page.keyboard.press('Enter');
  // Where a picture takes seconds the countdown may be over before one shows it.
  await hook.until(page, () => window.prall.bob.phase !== 'menu');
  await page.keyboard.press('Enter');
  await hook.until(page, () => window.prall.bob.phase !== 'countdown');
}

describe('a setup', () => {
  it('is kept by name and saved as the file that --setup reads and opened again', async () => {
    const { page, close } = await sitDown();
    await tab(page, 'Setup');
    const bumpers = page.getByRole('slider', { name: /^Bumpers/ });
    await bumpers.fill('0.2');
    await page.getByLabel('Name of the setup').fill('Lively 2');
    await tab(page, 'Keep');
    const { name, bytes } = await saved(page, () => tab(page, 'Save as a file'));
    assert.equal(name, 'lively-2.toml');
    const text = bytes.toString();
    assert.match(text, /restitution = 0\.2\b/);
    await tab(page, 'Everything back to its place');
    assert.deepEqual(await stored(page, 'bob.setup'), {});
    await page.getByLabel('Open a setup file').setInputFiles({ name, mimeType: 'text/plain', buffer: bytes });
    await page.getByText('lively-2.toml is on the sliders.').waitFor();
    assert.deepEqual(await stored(page, 'bob.setup'), { restitution: 0.2 });
    assert.equal(await bumpers.inputValue(), '0.2');
    // What the page cannot set, and what is no setup, is said in words; the sliders stay.
    await page.getByLabel('Open a setup file').setInputFiles({ name: 'heavy.toml', mimeType: 'text/plain', buffer: Buffer.from(text.replace(/mass = [\d.]+/, 'mass = 99')) });
    await page.getByText(/heavy\.toml: the file sets body\..*\.mass/).waitFor();
    await page.getByLabel('Open a setup file').setInputFiles({ name: 'torn.toml', mimeType: 'text/plain', buffer: Buffer.from(text.slice(0, 300)) });
    await page.getByText(/^torn\.toml: /).waitFor();
    assert.deepEqual(await stored(page, 'bob.setup'), { restitution: 0.2 });
    await tab(page, 'Everything back to its place');
    await tab(page, 'Take Lively 2');
    assert.deepEqual(await stored(page, 'bob.setup'), { restitution: 0.2 });
    await close(/422/);
  });
});

describe('pilots and films', () => {
  it('a run belongs to who drove it and its replay is filmed', async () => {
    const { page, close } = await sitDown();
    await tab(page, 'Pilot');
    await page.getByLabel('Name of the pilot').fill('Ann');
    await tab(page, 'Sit down');
    await page.getByRole('button', { name: 'Sits here' }).waitFor();
    await tab(page, 'Drive');
    await page.getByRole('radio', { name: /^You alone/ }).check();
    await begin(page, '16', '2');
    await phase(page, 'result');
    await page.getByRole('heading', { name: /^(Finish|Crash)/ }).waitFor();
    const [run] = Object.entries(await stored(page, 'bob.driven-by'));
    assert.equal(run[1], 'Ann');
    await page.keyboard.press('Space');
    await phase(page, 'replay');
    // Any channel over time or station; diagrams are left out on small screens, so this one is made larger for them.
    await page.setViewportSize({ width: 900, height: 600 });
    await page.getByLabel('Diagram 1').selectOption('torque');
    await page.getByLabel('Diagrams over').selectOption('station');
    await page.locator('.bob-charts figcaption').filter({ hasText: /^torque -?\d/ }).waitFor({ state: 'attached' });
    await page.setViewportSize(SIZE);
    await page.getByLabel('Speed', { exact: true }).selectOption('4');
    const { name, bytes } = await saved(page, () => page.getByRole('button', { name: 'Film', exact: true }).click());
    assert.match(name, /\.webm$/);
    // A WebM begins with the mark of EBML and has frames in it.
    assert.deepEqual([...bytes.subarray(0, 4)], [0x1a, 0x45, 0xdf, 0xa3]);
    assert.ok(bytes.length > 20000 && bytes.includes(Buffer.from('webm')), `${bytes.length} bytes`);
    // It plays to its end, in the size of the picture, and what it shows moves. Prall's own pages may load no films.
    const screen = await page.context().newPage();
    const film = await screen.evaluate(async (data) => {
      const video = Object.assign(document.createElement('video'), { muted: true });
      const loaded = new Promise((resolve, reject) => Object.assign(video, { onloadeddata: resolve, onerror: () => reject(new Error(video.error.message)) }));
      video.src = URL.createObjectURL(new Blob([new Uint8Array(data)], { type: 'video/webm' }));
      await loaded;
      const canvas = Object.assign(document.createElement('canvas'), { width: 64, height: 36 });
      const paint = canvas.getContext('2d', { willReadFrequently: true });
      const look = () => {
        paint.drawImage(video, 0, 0, 64, 36);
        return paint.getImageData(0, 0, 64, 36).data;
      };
      const first = look();
      const ended = new Promise((resolve) => (video.onended = resolve));
      await video.play();
      await ended;
      const last = look();
      const change = first.reduce((sum, value, i) => sum + Math.abs(value - last[i]), 0) / first.length;
      return { width: video.videoWidth, height: video.videoHeight, seconds: video.currentTime, change };
    }, [...bytes]);
    await screen.close();
    await page.bringToFront();
    assert.deepEqual([film.width, film.height], [SIZE.width, SIZE.height]);
    assert.ok(film.seconds > 0.5 && film.change > 2, JSON.stringify(film));
    await page.keyboard.press('Escape');
    await phase(page, 'menu');
    await page.getByRole('button', { name: /^Runs/ }).click();
    await page.getByLabel('Board of').selectOption('Ann');
    await page.getByText(/Ann alone, from curve 16/).first().waitFor();
    await close();
  });
});

describe('landmarks', () => {
  it('are placed and moved and kept and saved as the track file has them', async () => {
    const { page, close } = await sitDown();
    await tab(page, 'Landmarks');
    const before = await page.getByLabel('Landmark', { exact: true }).locator('option').count();
    await tab(page, 'Place one more');
    await page.getByRole('slider', { name: /^Station/ }).fill('333');
    await page.getByLabel('Side').selectOption('left');
    await page.getByLabel('Text').fill('NOW');
    await page.getByLabel('Text').press('Tab');
    assert.equal(await page.getByLabel('Landmark', { exact: true }).locator('option').count(), before + 1);
    await page.getByLabel('Landmark', { exact: true }).locator('option', { hasText: '333 m, board NOW, left' }).waitFor({ state: 'attached' });
    const { bytes } = await saved(page, () => tab(page, 'Save as a file'));
    assert.match(bytes.toString(), /\[\[landmark\]\]\ns = 333\.0\nside = "left"\nheight = 1\.50\nkind = "board"\ntext = "NOW"/);
    // They are there after a reload, and are seen: the picture with the board differs from the one without it.
    await page.reload();
    await hook.until(page, () => window.prall?.bob?.ready && window.prall.drawn > 1);
    await tab(page, 'Landmarks');
    const list = page.getByLabel('Landmark', { exact: true });
    const index = await list.locator('option', { hasText: '333 m' }).getAttribute('value');
    await list.selectOption(index);
    const picture = async () => {
      const drawn = await page.evaluate(() => window.prall.drawn);
      await hook.until(page, (count) => window.prall.drawn > count + 3, drawn);
      return page.evaluate(() => {
        const from = document.querySelector('.bob-picture');
        const canvas = Object.assign(document.createElement('canvas'), { width: 160, height: 90 });
        const paint = canvas.getContext('2d', { willReadFrequently: true });
        paint.drawImage(from, 0, 0, 160, 90);
        return [...paint.getImageData(0, 0, 160, 90).data];
      });
    };
    const red = (data) => data.reduce((sum, value, i) => sum + (i % 4 === 0 && value > 180 && data[i + 1] < 140 && data[i + 2] < 90 ? 1 : 0), 0);
    const withBoard = red(await picture());
    await page.getByLabel('Colour').fill('#0000ff');
    const withoutRed = red(await picture());
    assert.ok(withBoard > withoutRed + 3, `${withBoard} ${withoutRed}`);
    await tab(page, 'Those of the track file');
    assert.equal(await list.locator('option').count(), before);
    await close();
  });
});

describe('a headset', () => {
  it('sits in the sled and its two hands pull the ropes', async () => {
    const { page, close } = await sitDown(async (context) => {
      await context.addInitScript({ path: iwer });
      await context.addInitScript(() => {
        const device = new window.IWER.XRDevice(window.IWER.metaQuest3);
        device.installRuntime({ forceInstall: true });
        window.xrDevice = device;
      });
    });
    await page.getByRole('radio', { name: /^You alone/ }).check();
    await page.getByRole('button', { name: 'Headset' }).click();
    await hook.until(page, () => window.prall.headset !== null);
    const hands = (left, right) => page.evaluate(([l, r]) => {
      window.xrDevice.controllers.left.position.set(-0.2, 1.2, l);
      window.xrDevice.controllers.right.position.set(0.2, 1.2, r);
    }, [left, right]);
    await hands(-0.3, -0.3);
    await begin(page, '4');
    await hook.until(page, () => window.prall.bob.phase === 'drive' && window.prall.bob.telemetry.driven === 1);
    // The left hand nearer: to the left. Then the right one.
    await hands(-0.2, -0.3);
    await hook.until(page, () => window.prall.bob.telemetry.steering > 0.02);
    await hands(-0.3, -0.2);
    await hook.until(page, () => window.prall.bob.telemetry.steering < -0.02);
    // The head goes with the sled.
    const place = await page.evaluate(() => window.prall.headset.position);
    await hook.until(page, ([x, y, z]) => Math.hypot(window.prall.headset.position[0] - x, window.prall.headset.position[1] - y, window.prall.headset.position[2] - z) > 5, place);
    await page.evaluate(() => window.xrDevice.activeSession.end());
    await hook.until(page, () => window.prall.headset === null);
    const drawn = await page.evaluate(() => window.prall.drawn);
    await hook.until(page, (count) => window.prall.drawn > count + 2, drawn);
    await close();
  });
});

describe('the picture at its best', () => {
  it('keeps to 300 draw calls and 1.1 million triangles in every view', async () => {
    const { page, close } = await sitDown(undefined, 'high', { ...SIZE, deviceScaleFactor: 0.25 });
    await page.getByRole('radio', { name: /^The pilot/ }).check();
    await begin(page, '4');
    await page.keyboard.press('Space'); // paused
    for (const [digit, view] of ['cockpit', 'follow', 'outside', 'side', 'tv', 'overview'].entries()) {
      await page.keyboard.press(`Digit${digit + 1}`);
      await hook.until(page, (name) => window.prall.bob.view === name, view);
      const { calls, triangles } = await page.evaluate(() => window.prall.bob);
      assert.ok(calls <= 300 && triangles <= 1.1e6, `${view}: ${calls} calls, ${triangles} triangles`);
    }
    await close();
  });
});
