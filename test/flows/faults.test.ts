import { renameSync } from 'node:fs';
import { uuidOf } from '../../src/base/ids.js';
import { type Database, openDatabase } from '../../src/db/pool.js';
import { verifyBoard } from '../../src/rankings/upkeep/verify.js';
import { type Caller, type Data, send } from '../support/http.js';
import { LoadClient } from '../support/load.js';
import { DataDir, type Program, startService } from '../support/process.js';
import { rederiveAll } from '../support/rederive.js';
import { until } from '../support/wait.js';

// Real processes, killed in the middle of their work. Each start takes seconds.

const CLIENTS = 12;
/** Acknowledged submissions between two kills. */
const ENOUGH = 250;

const RULES = [
  { name: 'best', sort_direction: 'desc', keep_strategy: 'best' },
  { name: 'runs', sort_direction: 'asc', keep_strategy: 'all' },
  { name: 'counter', board_type: 'counter' },
];

const dataDir = new DataDir();
let program: Program;
/** Where the service answers. */
let url: string;
/** Where the clients of the load knock: after a restart, first answers are looked at before they come in. */
let door: string;
let database: Database;
let admin: Caller;
let accountId: string;
let gameId: string;
let boards: string[];
let clients: LoadClient[] = [];
let scout: LoadClient;
let runs: Promise<void>[] = [];

beforeAll(async () => {
  await start();
  const account = await created('/v1/accounts', { name: 'Fault Games' });
  accountId = account.id;
  gameId = (await created('/v1/games', { account_id: accountId, name: 'Fault', anti_cheat_enabled: false }))
    .id;
  boards = [];
  for (const rules of RULES) {
    boards.push((await created('/v1/boards', { account_id: accountId, game_id: gameId, ...rules })).id);
  }
  clients = Array.from({ length: CLIENTS }, (_, i) => {
    // Every third one sends up to ten in one request.
    return new LoadClient(() => door, boards, i % 2 === 0, `Player ${i}`, i % 3 === 0 ? 10 : 1);
  });
  scout = new LoadClient(() => url, boards, false, 'Scout');
  door = url;
  await Promise.all([...clients, scout].map((client) => client.open(gameId)));
});

afterAll(async () => {
  for (const client of clients) client.abandon();
  if (program.running) await program.kill('SIGKILL');
  await Promise.all(runs);
  await database.close();
  await dataDir.remove();
});

async function start(): Promise<void> {
  ({ program, url } = await startService({ DATA_DIR: dataDir.path, LOG_LEVEL: 'warn' }));
  admin = dataDir.superadmin(url);
  await database?.close();
  database = openDatabase(dataDir.connectionString);
}

async function created(path: string, body: Data): Promise<Data> {
  const answer = await admin.post(path, body);
  if (answer.status !== 201) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
  return answer.body;
}

function acknowledged(): number {
  return clients.reduce((sum, { sent }) => sum + sent.filter(({ score }) => score).length, 0);
}

async function moreAcknowledged(): Promise<void> {
  const goal = acknowledged() + ENOUGH;
  await until(() => acknowledged() >= goal);
}

/** Rank by entry of one board, as counting says. */
async function rightRanks(boardId: string): Promise<Map<string, number>> {
  const { rows } = await database.pool.query<{ id: string; rank: number }>(
    `select 'scr_' || e.id as id, row_number() over (order by e.rank_key, e.seq) as rank
     from entries e join board_rankings b using (board_id, generation)
     where board_id = $1 and not is_test and ranked`,
    [uuidOf(boardId)],
  );
  return new Map(rows.map(({ id, rank }) => [id, rank]));
}

/** The top, the surroundings of its middle, and the answer to a submission, without other writes. */
async function expectRightRanks(): Promise<void> {
  for (const boardId of boards) {
    const scores = `/v1/scores?account_id=${accountId}&board_id=${boardId}`;
    const top = await admin.get(`${scores}&limit=100`);
    expect(top.status).toBe(200);
    const middle = top.body.data[Math.floor(top.body.data.length / 2)];
    const around = await admin.get(`${scores}&limit=9&around_score_id=${middle.id}`);
    expect(around.status).toBe(200);
    const right = await rightRanks(boardId);
    for (const { id, rank } of [...top.body.data, ...around.body.data]) {
      expect([boardId, id, rank]).toEqual([boardId, id, right.get(id)]);
    }
    expect(top.body.data.map((score: Data) => score.rank)).toEqual(
      Array.from({ length: Math.min(100, right.size) }, (_, i) => i + 1),
    );
    const { score } = await scout.submit(boardId, 500, false);
    expect([boardId, score.rank]).toEqual([boardId, (await rightRanks(boardId)).get(score.id)]);
  }
}

/** Nothing that was promised is missing, nothing counts twice, and everything derived agrees with the events. */
async function expectWholeHistory(): Promise<void> {
  const { rows } = await database.pool.query<{
    tag: string;
    times: number;
    amount: number;
    board_id: string;
  }>(
    `select metadata->>'tag' as tag, count(*) as times, min(amount) as amount, 'brd_' || board_id as board_id
     from score_events where metadata ? 'tag' group by 1, board_id`,
  );
  const stored = new Map(rows.map((row) => [row.tag, row]));
  expect(rows.filter(({ times }) => times !== 1)).toEqual([]);
  expect(stored.size).toBe(rows.length);
  const all = [...clients, scout].flatMap(({ sent }) => sent);
  for (const { tag, boardId, value, score } of all) {
    const event = stored.get(tag);
    if (!event) expect([tag, score]).toEqual([tag, undefined]);
    else expect([tag, event.board_id, event.amount]).toEqual([tag, boardId, value]);
  }
  const known = new Set(all.map(({ tag }) => tag));
  expect([...stored.keys()].filter((tag) => !known.has(tag))).toEqual([]);
  expect(clients.flatMap(({ contradicted }) => contradicted)).toEqual([]);
  for (const boardId of boards) {
    expect(await verifyBoard(database, boardId)).toEqual([]);
    expect(await rederiveAll(database, boardId, new Date())).toBe(0);
  }
}

function everybodyPlays(): void {
  runs = clients.map((client) => client.run());
}

/** No new submissions; those that were begun go on. */
function nobodyBegins(): void {
  for (const client of clients) client.stop();
}

async function ready(): Promise<boolean> {
  await send(`${url}/health/live`).catch(async () => {
    await program.ended;
    throw new Error(`the service ended: ${program.stderr}`);
  });
  return (await send(`${url}/health/ready`)).status === 200;
}

test('no acknowledged submission is lost when the service is killed, and its first answers are right', async () => {
  everybodyPlays();
  await moreAcknowledged();
  const { postgres } = dataDir;
  const killed = program.kill('SIGKILL');
  nobodyBegins();
  expect(await killed).toEqual({ code: null, signal: 'SIGKILL' });
  const unanswered = clients.filter(({ sent }) => !sent.at(-1)?.score);
  expect(unanswered.length).toBeGreaterThan(0);

  await start();
  expect(dataDir.postgres).toBe(postgres);
  await expectRightRanks();
  door = url;
  await Promise.all(runs);
  await expectWholeHistory();
  // Every second client insisted, with the same key, until it was answered.
  const insisting = clients.filter((_, i) => i % 2 === 0).flatMap(({ sent }) => sent);
  expect(insisting.filter(({ score }) => !score)).toEqual([]);
});

test('while Postgres is killed and restarts, the service answers 503 and loses nothing', async () => {
  everybodyPlays();
  await moreAcknowledged();
  for (const client of clients) client.refusals.length = 0;
  const { cluster, postgres } = dataDir;
  await database.close();
  // As long as the directory is away, it cannot be started again.
  renameSync(cluster, `${cluster}.away`);
  process.kill(postgres!, 'SIGKILL');
  await until(async () => !(await ready()));
  const unavailable = { status: 503, body: { code: 'UNAVAILABLE' } };
  for (const path of ['/v1/accounts', `/v1/boards/${boards[0]}`]) {
    const answer = await admin.get(path);
    expect(answer).toMatchObject(unavailable);
    expect(answer.headers.get('retry-after')).toBe('1');
  }
  const graphql = await admin.post('/graphql', { query: '{ me { kind } accounts { nodes { id } } }' });
  expect([graphql.status, graphql.headers.get('retry-after')]).toEqual([503, '1']);
  expect(graphql.body.errors.map(({ extensions }: Data) => extensions.code)).toEqual([
    'UNAVAILABLE',
    'UNAVAILABLE',
  ]);
  expect(await admin.get('/health/live')).toMatchObject({ status: 200 });
  renameSync(`${cluster}.away`, cluster);

  await until(ready);
  expect(dataDir.postgres).not.toBe(postgres);
  database = openDatabase(dataDir.connectionString);
  await moreAcknowledged();
  nobodyBegins();
  await Promise.all(runs);
  const refusals = clients.flatMap((client) => client.refusals);
  expect(refusals.length).toBeGreaterThan(0);
  expect(
    refusals.filter(({ status, code, retryAfter }) => {
      return status !== 503 || code !== 'UNAVAILABLE' || retryAfter !== '1';
    }),
  ).toEqual([]);
  const refusedItems = new Set(clients.flatMap((client) => client.refusedItems));
  expect([...refusedItems].filter((refused) => refused !== '503 UNAVAILABLE')).toEqual([]);
  await expectRightRanks();
  await expectWholeHistory();
  expect(await program.kill('SIGTERM')).toEqual({ code: 0, signal: null });
  expect(dataDir.postgres).toBeUndefined();
});
