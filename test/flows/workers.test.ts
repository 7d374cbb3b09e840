import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:net';
import { isRunning } from '../../src/db/embedded/server-process.js';
import { type Database, openDatabase } from '../../src/db/pool.js';
import { type Caller, type Data, send } from '../support/http.js';
import { LoadClient } from '../support/load.js';
import { acceptedRequest, DataDir, Program, startService } from '../support/process.js';
import { TestSocket } from '../support/socket.js';
import { expectSound } from '../support/standings.js';
import { patience, until } from '../support/wait.js';

// WORKERS=2 as operators run it: a primary and two processes that answer, on one port and one database.

const dataDir = new DataDir();
let program: Program;
let url: string;
let admin: Caller;
let database: Database;
let gameId: string;
let board: Data;
const clients: LoadClient[] = [];
const sockets: TestSocket[] = [];

beforeAll(async () => {
  ({ program, url } = await startService({ DATA_DIR: dataDir.path, WORKERS: '2' }));
  admin = dataDir.superadmin(url);
  database = openDatabase(dataDir.connectionString, { records: 2, scores: 2 });
  const { id: accountId } = await created('/v1/accounts', { name: 'Workers' });
  gameId = (await created('/v1/games', { account_id: accountId, name: 'W', anti_cheat_enabled: false })).id;
  const rules = { account_id: accountId, game_id: gameId, name: 'W', keep_strategy: 'best' };
  board = await created('/v1/boards', rules);
});

afterAll(async () => {
  for (const client of clients) client.abandon();
  if (program.running) await program.kill('SIGKILL');
  await database.close();
  await dataDir.remove();
});

async function created(path: string, body: Data): Promise<Data> {
  const answer = await admin.post(path, body);
  if (answer.status !== 201) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
  return answer.body;
}

/** Lines of the log, oldest first. */
const logged = (): Data[] => [...program.stdout.matchAll(/^\{.*\}$/gm)].map(([line]) => JSON.parse(line));

/** Process id of the newest worker of that number, and how many of it have served. */
function worker(number: number): { pid: number; times: number } {
  const starts = logged().filter((line) => line.msg === `worker ${number} is ready`);
  return { pid: starts.at(-1)!.pid, times: starts.length };
}

/** On a connection of its own, so that the port is dealt anew. */
const scrape = async () => {
  const text: string = (await send(`${url}/metrics`, { headers: { connection: 'close' } })).body;
  return (name: string) => Number(new RegExp(`^${name.replace(/[{}]/g, '\\$&')} (.*)$`, 'm').exec(text)?.[1]);
};

/** Sessions that ring for jobs: each runner holds one. */
async function runners(): Promise<number> {
  const { rows } = await database.pool.query<{ n: number }>(
    `select count(*) as n from pg_stat_activity where application_name = 'leaderboard workers'`,
  );
  return rows[0]!.n;
}

const BOARDS = 'http_requests_total{method="GET",route="/v1/boards/{board_id}",status="200"}';

test('workers share one port, and /metrics of any of them covers all', async () => {
  expect(program.stdout.match(/service \S+ is ready/g)).toHaveLength(1);
  expect(program.stdout).toMatch(/ {2}Workers +2\n/);
  const asked = Array.from({ length: 40 }, () =>
    send(`${url}/v1/boards/${board.id}`, { headers: { ...admin.headers, connection: 'close' } }),
  );
  expect(new Set((await Promise.all(asked)).map(({ status }) => status))).toEqual(new Set([200]));
  const by = () => logged().filter(({ path }) => path === `/v1/boards/${board.id}`);
  // Each worker writes its log a moment later.
  await until(() => by().length === asked.length);
  expect(new Set(by().map((line) => line.worker))).toEqual(new Set([1, 2]));
  for (let i = 0; i < 4; i += 1) {
    const figure = await scrape();
    expect([figure(BOARDS), figure('workers'), figure('worker_restarts_total')]).toEqual([40, 2, 0]);
    expect(figure('leaderboard_job_runs{job="expire-boards"}')).toBeLessThan(10);
    expect(figure('process_resident_memory_bytes')).toBeGreaterThan(150e6);
  }
});

test('a submission to one worker reaches subscribers of all; each job runs once', async () => {
  await until(async () => (await runners()) === 1);
  for (let i = 0; i < 4; i += 1) sockets.push(await TestSocket.connect(url, admin.headers));
  const query = `subscription { boardChanged(boardId: "${board.id}", first: 1) { entries { nodes { value } } } }`;
  for (const socket of sockets) await socket.run(query);
  const player = new LoadClient(() => url, [board.id], true, 'Heard');
  await player.open(gameId);
  await player.submit(board.id, 5_000, true);
  const inTime = patience('every watcher to see the score');
  for (const socket of sockets) {
    for (;;) {
      inTime();
      const frame = await socket.next();
      if (frame.payload.data.boardChanged.entries.nodes[0]?.value === 5_000) break;
    }
  }
});

test('a worker killed under load is replaced; no acknowledged submission is lost, counters go on', async () => {
  for (let i = 0; i < 12; i += 1) clients.push(new LoadClient(() => url, [board.id], true, `Player ${i}`));
  await Promise.all(clients.map((client) => client.open(gameId)));
  const before = await scrape();
  const playing = clients.map((client) => client.run());
  const acknowledged = () => clients.flatMap(({ sent }) => sent.filter(({ score }) => score)).length;
  await until(() => acknowledged() > 60);
  const counted = (await scrape())('submission_batch_size_sum');
  expect(counted).toBeGreaterThan(before('submission_batch_size_sum'));
  // The one that rings for jobs.
  process.kill(worker(1).pid, 'SIGKILL');
  await until(() => worker(1).times === 2);
  // Sockets were dealt to both: some of them are gone, others are not.
  const open = sockets.filter(({ socket }) => socket.readyState === socket.OPEN).length;
  expect([open > 0, open < sockets.length]).toEqual([true, true]);
  const goal = acknowledged() + 60;
  await until(() => acknowledged() > goal);
  for (const client of clients) client.stop();
  await Promise.all(playing);

  const after = await scrape();
  expect([after('workers'), after('worker_restarts_total')]).toEqual([2, 1]);
  expect(after(BOARDS)).toBe(40);
  expect(after('submission_batch_size_sum')).toBeGreaterThan(counted);
  const [said] = logged().filter(({ msg }) => /^worker 1 exited/.test(msg));
  expect(said.msg).toMatch(/\(SIGKILL\); restarting now$/);
  await until(async () => (await runners()) === 1);

  const { rows } = await database.pool.query<{ tag: string }>(
    `select metadata->>'tag' as tag from score_events where metadata ? 'tag'`,
  );
  const stored = rows.map(({ tag }) => tag);
  expect(new Set(stored).size).toBe(stored.length);
  const sent = clients.flatMap((client) => client.sent.map(({ tag }) => tag));
  expect(sent.filter((tag) => !stored.includes(tag))).toEqual([]);
  await expectSound(database, board.id);
});

test('a worker with a signal ends in order; one that dies again soon is restarted later', async () => {
  process.kill(worker(2).pid, 'SIGTERM');
  await until(() => worker(2).times === 2);
  expect(logged().some(({ msg }) => /^worker 2 exited \(code 0\)/.test(msg))).toBe(true);
  process.kill(worker(2).pid, 'SIGKILL');
  await until(() => logged().some(({ msg }) => /^worker 2 exited .*; restarting in 0\.(25|5) s$/.test(msg)));
});

test('at the end all workers finish accepted requests, and no process is left', async () => {
  const pids = [worker(1).pid, worker(2).pid];
  sockets.push(await TestSocket.connect(url));
  const body = JSON.stringify({ name: 'In Time' });
  const accepted = await acceptedRequest(url, admin, body);
  const ended = program.kill('SIGTERM');
  expect(await sockets.at(-1)!.closed).toMatchObject({ code: 1012 });
  accepted.end(body);
  const [answer] = (await once(accepted, 'response')) as [IncomingMessage];
  expect(answer.statusCode).toBe(201);
  answer.resume();
  expect(await ended).toEqual({ code: 0, signal: null });
  expect(program.stderr).toBe('');
  expect(pids.filter((pid) => isRunning(pid))).toEqual([]);
  expect(dataDir.postgres).toBeUndefined();
});

test('a port that is taken in the last moment is reported once, and no process is left', async () => {
  const elsewhere = new DataDir();
  const blocker = createServer().listen(0, '127.0.0.1');
  await once(blocker, 'listening');
  const { port } = blocker.address() as { port: number };
  blocker.close();
  await once(blocker, 'close');
  const settings = { DATA_DIR: elsewhere.path, WORKERS: '2', HOST: '127.0.0.1', PORT: String(port) };
  const refused = new Program('src/main.ts', settings);
  try {
    // It has found the port free, and needs it only after the migrations.
    await refused.says(/"msg":"Postgres \d+ started/);
    blocker.listen(port, '127.0.0.1');
    expect(await refused.ended).toEqual({ code: 1, signal: null });
    expect(refused.stderr).toMatch(
      new RegExp(`^Port ${port} on 127.0.0.1 is already in use\\. .* with PORT\\.\n$`),
    );
    expect(refused.stdout).not.toContain('is ready');
    expect(elsewhere.postgres).toBeUndefined();
  } finally {
    blocker.close();
    await elsewhere.remove();
  }
});
