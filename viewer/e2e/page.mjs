// A page under test: opened at a scene of its own session, watched for errors.

import assert from 'node:assert/strict';
import { WebSocket } from 'ws';

/** Software drawing on a busy machine takes its time; a test that hangs still ends. */
export const WAIT = { timeout: Number(process.env.PRALL_WAIT_MS ?? 90_000) };
/** How many times slower the processor seems to each page: `PRALL_THROTTLE=6` shows which tests depend on timing. */
const THROTTLE = Number(process.env.PRALL_THROTTLE ?? 1);
let sessions = 0;

/** `?quality=low#/scene/NAME` with a session that no other test has. */
export function sceneAddress(scene = 'bouncing-ball', options = {}) {
  sessions += 1;
  const session = `test-${process.pid}-${sessions}`;
  const query = new URLSearchParams({ quality: 'low', session, ...options });
  return { session, path: `?${query}#/scene/${scene}` };
}

/** Chromium's own throttling of a page's processor. */
export async function throttle(page, times) {
  const tools = await page.context().newCDPSession(page);
  await tools.send('Emulation.setCPUThrottlingRate', { rate: times });
}

/** `prepare` may put scripts into the context before the page is opened. */
export async function openPage(browser, url, { width = 1120, height = 640, ...options } = {}, prepare = async () => {}) {
  // Half a pixel per pixel: software drawing costs a quarter, and nothing here looks at the picture closely.
  const context = await browser.newContext({ viewport: { width, height }, deviceScaleFactor: 0.5, colorScheme: 'light', reducedMotion: 'reduce', ...options });
  await prepare(context);
  const page = await context.newPage();
  page.setDefaultTimeout(WAIT.timeout);
  if (THROTTLE > 1) await throttle(page, THROTTLE);
  const complaints = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    // A card without a picture has a test of its own.
    const { url: source } = message.location();
    if (['error', 'warning'].includes(message.type()) && !source.includes('/pictures/')) complaints.push(`${message.text()} (${source})`);
  });
  await page.goto(url);
  return {
    page,
    /** Closes the page; what it complained of on the console fails the test, unless it was expected. */
    async close(expected = /$^/) {
      await context.close();
      assert.deepEqual(complaints.filter((text) => !expected.test(text)), []);
    },
  };
}

export const hook = {
  read: (page) => page.evaluate(() => ({ ...window.prall, bodies: [...window.prall.bodies], ball: window.prall.screenPositionOf(0) })),
  /** Waits until a function of the test hook holds. */
  until: (page, condition, argument) => page.waitForFunction(condition, argument, WAIT),
  started: (page) => page.waitForFunction(() => window.prall?.frames > 0 && window.prall.drawn > 0, null, WAIT),
};

/** Gives the pages of a context a gamepad, `window.pad`, that tests hold. It counts how often it is looked at, and goes away with `pad.connected = false`. */
export const giveGamepad = (context) => context.addInitScript(() => {
  const button = () => ({ pressed: false, touched: false, value: 0 });
  const pad = { id: 'Stand-in pad', index: 0, connected: true, mapping: 'standard', timestamp: 0, axes: [0, 0, 0, 0], buttons: Array.from({ length: 17 }, button), rumbles: 0, looks: 0 };
  pad.vibrationActuator = { playEffect: async () => { pad.rumbles += 1; } };
  window.pad = pad;
  Object.defineProperty(navigator, 'getGamepads', { value: () => {
    pad.looks += 1;
    return [pad.connected ? pad : null, null, null, null];
  } });
});

/** Presses a button of the gamepad, until the page has seen it pressed and then let go. */
export async function padPress(page, button) {
  for (const pressed of [true, false]) {
    const looks = await page.evaluate(([i, down]) => {
      Object.assign(window.pad.buttons[i], { pressed: down, value: Number(down) });
      return window.pad.looks;
    }, [button, pressed]);
    await page.waitForFunction((before) => window.pad.looks > before + 1, looks, WAIT);
  }
}

export async function openScene(browser, url, { scene, query, prepare, ...options } = {}) {
  const { path, session } = sceneAddress(scene, query);
  const opened = await openPage(browser, url + path, options, prepare);
  await hook.started(opened.page);
  return { ...opened, session };
}

/** Where a body is on the screen now. */
export const place = (page, body) => page.evaluate((index) => window.prall.screenPositionOf(index), body);

/** Where a body is on the screen, once camera and layout have come to rest. */
export async function placeAtRest(page, body = 0) {
  for (let before = { x: NaN, y: NaN }; ; ) {
    const now = await place(page, body);
    if (Math.hypot(now.x - before.x, now.y - before.y) < 0.5) return now;
    before = now;
    await page.waitForTimeout(200);
  }
}

/** Does something that sends a command, and waits until a frame shows that the simulation has seen it. */
export async function command(page, act) {
  const before = await page.evaluate(() => window.prall.sent);
  await act();
  await hook.until(page, (sent) => window.prall.sent > sent && window.prall.acknowledged >= window.prall.sent, before);
}

/** Presses a button that sends a command. */
export const press = (page, name) => command(page, () => page.getByRole('button', { name, exact: true }).click());

/** Pauses, if it runs. */
export async function hold(page) {
  if ((await hook.read(page)).running) await press(page, 'Pause');
  await hook.until(page, () => !window.prall.running);
}

/** Runs until a simulated time. */
export async function runUntil(page, time) {
  if (!(await hook.read(page)).running) await press(page, 'Play');
  await hook.until(page, (wanted) => window.prall.time >= wanted, time);
}

/** Pauses and goes back to the start. */
export async function holdAtStart(page) {
  await hold(page);
  await press(page, 'Reset the scene');
  await hook.until(page, () => window.prall.time === 0 && !window.prall.running);
}

/** A second viewer of a session, without a page: collects what the server says. */
export async function joinSession(url, session, scene = 'bouncing-ball') {
  const address = new URL(`ws?scene=${scene}&session=${session}`, url);
  address.protocol = 'ws:';
  const socket = new WebSocket(address);
  const messages = [];
  let time = 0;
  socket.on('message', (data, binary) => {
    if (binary) time = data.readDoubleLE(8);
    else messages.push(JSON.parse(String(data)));
  });
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  const until = async (condition) => {
    const end = Date.now() + WAIT.timeout;
    while (!condition()) {
      if (Date.now() > end) throw new Error(`not in ${WAIT.timeout} ms: ${condition}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  };
  return {
    messages,
    until,
    time: () => time,
    last: (type) => messages.findLast((message) => message.type === type),
    send: (message) => socket.send(JSON.stringify(message)),
    close: () => socket.close(),
  };
}
