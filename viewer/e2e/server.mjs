// Starts `prall serve` and finds out where it listens.

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const START_MS = 20_000;

/** Recordings go to a folder that is removed at the end, never among a person's own. */
export async function startServer(binary, port = 0, files = []) {
  const recordings = mkdtempSync(join(tmpdir(), 'prall-recordings-'));
  const child = spawn(binary, ['serve', '--port', String(port), '--recordings', recordings, ...files], { stdio: ['ignore', 'pipe', 'inherit'] });
  const url = await new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`${binary} did not say where it listens`)), START_MS);
    const settle = (act) => (value) => {
      clearTimeout(timer);
      act(value);
    };
    child.once('error', settle(reject));
    child.once('exit', settle((code) => reject(new Error(`${binary} ended with ${code} before it listened`))));
    createInterface({ input: child.stdout }).on('line', (line) => {
      const found = /Prall is at (http:[^\s#]+)/.exec(line);
      if (found) settle(resolve)(found[1]);
    });
  });
  child.removeAllListeners('exit');
  return {
    url,
    port: Number(new URL(url).port),
    stop: async () => {
      await new Promise((resolve) => {
        if (child.exitCode !== null || child.signalCode !== null) return resolve();
        child.once('exit', resolve);
        child.kill('SIGKILL');
      });
      rmSync(recordings, { recursive: true, force: true });
    },
  };
}

/** The server that the environment names: PRALL_URL is used as it is, PRALL_BIN is started. */
export async function serverFromEnvironment() {
  const { PRALL_URL, PRALL_BIN } = process.env;
  if (PRALL_URL) return { url: PRALL_URL, stop: async () => {} };
  if (PRALL_BIN) return startServer(PRALL_BIN);
  throw new Error('Set PRALL_URL to a running server, or PRALL_BIN to the prall binary.');
}
