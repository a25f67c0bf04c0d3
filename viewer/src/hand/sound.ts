// Poor man's haptics: a click on contact, a thud by the rise of the force, a scrape while a part slides. Silent until the page was touched, and where sound is off.

import { settings } from '../settings';
import type { HandReading } from './reading';

/** Loudness of a thud per newton, and at most. */
const THUD_PER_NEWTON = 0.004;
const LOUDEST = 0.35;
/** Loudness of a scrape per newton of contact force. */
const SCRAPE_PER_NEWTON = 0.0006;
/** Sounds of contact follow each other at least this far apart, in ms. */
const APART_MS = 60;

/** How loud a click or a thud is when a part meets something; 0 for none. */
export function knock(before: HandReading | null, now: HandReading): number {
  if (!before) return 0;
  const met = before.standing === 'free' && now.standing !== 'free';
  const rise = now.force - before.force;
  const thud = rise > 5 ? THUD_PER_NEWTON * rise : 0;
  return Math.min(LOUDEST, Math.max(met ? 0.05 : 0, thud));
}

/** How loud a part scrapes: it touches and goes on. */
export function scrape(now: HandReading): number {
  return now.standing === 'touching' ? Math.min(0.06, SCRAPE_PER_NEWTON * now.force) : 0;
}

export class HandSound {
  private context: AudioContext | null = null;
  private noise: GainNode | null = null;
  private before: HandReading | null = null;
  private last = -Infinity;
  private readonly listeners = new AbortController();

  constructor() {
    // Browsers let a page sound only after a gesture.
    document.addEventListener('pointerdown', () => this.open(), { signal: this.listeners.signal, capture: true });
  }

  play(reading: HandReading, now: number): void {
    const loudness = knock(this.before, reading);
    this.before = reading;
    if (!this.context || !this.noise) return;
    const on = settings.handSound.value;
    this.noise.gain.setTargetAtTime(on ? scrape(reading) : 0, this.context.currentTime, 0.03);
    if (!on || loudness === 0 || now - this.last < APART_MS) return;
    this.last = now;
    this.strike(this.context, loudness);
  }

  end(): void {
    this.listeners.abort();
    void this.context?.close();
  }

  private open(): void {
    if (this.context || !settings.handSound.value || !('AudioContext' in window)) return;
    const context = new AudioContext();
    const buffer = context.createBuffer(1, context.sampleRate, context.sampleRate);
    const samples = buffer.getChannelData(0);
    for (let i = 0; i < samples.length; i += 1) samples[i] = 2 * Math.random() - 1;
    const source = new AudioBufferSourceNode(context, { buffer, loop: true });
    const filter = new BiquadFilterNode(context, { type: 'bandpass', frequency: 1800, Q: 0.7 });
    this.noise = new GainNode(context, { gain: 0 });
    source.connect(filter).connect(this.noise).connect(context.destination);
    source.start();
    this.context = context;
  }

  private strike(context: AudioContext, loudness: number): void {
    const tone = new OscillatorNode(context, { type: 'triangle', frequency: 180 + 900 * (1 - loudness / LOUDEST) });
    const gain = new GainNode(context, { gain: loudness });
    gain.gain.exponentialRampToValueAtTime(1e-4, context.currentTime + 0.08);
    tone.connect(gain).connect(context.destination);
    tone.start();
    tone.stop(context.currentTime + 0.09);
  }
}
