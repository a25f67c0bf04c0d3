// Poor man's haptics: a click on contact, a thud by the impulse, a scrape by how fast a part slides and how hard it is pressed. Silent until the page was touched, and where sound is off.

import { random } from '../bob/sound/buffers';
import { settings } from '../settings';
import type { HandReading } from './reading';

/** Loudness of the lightest contact, of a thud per newton second, and at most. */
const CLICK = 0.05;
const THUD_PER_NEWTON_SECOND = 1.5;
const LOUDEST = 0.35;
/** A scrape is this loud at most; half as loud at this speed (m/s), and at this force (N). */
const LOUDEST_SCRAPE = 0.08;
const HALF_SPEED = 0.05;
const HALF_FORCE = 20;
/** Below this, in m/s, what slides creeps, and is silent. */
const CREEP = 1e-4;
/** Sounds of contact follow each other at least this far apart, in s. */
const APART = 0.06;
/** Time in which a scrape follows the part, in s. */
const FOLLOWS = 0.03;
/** Fixed, so that the same ways sound the same. */
const SEED = 11;

/** How loud a click or a thud is when a part meets something; 0 for none. */
export function knock({ struck }: HandReading): number {
  return struck > 0 ? Math.min(LOUDEST, CLICK + THUD_PER_NEWTON_SECOND * struck) : 0;
}

/** How loud a part scrapes: it slides, and is pressed. */
export function scrape({ standing, sliding, force }: HandReading): number {
  if (standing === 'free' || sliding < CREEP) return 0;
  return LOUDEST_SCRAPE * (sliding / (sliding + HALF_SPEED)) * (force / (force + HALF_FORCE));
}

/** Middle of the scrape's noise in Hz: fast is bright. */
export function pitchOfScrape({ sliding }: HandReading): number {
  return 500 + 3500 * (sliding / (sliding + HALF_SPEED));
}

/** The sounds of a part in hand in a context, with a loudspeaker or without one. */
export class HandVoices {
  private readonly noise: GainNode;
  private readonly filter: BiquadFilterNode;
  private last = -Infinity;

  constructor(private readonly context: BaseAudioContext) {
    const buffer = context.createBuffer(1, context.sampleRate, context.sampleRate);
    const samples = buffer.getChannelData(0);
    const next = random(SEED);
    for (let i = 0; i < samples.length; i += 1) samples[i] = next();
    const source = new AudioBufferSourceNode(context, { buffer, loop: true });
    this.filter = new BiquadFilterNode(context, { type: 'bandpass', frequency: 1800, Q: 0.7 });
    this.noise = new GainNode(context, { gain: 0 });
    source.connect(this.filter).connect(this.noise).connect(context.destination);
    source.start();
  }

  /** Sounds like this from a time of the context on; null is silence. */
  play(reading: HandReading | null, at: number): void {
    this.noise.gain.setTargetAtTime(reading ? scrape(reading) : 0, at, FOLLOWS);
    if (!reading) return;
    this.filter.frequency.setTargetAtTime(pitchOfScrape(reading), at, FOLLOWS);
    const loudness = knock(reading);
    if (loudness === 0 || at - this.last < APART) return;
    this.last = at;
    this.strike(loudness, at);
  }

  /** A light contact clicks high, a hard one thuds low. */
  private strike(loudness: number, at: number): void {
    const { context } = this;
    const tone = new OscillatorNode(context, { type: 'triangle', frequency: 180 + 900 * (1 - loudness / LOUDEST) });
    const gain = new GainNode(context, { gain: 0 });
    gain.gain.setValueAtTime(loudness, at);
    gain.gain.exponentialRampToValueAtTime(1e-4, at + 0.08);
    tone.connect(gain).connect(context.destination);
    tone.start(at);
    tone.stop(at + 0.09);
  }
}

export class HandSound {
  private context: AudioContext | null = null;
  private voices: HandVoices | null = null;
  private readonly listeners = new AbortController();

  constructor() {
    // Browsers let a page sound only after a gesture.
    for (const gesture of ['pointerdown', 'keydown'] as const) document.addEventListener(gesture, () => this.open(), { signal: this.listeners.signal, capture: true });
  }

  play(reading: HandReading): void {
    if (!this.context || !this.voices) return;
    this.voices.play(settings.handSound.value ? reading : null, this.context.currentTime);
  }

  end(): void {
    this.listeners.abort();
    void this.context?.close();
  }

  private open(): void {
    if (this.context || !settings.handSound.value || !('AudioContext' in window)) return;
    this.context = new AudioContext();
    this.voices = new HandVoices(this.context);
  }
}

const RATE = 48000;
const BLOCK = 128;

/** The sounds of frames without a loudspeaker; `frameAt` is asked sixty times a second. */
export async function renderHandSound(frameAt: (seconds: number) => HandReading, seconds: number): Promise<AudioBuffer> {
  const context = new OfflineAudioContext(1, Math.round(seconds * RATE), RATE);
  const voices = new HandVoices(context);
  const every = Math.round(RATE / 60 / BLOCK) * BLOCK;
  for (let at = every; at < seconds * RATE; at += every) {
    void context.suspend(at / RATE).then(() => {
      voices.play(frameAt(at / RATE), at / RATE);
      return context.resume();
    });
  }
  voices.play(frameAt(0), 0);
  return context.startRendering();
}
