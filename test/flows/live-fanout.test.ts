import { once } from 'node:events';
import { makeApp } from '../../src/app.js';
import { makeLog } from '../../src/base/log.js';
import { SETTINGS, startApp, type TestApp } from '../support/app.js';
import type { Data } from '../support/http.js';
import { begin, dataOf, lines, until, WATCH } from '../support/live.js';
import { makeBoard, makeGame, makeStudio, type Player, type Studio, startSession } from '../support/make.js';
import { submit } from '../support/play.js';
import { TestSocket } from '../support/socket.js';
import { until as untilTrue } from '../support/wait.js';

let app: TestApp;
let studio: Studio;
let game: Data;
let ann: Player;
beforeAll(async () => {
  app = await startApp();
  studio = await makeStudio(app);
  game = await makeGame(studio, { antiCheatEnabled: false });
  ann = await startSession(app, game.id);
});
afterAll(() => app.close());

const play = (boardId: string, value: number, more: Data = {}) =>
  submit(ann, boardId, value, { playerName: 'Ann', ...more });

test('watchers with the same query and rights share one evaluation', async () => {
  const { id } = await makeBoard(studio, game.id, { keepStrategy: 'BEST' });
  const sockets = await Promise.all([
    ...Array.from({ length: 4 }, () => TestSocket.connect(app.url)),
    ...Array.from({ length: 2 }, () => TestSocket.connect(app.url, studio.admin.headers)),
    TestSocket.connect(app.url, ann.client.headers),
    TestSocket.connect(app.url, (await startSession(app, game.id)).client.headers),
  ]);
  const names = ['a', 'b', 'c'];
  const each = async (read: (socket: TestSocket) => Promise<unknown>) => {
    for (const socket of sockets) for (const _ of names) await read(socket);
  };
  for (const socket of sockets) for (const name of names) begin(socket, WATCH, { id }, name);
  await each((socket) => socket.next());
  const before = app.app.live.shown;
  await play(id, 5);
  await each(async (socket) => expect(lines(dataOf(await socket.next()))).toEqual(['1 Ann 5']));
  // Visitors, administrators, clients: three rights.
  expect(app.app.live.shown - before).toBe(3);
  await Promise.all(sockets.map((socket) => socket.close()));
});

test('a slow reader gets fewer messages, and the newest in the end', async () => {
  const { id } = await makeBoard(studio, game.id, { keepStrategy: 'ALL', publicFields: ['METADATA'] });
  const pad = 'x'.repeat(1_000);
  for (let n = 0; n < 30; n += 1) await play(id, n, { metadata: { pad } });
  const query = WATCH.replace('value }', 'value metadata }');
  const slow = await TestSocket.connect(app.url);
  const quick = await TestSocket.connect(app.url);
  const names = Array.from({ length: 45 }, (_, n) => `w${n}`);
  for (const name of names) begin(slow, query, { id, first: 30 }, name);
  for (const _ of names) await slow.next();
  begin(quick, WATCH, { id, first: 30 });
  await quick.next();
  slow.socket.pause();
  let version = 0;
  // Many times what the buffers of the system between the two can take in.
  const STATES = 36;
  for (let n = 0; n < STATES; n += 1) {
    await play(id, 100 + n, { metadata: { pad } });
    ({ version } = await until(quick, ({ entries }) => entries.nodes[0].value === 100 + n));
  }
  slow.socket.resume();
  const newest = new Map<string, number>();
  let messages = 0;
  while (newest.size < names.length || [...newest.values()].some((seen) => seen < version)) {
    const frame = await slow.next();
    expect(dataOf(frame).version).toBeGreaterThan(newest.get(frame.id!) ?? -1);
    newest.set(frame.id!, dataOf(frame).version);
    messages += 1;
  }
  // First the messages in the system's buffers, then the newest of each.
  expect(messages).toBeLessThan((names.length * STATES) / 2);
  await Promise.all([slow.close(), quick.close()]);
});

test('a subscriber gets ticks under load, and changes at once when it is quiet', async () => {
  const { id } = await makeBoard(studio, game.id, { keepStrategy: 'ALL' });
  const socket = await TestSocket.connect(app.url);
  begin(socket, WATCH, { id, first: 1 });
  await socket.next();
  const counted: number[] = [];
  const begun = performance.now();
  const reading = (async () => {
    for (;;) {
      const { totalCount } = dataOf(await socket.next()).entries;
      counted.push(totalCount);
      if (totalCount === 60) return performance.now() - begun;
    }
  })();
  await Promise.all(Array.from({ length: 60 }, (_, n) => play(id, n)));
  const millis = await reading;
  expect(counted).toEqual(counted.toSorted((a, b) => a - b));
  expect(counted.length).toBeLessThanOrEqual(millis / 100 + 2);
  await socket.close();
});

const LISTENERS = `select pid from pg_stat_activity
  where datname = current_database() and application_name = 'leaderboard announcer'`;

test('a lost listener connection is made anew, and missed changes are seen', async () => {
  const { id } = await makeBoard(studio, game.id, { keepStrategy: 'BEST' });
  const log = makeLog('fatal');
  const { database } = app;
  const known = new Set((await database.knex.raw(LISTENERS)).rows.map(({ pid }: Data) => pid));
  const second = await makeApp({
    settings: SETTINGS,
    database,
    clock: app.clock.now,
    log,
    wakeJobs: false,
  });
  const url = `http://127.0.0.1:${await second.listen(0, '127.0.0.1')}`;
  const socket = await TestSocket.connect(url);
  begin(socket, WATCH, { id });
  await socket.next();
  const { rows } = await database.knex.raw(LISTENERS);
  const lost = rows.map(({ pid }: Data) => pid).filter((pid: number) => !known.has(pid));
  expect(lost).toHaveLength(1);
  await database.knex.raw('select pg_terminate_backend(?)', lost);
  await play(id, 1);
  expect(lines(await until(socket, ({ entries }) => entries.totalCount === 1))).toEqual(['1 Ann 1']);
  const now = async () => (await database.knex.raw(LISTENERS)).rows.map(({ pid }: Data) => pid);
  await untilTrue(async () => (await now()).some((pid: number) => !known.has(pid) && !lost.includes(pid)));
  await play(id, 2);
  await until(socket, ({ entries }) => entries.nodes[0].value === 2);
  socket.socket.close();
  await once(socket.socket, 'close');
  await second.close();
});
