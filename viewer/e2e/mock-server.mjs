// A stand-in for `prall serve` that bounces a ball in JavaScript. Page tests use it for what a real server does not do
// on demand: refusing, speaking another protocol, sending damaged frames, vanishing.

import { createServer } from 'node:http';
import { readFile } from 'node:fs/promises';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { WebSocketServer } from 'ws';
import { ball, cube, heap, lineBytes, shapeBytes } from './mock-scenes.mjs';
import { Session } from './mock-session.mjs';

const dist = fileURLToPath(new URL('../dist/', import.meta.url));
const types = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml', '.png': 'image/png' };

/** Starts the stand-in; `options`: protocol, frameVersion, slowed ('simulation' or 'machine'), wantsToken. */
export async function startMock(options = {}, port = 0) {
  const sessions = new Map();
  const recordings = new Map();
  const scenes = [ball, cube, heap, ...(options.more ?? [])];
  const http = createServer(async (request, response) => {
    const { pathname } = new URL(request.url, 'http://localhost');
    const geometry = /^\/api\/sessions\/[^/]+(?:\/tracks\/\d+)?\/(shapes|lines)\/(\d+)$/.exec(pathname);
    if (options.wantsToken && pathname.startsWith('/api/')) response.writeHead(401).end('The token is part of the address that prall serve printed.');
    else if (pathname === '/api/recordings') response.setHeader('content-type', 'application/json').end(JSON.stringify({ recordings: [...recordings.values()].map(({ entry }) => entry).reverse() }));
    else if (pathname === '/api/scenes') response.setHeader('content-type', 'application/json').end(JSON.stringify({ protocol: 2, version: '0.1.0', scenes }));
    else if (geometry) response.end(geometry[1] === 'shapes' ? shapeBytes() : lineBytes(Number(geometry[2])));
    else {
      const file = join(dist, normalize(pathname === '/' ? 'index.html' : pathname));
      try {
        const bytes = await readFile(file);
        response.setHeader('content-type', types[extname(file)] ?? 'application/octet-stream').end(bytes);
      } catch { response.writeHead(404).end('not found'); }
    }
  });
  const sockets = new WebSocketServer({ server: http, path: '/ws' });
  sockets.on('connection', (client, request) => {
    if (options.wantsToken) return client.terminate();
    const query = new URL(request.url, 'http://localhost').searchParams;
    const recording = recordings.get(query.get('recording')) ?? null;
    const scene = recording?.scene ?? scenes.find(({ name }) => name === query.get('scene'));
    if (!scene) {
      client.send(JSON.stringify({ type: 'error', message: `There is no scene called ${query.get('scene')}.` }));
      client.close(1008, 'unknown scene');
      return;
    }
    const id = `${query.get('session') ?? ''}-${query.get('recording') ?? query.get('scene')}`;
    const session = sessions.get(id) ?? new Session(scene, id, options, recordings, recording);
    sessions.set(id, session);
    session.join(client);
    client.on('message', (data) => session.take(JSON.parse(String(data)), client));
    client.on('close', () => session.clients.delete(client));
  });
  await new Promise((resolve) => http.listen(port, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${http.address().port}/`,
    sessions,
    async stop() {
      for (const session of sessions.values()) session.end();
      sockets.close();
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const server = await startMock({}, Number(process.env.PORT ?? 0));
  console.log(`Prall is at ${server.url}`);
}
