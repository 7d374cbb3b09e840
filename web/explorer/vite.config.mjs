import { basename, join } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { masthead } from '../../dist/src/base/masthead.js';
import { compressed } from '../compressed.mjs';

// The editor's stylesheet carries its fonts as data URLs, one per script and weight, so every visitor would load all of
// them. As files of their own the browser fetches only those whose unicode-range the page uses.
const fontsAsFiles = {
  name: 'fonts-as-files',
  generateBundle(_options, bundle) {
    for (const sheet of Object.values(bundle)) {
      if (!sheet.fileName.endsWith('.css')) continue;
      sheet.source = String(sheet.source).replace(
        /url\(data:font\/(\w+);base64,([A-Za-z0-9+/=]+)\)/g,
        (_url, type, text) => {
          const font = this.emitFile({
            type: 'asset',
            name: `font.${type}`,
            source: Buffer.from(text, 'base64'),
          });
          return `url(${basename(this.getFileName(font))})`;
        },
      );
    }
  },
};

/** The head that all pages of the service share, from the compiled service. */
const sharedMasthead = {
  name: 'shared-masthead',
  transformIndexHtml: (page) => page.replace('<!-- masthead -->', () => masthead('./', 'explorer').text),
};

export default defineConfig({
  root: import.meta.dirname,
  // A proxy may serve the page below a path: its files are named relative to it, and those of files to these.
  base: './',
  experimental: {
    renderBuiltUrl: (name, { hostType }) => (hostType === 'html' ? `explorer/${name}` : { relative: true }),
  },
  plugins: [react(), sharedMasthead, fontsAsFiles, compressed()],
  build: {
    outDir: join(import.meta.dirname, '../../dist/explorer'),
    emptyOutDir: true,
    sourcemap: false,
    reportCompressedSize: false,
    assetsInlineLimit: 0,
    // The code editor is one piece of 3 MB by nature; the warning would appear at every build.
    chunkSizeWarningLimit: 5000,
    rolldownOptions: {
      // Marks for a compiler that has already run on these packages.
      onLog(level, log, show) {
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE') show(level, log);
      },
    },
  },
  // `npx vite --config web/explorer/vite.config.mjs` works on the page against a service on its usual port.
  server: {
    proxy: {
      '/graphql': { target: 'http://127.0.0.1:3000', ws: true },
      '/explorer/config.json': 'http://127.0.0.1:3000',
    },
  },
});
