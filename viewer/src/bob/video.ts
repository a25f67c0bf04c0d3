// The picture as a film: what the canvas shows is encoded by the browser while a replay plays.

const RATE = 30;
/** Bits per second: a track full of fine lines needs more than a face. */
const BITS = 12e6;
const KINDS = ['video/webm;codecs=vp9', 'video/webm;codecs=vp8', 'video/webm'];

/** The first kind of film that this browser can make; null where it can make none. */
export function videoKind(supported: (kind: string) => boolean = (kind) => typeof MediaRecorder !== 'undefined' && MediaRecorder.isTypeSupported(kind)): string | null {
  return KINDS.find(supported) ?? null;
}

export class Video {
  private readonly recorder: MediaRecorder;
  private readonly parts: Blob[] = [];
  private readonly ended: Promise<void>;

  /** Begins at once. */
  constructor(canvas: HTMLCanvasElement) {
    const kind = videoKind();
    if (kind === null) throw new Error('this browser cannot make films of a picture');
    this.recorder = new MediaRecorder(canvas.captureStream(RATE), { mimeType: kind, videoBitsPerSecond: BITS });
    this.recorder.addEventListener('dataavailable', ({ data }) => this.parts.push(data));
    this.ended = new Promise((resolve) => this.recorder.addEventListener('stop', () => resolve(), { once: true }));
    this.recorder.start(1000);
  }

  /** The film as far as it was shown. */
  async finish(): Promise<Blob> {
    if (this.recorder.state !== 'inactive') this.recorder.stop();
    this.recorder.stream.getTracks().forEach((track) => track.stop());
    await this.ended;
    return new Blob(this.parts, { type: 'video/webm' });
  }
}
