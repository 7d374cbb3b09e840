import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { compressed } from '../compressed.mjs';

// `graphql(...)` of the generated folder is needed for its types alone: an operation stays the text that its screen
// contains, so that a screen's operations are loaded with the screen.
const operationsAsTexts = {
  name: 'operations-as-texts',
  enforce: 'pre',
  resolveId(name, importer) {
    if (name.endsWith('/generated/gql.js')) return this.resolve('./operation-text.ts', importer);
  },
};

const service = process.env.CONSOLE_SERVICE ?? 'http://127.0.0.1:3000';

/** The first paint waits for the styles alone: on a slow network they must not queue behind the scripts. */
const stylesFirst = {
  name: 'styles-first',
  transformIndexHtml: {
    order: 'post',
    handler(html) {
      const [link] = /<link rel="stylesheet"[^>]*>/.exec(html) ?? [];
      return link ? html.replace(link, '').replace('<script', `${link}\n    <script`) : html;
    },
  },
};

export default defineConfig({
  root: import.meta.dirname,
  // Lazy chunks are addressed relative to their importer; the service writes its own path into index.html.
  base: './',
  plugins: [stylesFirst, operationsAsTexts, react(), compressed],
  build: {
    outDir: join(import.meta.dirname, '../../dist/console'),
    emptyOutDir: true,
    sourcemap: false,
    reportCompressedSize: false,
    assetsInlineLimit: 0,
  },
  // `npx vite --config web/console/vite.config.mjs` works on the console against a service on its usual port.
  server: { proxy: { '/graphql': { target: service, ws: true }, '/v1': service } },
});
