// The sound of a sled, from its telemetry: a fixed graph of nodes whose parameters follow speed, load, slip and hits.
// Hits sound by the normal speed before them. Silence at rest is exact.

import type { Telemetry } from '../channels';
import { BELL, BOOM, clicks, COUNT, GO, grain, HIT, pink, STEP, struck, white, WOOD, type Mode } from './buffers';

/** Everything changes within this time, in s. */
const SMOOTH = 0.02;
/** Weight of sled and crew in N, and of a runner's share. */
const WEIGHT = 3826;

const smoothstep = (x: number, low: number, high: number) => {
  const t = Math.min(1, Math.max(0, (x - low) / (high - low)));
  return t * t * (3 - 2 * t);
};

/** Noise is made once for all sleds. */
const noises = new Map<string, Float32Array>();
function once(name: string, make: () => Float32Array): Float32Array {
  const known = noises.get(name) ?? make();
  noises.set(name, known);
  return known;
}

/** What the sound follows; a part of the telemetry. */
export type SoundFrame = Pick<Telemetry, 'speed' | 'load' | 'runner_1' | 'runner_2' | 'runner_3' | 'runner_4' | 'slip_rear' | 'slip_front' | 'shake' | 'bumpers' | 'hits' | 'hit_speed' | 'hit_side' | 'wood' | 'splits' | 'acceleration' | 'finish'> & {
  /** 1 in the cockpit, 0 outside. */
  inside: number;
  /** From the eye to the sled in m. */
  distance: number;
  pushing: boolean;
  braking: boolean;
};

interface Driven {
  parameter: AudioParam;
  value: number;
}

interface Layer {
  gain: Driven;
  filters: BiquadFilterNode[];
  frequencies: Driven[];
}

export class SledSound {
  readonly output: GainNode;
  private readonly sled: GainNode;
  private readonly distance: Driven;
  private readonly duck: GainNode;
  private readonly bass: GainNode;
  private readonly shots: GainNode;
  private readonly driven: Driven[] = [];
  private readonly rates: Driven[] = [];
  private readonly runners: { gain: Driven; pan: number }[] = [];
  private readonly layers: Record<string, Layer> = {};
  private readonly scrape: { gain: Driven; tear: Driven; rate: Driven; filter: Driven }[] = [];
  private readonly struckThings: Record<'hit' | 'wood' | 'boom' | 'bell' | 'step' | 'count' | 'go', AudioBuffer>;
  private hits: number | null = null;
  private splits: number | null = null;
  private nextStep = 0;

  constructor(readonly context: BaseAudioContext, destination: AudioNode = context.destination) {
    const { sampleRate } = context;
    this.output = context.createGain();
    const clip = context.createWaveShaper();
    // Linear to 0.5, then softly to 0.95.
    clip.curve = Float32Array.from({ length: 4097 }, (_, i) => {
      const x = (i - 2048) / 1024;
      const size = Math.abs(x);
      return Math.sign(x) * (size < 0.5 ? size : 0.5 + 0.45 * Math.tanh((size - 0.5) / 0.45));
    });
    const half = this.fixed(0.5);
    half.connect(clip).connect(this.output).connect(destination);
    this.sled = this.fixed(0.4);
    this.duck = this.fixed(1);
    this.shots = this.fixed(1);
    this.bass = this.fixed(1);
    const far = context.createGain();
    this.distance = this.drive(far.gain, 1);
    this.sled.connect(this.duck).connect(far).connect(half);
    this.shots.connect(half);
    this.bass.connect(half);

    const grainBuffer = this.buffer([once(`grain ${sampleRate}`, () => grain(5 * sampleRate, sampleRate, 11))]);
    const windBuffer = this.buffer([21, 22].map((seed) => once(`pink ${seed} ${sampleRate}`, () => pink(8 * sampleRate, seed))));
    const whiteBuffer = this.buffer([once(`white ${sampleRate}`, () => white(3 * sampleRate, 31))]);
    const clickBuffer = this.buffer([once(`clicks ${sampleRate}`, () => clicks(4 * sampleRate, sampleRate, 2200, 41))]);
    const rattleBuffer = this.buffer([once(`rattle ${sampleRate}`, () => clicks(4 * sampleRate, sampleRate, 55, 42))]);

    this.makeRunners(grainBuffer);
    this.makeWind(windBuffer);
    this.makeScrape(clickBuffer, whiteBuffer);
    const rattle = this.loop(rattleBuffer);
    this.rates.push(rattle.rate);
    this.layers.rattle = this.bank(rattle.source, [146, 291, 566, 1180, 2100], 14, [3, 2.4, 1.7, 1, 0.5], this.sled);
    this.layers.drag = this.filtered(this.loop(whiteBuffer).source, 'bandpass', 0.8, this.sled);
    const brake = this.loop(grainBuffer);
    this.layers.brake = this.filtered(brake.source, 'bandpass', 0.5, this.sled);

    const thing = (modes: readonly Mode[], seconds: number) => this.buffer([struck(modes, seconds, sampleRate)]);
    this.struckThings = { hit: thing(HIT, 0.6), wood: thing(WOOD, 0.25), boom: thing(BOOM, 0.6), bell: thing(BELL, 0.9), step: thing(STEP, 0.16), count: thing(COUNT, 0.3), go: thing(GO, 0.6) };
  }

  private fixed(value: number): GainNode {
    const gain = this.context.createGain();
    gain.gain.value = value;
    return gain;
  }

  private drive(parameter: AudioParam, value: number): Driven {
    parameter.value = value;
    const driven = { parameter, value };
    this.driven.push(driven);
    return driven;
  }

  private buffer(channels: readonly Float32Array[]): AudioBuffer {
    const buffer = this.context.createBuffer(channels.length, channels[0]!.length, this.context.sampleRate);
    channels.forEach((data, i) => buffer.getChannelData(i).set(data));
    return buffer;
  }

  private loop(buffer: AudioBuffer, offset = 0): { source: AudioBufferSourceNode; rate: Driven } {
    const source = this.context.createBufferSource();
    source.buffer = buffer;
    source.loop = true;
    source.start(0, offset);
    return { source, rate: this.drive(source.playbackRate, 1) };
  }

  private biquad(type: BiquadFilterType, frequency: number, q: number): BiquadFilterNode {
    const filter = this.context.createBiquadFilter();
    filter.type = type;
    filter.frequency.value = frequency;
    filter.Q.value = q;
    // Filters that move once a block are enough and cost half.
    for (const parameter of [filter.frequency, filter.Q, filter.gain, filter.detune]) parameter.automationRate = 'k-rate';
    return filter;
  }

  private filtered(source: AudioNode, type: BiquadFilterType, q: number, to: AudioNode): Layer {
    const filter = this.biquad(type, 500, q);
    const gain = this.context.createGain();
    source.connect(filter).connect(gain).connect(to);
    return { gain: this.drive(gain.gain, 0), filters: [filter], frequencies: [this.drive(filter.frequency, 500)] };
  }

  private bank(source: AudioNode, frequencies: readonly number[], q: number, levels: readonly number[], to: AudioNode): Layer {
    const gain = this.context.createGain();
    const filters = frequencies.map((frequency, i) => {
      const filter = this.biquad('bandpass', frequency, q);
      source.connect(filter).connect(this.weigh(levels[i]!, gain));
      return filter;
    });
    gain.connect(to);
    return { gain: this.drive(gain.gain, 0), filters, frequencies: [] };
  }

  private weigh(level: number, to: AudioNode): GainNode {
    const gain = this.fixed(level);
    gain.connect(to);
    return gain;
  }

  /** Four runners read the ice at the sled's speed; the rear ones 1.69 m behind the front ones. */
  private makeRunners(grainBuffer: AudioBuffer): void {
    const ice = this.context.createGain();
    for (const [pan, behind] of [[-0.4, 1.69], [0.4, 1.69], [-0.4, 0], [0.4, 0]] as const) {
      const { source, rate } = this.loop(grainBuffer, 1 + (pan > 0 ? 0.7 : 0) - behind / 40);
      this.rates.push(rate);
      const gain = this.context.createGain();
      const panner = this.context.createStereoPanner();
      panner.pan.value = pan;
      source.connect(gain).connect(panner).connect(ice);
      this.runners.push({ gain: this.drive(gain.gain, 1), pan });
    }
    this.layers.rumble = this.filtered(ice, 'lowpass', 0.9, this.sled);
    this.layers.roar = this.filtered(ice, 'bandpass', 0.6, this.sled);
    this.layers.hiss = this.filtered(ice, 'highpass', 0.6, this.sled);
    this.layers.steel = this.bank(ice, [200, 393, 649, 945, 1450, 1853], 12, [1, 1, 1, 1, 0.6, 0.6], this.sled);
  }

  private makeWind(windBuffer: AudioBuffer): void {
    const { source } = this.loop(windBuffer);
    const muffle = this.biquad('lowpass', 1500, 0.7);
    const cabin = this.biquad('peaking', 95, 2.2);
    muffle.connect(cabin).connect(this.sled);
    this.layers.buffet = this.filtered(source, 'lowpass', 1.2, muffle);
    this.layers.rush = this.filtered(source, 'bandpass', 0.45, muffle);
    this.layers.edge = this.filtered(source, 'bandpass', 6, muffle);
    this.layers.cabin = { gain: this.drive(cabin.gain, 0), filters: [muffle, cabin], frequencies: [this.drive(muffle.frequency, 1500)] };
  }

  private makeScrape(clickBuffer: AudioBuffer, whiteBuffer: AudioBuffer): void {
    for (const tearing of [[393, 945, 1853], [431, 1040, 2040]]) {
      const { source, rate } = this.loop(clickBuffer);
      const both = this.context.createGain();
      source.connect(this.weigh(2.2, both));
      this.loop(whiteBuffer, 0.3).source.connect(this.weigh(0.35, both));
      const scrape = this.filtered(both, 'bandpass', 0.9, this.sled);
      const tear = this.bank(both, tearing, 9, [1, 1, 1], this.sled);
      this.scrape.push({ gain: scrape.gain, tear: tear.gain, rate, filter: scrape.frequencies[0]! });
    }
  }

  private to(driven: Driven, value: number, time: number): void {
    // A number that is none would end the sound for good.
    if (!Number.isFinite(value)) return;
    if (Math.abs(value - driven.value) <= 1e-3 * Math.abs(driven.value) && (value !== 0 || driven.value === 0)) return;
    driven.value = value;
    driven.parameter.setTargetAtTime(value, time, SMOOTH);
  }

  private layer(name: string, gain: number, frequency: number | null, time: number): void {
    const { gain: driven, frequencies } = this.layers[name]!;
    this.to(driven, gain, time);
    if (frequency !== null && frequencies[0]) this.to(frequencies[0], frequency, time);
  }

  /** Follows a frame from `time` on, by the context's clock. */
  frame(f: SoundFrame, time: number): void {
    const u = Math.min(1.4, f.speed / 40);
    const [inside, outside] = [f.inside, 1 - f.inside];
    const still = smoothstep(f.speed, 0.3, 2);
    const forces = [f.runner_1, f.runner_2, f.runner_3, f.runner_4].map((force) => Math.max(0, force));
    const load = forces.reduce((sum, force) => sum + force, 0) / WEIGHT;
    for (const rate of this.rates) this.to(rate, Math.max(0.05, u), time);
    this.runners.forEach(({ gain }, i) => this.to(gain, still * (forces[i]! / (WEIGHT / 4)) ** 0.55, time));
    this.layer('rumble', 0.17 * u * load ** 0.25 * (0.5 + 0.5 * inside), 110 + 70 * u, time);
    this.layer('roar', 0.38 * u ** 1.3 * (0.7 + 0.3 * inside), 240 + 420 * u, time);
    this.layer('hiss', 0.3 * u ** 1.2 * (0.3 + 0.4 * outside), 1500 + 700 * u, time);
    this.layer('steel', 0.5 * u ** 1.1 * (0.6 + 0.4 * outside), null, time);
    this.layer('buffet', still * 0.35 * u ** 1.8 * (0.25 + 0.75 * inside), 25 + 65 * u, time);
    this.layer('rush', still * 0.42 * u * u * (0.45 + 0.55 * inside), 140 + 480 * u, time);
    this.layer('edge', still * 0.32 * u ** 2.2, 60 + 600 * u, time);
    this.layer('cabin', 6 * inside, 1500 + 10500 * outside, time);
    this.follow(f, u, load, still, time);
    this.to(this.distance, inside > 0.5 ? 1 : Math.min(1, 6 / Math.max(6, f.distance)), time);
    this.events(f, time);
  }

  private follow(f: SoundFrame, u: number, load: number, still: number, time: number): void {
    const axles = [[f.slip_rear, f.runner_1 + f.runner_2, 1800], [f.slip_front, f.runner_3 + f.runner_4, 2600]] as const;
    axles.forEach(([slip, force, base], i) => {
      const degrees = (Math.abs(slip) * 180) / Math.PI;
      const across = Math.min(4, f.speed * Math.sin(Math.abs(slip)));
      const strength = still * smoothstep(degrees, 0.3, 10) ** 0.5 * u ** 0.7 * Math.max(0, force / (WEIGHT / 2)) ** 0.4;
      const { gain, tear, rate, filter } = this.scrape[i]!;
      this.to(gain, degrees <= 0.3 ? 0 : 0.75 * strength, time);
      this.to(tear, degrees <= 0.3 ? 0 : 0.5 * strength * smoothstep(degrees, 2, 9), time);
      this.to(rate, 0.25 + 0.35 * across, time);
      this.to(filter, base + 500 * across, time);
    });
    this.layer('rattle', still * 1.6 * (f.shake / 3.5) ** 0.8 * (0.4 + 0.6 * u) * (0.4 + 0.6 * f.inside) * Math.min(1, load + 0.3), null, time);
    this.layer('drag', still * 0.5 * Math.sqrt(Math.max(0, f.bumpers) / 6000) * u, 500 + 500 * u, time);
    const brake = f.braking ? Math.max(0, -f.acceleration) : 0;
    this.layer('brake', still * 0.45 * (brake / 5) ** 0.6 * (2 * u) ** 0.7, 500 + 1100 * u, time);
  }

  /** What happens once: hits, splits, steps of the crew. */
  private events(f: SoundFrame, time: number): void {
    if (this.hits !== null && f.hits > this.hits) this.hit(f.hit_speed, f.wood > 0.5, f.hit_side, time);
    this.hits = f.hits;
    if (this.splits !== null && f.splits > this.splits) {
      this.shot('bell', 0.4, 4000, 0, time);
      if (f.finish > 0) this.shot('bell', 0.4, 6000, 0, time + 0.22);
    }
    this.splits = f.splits;
    if (f.pushing && f.speed > 0.3 && time >= this.nextStep) {
      this.nextStep = time + 1 / (2 * Math.min(4.6, 2.2 + 0.32 * f.speed));
      this.shot('step', 0.22, 6000, 0, time);
    }
  }

  /** A bumper met a wall: level and brightness by its normal speed, the rest ducks for a moment. */
  hit(speed: number, wood: boolean, side: number, time: number): void {
    const strength = Math.min(1.3, 0.42 * (Math.max(0, speed) / 0.5) ** 0.45);
    if (!(strength >= 0.05)) return;
    this.shot(wood ? 'wood' : 'hit', 1.15 * strength, 1800 + 7000 * Math.min(1, speed / 2), 0.4 * side, time);
    this.shot('boom', 0.5 * strength, 200, 0, time, this.bass);
    const depth = 1 - 0.5 * Math.min(1, speed / 1.2);
    const { gain } = this.duck;
    gain.cancelScheduledValues(time);
    gain.setTargetAtTime(depth, time, 0.004);
    gain.setTargetAtTime(1, time + 0.1, 0.04);
  }

  count(last: boolean, time = this.context.currentTime): void {
    this.shot(last ? 'go' : 'count', 0.35, 8000, 0, time);
  }

  private shot(name: keyof SledSound['struckThings'], level: number, cutoff: number, pan: number, time: number, to: AudioNode = this.shots): void {
    const source = this.context.createBufferSource();
    source.buffer = this.struckThings[name];
    const filter = this.biquad('lowpass', Math.min(cutoff, 0.45 * this.context.sampleRate), 0.7);
    const panner = this.context.createStereoPanner();
    panner.pan.value = pan;
    source.connect(filter).connect(this.fixed(level)).connect(panner).connect(to);
    source.start(Math.max(time, this.context.currentTime));
  }

  /** A new run: nothing that happened before counts. */
  restart(): void {
    this.hits = this.splits = null;
    this.nextStep = 0;
  }

  /** Silence, at once: nothing runs. */
  rest(time: number): void {
    for (const { parameter } of this.driven) if (parameter !== this.distance.parameter) parameter.cancelScheduledValues(time);
    for (const layer of Object.values(this.layers)) this.to(layer.gain, 0, time);
    for (const { gain } of this.runners) this.to(gain, 0, time);
    for (const { gain, tear } of this.scrape) {
      this.to(gain, 0, time);
      this.to(tear, 0, time);
    }
  }

  /** The low bus below 80 Hz can be switched off, or routed to something that shakes. */
  setBass(on: boolean, to?: AudioNode): void {
    this.bass.gain.value = on ? 1 : 0;
    if (to) {
      this.bass.disconnect();
      this.bass.connect(to);
    }
  }
}
