// `npm run pictures`: a card picture of every scene, and the page itself for the README. `npm run pictures wall funnel`
// takes these cards only, `npm run pictures page` the page only, and `npm run pictures hero` the loop of the README.
// Each is taken at a chosen simulated time, reached by single steps, so that it comes out the same again.

import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { animatedWebp } from './animated-webp.mjs';
import { launch } from './browser.mjs';
import { joinSession } from './page.mjs';
import { serverFromEnvironment } from './server.mjs';

/** Simulated seconds at which a scene looks most like itself, and what is set before it gets there. */
const moments = { 'bulb-removal': 8.2, aeroplane: 2.9, 'car-radio': 8.7, puzzle: 4.3, 'hinged-cover': 3.6, drawer: 2.2, 'two-hands': 3.2, screwdriver: 4.5, corner: 3.2, 'peg-in-hole': 3.2, tee: 7.6, 'bolt-and-nut': 2.5, sheet: 1.7, 'push-plate': 4.65, 'bouncing-ball': 0.56, wall: 2.25, funnel: 3.5, pyramid: 0.2, 'large-pyramid': 0.1, 666: 1.2, dominoes: 2, joints: 0.6, 'joint-grid': 0.8, 'four-bar': 0.35, skate: 3.2, bobsleigh: 2.6, coaster: 4.4 };
const settings = { wall: { speed: 10 } };
const USUAL_MOMENT = 1.5;
/** Steps sent before waiting for the server to have taken them. */
const BATCH = 24;
/** A page that watches needs a moment between batches to take the reports. */
const BREATH_MS = 100;
const RUN_SHORT_OF = 0.3;
/** Drawing in software at the highest quality takes seconds per picture, minutes on a busy machine. */
const PATIENCE = { timeout: 300_000 };

const cards = fileURLToPath(new URL('../public/pictures/', import.meta.url));
const docs = fileURLToPath(new URL('../../docs/pictures/', import.meta.url));

/** Joins the session before any page does, and holds it at its start. */
async function holdSession(url, session, scene) {
  const viewer = await joinSession(url, session, scene);
  await viewer.until(() => viewer.last('hello'));
  viewer.send({ type: 'pause' });
  await viewer.until(() => viewer.last('state')?.running === false);
  await new Promise((resolve) => setTimeout(resolve, BREATH_MS)); // the last frame may still be on its way
  viewer.send({ type: 'reset' });
  await viewer.until(() => viewer.time() === 0);
  return viewer;
}

/** Lets the session run until shortly before `seconds`, so that the plots show reports as they usually come. */
async function runTowards(viewer, seconds) {
  viewer.send({ type: 'play' });
  await viewer.until(() => viewer.time() > seconds - RUN_SHORT_OF);
  viewer.send({ type: 'pause' });
  await viewer.until(() => viewer.last('state').running === false);
  await new Promise((resolve) => setTimeout(resolve, BREATH_MS)); // the last frame may still be on its way
  if (viewer.time() > seconds) throw new Error(`ran past ${seconds} s: the machine is too busy for pictures`);
}

/** Steps the session on to `seconds` after its start; returns the exact time that it has reached. */
async function stepTo(viewer, seconds) {
  const step = viewer.last('hello').time_step;
  const steps = Math.round(seconds / step);
  for (let taken = Math.round(viewer.time() / step); taken < steps; ) {
    const next = Math.min(steps, taken + BATCH);
    for (; taken < next; taken += 1) viewer.send({ type: 'step' });
    await viewer.until(() => viewer.time() > (next - 0.5) * step);
    await new Promise((resolve) => setTimeout(resolve, BREATH_MS));
  }
  return steps * step;
}

async function open(browser, address, { width, height, ...options }) {
  const context = await browser.newContext({ viewport: { width, height }, reducedMotion: 'reduce', ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE.timeout);
  await page.goto(address);
  return page;
}

/** Waits until the page has drawn the frame of this time, and once more for what follows from it. */
async function drawnAt(page, time) {
  await page.waitForFunction((wanted) => window.prall?.drawn > 0 && Math.abs(window.prall.time - wanted) < 1e-9, time, PATIENCE);
  await page.waitForLoadState('networkidle');
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
}

async function card(browser, url, scene) {
  const session = `picture-${scene}`;
  const viewer = await holdSession(url, session, scene);
  for (const [parameter, value] of Object.entries(settings[scene] ?? {})) viewer.send({ type: 'set', parameter, value });
  const time = await stepTo(viewer, moments[scene] ?? USUAL_MOMENT);
  const page = await open(browser, `${url}?picture=1&quality=high&session=${session}#/scene/${scene}`, { width: 528, height: 300 });
  await drawnAt(page, time);
  await page.screenshot({ path: `${cards}${scene}.png`, omitBackground: true, ...PATIENCE });
  await page.context().close();
  viewer.close();
}

async function gallery(browser, url) {
  const page = await open(browser, url, { width: 1440, height: 900, colorScheme: 'light' });
  // The cards of this very run, not those that were built into the server.
  await page.route('**/pictures/*.png', (route) => route.fulfill({ path: cards + new URL(route.request().url()).pathname.split('/').at(-1) }));
  await page.reload();
  await page.locator('.card').first().waitFor();
  await page.waitForLoadState('networkidle');
  await page.screenshot({ path: `${docs}page-gallery.png`, ...PATIENCE });
  await page.context().close();
}

async function scene(browser, url, colorScheme) {
  const name = 'bouncing-ball';
  const session = `page-${colorScheme}`;
  const viewer = await holdSession(url, session, name);
  const page = await open(browser, `${url}?quality=high&session=${session}#/scene/${name}`, { width: 1440, height: 900, colorScheme });
  await page.waitForFunction(() => window.prall?.frames > 0, null, PATIENCE);
  await page.getByRole('button', { name: 'Velocities' }).click();
  await runTowards(viewer, 1.25);
  const time = await stepTo(viewer, 1.25);
  await drawnAt(page, time);
  await page.screenshot({ path: `${docs}page-scene-${colorScheme}.png`, ...PATIENCE });
  await page.context().close();
  viewer.close();
}

/** What the loop of the README shows: from which simulated second on, how long, and how much faster than real time. */
const shots = [
  { scene: 'wall', from: 1.2, seconds: 2.2, pace: 1 },
  { scene: 'gripper', from: 0.9, seconds: 1.6, pace: 1.4 },
  { scene: 'bobsleigh', from: 26, seconds: 1.6, pace: 1 },
  { scene: 'solid', from: 0.1, seconds: 1.4, pace: 1 },
  { scene: 'large-pyramid', from: 0.1, seconds: 1, pace: 1 },
];
const HERO = { width: 640, height: 360, perSecond: 12 };

/** Eight seconds of five scenes, drawn one by one, so that a slow machine makes the same loop. */
async function hero(browser, url) {
  const stills = [];
  for (const { scene: name, from, seconds, pace } of shots) {
    const session = `hero-${name}`;
    const viewer = await holdSession(url, session, name);
    for (const [parameter, value] of Object.entries(settings[name] ?? {})) viewer.send({ type: 'set', parameter, value });
    // From the start on, so that a camera that rides along has come the whole way.
    const page = await open(browser, `${url}?picture=1&quality=medium&session=${session}#/scene/${name}`, { ...HERO, colorScheme: 'light' });
    await drawnAt(page, 0);
    await stepTo(viewer, from);
    for (let i = 0; i < seconds * HERO.perSecond; i += 1) {
      const time = await stepTo(viewer, from + (i * pace) / HERO.perSecond);
      await drawnAt(page, time);
      const png = (await page.screenshot(PATIENCE)).toString('base64');
      const webp = await page.evaluate(async (data) => {
        const image = await createImageBitmap(new Blob([Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0))], { type: 'image/png' }));
        const canvas = Object.assign(document.createElement('canvas'), { width: image.width, height: image.height });
        canvas.getContext('2d').drawImage(image, 0, 0);
        return canvas.toDataURL('image/webp', 0.7).split(',')[1];
      }, png);
      stills.push(Buffer.from(webp, 'base64'));
    }
    await page.context().close();
    viewer.close();
  }
  writeFileSync(`${docs}hero.webp`, animatedWebp(stills, { ...HERO, ms: Math.round(1000 / HERO.perSecond) }));
}

mkdirSync(cards, { recursive: true });
mkdirSync(docs, { recursive: true });
const server = await serverFromEnvironment();
const browser = await launch();
try {
  const { scenes } = await (await fetch(new URL('api/scenes', server.url))).json();
  const asked = process.argv.slice(2);
  const wanted = (name) => asked.length === 0 || asked.includes(name);
  for (const { name } of scenes.filter(({ name }) => wanted(name))) {
    await card(browser, server.url, name);
    console.log(`picture of ${name}`);
  }
  if (wanted('hero')) {
    await hero(browser, server.url);
    console.log('loop of the README');
  }
  if (wanted('page')) {
    await gallery(browser, server.url);
    for (const colorScheme of ['light', 'dark']) await scene(browser, server.url, colorScheme);
    console.log('pictures of the page');
  }
} finally {
  await browser.close();
  await server.stop();
}
