import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Socket } from '../protocol/connection';
import { Session, type Refusal } from './session';

const hello = {
  type: 'hello', protocol: 2, version: '0.1.0', session: 's', instance: 'i', kind: 'scene', scene: {}, time_step: 0.004, overlays: [], actions: [], recording: null, tracks: [],
  assets: { shapes: [], looks: [], bodies: [], lines: [], camera: {}, ground: 0, moves: true }, parameters: [], solvers: [],
  state: { running: true, speed: 1, solver: 'event', values: {}, notice: null, budget: { ms: null, work: null }, history: { from: 0, to: 0 }, snapshots: [], recording: null },
};

function setUp(refusal: Refusal | null = null) {
  const sockets: Socket[] = [];
  const sent: string[] = [];
  const events = { error: vi.fn(), lost: vi.fn(), back: vi.fn(), notice: vi.fn(), recorded: vi.fn() };
  const session = new Session(() => {
    const socket: Socket = { binaryType: '', onopen: null, onclose: null, onmessage: null, onerror: null, send: (data) => void sent.push(data), close: () => {} };
    sockets.push(socket);
    return socket;
  }, events, () => Promise.resolve(refusal));
  const say = (message: object) => sockets.at(-1)!.onmessage!({ data: JSON.stringify(message) });
  const drop = () => sockets.at(-1)!.onclose!({ code: 1006, reason: '' });
  const open = () => sockets.at(-1)!.onopen!();
  return { session, sockets, sent, events, say, drop, open };
}

beforeEach(() => void vi.useFakeTimers());

describe('a session', () => {
  it('is open after the greeting', () => {
    const { session, say } = setUp();
    say(hello);
    expect(session.phase.value).toBe('open');
    expect(session.state.value?.running).toBe(true);
  });

  it('sends commands as the protocol has them', () => {
    const { session, sent, open } = setUp();
    open();
    session.play();
    session.set('restitution', 0.9);
    session.grab([0, 1, 2], [0, 0, -1]);
    expect(sent.map((text) => JSON.parse(text))).toEqual([
      { type: 'play', id: 1 },
      { type: 'set', parameter: 'restitution', value: 0.9, id: 2 },
      { type: 'grab', origin: [0, 1, 2], direction: [0, 0, -1], track: 0, id: 3 },
    ]);
  });

  it('that finds another simulation says what was lost', () => {
    const { session, events: some, say, drop } = setUp();
    const begunAnew = vi.fn();
    Object.assign(some, { begunAnew });
    const parameters = [{ key: 'speed', default: 1 }, { key: 'size', default: 2 }];
    const state = { ...hello.state, values: { speed: 3, size: 2 }, snapshots: [{ name: 'a', time: 1 }], recording: { name: 'r.mcap', since: 0 } };
    say({ ...hello, parameters, state, server: 'one' });
    session.drew(4.5);
    drop();
    vi.advanceTimersByTime(250);
    say({ ...hello, parameters, instance: 'another', server: 'two' });
    expect(begunAnew).toHaveBeenCalledExactlyOnceWith({ restarted: true, away: expect.closeTo(0.25, 6), time: 4.5, snapshots: 1, recording: 'r.mcap', values: { speed: 3 } });
    expect(some.back).not.toHaveBeenCalled();
  });

  it('that is lost comes back and says how long it was away', () => {
    const { session, sockets, events, say, drop } = setUp();
    say(hello);
    drop();
    expect(session.phase.value).toBe('lost');
    expect(events.lost).toHaveBeenCalledOnce();
    expect(session.retry.value?.attempt).toBe(1);
    vi.advanceTimersByTime(250);
    expect(sockets).toHaveLength(2);
    say(hello);
    expect(session.phase.value).toBe('open');
    expect(events.back).toHaveBeenCalledOnce();
  });

  it('of another protocol is refused with both versions and not tried again', () => {
    const { session, sockets, say } = setUp();
    say({ ...hello, protocol: 3 });
    expect(session.phase.value).toBe('refused');
    expect(session.refusal.value?.text).toContain('protocol 3, this page 2');
    vi.advanceTimersByTime(60_000);
    expect(sockets).toHaveLength(1);
  });

  it('that is answered with an error and closed is refused with that sentence', () => {
    const { session, sockets, say, drop } = setUp();
    say({ type: 'error', message: 'There is no scene called x.' });
    drop();
    expect(session.refusal.value?.text).toBe('There is no scene called x.');
    vi.advanceTimersByTime(60_000);
    expect(sockets).toHaveLength(1);
  });

  it('that closes without a word asks why', async () => {
    const { session, drop } = setUp({ title: 'No such scene', text: '' });
    drop();
    await vi.advanceTimersByTimeAsync(0);
    expect(session.refusal.value?.title).toBe('No such scene');
  });

  it('whose server does not answer keeps trying', async () => {
    const { session, sockets, drop } = setUp(null);
    drop();
    await vi.advanceTimersByTimeAsync(250);
    expect(session.phase.value).toBe('connecting');
    expect(sockets).toHaveLength(2);
  });

  it('that is found as it was left keeps what was loaded for it', () => {
    const { session, say, drop } = setUp();
    say(hello);
    const before = session.hello.value;
    drop();
    vi.advanceTimersByTime(250);
    say(hello);
    expect(session.hello.value).toBe(before);
    drop();
    vi.advanceTimersByTime(250);
    say({ ...hello, instance: 'another' });
    expect(session.hello.value).not.toBe(before);
  });

  it('keeps the reports of each track apart', () => {
    const { session, say } = setUp();
    say(hello);
    const report = { type: 'report', steps: 1, step_ms: 1, aim_ms: 4, phases: {}, energy: {}, real_time_factor: 1 };
    say({ ...report, track: 0, time: 1 });
    say({ ...report, track: 1, time: 2 });
    expect(session.history.column('time')).toEqual([1]);
    expect(session.historyOf(1).column('time')).toEqual([2]);
    expect(session.report.value?.time).toBe(1);
  });

  it('goes on after an error', () => {
    const { session, events, say } = setUp();
    say(hello);
    say({ type: 'error', message: 'restitution is between 0 and 1' });
    expect(events.error).toHaveBeenCalledWith('restitution is between 0 and 1');
    expect(session.phase.value).toBe('open');
  });

  it('says a notice once', () => {
    const { events, say } = setUp();
    say(hello);
    const state = { ...hello.state, type: 'state', notice: 'Paused: a body has left the world' };
    say(state);
    say({ ...state, speed: 2 });
    expect(events.notice).toHaveBeenCalledOnce();
  });

  it('refuses frames that it cannot read', () => {
    const { session, sockets, say } = setUp();
    say(hello);
    sockets[0]!.onmessage!({ data: new ArrayBuffer(3) });
    expect(session.takeFrame()).toBeNull();
    expect(session.refusal.value?.text).toContain('3 bytes');
  });
});
