// A stand-in for `prall serve` that bounces a ball in JavaScript. Page tests use it for what a real server does not do
// on demand: refusing, speaking another protocol, sending damaged frames, vanishing.

import { createServer } from 'node:http';
import { readFile } from 'node:fs/promises';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { WebSocketServer } from 'ws';
import { keyFrame } from './mock-frame.mjs';

const dist = fileURLToPath(new URL('../dist/', import.meta.url));
const types = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml', '.png': 'image/png' };
const STEP = 1 / 240;
const RADIUS = 0.12;

const ball = {
  name: 'bouncing-ball', title: 'Bouncing ball', line: 'Falls, bounces, comes to rest', group: 'Contacts', source: 'Textbook', size: '1 body',
  about: 'A ball falls, and each bounce gives back a part of its speed: the coefficient of restitution.', picture: 'pictures/bouncing-ball.png',
  solvers: [{ name: 'event', title: 'Event-driven' }, { name: 'stepping', title: 'Time stepping' }],
};
const cube = { ...ball, name: 'mesh', title: 'Cube of triangles', line: 'A mesh with an open edge', group: 'Detection', size: '10 triangles', picture: 'pictures/none.png' };

/** So many boxes in a heap that turns slowly: what drawing costs. */
const heap = { ...ball, name: 'heap', title: 'Heap of boxes', line: 'Ten thousand boxes', size: '10000 bodies', picture: 'pictures/none.png' };
const HEAP = 10_000;

function assetsOf(scene) {
  if (scene.name === 'heap') {
    return {
      shapes: [{ kind: 'box', half: [0.1, 0.06, 0.05] }],
      looks: ['#a5573f', '#b5654a', '#8f4a36', '#c07a5c'].map((color) => ({ color, roughness: 0.86, metallic: 0, opacity: 1, pattern: 'plain' })),
      bodies: Array.from({ length: HEAP }, (_, i) => ({ name: `box ${i}`, shape: 0, look: (i * 7) % 4, movable: true })),
      lines: [], camera: { position: [6, 4, 9], target: [0, 1.2, 0] }, ground: 0, moves: true,
    };
  }
  if (scene.name === 'mesh') {
    return {
      shapes: [{ kind: 'mesh', triangles: 10 }],
      looks: [{ color: '#c9c2b2', roughness: 0.7, metallic: 0, opacity: 1, pattern: 'plain' }],
      bodies: [{ name: 'cube', shape: 0, look: 0, movable: false }],
      lines: [
        { name: 'Open edges', role: 'danger', segments: 4, body: 0, visible: true },
        { name: 'Active edges', role: 'ink', segments: 8, body: 0, visible: true },
        { name: 'Box', role: 'accent', segments: 12, body: 0, visible: false },
      ],
      camera: { position: [1.6, 1.3, 2.2], target: [0, 0.5, 0] }, ground: 0, moves: true,
    };
  }
  return {
    shapes: [{ kind: 'sphere', radius: RADIUS }],
    looks: [{ color: '#0a6b75', roughness: 0.55, metallic: 0, opacity: 1, pattern: 'beach-ball' }],
    bodies: [{ name: 'ball', shape: 0, look: 0, movable: true }],
    lines: [], camera: { position: [1.5, 0.95, 2.4], target: [0, 0.52, 0] }, ground: 0, moves: true,
  };
}

const corners = [[-1, -1, -1], [1, -1, -1], [1, 1, -1], [-1, 1, -1], [-1, -1, 1], [1, -1, 1], [1, 1, 1], [-1, 1, 1]].map((c) => c.map((x) => 0.5 * x));
const faces = [[0, 2, 1], [0, 3, 2], [4, 5, 6], [4, 6, 7], [0, 1, 5], [0, 5, 4], [3, 7, 6], [3, 6, 2], [0, 4, 7], [0, 7, 3]];
const edges = [[0, 1], [1, 2], [2, 3], [3, 0], [4, 5], [5, 6], [6, 7], [7, 4], [0, 4], [1, 5], [2, 6], [3, 7]];
const lineSets = [[[1, 5], [5, 6], [6, 2], [2, 1]], edges.slice(0, 8), edges];

function shapeBytes() {
  const bytes = Buffer.alloc(12 + 12 * corners.length + 12 * faces.length);
  bytes.write('PRM1'); bytes.writeUInt32LE(corners.length, 4); bytes.writeUInt32LE(faces.length, 8);
  corners.flat().forEach((x, i) => bytes.writeFloatLE(x, 12 + 4 * i));
  faces.flat().forEach((x, i) => bytes.writeUInt32LE(x, 12 + 12 * corners.length + 4 * i));
  return bytes;
}
function lineBytes(index) {
  const set = lineSets[index];
  const bytes = Buffer.alloc(8 + 24 * set.length);
  bytes.write('PRL1'); bytes.writeUInt32LE(set.length, 4);
  set.flatMap(([a, b]) => [...corners[a], ...corners[b]]).forEach((x, i) => bytes.writeFloatLE(x, 8 + 4 * i));
  return bytes;
}

class Session {
  constructor(scene, id, options) {
    this.scene = scene; this.id = id; this.instance = Math.random(); this.options = options; this.clients = new Set();
    this.values = { restitution: 0.8, gravity: 9.81 }; this.solver = 'event'; this.speed = 1; this.running = scene.name !== 'mesh'; this.number = 0;
    this.reset();
    this.timer = setInterval(() => this.tick(), 16);
    this.reporter = setInterval(() => this.running && this.report(), 100);
  }
  reset() { this.time = 0; this.steps = 0; this.place = [0, this.scene.name === 'mesh' ? 0.5 : 1.12, 0]; this.velocity = [0.05, 0, 0]; this.spin = 0; this.grip = null; this.force = 0; this.touches = false; }
  step() {
    if (this.scene.name === 'mesh') return;
    if (this.scene.name === 'heap') { this.time += STEP; this.steps += 1; return; }
    const pull = this.grip ? this.grip.map((x, i) => 60 * (x - this.place[i]) - 3 * this.velocity[i]) : [0, 0, 0];
    this.pullForce = Math.hypot(...pull);
    this.velocity = this.velocity.map((v, i) => v + STEP * (pull[i] / 0.5 - (i === 1 ? this.values.gravity : 0)));
    this.place = this.place.map((x, i) => x + STEP * this.velocity[i]);
    this.touches = this.place[1] <= RADIUS + 1e-4; this.force = 0;
    if (this.place[1] < RADIUS) {
      this.place[1] = RADIUS;
      const before = this.velocity[1];
      this.velocity[1] = before < -0.05 ? -this.values.restitution * before : 0;
      this.force = (0.5 * (this.velocity[1] - before)) / STEP;
    }
    this.spin -= STEP * (this.velocity[0] / RADIUS + 0.6);
    this.time += STEP; this.steps += 1;
  }
  tick() {
    if (this.running) for (let i = 0; i < Math.round((4 * this.speed)); i += 1) this.step();
    this.send(this.frame());
  }
  frame() {
    const items = [];
    if (this.touches) { const p = [this.place[0], 0, this.place[2]]; items.push([1, p, [p[0], 1, p[2]], 0], [2, p, [p[0], 1, p[2]], this.force]); }
    if (this.grip) items.push([3, this.place, this.grip, this.pullForce ?? 0]);
    if (this.scene.name === 'bouncing-ball') items.push([5, this.place, this.place.map((x, i) => x + this.velocity[i]), Math.hypot(...this.velocity)]);
    const flags = (this.running ? 1 : 0) | (this.options.slowed ? 2 : 0) | (this.grip ? 4 : 0);
    return keyFrame({ version: this.options.frameVersion, number: this.number++, time: this.time, flags, poses: this.poses(), items });
  }
  poses() {
    if (this.scene.name !== 'heap') return [...this.place, 0, 0, Math.sin(this.spin / 2), Math.cos(this.spin / 2)];
    return Array.from({ length: HEAP }, (_, i) => {
      const [layer, ring] = [Math.floor(i / 500), i % 500];
      const angle = ring * 2.39996 + 0.2 * this.time * (layer % 2 === 0 ? 1 : -1);
      const radius = 0.12 * Math.sqrt(ring);
      return [radius * Math.cos(angle), 0.06 + 0.125 * layer, radius * Math.sin(angle), 0, Math.sin(-angle / 2), 0, Math.cos(-angle / 2)];
    }).flat();
  }
  report() {
    const noise = () => 0.9 + 0.2 * Math.random();
    const phases = { detect: 0.004 * noise(), contacts: 0.003 * noise(), solve: 0.005 * noise(), commit: 0.002 * noise() };
    this.tell({ type: 'report', track: 0, work: 12, position_tolerance: 1e-6, velocity_tolerance: null, time: this.time, steps: this.steps, step_ms: Object.values(phases).reduce((a, b) => a + b), aim_ms: 1000 * STEP, phases,
      real_time_factor: this.options.slowed ? 0.62 : this.speed, contacts: this.touches ? 1 : 0, position_error: this.touches ? 2e-9 * noise() : 0, velocity_error: this.touches ? 3e-7 * noise() : 0,
      lost_time: 0, budget_cut: false, energy: { kinetic: 0.25 * this.velocity.reduce((s, v) => s + v * v, 0), potential: 0.5 * this.values.gravity * this.place[1] } });
  }
  state() { return { running: this.running, speed: this.speed, solver: this.solver, values: this.values, notice: null, budget: { ms: null, work: null }, history: { from: 0, to: this.time }, snapshots: [], recording: null }; }
  tell(message) { this.send(JSON.stringify(message)); }
  send(data) { for (const client of this.clients) if (client.bufferedAmount < 1e5) client.send(data); }
  hello() {
    return { type: 'hello', protocol: this.options.protocol ?? 2, version: '0.1.0', session: this.id, instance: this.instance, kind: 'scene', overlays: ['contacts', 'forces', 'velocities'], actions: [], recording: null, tracks: [], scene: this.scene, time_step: STEP, assets: assetsOf(this.scene),
      parameters: this.scene.name === 'mesh' ? [] : [
        { key: 'restitution', label: 'Restitution', unit: '', min: 0, max: 1, default: 0.8, value: this.values.restitution, step: 0.01, scale: 'linear', text: 'Share of the speed that a bounce gives back' },
        { key: 'gravity', label: 'Gravity', unit: 'm/s^2', min: 0.1, max: 100, default: 9.81, value: this.values.gravity, step: 0.01, scale: 'log', text: 'Acceleration of free fall' }],
      solvers: [{ name: 'event', title: 'Event-driven', promise: 'Stops at each impact and solves it exactly', source: 'Textbook' }, { name: 'stepping', title: 'Time stepping', promise: 'All impacts of a step at once', source: 'Moreau 1988' }],
      state: this.state() };
  }
  take(message, client) {
    switch (message.type) {
      case 'play': this.running = true; break;
      case 'pause': this.running = false; break;
      case 'step': this.running = false; this.step(); this.report(); break;
      case 'reset': this.reset(); break;
      case 'speed': this.speed = message.value; break;
      case 'set':
        if (!(message.parameter in this.values)) { client.send(JSON.stringify({ type: 'error', message: `there is no parameter ${message.parameter}` })); return; }
        this.values[message.parameter] = message.value; break;
      case 'solver': this.solver = message.name; break;
      case 'grab': {
        const along = this.place.map((x, i) => x - message.origin[i]);
        const t = along.reduce((s, x, i) => s + x * message.direction[i], 0);
        const off = Math.hypot(...this.place.map((x, i) => x - message.origin[i] - t * message.direction[i]));
        if (off < RADIUS) this.grip = [...this.place];
        client.send(JSON.stringify(off < RADIUS ? { type: 'grip', track: 0, body: 0, point: [0, 0, 0] } : { type: 'grip', track: 0, body: null }));
        return;
      }
      case 'pull': if (this.grip) this.grip = message.point; return;
      case 'release': this.grip = null; return;
      case 'overlays': return;
    }
    this.tell({ type: 'state', ...this.state() });
  }
  end() { clearInterval(this.timer); clearInterval(this.reporter); for (const client of this.clients) client.terminate(); }
}

/** Starts the stand-in; `options`: protocol, frameVersion, slowed, wantsToken. */
export async function startMock(options = {}, port = 0) {
  const sessions = new Map();
  const scenes = [ball, cube, heap, ...(options.more ?? [])];
  const http = createServer(async (request, response) => {
    const { pathname } = new URL(request.url, 'http://localhost');
    const geometry = /^\/api\/sessions\/[^/]+\/(shapes|lines)\/(\d+)$/.exec(pathname);
    if (options.wantsToken && pathname.startsWith('/api/')) response.writeHead(401).end('The token is part of the address that prall serve printed.');
    else if (pathname === '/api/recordings') response.setHeader('content-type', 'application/json').end(JSON.stringify({ recordings: [] }));
    else if (pathname === '/api/scenes') response.setHeader('content-type', 'application/json').end(JSON.stringify({ protocol: 2, version: '0.1.0', scenes }));
    else if (geometry) response.end(geometry[1] === 'shapes' ? shapeBytes() : lineBytes(Number(geometry[2])));
    else {
      const file = join(dist, normalize(pathname === '/' ? 'index.html' : pathname));
      try {
        const bytes = await readFile(file);
        response.setHeader('content-type', types[extname(file)] ?? 'application/octet-stream').end(bytes);
      } catch { response.writeHead(404).end('not found'); }
    }
  });
  const sockets = new WebSocketServer({ server: http, path: '/ws' });
  sockets.on('connection', (client, request) => {
    if (options.wantsToken) return client.terminate();
    const query = new URL(request.url, 'http://localhost').searchParams;
    const scene = scenes.find(({ name }) => name === query.get('scene'));
    if (!scene) {
      client.send(JSON.stringify({ type: 'error', message: `There is no scene called ${query.get('scene')}.` }));
      client.close(1008, 'unknown scene');
      return;
    }
    const id = query.get('session') ?? scene.name;
    const session = sessions.get(id) ?? new Session(scene, id, options);
    sessions.set(id, session);
    session.clients.add(client);
    client.send(JSON.stringify(session.hello()));
    client.on('message', (data) => session.take(JSON.parse(String(data)), client));
    client.on('close', () => session.clients.delete(client));
  });
  await new Promise((resolve) => http.listen(port, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${http.address().port}/`,
    sessions,
    async stop() {
      for (const session of sessions.values()) session.end();
      sockets.close();
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const server = await startMock({}, Number(process.env.PORT ?? 0));
  console.log(`Prall is at ${server.url}`);
}
