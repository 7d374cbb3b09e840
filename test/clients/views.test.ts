import { startApp, type TestApp } from '../support/app.js';
import type { Data } from '../support/http.js';
import { makeBoard, makeGame, makeStudio } from '../support/make.js';

// Its sources know the browser, which types of the service's tests do not.
const { Leaderboard } = require('../../clients/typescript/src/client.js') as {
  Leaderboard: new (options: Data) => Data;
};
const { viewsOf } = require('../../clients/typescript/src/views.js') as {
  viewsOf: (leaderboard: Data, boardId: string) => Data;
};

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

test('a game reads views, periods, groups and the places of its player', async () => {
  const studio = await makeStudio(app);
  const game = await makeGame(studio);
  const { id } = await makeBoard(studio, game.id, {
    keepStrategy: 'BEST',
    dimensions: [{ name: 'class' }],
    views: [
      { name: 'weekly', period: 'WEEK' },
      { name: 'class', by: ['class'] },
    ],
  });
  const players = ['Ann', 'Bob'].map(
    (playerName) =>
      new Leaderboard({
        ...{ url: app.url, gameId: game.id, playerName, device: playerName },
        standings: playerName === 'Ann',
      }),
  );
  const [ann, bob] = players;
  const run = await ann.submit({ boardId: id, value: 50, tags: { class: 'mage' } });
  expect(run.standings).toMatchObject([
    { view: 'weekly', rank: 1, previousRank: null, improved: true },
    { view: 'class', where: { class: 'mage' }, total: 1 },
  ]);
  const { status, standings: none } = await bob.submit({ boardId: id, value: 70 });
  expect([status, none]).toEqual(['ranked', undefined]);
  const views = viewsOf(ann, id);
  expect((await views.list()).map(({ name }: Data) => name)).toEqual(['weekly', 'class']);
  const week = await views.scores({ view: 'weekly', limit: 1 });
  const pages: string[][] = [];
  for await (const { items } of week) pages.push(items.map(({ playerName }: Data) => playerName));
  expect(pages).toEqual([['Bob'], ['Ann']]);
  expect(await views.ownScore({ view: 'class', where: { class: 'mage' } })).toMatchObject({ rank: 1 });
  expect(await viewsOf(bob, id).ownScore({ view: 'class', where: { class: 'mage' } })).toBeNull();
  const { mine, items } = await views.around({ view: 'weekly' });
  expect([mine.rank, items.length]).toEqual([2, 2]);
  const standings = await views.standings();
  expect(standings.map(({ view, rank, total }: Data) => [view, rank, total])).toEqual([
    ['weekly', 2, 2],
    ['class', 1, 1],
  ]);
  const { value: periods } = await views.periods('weekly').next();
  expect(periods.items).toMatchObject([{ state: 'open', total: 2 }]);
  const { value: groups } = await views.groups('class').next();
  expect(groups.items).toMatchObject([{ key: 'mage', total: 1 }]);
  await Promise.all(players.map((player) => player.close()));
});
