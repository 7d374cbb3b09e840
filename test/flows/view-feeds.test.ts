import type pg from 'pg';
import { type App, makeApp } from '../../src/app.js';
import { makeLog } from '../../src/base/log.js';
import { Announcer } from '../../src/db/announcer/announcer.js';
import { Changes } from '../../src/db/changes.js';
import type { Database } from '../../src/db/pool.js';
import { SETTINGS, startApp, type TestApp } from '../support/app.js';
import type { TestDatabase } from '../support/database.js';
import { makePlayer } from '../support/flags.js';
import { Dice } from '../support/hostile/dice.js';
import { Caller, type Data } from '../support/http.js';
import { begin, until, WATCH } from '../support/live.js';
import { change, makeBoard, makeGame, makeStudio, type Studio } from '../support/make.js';
import { TestSocket } from '../support/socket.js';

// Watchers of views, in a process beside the one that takes the submissions.

let app: TestApp;
let studio: Studio;
let game: Data;
let clone: TestDatabase;
let second: App;
let secondUrl: string;
let secondDatabase: Database;
/** Names of the statements that the second process has sent. */
const sent: string[] = [];

beforeAll(async () => {
  app = await startApp({}, {}, (made) => {
    clone = made;
    return made.open();
  });
  studio = await makeStudio(app);
  game = await makeGame(studio, { antiCheatEnabled: false });
  secondDatabase = clone.open();
  secondDatabase.pool.on('connect', (client) => {
    const query = client.query.bind(client) as (...all: unknown[]) => unknown;
    client.query = ((...all: unknown[]) => {
      sent.push((all[0] as pg.QueryConfig).name ?? '');
      return query(...all);
    }) as typeof client.query;
  });
  const options = {
    settings: SETTINGS,
    database: secondDatabase,
    clock: app.clock.now,
    log: makeLog('fatal'),
  };
  second = await makeApp({ ...options, wakeJobs: false });
  secondUrl = `http://127.0.0.1:${await second.listen(0, '127.0.0.1')}`;
});
afterAll(async () => {
  await second.close();
  await app.close();
});

const VIEWS = [
  { name: 'country', by: ['country'] },
  { name: 'weekly_country', period: 'WEEK', by: ['country'], tiePolicy: 'DENSE' },
];
const board = () => makeBoard(studio, game.id, { keepStrategy: 'BEST', views: VIEWS });
const play = async (boardId: string, identity: string, country: string, value: number, url = app.url) => {
  const { status } = await new Caller(url, studio.admin.headers).post('/v1/score-events', {
    ...{ board_id: boardId, identity_id: identity, value, country, player_name: identity.slice(-6) },
  });
  expect(status).toBe(201);
};

const WINDOW = `subscription ($id: ID!, $view: String!, $where: [TagInput!]) {
  boardChanged(boardId: $id, view: $view, where: $where, first: 5) {
    version ranking { periodKey totalCount } entries { totalCount nodes { rank displayRank identityId value } } } }`;
const RANK = `subscription ($id: ID!, $identityIds: [ID!]!, $where: [TagInput!]) {
  rankChanged(boardId: $id, view: "country", where: $where, identityIds: $identityIds) { version entry { rank value } totalCount } }`;

const readsOfViews = () => sent.filter((name) => /^view_(windows|watched|standing)/.test(name)).length;

test('a view is read after changes of its ranking alone, and misses none of them', async () => {
  const { id } = await board();
  const [ann, bob] = [
    await makePlayer(studio.admin, game.id, 'ann'),
    await makePlayer(studio.admin, game.id, 'bob'),
  ];
  await play(id, ann, 'DE', 1);
  const whole = await TestSocket.connect(secondUrl);
  begin(whole, WATCH, { id });
  await until(whole, ({ entries }) => entries.totalCount === 1);
  const german = await TestSocket.connect(secondUrl);
  begin(german, WINDOW, { id, view: 'country', where: [{ name: 'country', value: 'DE' }] });
  await until(german, ({ entries }) => entries.totalCount === 1);
  const rank = await TestSocket.connect(secondUrl, studio.admin.headers);
  begin(rank, RANK, { id, identityIds: [ann], where: [{ name: 'country', value: 'DE' }] });
  await until(rank, (event) => event.entry?.rank === 1);
  // It begins with its first submission.
  const swedish = await TestSocket.connect(secondUrl);
  begin(swedish, WINDOW, { id, view: 'country', where: [{ name: 'country', value: 'SE' }] });
  await until(swedish, ({ entries }) => entries.totalCount === 0);

  const before = readsOfViews();
  const FOREIGN = 18;
  for (let value = 2; value < 2 + FOREIGN; value += 1) {
    await play(id, bob, 'FR', value, value % 2 ? app.url : secondUrl);
    await until(whole, ({ entries }) => entries.nodes[0].value === value);
  }
  // A slow machine may take a late announcement for a lost one.
  expect(readsOfViews() - before).toBeLessThan(FOREIGN / 3);

  await play(id, bob, 'SE', 50);
  const first = await until(swedish, ({ entries }) => entries.totalCount === 1);
  expect(first.entries.nodes).toMatchObject([{ rank: 1, identityId: bob, value: 50 }]);
  for (let value = 60; value < 66; value += 1) {
    await play(id, bob, 'FR', value);
    await play(id, ann, 'DE', value, value % 2 ? app.url : secondUrl);
    await until(german, ({ entries }) => entries.nodes[0].value === value);
    await until(rank, (event) => event.entry?.value === value);
  }
  // A process of the version before names the board alone.
  const old = new Announcer(app.database.connectionString, new Changes(), makeLog('silent'));
  await old.start();
  const known = readsOfViews();
  // A change of entries that is no submission.
  await app.database.knex.transaction(async (trx) => {
    await trx('entries').update({ player_name: 'Renamed' });
    const next = trx.raw('version + 1');
    await trx('board_rankings').update({ version: next, derived_version: next });
  });
  old.announce(id);
  await until(whole, ({ entries }) => entries.nodes[0].playerName === 'Renamed');
  await until(german, ({ version }) => version > 1);
  expect(readsOfViews()).toBeGreaterThan(known);
  await old.close();
  await Promise.all([whole, german, swedish, rank].map((socket) => socket.close()));
});

const LIST = `query ($id: ID!, $view: String!, $where: [TagInput!]) { board(by: { id: $id }) { ranking(view: $view, where: $where) {
  entries(first: 5) { totalCount nodes { rank displayRank identityId value } } } } }`;

test('followed windows are the lists of their views', async () => {
  const dice = new Dice(1);
  const { id } = await board();
  const players = await Promise.all(
    Array.from({ length: 5 }, (_, i) => makePlayer(studio.admin, game.id, `player ${i}`)),
  );
  const windows = ['DE', 'FR'].flatMap((country) => [
    { view: 'country', where: [{ name: 'country', value: country }] },
    { view: 'weekly_country', where: [{ name: 'country', value: country }] },
  ]);
  const sockets = await Promise.all(windows.map(() => TestSocket.connect(secondUrl)));
  const shown = windows.map((window, i) => {
    begin(sockets[i]!, WINDOW, { id, ...window });
    return undefined as Data | undefined;
  });
  const deleted = new Set<string>();
  for (let step = 0; step < 16; step += 1) {
    // Several at once: announcements of two processes are joined and late.
    await Promise.all(
      players.map(async (player) => {
        if (dice.chance(0.1)) {
          const isBack = deleted.delete(player);
          if (!isBack) deleted.add(player);
          await change(studio.admin, 'Identity', player, { deleted: !isBack });
        } else if (!deleted.has(player)) {
          await play(
            id,
            player,
            dice.pick(['DE', 'FR', 'SE']),
            dice.below(40),
            dice.pick([app.url, secondUrl]),
          );
        }
      }),
    );
    if (dice.chance(0.1)) app.clock.advance(86_400_000);
    for (const [i, window] of windows.entries()) {
      const { entries } = (await studio.admin.data(LIST, { id, ...window })).board.ranking;
      const isTrue = (event: Data | undefined) => JSON.stringify(event?.entries) === JSON.stringify(entries);
      if (!isTrue(shown[i])) shown[i] = await until(sockets[i]!, isTrue);
    }
  }
  await Promise.all(sockets.map((socket) => socket.close()));
});
