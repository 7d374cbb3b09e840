import { makeLog } from '../../src/base/log.js';
import { Announcer } from '../../src/db/announcer/announcer.js';
import { Changes } from '../../src/db/changes.js';
import { verifyBoard } from '../../src/rankings/upkeep/verify.js';
import { startApp, type TestApp } from '../support/app.js';
import type { Answer, Data } from '../support/http.js';
import { makeBoard, makeGame, makeStudio, type Player, type Studio, startSession } from '../support/make.js';
import { post, takeNonce } from '../support/play.js';
import { SilentProxy } from '../support/silent-proxy.js';
import { until } from '../support/wait.js';

// The network between service and Postgres falls silent: nothing is refused, nothing closed, and nothing comes.

const TIMEOUT_SECONDS = 2;
/** A statement, its outcome looked for, a connection for that. Well below what a caller that is never answered waits. */
const SOON_MS = 25_000;

let proxy: SilentProxy;
let app: TestApp;
let studio: Studio;
let boards: string[];
let players: Player[];

beforeAll(async () => {
  app = await startApp({}, {}, async (clone) => {
    proxy = await SilentProxy.before(clone.connectionString);
    return clone.open(proxy.connectionString, TIMEOUT_SECONDS);
  });
  studio = await makeStudio(app);
  const { id } = await makeGame(studio, { antiCheatEnabled: false });
  boards = [];
  for (let i = 0; i < 3; i += 1) boards.push((await makeBoard(studio, id, { keepStrategy: 'ALL' })).id);
  players = [];
  for (let i = 0; i < 6; i += 1) players.push(await startSession(app, id));
});
afterAll(() => app.close().finally(() => proxy.close()));

const ready = async () => (await app.anyone.get('/health/ready')).status;

async function soon<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('not answered in time')), SOON_MS);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

const outcome = ({ status, headers, body }: Answer<Data>) => [
  status,
  body.code ?? body.errors?.[0].extensions.code,
  headers.get('retry-after'),
];
const UNAVAILABLE = [503, 'UNAVAILABLE', '1'];

test('when the database falls silent, requests end with 503, readiness fails, and nothing is lost or doubled', async () => {
  const runs = await Promise.all(
    players.flatMap((player, i) =>
      boards.map(async (board_id, j) => ({
        body: { board_id, value: i * 10 + j },
        player,
        headers: {
          'service-client-nonce': await takeNonce(player.client),
          'idempotency-key': `run ${i} ${j}`,
        },
      })),
    ),
  );
  const sendOnce = () => Promise.all(runs.map(({ player, body, headers }) => post(player, body, headers)));
  /** Again and again: a machine that does much besides may be too slow for the time that a statement has. */
  const sendAll = async () => {
    for (;;) {
      const answers = await sendOnce();
      if (answers.every(({ status }) => status !== 503)) return answers;
    }
  };
  // The half is stored before.
  const [stored, later] = [runs.splice(0, 9), runs.splice(0, 9)];
  runs.push(...stored);
  expect((await sendAll()).map(({ status }) => status)).toEqual(stored.map(() => 201));
  runs.push(...later);

  proxy.fallSilent();
  const reads = [
    studio.admin.get('/v1/boards'),
    studio.admin.get(`/v1/scores?board_id=${boards[0]}`),
    studio.admin.post('/graphql', { query: '{ boards { nodes { name } } }' }),
    app.superadmin.post('/v1/accounts', { name: 'Silence' }),
  ];
  const [writes, ...answers] = await soon(Promise.all([sendOnce(), ...reads]));
  expect([...writes, ...answers].map(outcome)).toEqual([...writes, ...answers].map(() => UNAVAILABLE));
  expect([await ready(), (await app.anyone.get('/health/live')).status]).toEqual([503, 200]);

  proxy.deliver();
  await until(async () => (await ready()) === 200);
  expect((await sendAll()).map(({ status }) => status)).toEqual(runs.map(() => 201));
  const { rows } = await app.database.pool.query('select amount from score_events order by amount');
  expect(rows.map(({ amount }) => amount)).toEqual(
    runs.map(({ body }) => body.value).toSorted((a, b) => a - b),
  );
  for (const board of boards) expect(await verifyBoard(app.database, board)).toEqual([]);
});

test('when only old connections are silent, readiness fails until they are closed, and changes arrive again', async () => {
  // Several idle connections in each pool: periodic work must not find all of them in use, and open a new one.
  const { knex, pool } = app.database;
  await Promise.all(
    players.flatMap(() => [knex.raw('select pg_sleep(0.1)'), pool.query('select pg_sleep(0.1)')]),
  );
  proxy.hold();
  const watch = app.changes.watch(boards[1]!);
  expect(await ready()).toBe(503);
  await until(async () => (await ready()) === 200);
  expect((await soon(studio.admin.get(`/v1/boards/${boards[0]}`))).status).toBe(200);
  expect((await soon(studio.admin.get(`/v1/scores?board_id=${boards[0]}`))).status).toBe(200);
  // A new connection marks everything: what was announced before is unknown.
  await soon(watch.next());
  const other = new Announcer(app.database.connectionString, new Changes(), makeLog('silent'));
  await other.start();
  other.announce(boards[1]!);
  await soon(watch.next());
  await other.close();
  await watch.return!();
  proxy.deliver();
});
