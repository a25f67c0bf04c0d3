// Checks docs/features.md: every row's path exists, and every row's test is a test of this repository.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '*.rs', '*.ts', '*.mjs'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((file) => file !== '' && existsSync(resolve(root, file)));

const rustTest = /#\[(?:tokio::)?test\][^{}]*?\bfn\s+(\w+)/g;
const pageTest = /\b(?:test|it)\(\s*(['"`])(.*?)\1/g;
const tests = new Set();
for (const file of files) {
  const text = readFileSync(resolve(root, file), 'utf8');
  for (const match of text.matchAll(rustTest)) tests.add(match[1]);
  if (!file.endsWith('.rs')) for (const match of text.matchAll(pageTest)) tests.add(match[2]);
}

const wrong = [];
const seen = new Set();
const row = /^\|\s*([a-z]+(?:-\d)?\.[A-Z]+\d+)\s*\|([^|]*)\|([^|]*)\|([^|]*)\|\s*$/;
const own = /^\|([^|]*)\|(\s*`[^|]*`\s*)\|(\s*`[^|]*`\s*)\|\s*$/;
for (const line of readFileSync(resolve(root, 'docs/features.md'), 'utf8').split('\n')) {
  const match = line.match(row) ?? line.match(own);
  if (match === null) {
    if (/^\|\s*[a-z]+(-\d)?\./.test(line)) wrong.push(`not a row of four columns: ${line}`);
    continue;
  }
  // A row of our own has no id, its text stands for it.
  const [id, where, names] = match.length === 5 ? [match[1], match[3], match[4]] : [match[1].trim(), match[2], match[3]];
  if (seen.has(id)) wrong.push(`${id} is listed twice`);
  seen.add(id);
  for (const path of where.split(',').map((part) => part.replaceAll('`', '').trim())) {
    if (path === '' || !existsSync(resolve(root, path))) wrong.push(`${id}: no file '${path}'`);
  }
  for (const name of names.split(',').map((part) => part.replaceAll('`', '').trim())) {
    if (!tests.has(name)) wrong.push(`${id}: no test '${name}'`);
  }
}
if (seen.size === 0) wrong.push('docs/features.md has no rows');
if (wrong.length > 0) {
  console.error(`docs/features.md does not hold:\n  ${wrong.join('\n  ')}`);
  process.exit(1);
}
console.log(`${seen.size} features, each with a place and a test among ${tests.size} tests`);
