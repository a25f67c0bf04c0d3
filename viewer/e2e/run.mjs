// `npm run e2e`: the browser tests, against the server that the environment names.

import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { serverFromEnvironment } from './server.mjs';

const folder = fileURLToPath(new URL('.', import.meta.url));
const wanted = process.argv.slice(2);
const files = readdirSync(folder)
  .filter((name) => name.endsWith('.test.mjs') && (wanted.length === 0 || wanted.some((part) => name.includes(part))))
  .map((name) => folder + name);
const server = await serverFromEnvironment();
const { status } = spawnSync(process.execPath, ['--test', '--test-concurrency=1', '--test-reporter=spec', ...files], {
  stdio: 'inherit',
  env: { ...process.env, PRALL_URL: server.url },
});
await server.stop();
process.exitCode = status ?? 1;
