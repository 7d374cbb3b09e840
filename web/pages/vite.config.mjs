import { cpSync } from 'node:fs';
import { basename, join } from 'node:path';
import { defineConfig } from 'vite';
import { compressed } from '../compressed.mjs';

const OUT = join(import.meta.dirname, '../../dist/pages');
const FLAGS = join(import.meta.dirname, '../../node_modules/country-flag-icons/3x2');

/** The flags of countries, by their codes. */
const flags = {
  name: 'flags',
  closeBundle() {
    const filter = (file) => file === FLAGS || /^[A-Z]{2}\.svg$/.test(basename(file));
    cpSync(FLAGS, join(OUT, 'flags'), { recursive: true, filter });
  },
};

export default defineConfig({
  root: import.meta.dirname,
  // Files name each other relative to themselves: the service may be below a path of a proxy.
  base: './',
  plugins: [compressed(11), flags],
  build: {
    outDir: OUT,
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
