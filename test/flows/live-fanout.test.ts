import { once } from 'node:events';
import { makeApp } from '../../src/app.js';
import { uuidOf } from '../../src/base/ids.js';
import { makeLog } from '../../src/base/log.js';
import { SETTINGS, startApp, type TestApp } from '../support/app.js';
import type { Data } from '../support/http.js';
import { begin, lines, RANKS, told, until, WATCH } from '../support/live.js';
import {
  change,
  makeBoard,
  makeGame,
  makeKey,
  makeStudio,
  type Player,
  type Studio,
  startSession,
} from '../support/make.js';
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

test('one evaluation for all who ask the same with the same rights', async () => {
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
  await each(async (socket) => expect(lines(told(await socket.next()))).toEqual(['1 Ann 5']));
  // Visitors, administrators, clients: three rights.
  expect(app.app.live.shown - before).toBe(3);
  await Promise.all(sockets.map((socket) => socket.close()));
});

test('a slow reader is told less, and the newest in the end', async () => {
  const { id } = await makeBoard(studio, game.id, { keepStrategy: 'ALL' });
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
    ({ version } = await until(quick, ({ scores }) => scores.nodes[0].value === 100 + n));
  }
  slow.socket.resume();
  const newest = new Map<string, number>();
  let messages = 0;
  while (newest.size < names.length || [...newest.values()].some((seen) => seen < version)) {
    const frame = await slow.next();
    expect(told(frame).version).toBeGreaterThan(newest.get(frame.id!) ?? -1);
    newest.set(frame.id!, told(frame).version);
    messages += 1;
  }
  // What the system's buffers took in, and then the newest of each.
  expect(messages).toBeLessThan((names.length * STATES) / 2);
  await Promise.all([slow.close(), quick.close()]);
});

test('under load a subscriber is told ticks, at once when it is quiet', async () => {
  const { id } = await makeBoard(studio, game.id, { keepStrategy: 'ALL' });
  const socket = await TestSocket.connect(app.url);
  begin(socket, WATCH, { id, first: 1 });
  await socket.next();
  const counted: number[] = [];
  const begun = performance.now();
  const reading = (async () => {
    for (;;) {
      const { entryCount } = told(await socket.next());
      counted.push(entryCount);
      if (entryCount === 60) return performance.now() - begun;
    }
  })();
  await Promise.all(Array.from({ length: 60 }, (_, n) => play(id, n)));
  const millis = await reading;
  expect(counted).toEqual(counted.toSorted((a, b) => a - b));
  expect(counted.length).toBeLessThanOrEqual(millis / 100 + 2);
  await socket.close();
});

/** Whatever ends a credential, by its name: how the watcher comes, how its right ends, what it is told. */
const ENDS: [string, string, () => Promise<{ headers: Data; end: () => Promise<unknown> }>][] = [
  [
    'a revoked key',
    'INVALID_API_KEY',
    () => keyed((id) => change(app.superadmin, 'ApiKey', id, { status: 'REVOKED' })),
  ],
  [
    'a deleted key',
    'INVALID_API_KEY',
    () => keyed((id) => change(app.superadmin, 'ApiKey', id, { deleted: true })),
  ],
  [
    'a key whose end nobody announced',
    'INVALID_API_KEY',
    () => keyed((id) => app.database.knex('api_keys').where('id', uuidOf(id)).update({ status: 'revoked' })),
  ],
  [
    'a suspended user',
    'USER_SUSPENDED',
    async () => {
      const own = await makeStudio(app);
      const user = await own.admin.data(
        'mutation ($input: CreateUserInput!) { createUser(input: $input) { user { id } } }',
        { input: { accountId: own.accountId, email: 'second@example.com', displayName: 'Second' } },
      );
      const { id } = user.createUser.user;
      const { key } = await makeKey(own.admin, own.accountId, id);
      const headers = { 'service-api-key': key, board: (await boardOf(own)).id };
      return { headers, end: () => change(own.admin, 'User', id, { status: 'SUSPENDED' }) };
    },
  ],
  [
    'a banned device',
    'DEVICE_BLOCKED',
    () => played((p) => change(studio.admin, 'Device', p.session.id, { status: 'BANNED' })),
  ],
  [
    'a suspended device',
    'DEVICE_BLOCKED',
    () => played((p) => change(studio.admin, 'Device', p.session.id, { status: 'SUSPENDED' })),
  ],
  [
    'a revoked session nobody announced',
    'INVALID_TOKEN',
    () =>
      played((p) =>
        app.database
          .knex('device_sessions')
          .where('device_id', uuidOf(p.session.id))
          .update({ status: 'revoked', revoked_at: new Date() }),
      ),
  ],
  [
    'exchanged tokens',
    'INVALID_TOKEN',
    () =>
      played((p) =>
        app.anyone.data(
          'mutation ($token: String!) { refreshDeviceSession(input: { refreshToken: $token }) { expiresIn } }',
          { token: p.session.refreshToken },
        ),
      ),
  ],
  [
    'a deleted player',
    'INVALID_TOKEN',
    () => played((p) => change(studio.admin, 'Identity', p.session.identityId, { deleted: true })),
  ],
  [
    'a suspended account',
    'ACCOUNT_SUSPENDED',
    async () => {
      const own = await makeStudio(app);
      const board = await boardOf(own);
      const { client } = await startSession(app, board.gameId);
      const end = () => change(app.superadmin, 'Account', own.accountId, { status: 'SUSPENDED' });
      return { headers: { ...client.headers, board: board.id }, end };
    },
  ],
];

const boardOf = async (own: Studio) => makeBoard(own, (await makeGame(own)).id, {});

async function keyed(spoil: (keyId: string) => PromiseLike<unknown>) {
  const own = await makeStudio(app);
  const headers = { ...own.admin.headers, board: (await boardOf(own)).id };
  return { headers, end: async () => spoil(own.keyId) };
}

async function played(spoil: (player: Player) => PromiseLike<unknown>) {
  const player = await startSession(app, game.id);
  const { id } = await makeBoard(studio, game.id, {});
  return { headers: { ...player.client.headers, board: id }, end: async () => spoil(player) };
}

test.each(ENDS)(
  '%s is cut within a second, though nothing happens on the board',
  async (_name, code, make) => {
    const { headers, end } = await make();
    const { board, ...credential } = headers;
    const socket = await TestSocket.connect(app.url, credential);
    begin(socket, WATCH, { id: board }, 'one');
    begin(socket, RANKS.replace('$me: Boolean! = false', '$me: Boolean! = true'), { id: board }, 'two');
    const first = [await socket.next(), await socket.next()];
    const running = first.filter(({ type }) => type === 'next').length;
    await end();
    const ended = performance.now();
    for (let n = 0; n < running; n += 1) {
      const frame = await socket.next();
      expect([frame.type, frame.payload[0].extensions.code]).toEqual(['error', code]);
    }
    expect((await socket.closed).code).toBe(4401);
    expect(performance.now() - ended).toBeLessThan(2_500);
  },
);

test('a token that runs out while it watches is cut', async () => {
  const { id } = await makeBoard(studio, game.id, {});
  const player = await startSession(app, game.id);
  const socket = await TestSocket.connect(app.url, player.client.headers);
  begin(socket, WATCH, { id });
  await socket.next();
  app.clock.advance((SETTINGS.accessTokenSeconds + 1) * 1_000);
  expect((await socket.next()).payload[0].extensions.code).toBe('INVALID_TOKEN');
  await socket.closed;
  ann = await startSession(app, game.id);
});

test('visitors of a board whose account is suspended are cut; watchers of a deleted game, too', async () => {
  const own = await makeStudio(app);
  const board = await boardOf(own);
  const visitor = await TestSocket.connect(app.url);
  begin(visitor, WATCH, { id: board.id });
  await visitor.next();
  await change(app.superadmin, 'Account', own.accountId, { status: 'SUSPENDED' });
  expect((await visitor.next()).payload[0].extensions.code).toBe('NOT_FOUND');
  await visitor.close();
  const other = await makeGame(studio);
  const { id } = await makeBoard(studio, other.id, {});
  const admin = await TestSocket.connect(app.url, studio.admin.headers);
  begin(admin, WATCH, { id });
  await admin.next();
  await change(studio.admin, 'Game', other.id, { deleted: true });
  expect((await admin.next()).payload[0].extensions.code).toBe('NOT_FOUND');
  await admin.close();
});

const LISTENERS = `select pid from pg_stat_activity
  where datname = current_database() and application_name = 'leaderboard changes'`;

test('a listener’s connection that is lost is made anew, and what was missed is seen', async () => {
  const { id } = await makeBoard(studio, game.id, { keepStrategy: 'BEST' });
  const log = makeLog('fatal');
  const { database } = app;
  const known = new Set((await database.knex.raw(LISTENERS)).rows.map(({ pid }: Data) => pid));
  const second = await makeApp({
    settings: SETTINGS,
    database,
    clock: app.clock.now,
    log,
    ringForJobs: false,
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
  expect(lines(await until(socket, ({ entryCount }) => entryCount === 1))).toEqual(['1 Ann 1']);
  const now = async () => (await database.knex.raw(LISTENERS)).rows.map(({ pid }: Data) => pid);
  await untilTrue(async () => (await now()).some((pid: number) => !known.has(pid) && !lost.includes(pid)));
  await play(id, 2);
  await until(socket, ({ scores }) => scores.nodes[0].value === 2);
  socket.socket.close();
  await once(socket.socket, 'close');
  await second.close();
});
