// The sound of the page: begins with the first key, as browsers ask; volume and mute are remembered.

import { effect } from '@preact/signals';
import { seat } from '../seat-settings';
import { SledSound, type SoundFrame } from './mixer';

export class SoundPlayer {
  private context: AudioContext | null = null;
  private sound: SledSound | null = null;
  private readonly stop = effect(() => this.apply(seat.muted.value ? 0 : seat.volume.value, seat.bass.value));

  /** A key or a click: from here on there may be sound. Without WebAudio there is none. */
  wake(): void {
    if (this.context || typeof AudioContext === 'undefined') {
      if (this.context?.state === 'suspended') void this.context.resume().catch(() => {});
      return;
    }
    this.context = new AudioContext();
    this.sound = new SledSound(this.context);
    this.apply(seat.muted.value ? 0 : seat.volume.value, seat.bass.value);
  }

  get isAwake(): boolean {
    return this.context?.state === 'running';
  }

  frame(f: SoundFrame): void {
    if (this.context && this.sound) this.sound.frame(f, this.context.currentTime);
  }

  count(last: boolean): void {
    this.sound?.count(last);
  }

  restart(): void {
    this.sound?.restart();
  }

  rest(): void {
    if (this.context && this.sound) this.sound.rest(this.context.currentTime);
  }

  private apply(volume: number, bass: boolean): void {
    if (!this.sound || !this.context) return;
    this.sound.output.gain.setTargetAtTime(volume, this.context.currentTime, 0.03);
    this.sound.setBass(bass);
  }

  end(): void {
    this.stop();
    void this.context?.close().catch(() => {});
    this.context = this.sound = null;
  }
}
