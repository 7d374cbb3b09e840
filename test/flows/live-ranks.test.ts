import { startApp, type TestApp } from '../support/app.js';
import { flag, review } from '../support/flags.js';
import type { Data } from '../support/http.js';
import { begin, dataOf, lines, OVERTAKEN, RANKS, until, WATCH } from '../support/live.js';
import {
  change,
  makeBoard,
  makeGame,
  makeStudio,
  type Player,
  type Studio,
  startSession,
} from '../support/make.js';
import { submit } from '../support/play.js';
import { TestSocket } from '../support/socket.js';

let app: TestApp;
let studio: Studio;
let game: Data;
let ann: Player;
let bob: Player;
let cid: Player;
beforeAll(async () => {
  app = await startApp();
  studio = await makeStudio(app);
  game = await makeGame(studio);
  ann = await startSession(app, game.id);
  bob = await startSession(app, game.id);
  cid = await startSession(app, game.id);
});
afterAll(() => app.close());

/** The event that a score stands on, as administrators see it. */
const eventOf = async (scoreId: string): Promise<string> =>
  (await studio.admin.data('query ($id: ID!) { score(id: $id) { scoreEventId } }', { id: scoreId })).score
    .scoreEventId;

const idOf = ({ session }: Player): string => session.identityId;
const play = (player: Player, boardId: string, value: number, playerName: string) =>
  submit(player, boardId, value, { playerName });

test('a player gets its rank, the previous one and its neighbour, also when others move it', async () => {
  const { id } = await makeBoard(studio, game.id, { keepStrategy: 'BEST' });
  const socket = await TestSocket.connect(app.url, ann.client.headers);
  begin(socket, RANKS, { id, identityIds: ['me'] });
  expect(dataOf(await socket.next())).toEqual({
    version: 0,
    identityId: idOf(ann),
    ...{ entry: null, previousRank: null, totalCount: 0, nextAbove: null, gapToNext: null },
  });
  await play(ann, id, 10, 'Ann');
  expect(dataOf(await socket.next())).toMatchObject({
    entry: { rank: 1, value: 10 },
    previousRank: null,
    totalCount: 1,
  });
  await play(bob, id, 25, 'Bob');
  expect(dataOf(await socket.next())).toMatchObject({
    ...{ entry: { rank: 2, value: 10, playerName: 'Ann' }, previousRank: 1, totalCount: 2 },
    ...{ nextAbove: { rank: 1, value: 25, playerName: 'Bob' }, gapToNext: 15 },
  });
  // Below her: nothing that concerns her. The next message is of the change after it.
  await play(cid, id, 5, 'Cid');
  await play(bob, id, 26, 'Bob');
  expect(dataOf(await socket.next())).toMatchObject({
    ...{ entry: { rank: 2 }, previousRank: 2, nextAbove: { value: 26 } },
  });
  await change(studio.admin, 'Identity', idOf(bob), { displayName: 'Robert', nameLocked: false });
  expect(dataOf(await socket.next())).toMatchObject({
    entry: { rank: 2 },
    nextAbove: { value: 26, playerName: 'Robert' },
  });
  await play(ann, id, 30, 'Ann');
  expect(dataOf(await socket.next())).toMatchObject({
    ...{ entry: { rank: 1 }, previousRank: 2, nextAbove: null },
  });
  await socket.close();
});

test('fields that are read from the database are the newest, beside other watchers of the board', async () => {
  const { id } = await makeBoard(studio, game.id, { keepStrategy: 'BEST' });
  await play(ann, id, 10, 'Ann');
  await play(bob, id, 9, 'Bob');
  const withIdentity = RANKS.replace('version', 'version identity { id }');
  const sockets: TestSocket[] = [];
  for (const player of [ann, bob]) {
    const socket = await TestSocket.connect(app.url, studio.admin.headers);
    begin(socket, withIdentity, { id, identityIds: [idOf(player)] });
    await socket.next();
    sockets.push(socket);
  }
  for (const value of [11, 12]) {
    await play(value === 11 ? cid : await startSession(app, game.id), id, value, 'Ahead');
    const moved = value - 10;
    for (const [i, socket] of sockets.entries()) {
      const state = dataOf(await socket.next());
      expect(state).toMatchObject({
        ...{ entry: { rank: 1 + i + moved }, previousRank: i + moved, totalCount: 2 + moved },
      });
    }
  }
  for (const socket of sockets) await socket.close();
});

test('a subscription to several players sends one message each; visitors get no identities', async () => {
  const { id } = await makeBoard(studio, game.id, { keepStrategy: 'BEST' });
  await play(ann, id, 1, 'Ann');
  await play(bob, id, 2, 'Bob');
  const identityIds = [idOf(ann), idOf(bob)];
  const withIdentity = RANKS.replace('version', 'version identity { displayName }');
  for (const [headers, name] of [
    [studio.admin.headers, 'Ann'],
    [{}, undefined],
  ] as const) {
    const socket = await TestSocket.connect(app.url, headers);
    begin(socket, withIdentity, { id, identityIds });
    const first = [dataOf(await socket.next()), dataOf(await socket.next())];
    expect(new Map(first.map(({ identityId, entry }) => [identityId, entry.rank]))).toEqual(
      new Map([
        [idOf(ann), 2],
        [idOf(bob), 1],
      ]),
    );
    const shown = first.find(({ identityId }) => identityId === idOf(ann)).identity;
    expect(shown?.displayName).toBe(name);
    await socket.close();
  }
});

test('a window stays around a player or a score wherever it moves; from the top while it is not ranked', async () => {
  const { id } = await makeBoard(studio, game.id, { keepStrategy: 'BEST' });
  const crowd = await Promise.all(Array.from({ length: 6 }, () => startSession(app, game.id)));
  for (const [i, player] of crowd.entries()) await play(player, id, 10 * (i + 1), `P${i + 1}`);
  const socket = await TestSocket.connect(app.url, ann.client.headers);
  begin(socket, WATCH, { id, around: { identityId: 'me' } });
  expect(lines(dataOf(await socket.next()))).toEqual(['1 P6 60', '2 P5 50', '3 P4 40']);
  const { score } = await play(ann, id, 15, 'Ann');
  expect(lines(dataOf(await socket.next()))).toEqual(['5 P2 20', '6 Ann 15', '7 P1 10']);
  await play(ann, id, 45, 'Ann');
  expect(lines(dataOf(await socket.next()))).toEqual(['2 P5 50', '3 Ann 45', '4 P4 40']);
  begin(socket, WATCH, { id, around: { scoreId: score.id }, first: 1 }, 'score');
  expect(lines(dataOf(await socket.next()))).toEqual(['3 Ann 45']);
  await socket.close();
});

test.each([
  { keepStrategy: 'BEST' },
  { keepStrategy: 'LAST' },
  { keepStrategy: 'ALL' },
  { boardType: 'COUNTER' },
])('the feed names exactly the players who passed: %j', async (rules) => {
  const { id } = await makeBoard(studio, game.id, rules);
  await play(cid, id, 50, 'Cid');
  await play(ann, id, 10, 'Ann');
  await play(bob, id, 5, 'Bob');
  const socket = await TestSocket.connect(app.url, ann.client.headers);
  begin(socket, OVERTAKEN, { id });
  expect(dataOf(await socket.next())).toMatchObject({
    ...{ entry: { rank: 2 }, previousRank: null, count: 0, by: [] },
  });
  // Cid was above her before, and moves on above her.
  await play(cid, id, 60, 'Cid');
  await play(bob, id, 20, 'Bob');
  const event = dataOf(await socket.next());
  expect(event).toMatchObject({
    entry: { value: 10 },
    count: 1,
    by: [{ playerName: 'Bob', identityId: idOf(bob) }],
  });
  expect(event.previousRank).toBeLessThan(event.entry.rank);
  expect(event.by[0].rank).toBeLessThan(event.entry.rank);
  await socket.close();
});

test('a review that leaves a run in its place passes no player; one that brings it back does', async () => {
  const { id } = await makeBoard(studio, game.id, { keepStrategy: 'BEST' });
  await play(cid, id, 50, 'Cid');
  const { score } = await play(bob, id, 40, 'Bob');
  await play(ann, id, 10, 'Ann');
  const socket = await TestSocket.connect(app.url, ann.client.headers);
  begin(socket, OVERTAKEN, { id });
  expect(dataOf(await socket.next())).toMatchObject({ entry: { rank: 3 }, count: 0 });
  const raised = await flag(studio.admin, await eventOf(score.id));
  await review(studio.admin, raised.id, { status: 'DISMISSED' });
  // Only Cid has moved, above her before and after; the next message is of a later state.
  await play(cid, id, 60, 'Cid');
  const again = await flag(studio.admin, await eventOf(score.id));
  await review(studio.admin, again.id, { status: 'CONFIRMED_CHEAT' });
  const ranks = await TestSocket.connect(app.url, ann.client.headers);
  begin(ranks, RANKS, { id, identityIds: ['me'] });
  await until(ranks, ({ entry }) => entry?.rank === 2);
  await review(studio.admin, again.id, { status: 'DISMISSED' });
  const event = dataOf(await socket.next());
  expect(event).toMatchObject({
    entry: { rank: 3 },
    previousRank: 2,
    count: 1,
    by: [{ rank: 2, playerName: 'Bob' }],
  });
  await Promise.all([socket.close(), ranks.close()]);
});

test('the feed names the players who passed on a ratio board', async () => {
  const [kills, deaths] = [
    await makeBoard(studio, game.id, { boardType: 'COUNTER' }),
    await makeBoard(studio, game.id, { boardType: 'COUNTER' }),
  ];
  const scores: [Player, string, number, number][] = [
    [cid, 'Cid', 50, 10],
    [ann, 'Ann', 20, 10],
    [bob, 'Bob', 10, 10],
  ];
  for (const [player, name, n, d] of scores) {
    await play(player, kills.id, n, name);
    await play(player, deaths.id, d, name);
  }
  const ratioConfig = { numeratorBoardId: kills.id, denominatorBoardId: deaths.id };
  const { id } = await makeBoard(studio, game.id, { boardType: 'RATIO', ratioConfig });
  const socket = await TestSocket.connect(app.url, ann.client.headers);
  begin(socket, OVERTAKEN, { id });
  expect(await until(socket, ({ entry }) => entry?.rank === 2)).toMatchObject({ count: 0 });
  await play(cid, kills.id, 5, 'Cid');
  await play(bob, kills.id, 20, 'Bob');
  const event = await until(socket, ({ count }) => count > 0);
  expect(event).toMatchObject({
    entry: { rank: 3 },
    previousRank: 2,
    count: 1,
    by: [{ rank: 2, playerName: 'Bob' }],
  });
  await socket.close();
});

test('test sessions watch the test population, which production never sees', async () => {
  const { id } = await makeBoard(studio, game.id, { keepStrategy: 'BEST' });
  const tester = await startSession(app, game.id, { testMode: true });
  await play(tester, id, 9, 'Tess');
  await play(ann, id, 1, 'Ann');
  const socket = await TestSocket.connect(app.url, tester.client.headers);
  begin(socket, RANKS, { id, identityIds: ['me'] });
  expect(dataOf(await socket.next())).toMatchObject({ entry: { rank: 1, value: 9 }, totalCount: 1 });
  begin(socket, WATCH, { id, isTest: true }, 'test');
  expect(lines(dataOf(await socket.next()))).toEqual(['1 Tess 9']);
  await socket.close();
  const visitor = await TestSocket.connect(app.url);
  begin(visitor, WATCH, { id, isTest: true });
  expect((await visitor.next()).payload[0].extensions.code).toBe('FORBIDDEN');
  await visitor.close();
});

test('a watcher that began while the database was away gets the state when it is back', async () => {
  const { id } = await makeBoard(studio, game.id, { keepStrategy: 'BEST' });
  await play(ann, id, 10, 'Ann');
  const first = await TestSocket.connect(app.url, ann.client.headers);
  begin(first, RANKS, { id, identityIds: ['me'] });
  expect(dataOf(await first.next())).toMatchObject({ entry: { rank: 1 } });
  const second = await TestSocket.connect(app.url, ann.client.headers);
  const { pool } = app.database;
  const query = pool.query;
  let lost = 0;
  // The connections of first statements of rounds are lost; everything else reaches the database.
  pool.query = ((...args: Parameters<typeof query>) => {
    if ((args[0] as unknown as { name?: string }).name === 'watchable_boards' && lost < 4) {
      lost += 1;
      return Promise.reject(new Error('Connection terminated unexpectedly'));
    }
    return query.apply(pool, args);
  }) as typeof query;
  begin(second, RANKS, { id, identityIds: ['me'] });
  expect(dataOf(await second.next())).toMatchObject({ entry: { rank: 1, value: 10 } });
  expect(lost).toBe(4);
  pool.query = query;
  await Promise.all([first, second].map((socket) => socket.close()));
});
