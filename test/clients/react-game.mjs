// Prints a game that uses the hooks of leaderboard-client/react, as one script for a page. BASE, GAME and BOARD are globals.
import path from 'node:path';
import { rolldown } from 'rolldown';

const PACKAGE = path.resolve(import.meta.dirname, '../../clients/typescript');
const SOURCE = `
import { createElement as h } from 'react';
import { createRoot } from 'react-dom/client';
import { Leaderboard } from '${PACKAGE}/dist/client.js';
import { useLiveBoard, useMyScore, useSubmit } from '${PACKAGE}/dist/react.js';

const leaderboard = new Leaderboard({ url: BASE, gameId: GAME, playerName: 'Ann' });

function Game() {
  const { submit, result, isPending } = useSubmit(leaderboard);
  const { board, error } = useLiveBoard(leaderboard, BOARD, { limit: 3 });
  const { score } = useMyScore(leaderboard, BOARD, result);
  const place = ({ id, rank, playerName, value }) => h('li', { key: id }, rank + ' ' + playerName + ' ' + value);
  const places = (board?.scores ?? []).map(place);
  return h('main', null,
    h('button', { disabled: isPending, onClick: () => submit({ boardId: BOARD, value: 100 }) }, 'Play'),
    h('p', { id: 'result' }, result ? result.status + ' ' + result.rank : 'no run yet'),
    h('p', { id: 'mine' }, score === undefined ? 'reading' : score ? 'number ' + score.rank : 'no score'),
    h('p', { id: 'error' }, error?.code),
    h('ol', null, places));
}

createRoot(document.body.appendChild(document.createElement('div'))).render(h(Game));
`;

const bundle = await rolldown({
  input: 'game',
  platform: 'browser',
  transform: { define: { 'process.env.NODE_ENV': '"production"' } },
  plugins: [
    {
      name: 'game',
      resolveId: (id) => (id === 'game' ? path.join(import.meta.dirname, 'game.js') : undefined),
      load: (id) => (id.endsWith('/game.js') ? SOURCE : undefined),
    },
  ],
});
const { output } = await bundle.generate({ format: 'iife' });
process.stdout.write(output[0].code);
