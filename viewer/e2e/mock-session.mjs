// A session of the stand-in server: bounces a ball in JavaScript, goes back in time, records, compares.

import { keyFrame } from './mock-frame.mjs';
import { HEAP, RADIUS, STEP, assetsOf } from './mock-scenes.mjs';

const solvers = [
  { name: 'event', title: 'Event-driven', promise: 'Stops at each impact and solves it exactly', source: 'Textbook' },
  { name: 'stepping', title: 'Time stepping', promise: 'All impacts of a step at once', source: 'Moreau 1988' },
];
const parameters = [
  { key: 'restitution', label: 'Restitution', unit: '', min: 0, max: 1, default: 0.8, step: 0.01, scale: 'linear', text: 'Share of the speed that a bounce gives back' },
  { key: 'gravity', label: 'Gravity', unit: 'm/s^2', min: 0.1, max: 100, default: 9.81, step: 0.01, scale: 'log', text: 'Acceleration of free fall' },
];
const HISTORY_STEPS = 240 * 30;

export class Session {
  /** `recording` is null, or what an earlier session has recorded. */
  constructor(scene, id, options, recordings, recording = null) {
    Object.assign(this, { scene, id, options, recordings, replay: recording, clients: new Set(), instance: Math.random() });
    Object.assign(this, { values: { restitution: 0.8, gravity: 9.81 }, solver: 'event', speed: 1, running: scene.name !== 'mesh', number: 1, budget: { ms: null, work: null } });
    Object.assign(this, { compared: null, ghosts: [], snapshots: [], recording: null, nextTrack: 1 });
    this.reset();
    this.timer = setInterval(() => this.tick(), 16);
    this.reporter = setInterval(() => this.running && this.report(), 100);
  }
  reset() {
    this.states = [];
    this.body = { time: 0, place: [0, this.scene.name === 'mesh' ? 0.5 : 1.12, 0], velocity: [0.05, 0, 0], spin: 0, force: 0, touches: false, pinned: false, hidden: false };
    if (this.replay) { this.states = this.replay.states; this.body = this.states[0]; }
    this.grip = null;
  }
  step() {
    if (this.scene.name === 'mesh') return;
    if (this.replay) { this.body = this.states.find(({ time }) => time > this.body.time + STEP / 2) ?? this.states.at(-1); return; }
    this.states = this.states.filter(({ time }) => time < this.body.time).slice(-HISTORY_STEPS);
    this.states.push(this.body);
    const next = structuredClone(this.body);
    next.time += STEP;
    if (this.scene.name !== 'heap' && !next.pinned) this.move(next);
    this.body = next;
    this.recording?.states.push(next);
  }
  move(body) {
    const pull = this.grip ? this.grip.map((x, i) => 60 * (x - body.place[i]) - 3 * body.velocity[i]) : [0, 0, 0];
    this.pullForce = Math.hypot(...pull);
    body.velocity = body.velocity.map((v, i) => v + STEP * (pull[i] / 0.5 - (i === 1 ? this.values.gravity : 0)));
    body.place = body.place.map((x, i) => x + STEP * body.velocity[i]);
    body.touches = body.place[1] <= RADIUS + 1e-4; body.force = 0;
    if (body.place[1] < RADIUS) {
      body.place[1] = RADIUS;
      const before = body.velocity[1];
      body.velocity[1] = before < -0.05 ? -this.values.restitution * before : 0;
      body.force = (0.5 * (body.velocity[1] - before)) / STEP;
    }
    body.spin -= STEP * (body.velocity[0] / RADIUS + 0.6);
  }
  tick() {
    if (this.running) for (let i = 0; i < Math.round(4 * this.speed); i += 1) this.step();
    if (this.running && this.replay && this.body === this.states.at(-1)) this.set({ running: false });
    if (!this.running && !this.grip && !this.changed) return; // at rest there is nothing to say
    this.changed = false;
    this.number += 1;
    this.send(this.frame(this.body, 0));
    if (this.compared) this.send(this.frame({ ...this.body, place: [this.body.place[0], this.body.place[1] + 0.001, this.body.place[2]] }, this.compared.track));
    for (const { track, states } of this.ghosts) this.send(this.frame(states.findLast(({ time }) => time <= this.body.time) ?? states[0], track));
  }
  frame(body, track) {
    const { place, velocity } = body;
    const items = [];
    if (body.touches) { const p = [place[0], 0, place[2]]; const up = [p[0], 1, p[2]]; items.push([1, p, up, 0], [6, p, up, 0], [2, p, up, body.force], [7, p, up, 0.6]); }
    if (this.grip && track === 0) items.push([3, place, this.grip, this.pullForce ?? 0]);
    if (this.scene.name === 'bouncing-ball') items.push([5, place, place.map((x, i) => x + velocity[i]), Math.hypot(...velocity)], [9, place, place, 0.5]);
    const boxes = this.scene.name === 'bouncing-ball' ? [[1, ...place, 0, 0, 0, 1, RADIUS, RADIUS, RADIUS, 0], [2, ...place, 0, 0, 0, 1, 1.1 * RADIUS, 1.1 * RADIUS, 1.1 * RADIUS, 1]] : [];
    const ended = this.replay && body === this.states.at(-1);
    const flags = (this.running ? 1 : 0) | (this.options.slowed ? 2 : 0) | (this.grip ? 4 : 0) | (this.recording ? 16 : 0) | (ended ? 32 : 0);
    const marks = body.hidden || body.pinned ? [(body.hidden ? 1 << 24 : 0) | (body.pinned ? 1 << 25 : 0)] : [];
    return keyFrame({ version: this.options.frameVersion, number: this.number, time: body.time, acknowledged: this.seen ?? 0, flags, track, poses: this.poses(body), marks, items, boxes });
  }
  poses({ place, spin, time }) {
    if (this.scene.name !== 'heap') return [...place, 0, 0, Math.sin(spin / 2), Math.cos(spin / 2)];
    return Array.from({ length: HEAP }, (_, i) => {
      const [layer, ring] = [Math.floor(i / 500), i % 500];
      const angle = ring * 2.39996 + 0.2 * time * (layer % 2 === 0 ? 1 : -1);
      const radius = 0.12 * Math.sqrt(ring);
      return [radius * Math.cos(angle), 0.06 + 0.125 * layer, radius * Math.sin(angle), 0, Math.sin(-angle / 2), 0, Math.cos(-angle / 2)];
    }).flat();
  }
  report() {
    const noise = () => 0.9 + 0.2 * Math.random();
    for (const track of [0, ...(this.compared ? [this.compared.track] : [])]) {
      const phases = { detect: 0.004 * noise(), contacts: 0.003 * noise(), solve: this.options.slowed === 'simulation' ? 6.7 : 0.005 * noise(), commit: 0.002 * noise() };
      const error = track === 0 ? 2e-9 : 4e-5;
      this.tell({ type: 'report', track, time: this.body.time, steps: 24, step_ms: Object.values(phases).reduce((a, b) => a + b), aim_ms: 1000 * STEP, phases,
        clock: performance.now() / 1000, real_time_factor: this.options.slowed ? 0.62 : this.speed, contacts: this.body.touches ? 1 : 0, position_error: error * noise(), velocity_error: 3e-7 * noise(),
        position_tolerance: 1e-6, velocity_tolerance: null, work: 12, lost_time: 0, budget_cut: false,
        energy: { kinetic: 0.25 * this.body.velocity.reduce((s, v) => s + v * v, 0), potential: 0.5 * this.values.gravity * this.body.place[1] } });
    }
  }
  state() {
    const times = this.states.map(({ time }) => time);
    return { running: this.running, speed: this.speed, solver: this.solver, values: this.values, notice: null, budget: this.budget,
      history: { from: times[0] ?? 0, to: Math.max(times.at(-1) ?? 0, this.body.time) }, snapshots: this.snapshots.map(({ name, body }) => ({ name, time: body.time })),
      recording: this.recording && { name: this.recording.name, since: this.recording.states[0]?.time ?? this.body.time } };
  }
  tracks() {
    const assets = assetsOf(this.scene);
    return [...(this.compared ? [{ ...this.compared, role: 'compare', title: 'Other', recording: null, offset: 0, assets }] : []),
      ...this.ghosts.map(({ track, recording }) => ({ track, role: 'ghost', title: recording, solver: null, recording, offset: 0, assets }))];
  }
  hello() {
    return { type: 'hello', protocol: this.options.protocol ?? 2, version: '0.1.0', session: this.id, instance: this.instance, kind: this.replay ? 'recording' : 'scene', scene: this.scene, time_step: STEP,
      assets: assetsOf(this.scene), parameters: this.scene.name === 'mesh' ? [] : parameters.map((parameter) => ({ ...parameter, value: this.values[parameter.key] })), solvers,
      overlays: this.scene.name === 'bouncing-ball' ? ['contacts', 'normals', 'forces', 'friction', 'velocities', 'centres', 'bounds', 'index'] : [],
      actions: ['throw', 'pin', 'delete', 'properties'], recording: this.replay?.entry ?? null, tracks: this.tracks(), state: this.state() };
  }
  tell(message) { this.send(JSON.stringify(message)); }
  send(data) { for (const client of this.clients) if (client.bufferedAmount < 1e5) client.send(data); }
  set(change) { Object.assign(this, change); this.tell({ type: 'state', ...this.state() }); }
  goTo(time) { this.set({ body: this.states.findLast((state) => state.time <= time + 1e-9) ?? this.states[0] ?? this.body }); }
  take(message, client) {
    if (message.type === 'taken') return;
    this.seen = message.id; this.changed = true;
    const answer = (value) => client.send(JSON.stringify(value));
    const edit = (change) => this.set({ body: { ...this.body, ...change } });
    switch (message.type) {
      case 'play': return this.set({ running: true });
      case 'pause': return this.set({ running: false });
      case 'step': this.step(); this.set({ running: false }); return this.report();
      case 'reset': this.reset(); return this.set({});
      case 'back': if (message.steps) { this.running = false; return this.goTo(this.body.time - STEP); } return this.goTo(this.body.time - message.seconds);
      case 'seek': return this.goTo(message.time);
      case 'speed': return this.set({ speed: message.value });
      case 'budget': return this.set({ budget: { ms: message.ms, work: message.work } });
      case 'set':
        if (!(message.parameter in this.values)) return answer({ type: 'error', message: `there is no parameter ${message.parameter}` });
        return this.set({ values: { ...this.values, [message.parameter]: message.value } });
      case 'solver': return message.track ? (this.compared.solver = message.name, this.tell({ type: 'tracks', tracks: this.tracks() })) : this.set({ solver: message.name });
      case 'snapshot': return this.set({ snapshots: [...this.snapshots, { name: message.name, body: this.body }] });
      case 'restore': return this.set({ body: this.snapshots.find(({ name }) => name === message.name).body });
      case 'forget': return this.set({ snapshots: this.snapshots.filter(({ name }) => name !== message.name) });
      case 'compare': this.compared = message.solver && { track: this.nextTrack++, solver: message.solver }; return this.tell({ type: 'tracks', tracks: this.tracks() });
      case 'ghost':
        this.ghosts = message.recording === null ? [] : [...this.ghosts, { track: this.nextTrack++, recording: message.recording, states: this.recordings.get(message.recording).states }];
        return this.tell({ type: 'tracks', tracks: this.tracks() });
      case 'record': return message.on ? this.set({ recording: { name: `${this.scene.name}-${this.recordings.size + 1}.mcap`, states: [this.body] } }) : this.endRecording();
      case 'throw': return edit({ velocity: message.velocity });
      case 'pin': return edit({ pinned: message.pinned });
      case 'delete': return edit({ hidden: true });
      case 'properties': return answer({ type: 'properties', track: message.track, body: 0, name: 'ball', properties: [{ label: 'Mass', values: [0.5], unit: 'kg' }, { label: 'Velocity', values: this.body.velocity, unit: 'm/s' }] });
      case 'grab': return this.grab(message, answer);
      case 'pull': if (this.grip) this.grip = message.point; return;
      case 'release': this.grip = null; return;
    }
  }
  grab({ origin, direction }, answer) {
    const along = this.body.place.map((x, i) => x - origin[i]).reduce((s, x, i) => s + x * direction[i], 0);
    const off = Math.hypot(...this.body.place.map((x, i) => x - origin[i] - along * direction[i]));
    if (off < RADIUS) this.grip = [...this.body.place];
    answer({ type: 'grip', track: 0, body: off < RADIUS ? 0 : null, point: [0, 0, 0] });
  }
  endRecording() {
    const { name, states } = this.recording;
    const seconds = states.at(-1).time - states[0].time;
    const entry = { name, scene: this.scene.name, title: this.scene.title, solver: this.solver, version: '0.1.0', recorded: Date.now() / 1000, seconds, bytes: 100 * states.length, warning: null };
    this.recordings.set(name, { entry, scene: this.scene, states });
    this.set({ recording: null });
    this.tell({ type: 'recorded', recording: name, seconds, bytes: entry.bytes });
  }
  join(client) { this.clients.add(client); this.changed = true; client.send(JSON.stringify(this.hello())); }
  end() { clearInterval(this.timer); clearInterval(this.reporter); for (const client of this.clients) client.terminate(); }
}
