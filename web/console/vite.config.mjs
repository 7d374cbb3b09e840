import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { compressed } from '../compressed.mjs';

// `graphql(...)` of the generated folder is needed for its types alone: an operation stays the text that its screen
// contains, so that a screen's operations are loaded with the screen.
const operationsAsTexts = {
  name: 'operations-as-texts',
  enforce: 'pre',
  resolveId(name) {
    if (name.endsWith('/generated/gql.js')) return join(import.meta.dirname, 'api/operation-text.ts');
  },
};

const service = process.env.CONSOLE_SERVICE ?? 'http://127.0.0.1:3000';

/**
 * Two chunks for the first view: `early`, which asks for its data, and `first`, all the code that it runs. A request costs
 * more on a slow network than the bytes that a finer division would save.
 */
const chunksOfFirstView = [
  { debugName: 'early', name: (id, graph) => (reaches(EARLY, id, graph) ? 'early' : null), priority: 2 },
  { debugName: 'first', name: (id, graph) => (reaches(MAIN, id, graph) ? 'first' : null), priority: 1 },
];
const [EARLY, MAIN] = ['api/early.ts', 'main.tsx'].map((file) => join(import.meta.dirname, file));
const reachable = new Map();

/** True if the module is loaded with the other one. */
function reaches(from, id, graph) {
  if (!reachable.has(from)) {
    const found = new Set([from]);
    for (const each of found)
      for (const next of graph.getModuleInfo(each)?.importedIds ?? []) found.add(next);
    reachable.set(from, found);
  }
  return reachable.get(from).has(id);
}

/** Order of loading: on a slow network the first paint must not wait for scripts, nor the data for the code. */
const firstThingsFirst = {
  name: 'first-things-first',
  transformIndexHtml: {
    order: 'post',
    handler(html, { bundle = {} }) {
      const early = Object.keys(bundle).find((file) => /\bearly-[\w-]+\.js$/.test(file));
      const [styles] = /<link rel="stylesheet"[^>]*>/.exec(html) ?? [];
      if (!early || !styles) return html;
      const script = `<script type="module" crossorigin src="./${early}"></script>`;
      return html.replace(styles, '').replace('<script', `${styles}\n    ${script}\n    <script`);
    },
  },
};

export default defineConfig({
  root: import.meta.dirname,
  // Lazy chunks are addressed relative to their importer; the service writes its own path into index.html.
  base: './',
  plugins: [firstThingsFirst, operationsAsTexts, react(), compressed(11)],
  build: {
    outDir: join(import.meta.dirname, '../../dist/console'),
    emptyOutDir: true,
    sourcemap: false,
    reportCompressedSize: false,
    assetsInlineLimit: 0,
    rolldownOptions: { output: { codeSplitting: { groups: chunksOfFirstView } } },
  },
  // `npx vite --config web/console/vite.config.mjs` works on the console against a service on its usual port.
  server: { proxy: { '/graphql': { target: service, ws: true }, '/v1': service } },
});
