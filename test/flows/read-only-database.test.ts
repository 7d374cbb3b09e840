import { startApp, type TestApp } from '../support/app.js';
import { makeBoard, makeGame, makeStudio, type Player, type Studio, startSession } from '../support/make.js';
import { post } from '../support/play.js';
import { until } from '../support/wait.js';

// Behind an address that follows the primary, a connection may lead to a server that is none any more, or becomes none.

let app: TestApp;
let studio: Studio;
let board: string;
let player: Player;

beforeAll(async () => {
  app = await startApp();
  studio = await makeStudio(app);
  const { id } = await makeGame(studio, { antiCheatEnabled: false });
  board = (await makeBoard(studio, id, { keepStrategy: 'ALL' })).id;
  player = await startSession(app, id);
});
afterAll(() => app.close());

const ready = async () => (await app.anyone.get('/health/ready')).status;
const outcome = ({
  status,
  headers,
  body,
}: {
  status: number;
  headers: Headers;
  body: { code?: string };
}) => [status, body.code, headers.get('retry-after')];
const UNAVAILABLE = [503, 'UNAVAILABLE', '1'];

test('a connection whose server refuses a write is dropped, and the write answered 503', async () => {
  const { pool } = app.database;
  expect((await post(player, { board_id: board, value: 1 })).status).toBe(201);
  const clients = await Promise.all(Array.from({ length: pool.totalCount }, () => pool.connect()));
  for (const client of clients) {
    await client.query('set default_transaction_read_only = on');
    client.release();
  }
  const all = pool.totalCount;
  expect(all).toBeGreaterThan(0);
  expect(await ready()).toBe(503);
  expect(outcome(await post(player, { board_id: board, value: 2 }))).toEqual(UNAVAILABLE);
  // Each refusal costs one connection.
  await until(async () => (await post(player, { board_id: board, value: 2 })).status === 201);
  await until(async () => {
    await post(player, { board_id: board, value: 3 });
    return (await ready()) === 200;
  });
});

test('a server that accepts no writes counts as no database until it accepts them', async () => {
  const { knex, pool, connectionString } = app.database;
  const name = new URL(connectionString).pathname.slice(1);
  const cut = `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`;
  const kept = await pool.connect();
  await kept.query(`alter database "${name}" set default_transaction_read_only = on`);
  await kept.query(cut);
  await until(async () => (await ready()) === 503);
  expect(outcome(await post(player, { board_id: board, value: 4 }))).toEqual(UNAVAILABLE);
  expect(outcome(await studio.admin.get(`/v1/boards/${board}`))).toEqual(UNAVAILABLE);
  expect((await app.anyone.get('/health/live')).status).toBe(200);
  // No connection to it stays.
  expect([pool.idleCount, knex.client.pool.numFree()]).toEqual([0, 0]);
  await kept.query(`alter database "${name}" reset default_transaction_read_only`);
  kept.release(true);
  await until(async () => (await ready()) === 200);
  expect((await post(player, { board_id: board, value: 4 })).status).toBe(201);
});
