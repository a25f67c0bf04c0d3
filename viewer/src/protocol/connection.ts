// A WebSocket that comes back by itself. It knows nothing of what is said through it.

/** What a connection needs of a socket; the browser's WebSocket fits, and so does a test's stand-in. */
export interface Socket {
  binaryType: string;
  onopen: (() => void) | null;
  onclose: ((event: { code: number; reason: string }) => void) | null;
  onmessage: ((event: { data: string | ArrayBuffer }) => void) | null;
  onerror: (() => void) | null;
  send(data: string): void;
  close(): void;
}

export interface ConnectionEvents {
  opened(): void;
  text(data: string): void;
  binary(data: ArrayBuffer): void;
  /** Closed or never opened. The next attempt is made in `retryIn` seconds. */
  lost(info: { code: number; reason: string; attempt: number; retryIn: number }): void;
}

/** Seconds to wait before attempt 1, 2, ...: short at first, never longer than five seconds. */
export function retryDelay(attempt: number): number {
  return Math.min(5, 0.25 * 2 ** (attempt - 1));
}

export class Connection {
  private socket: Socket | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private attempt = 0;
  private isOpen = false;
  private ended = false;

  constructor(
    private readonly makeSocket: () => Socket,
    private readonly events: ConnectionEvents,
  ) {
    this.open();
  }

  send(data: string): boolean {
    if (!this.socket || !this.isOpen) return false;
    this.socket.send(data);
    return true;
  }

  /** The other side answers as expected: the next loss starts with short waits again. */
  confirm(): void {
    this.attempt = 0;
  }

  /** Does not wait for the next attempt. */
  retryNow(): void {
    if (this.ended || this.socket) return;
    clearTimeout(this.timer);
    this.open();
  }

  /** Closes for good. */
  end(): void {
    this.ended = true;
    clearTimeout(this.timer);
    const socket = this.socket;
    this.socket = null;
    if (socket) {
      socket.onopen = socket.onclose = socket.onmessage = socket.onerror = null;
      // Browsers report an error if a socket is closed while it opens.
      if (this.isOpen) socket.close();
      else socket.onopen = () => socket.close();
    }
  }

  private open(): void {
    const socket = this.makeSocket();
    this.socket = socket;
    socket.binaryType = 'arraybuffer';
    socket.onopen = () => {
      this.isOpen = true;
      this.events.opened();
    };
    socket.onmessage = ({ data }) => {
      if (typeof data === 'string') this.events.text(data);
      else this.events.binary(data);
    };
    socket.onerror = () => {}; // a close event always follows and says more
    socket.onclose = ({ code, reason }) => {
      this.socket = null;
      this.isOpen = false;
      if (this.ended) return;
      this.attempt += 1;
      const retryIn = retryDelay(this.attempt);
      this.timer = setTimeout(() => this.open(), 1000 * retryIn);
      this.events.lost({ code, reason, attempt: this.attempt, retryIn });
    };
  }
}
