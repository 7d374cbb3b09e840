// Sizes of the package in a game: bundled, minified and compressed. `node clients/typescript/size.mjs` prints them in bytes.
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';

/** Source of a game that uses this much of the package. */
const GAMES = {
  'submit and read': `export { Leaderboard } from './dist/client.js';`,
  'and views': `export { Leaderboard } from './dist/client.js'; export { viewsOf } from './dist/views.js';`,
  'and runs': `export { Leaderboard } from './dist/client.js'; export { fetchTickets, startRun } from './dist/runs.js';`,
  'and live': `export { Leaderboard } from './dist/client.js'; export { watch } from './dist/live.js';`,
};

async function sizeOf(source) {
  const bundle = await rolldown({
    input: 'game',
    platform: 'browser',
    plugins: [
      {
        name: 'game',
        resolveId: (id) => (id === 'game' ? `${import.meta.dirname}/game.js` : undefined),
        load: (id) => (id.endsWith('/game.js') ? source : undefined),
      },
    ],
  });
  const { output } = await bundle.generate({ minify: true });
  await bundle.close();
  return gzipSync(output[0].code, { level: 9 }).length;
}

const sizes = {};
for (const [name, source] of Object.entries(GAMES)) sizes[name] = await sizeOf(source);
process.stdout.write(`${JSON.stringify(sizes)}\n`);
