import 'reflect-metadata';
import { DomainError } from '../../src/base/errors.js';
import { uuid7, uuidOf } from '../../src/base/ids.js';
import { makeLog } from '../../src/base/log.js';
import { type Database, openDatabase } from '../../src/db/pool.js';
import { verifyBoard } from '../../src/rankings/upkeep/verify.js';
import type { Result } from '../../src/submissions/decide/batch.js';
import type { Submission } from '../../src/submissions/facts/submission.js';
import { SubmissionPipeline } from '../../src/submissions/queue/pipeline.js';
import { cloneDatabase, type TestDatabase } from '../support/database.js';
import { SilentProxy } from '../support/silent-proxy.js';
import { until } from '../support/wait.js';
import {
  clientSubmission,
  makeBoard,
  makeSeats,
  makeWorld,
  type Seat,
  type World,
} from '../support/world.js';

// A batch may reach the database after its process has lost the connection, found nothing stored and said so.

/** As many as are sent ahead of a batch of as many. */
const BATCH = 8;

let testDatabase: TestDatabase;
let proxy: SilentProxy;
/** Past the proxy. */
let db: Database;
let through: Database;
let world: World;
let seats: Seat[];
let boards: string[];
let pipeline: SubmissionPipeline;
let now = Date.parse('2026-03-01T12:00:00Z');
const clock = () => now;

beforeAll(async () => {
  testDatabase = await cloneDatabase();
  db = testDatabase.open();
  proxy = await SilentProxy.before(testDatabase.connectionString);
  world = await makeWorld(db.knex);
  seats = await makeSeats(db.knex, world, 2 * BATCH);
});
afterAll(async () => {
  await proxy.close();
  await testDatabase.drop();
});

beforeEach(async () => {
  boards = [];
  for (let i = 0; i < 4; i += 1) {
    boards.push(
      await makeBoard(db.knex, world, { boardType: 'run_runs', sortDirection: 'desc', keepStrategy: 'all' }),
    );
  }
  through = openDatabase(proxy.connectionString);
  pipeline = new SubmissionPipeline(through, clock, makeLog('silent'), () => undefined);
});
afterEach(async () => {
  await pipeline.close();
  await through.close();
});

function run(seat: number, board = 0): Submission {
  now += 1;
  return clientSubmission(world, boards[board]!, seats[seat]!, now, { amount: now });
}

const answer = (item: Submission): Promise<Result> =>
  pipeline.submit(item).catch((error: DomainError) => error);
const all = (items: Submission[]) => Promise.all(items.map(answer));
const runs = (from: number, count = BATCH) => Array.from({ length: count }, (_, i) => run(from + i));

/** Statements sent: one is prepared on its connection the first time, which names it once more. */
const bound = () => proxy.sent('\0write_submissions\0');

async function lockBoard() {
  const client = await db.pool.connect();
  await client.query('begin');
  await client.query('select from board_rankings where board_id = $1 for update', [uuidOf(boards[0]!)]);
  return async () => {
    await client.query('rollback');
    client.release();
  };
}

const waiting = async () =>
  (
    await db.pool.query(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    )
  ).rowCount!;

/** Stored is all that callers were answered to be, and nothing else. */
async function expectTruth(answered: [Submission, Result][]): Promise<void> {
  const ids = boards.map(uuidOf);
  const { rows } = await db.pool.query<{ amount: number }>(
    'select amount from score_events where board_id = any($1)',
    [ids],
  );
  const wanted = answered
    .filter(([, result]) => !(result instanceof DomainError))
    .map(([{ amount }]) => amount);
  expect(rows.map(({ amount }) => amount).toSorted()).toEqual(wanted.toSorted());
  for (const board of boards) expect(await verifyBoard(db, board)).toEqual([]);
}

/** Sends what was answered 503 again, with the same nonce, as a caller does. */
async function again(answered: [Submission, Result][]): Promise<[Submission, Result][]> {
  const failed = answered.filter(([, result]) => result instanceof DomainError).map(([item]) => item);
  const results = await all(failed.map((item) => ({ ...item, eventId: `sev_${uuid7()}` })));
  expect(results.filter((result) => result instanceof DomainError)).toEqual([]);
  return failed.map((item, i) => [item, results[i]!]);
}

const zip = (items: Submission[], results: Result[]) =>
  items.map((item, i): [Submission, Result] => [item, results[i]!]);

const SENT: [
  string,
  () => Promise<{ items: Submission[]; release(): Promise<void>; results: Promise<Result[]> }>,
][] = [
  [
    'by itself',
    async () => {
      proxy.hold();
      const items = runs(0);
      return { items, results: all(items), release: async () => undefined };
    },
  ],
  [
    'together with other boards',
    async () => {
      proxy.hold();
      const items = boards.map((_, i) => run(i, i));
      return { items, results: all(items), release: async () => undefined };
    },
  ],
  [
    'ahead of one that waits for its board',
    async () => {
      const release = await lockBoard();
      const first = runs(0);
      const written = all(first);
      await until(async () => (await waiting()) === 1);
      proxy.hold();
      const ahead = runs(BATCH);
      const results = Promise.all([written, all(ahead)]).then((both) => both.flat());
      return { items: [...first, ...ahead], results, release };
    },
  ],
];

test.each(SENT)(
  'a batch that was sent %s, and comes late, is not stored after its callers were answered that it was not',
  async (_how, send) => {
    const first = [...boards.map((_, i) => run(i, i)), ...runs(0, 2 * BATCH)];
    const before = zip(first, await all(first));
    proxy.forget();
    const { items, results, release } = await send();
    await until(() => bound() >= items.length / BATCH);
    proxy.cut();
    await release();
    const answered = zip(items, await results);
    expect(answered.filter(([, result]) => result instanceof DomainError)).not.toEqual([]);
    expect(proxy.lost).toBeGreaterThan(0);
    proxy.deliver();
    await until(() => proxy.lost === 0);
    await expectTruth([...before, ...answered]);
    await expectTruth([...before, ...answered, ...(await again(answered))]);
  },
);

test('a batch that was sent ahead and lies unread is not stored while another backend has the board', async () => {
  const answered: [Submission, Result][] = [];
  for (let trial = 0; trial < 6; trial += 1) {
    const release = await lockBoard();
    proxy.forget();
    const first = runs(0);
    const written = all(first);
    await until(async () => (await waiting()) === 1);
    const ahead = runs(BATCH);
    const sent = all(ahead);
    await until(() => bound() === 2);
    proxy.cut();
    await until(async () => (await waiting()) === 3);
    await release();
    answered.push(...zip(first, await written), ...zip(ahead, await sent));
    await until(() => proxy.lost === 0);
    await expectTruth(answered);
  }
});
