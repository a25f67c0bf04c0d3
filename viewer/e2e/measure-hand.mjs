// node e2e/measure-hand.mjs BINARY [SCENE [BODY]]: how long it takes from a motion of the hand to the picture that shows it. First without a page: a pull until the frame
// that has seen it. Then in the page, by mouse, in a window of full size, and in one that costs nothing to draw. It asserts nothing; numbers go to docs/page.md.

import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { WebSocket } from 'ws';
import { launch } from './browser.mjs';
import { hook, openScene, place } from './page.mjs';
import { startServer } from './server.mjs';

const [binary, scene = 'bulb-removal', name = 'right bulb'] = process.argv.slice(2);
if (!binary) throw new Error('Say which prall is measured: node e2e/measure-hand.mjs ../target/release/prall');
/** Motions of each measurement. */
const MOTIONS = Number(process.env.MOTIONS ?? 300);

const load = () => readFileSync('/proc/loadavg', 'utf8').split(' ').slice(0, 2).join(' ');
const said = (title, delays, more = '') => {
  const sorted = [...delays].sort((a, b) => a - b);
  const at = (share) => sorted[Math.floor(share * (sorted.length - 1))].toFixed(1);
  console.log(`${title}: median ${at(0.5)} ms, 95 % ${at(0.95)} ms, largest ${at(1)} ms (${sorted.length} motions, load ${load()})${more}`);
};

/** A client that is no page: pulls as fast as answers come, at random moments of the server's beat. */
async function withoutPage(url) {
  const address = new URL(`ws?scene=${scene}&session=measure&window=2`, url);
  address.protocol = 'ws:';
  const socket = new WebSocket(address);
  let hello = null;
  let arrived = () => {};
  let poses = null;
  socket.on('message', (data, binaryFrame) => {
    if (!binaryFrame) {
      const message = JSON.parse(String(data));
      if (message.type === 'hello') hello = message;
      return;
    }
    socket.send(JSON.stringify({ type: 'taken', frame: data.readUInt32LE(4) }));
    // The first frame is whole.
    poses ??= (body) => [0, 4, 8].map((word) => data.readFloatLE(56 + 28 * body + word));
    arrived(data);
  });
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  while (!hello || !poses) await new Promise((resolve) => setTimeout(resolve, 20));
  let id = 0;
  const ask = (message) => new Promise((resolve) => {
    id += 1;
    const [wanted, begun] = [id, performance.now()];
    arrived = (data) => {
      if (data.readUInt32LE(16) >= wanted) resolve({ ms: performance.now() - begun, held: (data.readUInt32LE(20) & 4) !== 0 });
    };
    socket.send(JSON.stringify({ ...message, id }));
  });
  const { position } = hello.assets.camera;
  const place = poses(hello.assets.bodies.findIndex(({ movable }) => movable));
  if (!(await ask({ type: 'grab', origin: position, direction: place.map((x, i) => x - position[i]) })).held) throw new Error('the hand holds nothing');
  const delays = [];
  for (let i = 0; i < MOTIONS; i += 1) {
    await new Promise((resolve) => setTimeout(resolve, 16 + (7 * i) % 13));
    delays.push((await ask({ type: 'pull', point: place.map((x) => x + 1e-3 * Math.sin(i)) })).ms);
  }
  socket.close();
  return delays;
}

async function inPage(browser, url, size) {
  const { page, close } = await openScene(browser, url, { scene, deviceScaleFactor: 1, ...size });
  const body = await page.evaluate((wanted) => window.prall.names.indexOf(wanted), name);
  if (body < 0) throw new Error(`no body is called ${name}: ${await page.evaluate(() => window.prall.names.join(', '))}`);
  await page.locator('#stage').focus();
  for (let i = 0; i < 50 && (await page.locator('#stage').getAttribute('data-selected')) !== String(body); i += 1) await page.keyboard.press('Tab');
  const at = await place(page, body);
  await page.mouse.move(at.x, at.y);
  await page.mouse.down();
  await hook.until(page, () => window.prall.held !== null);
  const took = await page.evaluate(() => window.prall.names[window.prall.held]);
  await page.evaluate(() => {
    window.prall.delays.length = 0;
    window.prall.pictureDelays.length = 0;
  });
  const before = await page.evaluate(() => window.prall.drawn);
  const begun = performance.now();
  for (let i = 0; i < MOTIONS; i += 1) await page.mouse.move(at.x + 40 * Math.sin(i / 12), at.y - 30 + 30 * Math.cos(i / 12));
  const seconds = (performance.now() - begun) / 1000;
  const found = await page.evaluate(() => ({ picture: [...window.prall.pictureDelays], answer: [...window.prall.delays], drawn: window.prall.drawn }));
  await page.mouse.up();
  await close();
  return { ...found, took, rate: (found.drawn - before) / seconds };
}

const server = await startServer(binary);
console.log(`${scene}, load before ${load()}`);
said('answer, without a page', await withoutPage(server.url));
const browser = await launch();
for (const [title, size] of [['window of 1280 x 720', { width: 1280, height: 720 }], ['window of 320 x 240', { width: 320, height: 240 }]]) {
  const { picture, answer, took, rate } = await inPage(browser, server.url, size);
  said(`${title}, ${took}: answer`, answer);
  said(`${title}, ${took}: picture`, picture, `, ${rate.toFixed(0)} pictures/s`);
}
await browser.close();
await server.stop();
