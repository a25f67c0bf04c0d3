import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Connection, retryDelay, type Socket } from './connection';

class FakeSocket implements Socket {
  binaryType = '';
  onopen: Socket['onopen'] = null;
  onclose: Socket['onclose'] = null;
  onmessage: Socket['onmessage'] = null;
  onerror: Socket['onerror'] = null;
  sent: string[] = [];
  closed = false;
  send(data: string): void {
    this.sent.push(data);
  }
  close(): void {
    this.closed = true;
  }
}

function setUp() {
  const sockets: FakeSocket[] = [];
  const events = { opened: vi.fn(), text: vi.fn(), binary: vi.fn(), lost: vi.fn() };
  const connection = new Connection(() => {
    const socket = new FakeSocket();
    sockets.push(socket);
    return socket;
  }, events);
  const drop = () => sockets.at(-1)!.onclose!({ code: 1006, reason: '' });
  return { sockets, events, connection, drop };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('a connection', () => {
  it('asks for array buffers and tells text from bytes', () => {
    const { sockets, events } = setUp();
    const [socket] = sockets;
    const bytes = new ArrayBuffer(3);
    socket!.onmessage!({ data: 'words' });
    socket!.onmessage!({ data: bytes });
    expect(socket!.binaryType).toBe('arraybuffer');
    expect(events.text).toHaveBeenCalledWith('words');
    expect(events.binary).toHaveBeenCalledWith(bytes);
  });

  it('sends only while it is open', () => {
    const { sockets, connection, drop } = setUp();
    expect(connection.send('early')).toBe(false);
    sockets[0]!.onopen!();
    expect(connection.send('now')).toBe(true);
    drop();
    expect(connection.send('late')).toBe(false);
    expect(sockets[0]!.sent).toEqual(['now']);
  });

  it('comes back after waits that double up to five seconds', () => {
    const { sockets, events, drop } = setUp();
    for (const wait of [0.25, 0.5, 1, 2, 4, 5, 5]) {
      drop();
      expect(events.lost).toHaveBeenLastCalledWith(expect.objectContaining({ retryIn: wait }));
      const before = sockets.length;
      vi.advanceTimersByTime(1000 * wait - 1);
      expect(sockets).toHaveLength(before);
      vi.advanceTimersByTime(1);
      expect(sockets).toHaveLength(before + 1);
    }
  });

  it('waits shortly again once the other side has answered well', () => {
    const { sockets, events, connection, drop } = setUp();
    drop();
    vi.advanceTimersByTime(250);
    drop();
    vi.advanceTimersByTime(500);
    sockets.at(-1)!.onopen!();
    connection.confirm();
    drop();
    expect(events.lost).toHaveBeenLastCalledWith(expect.objectContaining({ attempt: 1, retryIn: 0.25 }));
  });

  it('keeps its long waits while the other side opens and closes without a word', () => {
    const { sockets, events, drop } = setUp();
    drop();
    vi.advanceTimersByTime(250);
    sockets.at(-1)!.onopen!();
    drop();
    expect(events.lost).toHaveBeenLastCalledWith(expect.objectContaining({ attempt: 2 }));
  });

  it('can be told not to wait', () => {
    const { sockets, connection, drop } = setUp();
    drop();
    connection.retryNow();
    expect(sockets).toHaveLength(2);
    vi.advanceTimersByTime(10_000);
    expect(sockets).toHaveLength(2);
  });

  it('stays away once it was ended', () => {
    const { sockets, events, connection, drop } = setUp();
    drop();
    connection.end();
    vi.advanceTimersByTime(60_000);
    expect(sockets).toHaveLength(1);
    expect(events.lost).toHaveBeenCalledTimes(1);
  });

  it('closes an open socket when it is ended', () => {
    const { sockets, connection } = setUp();
    sockets[0]!.onopen!();
    connection.end();
    expect(sockets[0]!.closed).toBe(true);
  });

  it('that is ended while it opens closes once it is open, and tells nobody', () => {
    const { sockets, events, connection } = setUp();
    connection.end();
    expect(sockets[0]!.closed).toBe(false);
    sockets[0]!.onopen!();
    expect(sockets[0]!.closed).toBe(true);
    expect(events.opened).not.toHaveBeenCalled();
  });
});

it('never waits longer than five seconds', () => {
  expect(retryDelay(40)).toBe(5);
});
