import { join } from 'node:path';
import { defineConfig } from 'vite';
import { compressed } from '../../web/compressed.mjs';

const client = join(import.meta.dirname, '../../clients/typescript/src');

export default defineConfig({
  root: import.meta.dirname,
  // Files name each other relative to themselves: the demo may be below a path of a proxy.
  base: './',
  resolve: {
    // As the published package names them; here they are built from its sources.
    alias: {
      'leaderboard-client/live': join(client, 'live.ts'),
      'leaderboard-client/runs': join(client, 'runs.ts'),
      'leaderboard-client': join(client, 'client.ts'),
    },
  },
  plugins: [compressed()],
  build: {
    outDir: join(import.meta.dirname, '../../dist/arcade'),
    emptyOutDir: true,
    sourcemap: false,
    reportCompressedSize: false,
    assetsInlineLimit: 0,
    modulePreload: false,
  },
});
