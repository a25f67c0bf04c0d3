// `npm run e2e`: the browser tests, against the server that the environment names.

import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { serverFromEnvironment } from './server.mjs';

/** They take six minutes on a quiet machine of two cores, longer where the processor is throttled. */
const LIMIT_MS = 25 * 60_000 * Math.max(1, Number(process.env.PRALL_THROTTLE ?? 1) / 2);

const folder = fileURLToPath(new URL('.', import.meta.url));
const wanted = process.argv.slice(2);
const files = readdirSync(folder)
  .filter((name) => name.endsWith('.test.mjs') && (wanted.length === 0 || wanted.some((part) => name.includes(part))))
  .map((name) => folder + name);
const server = await serverFromEnvironment();
// A test that failed may have left a socket or a server open, for which its file would wait for ever.
const [major, minor] = process.versions.node.split('.').map(Number);
const forceExit = major > 20 || (major === 20 && minor >= 14) ? ['--test-force-exit'] : [];
const { status, error } = spawnSync(process.execPath, ['--test', ...forceExit, '--test-concurrency=1', '--test-reporter=spec', ...files], {
  stdio: 'inherit',
  env: { ...process.env, PRALL_URL: server.url },
  timeout: LIMIT_MS,
});
if (error?.code === 'ETIMEDOUT') console.error(`The browser tests were ended after ${LIMIT_MS / 60_000} minutes.`);
await server.stop();
process.exitCode = status ?? 1;
