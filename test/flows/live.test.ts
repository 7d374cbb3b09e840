import type { QueryConfig } from 'pg';
import { makeApp } from '../../src/app.js';
import { makeLog } from '../../src/base/log.js';
import type { Queryable } from '../../src/db/pool.js';
import { ownRanking } from '../../src/rankings/address.js';
import { watchedWindow } from '../../src/scores/feeds/window-source.js';
import { scoreReads } from '../../src/scores/loaders.js';
import { SETTINGS, startApp, type TestApp } from '../support/app.js';
import type { Data } from '../support/http.js';
import { change, makeBoard, makeGame, makeStudio, type Studio, startSession } from '../support/make.js';
import { submit } from '../support/play.js';
import { type Frame, TestSocket } from '../support/socket.js';
import { patience } from '../support/wait.js';

let app: TestApp;
let studio: Studio;
let game: Data;
beforeAll(async () => {
  app = await startApp();
  studio = await makeStudio(app);
  game = await makeGame(studio);
});
afterAll(() => app.close());

const WATCH = `subscription ($id: ID!, $first: Int! = 3) {
  boardChanged(boardId: $id, first: $first) { boardId version board { name } entries { totalCount nodes { rank playerName
    value score { deviceId } } } } }`;

function watch(socket: TestSocket, id: string, name = 'watch'): void {
  socket.send({ type: 'subscribe', id: name, payload: { query: WATCH, variables: { id } } });
}

const top = (frame: Frame) =>
  frame.payload.data.boardChanged.entries.nodes.map(
    (node: Data) => `${node.rank} ${node.playerName} ${node.value}`,
  );

/** Reads messages until one meets the condition; a state may come more than once, never an older one. */
async function until(socket: TestSocket, holds: (frame: Frame) => boolean): Promise<Frame> {
  let version = -1;
  const inTime = patience(`${holds}`);
  for (;;) {
    inTime();
    const frame = await socket.next();
    if (frame.type !== 'next') throw new Error(JSON.stringify(frame));
    const seen = frame.payload.data?.boardChanged.version;
    expect(seen).toBeGreaterThan(version);
    version = seen;
    if (holds(frame)) return frame;
  }
}

test('a subscription sends the present state at once, then the newest one after every change', async () => {
  const board = await makeBoard(studio, game.id, { keepStrategy: 'BEST' });
  const [ann, bob] = [await startSession(app, game.id), await startSession(app, game.id)];
  await submit(ann, board.id, 5, { playerName: 'Ann' });
  const socket = await TestSocket.connect(app.url, studio.admin.headers);
  watch(socket, board.id);
  const first = await socket.next();
  expect(top(first)).toEqual(['1 Ann 5']);
  expect(first.payload.data.boardChanged).toMatchObject({
    boardId: board.id,
    entries: { totalCount: 1 },
    board: { name: board.name },
  });
  await submit(bob, board.id, 7, { playerName: 'Bob' });
  const second = await until(socket, (frame) => top(frame).length === 2);
  expect(top(second)).toEqual(['1 Bob 7', '2 Ann 5']);
  for (let i = 0; i < 40; i += 1) await submit(ann, board.id, 10 + i, { playerName: 'Ann' });
  await until(socket, (frame) => top(frame)[0] === '1 Ann 49');
  await socket.close();
});

test('clients watch their own game, visitors published boards', async () => {
  const open = await makeBoard(studio, game.id, {});
  const hidden = await makeBoard(studio, game.id, { isPublished: false });
  const player = await startSession(app, game.id);
  await submit(player, open.id, 1);
  const client = await TestSocket.connect(app.url, player.client.headers);
  watch(client, hidden.id);
  expect((await client.next()).payload.data.boardChanged.entries.nodes).toEqual([]);
  watch(client, open.id, 'open');
  expect((await client.next()).payload.data.boardChanged.entries.nodes[0]).toMatchObject({
    value: 1,
    score: { deviceId: null },
  });
  await client.close();

  const visitor = await TestSocket.connect(app.url);
  watch(visitor, open.id);
  expect((await visitor.next()).payload.data.boardChanged.entries.totalCount).toBe(1);
  watch(visitor, hidden.id, 'hidden');
  expect(JSON.stringify(await visitor.next())).toContain('NOT_FOUND');
  await visitor.close();

  const stranger = await makeStudio(app);
  const other = await TestSocket.connect(app.url, stranger.admin.headers);
  watch(other, hidden.id);
  expect(JSON.stringify((await other.next()).payload)).toContain('FORBIDDEN');
  watch(other, 'brd_nonsense', 'bad');
  expect(JSON.stringify((await other.next()).payload)).toContain('VALIDATION_FAILED');
  await other.close();
});

test('a submission through one process reaches the subscribers of another', async () => {
  const board = await makeBoard(studio, game.id, { keepStrategy: 'BEST' });
  const database = app.database;
  const log = makeLog('fatal');
  const second = await makeApp({
    settings: SETTINGS,
    database,
    clock: app.clock.now,
    log,
    wakeJobs: false,
  });
  const url = `http://127.0.0.1:${await second.listen(0, '127.0.0.1')}`;
  const socket = await TestSocket.connect(url, studio.admin.headers);
  watch(socket, board.id);
  await socket.next();
  const player = await startSession(app, game.id);
  await submit(player, board.id, 3);
  expect(top(await until(socket, (frame) => top(frame).length === 1))).toEqual(['1 Ann 3']);
  await change(studio.admin, 'Board', board.id, { name: 'Renamed' });
  await until(socket, (frame) => frame.payload.data.boardChanged.board.name === 'Renamed');
  await socket.close();
  await second.close();
});

test('a change whose announcement was lost is seen from the version', async () => {
  const board = await makeBoard(studio, game.id, { keepStrategy: 'BEST' });
  const socket = await TestSocket.connect(app.url, studio.admin.headers);
  watch(socket, board.id);
  await socket.next();
  // As another process does that is killed between its commit and its announcement.
  await app.database.knex.raw('update board_rankings set version = version + 1 where board_id = ?', [
    board.id.slice(4),
  ]);
  const frame = await socket.next();
  expect(frame.payload.data.boardChanged.version).toBeGreaterThan(0);
  await socket.close();
});

test('no change is sent before its commit', async () => {
  const board = await makeBoard(studio, game.id, { keepStrategy: 'BEST' });
  const socket = await TestSocket.connect(app.url, studio.admin.headers);
  watch(socket, board.id);
  const before = (await socket.next()).payload.data.boardChanged.version;
  const writing = await app.database.knex.transaction();
  await writing.raw('update board_rankings set version = version + 1 where board_id = ?', [
    board.id.slice(4),
  ]);
  app.changes.mark(board.id);
  // A new subscriber has the board read once more, and gets its message after the others.
  watch(socket, board.id, 'second');
  expect(await socket.next()).toMatchObject({
    id: 'second',
    payload: { data: { boardChanged: { version: before } } },
  });
  await writing.commit();
  app.changes.mark(board.id);
  const frames = [await socket.next(), await socket.next()];
  expect(frames.map(({ payload }) => payload.data.boardChanged.version)).toEqual([before + 1, before + 1]);
  expect(frames.map(({ id }) => id).toSorted()).toEqual(['second', 'watch']);
  await socket.close();
});

test('the end of a board ends its feed with an error', async () => {
  const board = await makeBoard(studio, game.id, { keepStrategy: 'BEST' });
  const socket = await TestSocket.connect(app.url, studio.admin.headers);
  watch(socket, board.id);
  await socket.next();
  await change(studio.admin, 'Board', board.id, { deleted: true });
  const frame = await socket.next();
  expect(JSON.stringify(frame.payload)).toContain('NOT_FOUND');
  await socket.close();
});

/** The app's database, in which a player moves after the first statement was answered. */
function movedAfter(move: () => Promise<unknown>): Queryable {
  let moved = false;
  const query = async (asked: QueryConfig) => {
    const answered = await app.database.pool.query(asked);
    if (!moved) {
      moved = true;
      await move();
    }
    return answered;
  };
  return { query: query as Queryable['query'] };
}

test('a window around a player who moves or arrives while it is read is sent at the new place', async () => {
  const board = await makeBoard(studio, game.id, { keepStrategy: 'BEST' });
  const [ann, bob, cid] = await Promise.all([1, 2, 3].map(() => startSession(app, game.id)));
  const play = (player: typeof ann, value: number, playerName: string) =>
    submit(player!, board.id, value, { playerName });
  await play(bob, 20, 'Bob');
  await play(cid, 10, 'Cid');
  const around = ann!.session.identityId;
  const window = async (value: number) => {
    const pool = movedAfter(() => play(ann, value, 'Ann'));
    const watched = { isTest: false, first: 1, around, rights: 'admin' as const };
    const { page } = await watchedWindow(scoreReads(pool), ownRanking(board.id), watched);
    return page.nodes.map(({ rank, playerName, value }) => `${rank} ${playerName} ${value}`);
  };
  expect(await window(5)).toEqual(['3 Ann 5']);
  expect(await window(15)).toEqual(['2 Ann 15']);
});
