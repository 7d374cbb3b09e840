import { join } from 'node:path';
import { defineConfig } from 'vite';
import { compressed } from '../compressed.mjs';

export default defineConfig({
  root: import.meta.dirname,
  // Files name each other relative to themselves: the service may be below a path of a proxy.
  base: './',
  plugins: [compressed(11)],
  build: {
    outDir: join(import.meta.dirname, '../../dist/pages'),
    emptyOutDir: true,
    sourcemap: false,
    reportCompressedSize: false,
    assetsInlineLimit: 0,
    // The server makes the pages, and finds the files' names here.
    manifest: true,
    modulePreload: false,
    rolldownOptions: { input: join(import.meta.dirname, 'main.ts') },
  },
});
