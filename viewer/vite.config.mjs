import { defineConfig } from 'vitest/config';

// PRALL_URL lets `npm run dev` use a server that is already running.
const server = process.env.PRALL_URL ?? 'http://127.0.0.1:7878';

export default defineConfig({
  base: './',
  build: { target: 'es2022', chunkSizeWarningLimit: 800, assetsInlineLimit: 0 },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  server: {
    proxy: {
      '/api': { target: server, changeOrigin: true },
      '/ws': { target: server, ws: true, changeOrigin: true, rewriteWsOrigin: true },
    },
  },
  test: { include: ['src/**/*.test.ts'], css: true },
});
