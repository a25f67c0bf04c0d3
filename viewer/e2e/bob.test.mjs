// The pilot's seat: a whole visit by keys, a crash, ghost and replay, pad and wheel, sound, day and night.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { launch } from './browser.mjs';
import { giveGamepad, hook, openPage } from './page.mjs';

const url = process.env.PRALL_URL;
const SIZE = { width: 640, height: 360, deviceScaleFactor: 1 };

let browser;
before(async () => (browser = await launch()));
after(() => browser.close());

async function sitDown(prepare) {
  const opened = await openPage(browser, `${url}?quality=test#bob`, SIZE, prepare);
  await hook.until(opened.page, () => window.prall?.bob?.ready && window.prall.drawn > 1);
  return opened;
}

const bob = (page) => page.evaluate(() => window.prall.bob);
const phase = (page, wanted) => hook.until(page, (name) => window.prall.bob.phase === name, wanted);
const choose = (page, label, value) => page.getByLabel(label, { exact: true }).selectOption(value);

/** From the menu to the push, by keys: the button has the focus, and the countdown is cut short. */
async function begin(page, { track, start, time, driver }) {
  if (track) {
    const before = (await bob(page)).track;
    await page.getByRole('radio', { name: new RegExp(`^${track}`) }).check();
    await hook.until(page, (number) => window.prall.bob.ready && window.prall.bob.track !== number, before);
  }
  if (driver) await page.getByRole('radio', { name: new RegExp(`^${driver}`) }).check();
  await choose(page, 'Start', start);
  await choose(page, 'Time', time);
  await page.getByRole('button', { name: 'Start', exact: true }).focus();
  await page.keyboard.press('Enter');
  await phase(page, 'countdown');
  // Enter cuts the countdown short; the run begins once the server has the sled at its place.
  await page.keyboard.press('Enter');
  await hook.until(page, () => window.prall.bob.phase !== 'countdown');
}

describe('a visit', () => {
  it('goes by keys from the gallery to the finish, and the run computes to the same bits again', async () => {
    const { page, close } = await openPage(browser, `${url}?quality=test#/`, SIZE);
    await page.getByTitle('Sit down and drive the bobsleigh').click();
    await hook.until(page, () => window.prall?.bob?.ready && window.prall.drawn > 1);
    // The gentle track: on a busy machine keys are let go late, and whistler-like throws off whoever steers for too long.
    await begin(page, { track: 'Meadow run', start: 'push', time: '4', driver: 'You, with help' });
    await phase(page, 'drive');
    await page.keyboard.down('ArrowLeft');
    await hook.until(page, () => window.prall.bob.telemetry.steering > 0.02);
    await page.keyboard.up('ArrowLeft');
    await page.keyboard.down('KeyD');
    await hook.until(page, () => window.prall.bob.telemetry.steering < -0.02);
    await page.keyboard.up('KeyD');
    assert.equal((await bob(page)).telemetry.driven, 1);
    assert.match(await page.locator('[data-show=speed]').textContent(), /^\d+\.\d$/);
    await page.keyboard.press('KeyH');
    assert.equal(await page.locator('.bob-display').count(), 0);
    await page.keyboard.press('KeyH');
    await phase(page, 'result');
    await page.getByRole('heading', { name: /^Finish: \d+\.\d{3} s$/ }).waitFor();
    const { finish, splits } = (await bob(page)).telemetry;
    // The pilot alone takes 54.6 s.
    assert.ok(finish > 52 && finish < 65, `${finish} s`);
    assert.equal(await page.locator('.bob-card tbody tr').count(), splits);
    await page.locator('.bob-coach').getByText(/^(Coach, against|Coach: nothing lost on) (the pilot|the best run)/).waitFor();

    // The replay is scrubbed by time and by station and seen by every camera.
    await page.getByRole('button', { name: 'As a ghost' }).click();
    await page.keyboard.press('Space');
    await phase(page, 'replay');
    await page.getByLabel('Station').fill('700');
    await hook.until(page, () => Math.abs(window.prall.bob.telemetry.station - 700) < 1);
    for (const view of ['cockpit', 'follow', 'outside', 'side', 'tv', 'overview']) {
      await choose(page, 'View', view);
      await hook.until(page, (name) => window.prall.bob.view === name, view);
      const { calls, triangles } = await bob(page);
      assert.ok(calls <= 300 && triangles <= 1.1e6, `${view}: ${calls} calls, ${triangles} triangles`);
    }
    await page.keyboard.press('Escape');
    await phase(page, 'menu');

    // The same hands give the same bits.
    const [{ name }] = (await (await fetch(new URL('api/bob/runs', url))).json()).runs;
    if (process.env.PRALL_BIN) {
      const folder = mkdtempSync(join(tmpdir(), 'prall-run-'));
      writeFileSync(join(folder, name), Buffer.from(await (await fetch(new URL(`api/recordings/${name}`, url))).arrayBuffer()));
      const { status, stdout, stderr } = spawnSync(process.env.PRALL_BIN, ['replay', join(folder, name), '--verify'], { encoding: 'utf8' });
      rmSync(folder, { recursive: true });
      assert.equal(status, 0, stdout + stderr);
    }

    // Against its ghost from the last curve on: the distance in time is shown.
    await choose(page, 'View', 'follow');
    await begin(page, { start: '8', time: '1' });
    await hook.until(page, () => window.prall.ghosts === 1 && Math.abs(window.prall.bob.gap) < 5 && window.prall.bob.gap !== null);
    assert.match(await page.locator('[data-show=gap]').textContent(), /^[+−]\d+\.\d\d s to the ghost$/);
    // R begins again at once, without counting.
    const { station } = (await bob(page)).telemetry;
    await hook.until(page, (s) => window.prall.bob.telemetry.station > s + 10, station);
    await page.keyboard.press('KeyR');
    await hook.until(page, (s) => window.prall.bob.telemetry.station < s + 9 && window.prall.bob.phase !== 'countdown', station);
    await page.keyboard.press('Escape');
    await phase(page, 'menu');
    await close();
  });

  it('may end in a crash, which is told and kept, and a broken run is refused in words', async () => {
    const { page, close } = await sitDown();
    await begin(page, { start: '11', time: '2', driver: 'You alone' });
    await page.keyboard.down('ArrowLeft');
    await page.getByRole('heading', { name: /^Crash at \d+ m, / }).waitFor();
    await page.keyboard.up('ArrowLeft');
    await page.getByRole('button', { name: 'Menu' }).click();
    await phase(page, 'menu');
    await page.getByRole('button', { name: /^Runs/ }).click();
    await page.getByText(/crash at \d+ m/).first().waitFor();
    await page.route('**/api/bob/runs/*', (route) => route.fulfill({ body: 'PRB1 but not the rest of it' }));
    await page.getByRole('button', { name: 'Ghost', exact: true }).first().click();
    await page.getByRole('alert').getByText('cannot be a ghost').waitFor();
    await close();
  });
});

describe('the picture', () => {
  it('is bright by day and dark at night, where lamps light the ice', async () => {
    const { page, close } = await sitDown();
    await page.getByRole('radio', { name: /^The pilot/ }).check();
    await begin(page, { start: '4', time: '1' });
    await page.keyboard.press('Digit2');
    await page.keyboard.press('KeyH');
    await page.keyboard.press('Space'); // paused
    const light = async () => {
      const drawn = await page.evaluate(() => window.prall.drawn);
      await hook.until(page, (count) => window.prall.drawn > count + 3, drawn);
      return page.evaluate(() => {
        const from = document.querySelector('.bob-picture');
        const canvas = Object.assign(document.createElement('canvas'), { width: 64, height: 36 });
        const paint = canvas.getContext('2d', { willReadFrequently: true });
        paint.drawImage(from, 0, 0, 64, 36);
        const mean = (x, y, w, h) => { const { data } = paint.getImageData(x, y, w, h); let sum = 0; for (let i = 0; i < data.length; i += 4) sum += data[i] + data[i + 1] + data[i + 2]; return sum / (0.75 * data.length); };
        return { sky: mean(0, 0, 64, 8), ice: mean(24, 22, 16, 12) };
      });
    };
    const day = await light();
    await page.keyboard.press('KeyN');
    const night = await light();
    assert.ok(day.sky > 2.5 * night.sky, JSON.stringify({ day, night }));
    assert.ok(night.ice > 40 && night.ice > night.sky && day.ice > night.ice, JSON.stringify({ day, night }));
    await close();
  });
});

describe('hands', () => {
  it('are a pad, which shakes by the force of the ice and may vanish in mid-run', async () => {
    const { page, close } = await sitDown(giveGamepad);
    await begin(page, { start: '6', time: '1', driver: 'You, with help' });
    await page.evaluate(() => (window.pad.axes = [-0.5, 0, 0, 0]));
    await hook.until(page, () => window.prall.bob.telemetry.steering > 0.03);
    await page.evaluate(() => (window.pad.axes = [0, 0, 0, 0]));
    await hook.until(page, () => window.pad.rumbles > 3);
    assert.ok((await page.evaluate(() => window.prall.delays.length)) > 0, 'latency is measured');
    await page.evaluate(() => window.dispatchEvent(Object.assign(new Event('gamepaddisconnected'), { gamepad: window.pad })));
    await page.getByText('The controller is gone').waitFor();
    const { station } = (await bob(page)).telemetry;
    await hook.until(page, (s) => window.prall.bob.telemetry.station > s + 5, station);
    await page.keyboard.press('Escape');

    // A wheel on another axis: turned to both ends and let go, then remembered.
    await phase(page, 'menu');
    await page.getByRole('button', { name: 'Setup', exact: true }).click();
    await page.evaluate(() => (window.pad.axes = [0, 0, 0.1, 0]));
    await page.getByRole('button', { name: 'Calibrate a wheel' }).click();
    for (const value of [-0.9, 0.95, 0.1]) {
      await page.evaluate((x) => (window.pad.axes = [0, 0, x, 0]), value);
      await page.waitForTimeout(60);
    }
    await page.keyboard.press('Enter');
    await page.getByText('Axis 2 of Stand-in pad steers.').waitFor();
    const stored = await page.evaluate(() => JSON.parse(localStorage.getItem('prall.bob.calibrations')));
    assert.deepEqual(stored['Stand-in pad'], { axis: 2, left: -0.9, centre: 0.1, right: 0.95, dead: 0.02 });
    await close();
  });
});

describe('the sound', () => {
  it('follows speed and slip and hits', async () => {
    const { page, close } = await sitDown();
    const levels = await page.evaluate(async () => {
      const plain = { speed: 0, load: 1, runner_1: 956, runner_2: 956, runner_3: 956, runner_4: 956, slip_rear: 0, slip_front: 0, shake: 0.3, bumpers: 0, hits: 0, hit_speed: 0, hit_side: 0, wood: 0, splits: 0, acceleration: 0, finish: -1, inside: 1, distance: 0, pushing: false, braking: false };
      /** Power in dB of a band, by a bank of Goertzel filters over the second half. */
      const band = (buffer, low, high) => {
        const n = 8192;
        let sum = 0;
        for (let channel = 0; channel < 2; channel += 1) {
          const data = buffer.getChannelData(channel).subarray(buffer.length - n);
          for (let i = 0; i < 24; i += 1) {
            const hz = low * (high / low) ** ((i + 0.5) / 24);
            let [re, im] = [0, 0];
            for (let k = 0; k < n; k += 1) { const w = 0.5 - 0.5 * Math.cos((2 * Math.PI * k) / n); const a = (2 * Math.PI * hz * k) / 48000; re += w * data[k] * Math.cos(a); im += w * data[k] * Math.sin(a); }
            sum += (re * re + im * im) / (n * n);
          }
        }
        return 10 * Math.log10(sum + 1e-20);
      };
      const rms = (buffer, from, to) => {
        let sum = 0;
        for (let channel = 0; channel < 2; channel += 1) for (const x of buffer.getChannelData(channel).subarray(from * 48000, to * 48000)) sum += x * x;
        return 10 * Math.log10(sum / (2 * 48000 * (to - from)) + 1e-20);
      };
      const peak = (buffer) => Math.max(...[0, 1].map((channel) => buffer.getChannelData(channel).reduce((most, x) => Math.max(most, Math.abs(x)), 0)));
      const steady = async (change, seconds = 0.8) => window.prall.listen(() => ({ ...plain, ...change }), seconds);
      const rest = await steady({}, 0.5);
      const speeds = [];
      for (const kmh of [30, 90, 140]) speeds.push(rms(await steady({ speed: kmh / 3.6, shake: 0.3 }), 0.4, 0.8));
      const slips = [];
      for (const degrees of [0, 1, 2, 4, 8]) slips.push(band(await steady({ speed: 25, shake: 0, slip_rear: (degrees * Math.PI) / 180, slip_front: (0.6 * degrees * Math.PI) / 180 }), 2000, 5000));
      const hits = [];
      let largest = 0;
      for (const speed of [0.2, 0.5, 1, 2]) {
        const buffer = await window.prall.listen((t) => ({ ...plain, speed: 38, hits: t >= 0.6 ? 1 : 0, hit_speed: speed, hit_side: 1 }), 0.8);
        hits.push(rms(buffer, 0.61, 0.66) - rms(buffer, 0.4, 0.6));
        largest = Math.max(largest, peak(buffer));
      }
      const wood = await window.prall.listen((t) => ({ ...plain, speed: 38, hits: t >= 0.6 ? 1 : 0, hit_speed: 1, wood: 1 }), 0.8);
      return { rest: peak(rest), speeds, slips, hits, largest, wood: rms(wood, 0.61, 0.66) - rms(wood, 0.4, 0.6) };
    });
    assert.equal(levels.rest, 0, 'silence at rest');
    const rises = (list, by) => list.slice(1).every((x, i) => x > list[i] + by);
    assert.ok(rises(levels.speeds, 3) && levels.speeds[2] - levels.speeds[0] > 12, JSON.stringify(levels));
    assert.ok(rises(levels.slips, 0.5) && levels.slips[2] - levels.slips[0] > 4, JSON.stringify(levels));
    assert.ok(rises(levels.hits, 0.3) && levels.hits[2] > 6 && levels.wood > 3, JSON.stringify(levels));
    assert.ok(levels.largest < 1 && levels.largest > 0.1, JSON.stringify(levels));
    await close();
  });
});
