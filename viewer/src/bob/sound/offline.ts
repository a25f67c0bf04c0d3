// The sound of frames without a loudspeaker: for tests, and for whoever wants it as a file.

import { SledSound, type SoundFrame } from './mixer';

const RATE = 48000;
const BLOCK = 128;

/** Renders so many seconds; `frameAt` is asked sixty times a second. */
export async function renderSound(frameAt: (seconds: number) => SoundFrame, seconds: number): Promise<AudioBuffer> {
  const context = new OfflineAudioContext(2, Math.round(seconds * RATE), RATE);
  const sound = new SledSound(context);
  const every = Math.round(RATE / 60 / BLOCK) * BLOCK;
  for (let at = every; at < seconds * RATE; at += every) {
    void context.suspend(at / RATE).then(() => {
      sound.frame(frameAt(at / RATE), at / RATE);
      return context.resume();
    });
  }
  sound.frame(frameAt(0), 0);
  return context.startRendering();
}
