import 'reflect-metadata';
import { uuidOf } from '../../src/base/ids.js';
import { makeLog } from '../../src/base/log.js';
import { readConfig } from '../../src/config/table.js';
import type { Database } from '../../src/db/pool.js';
import { ScoreChecker } from '../../src/fairplay/checks/score-checker.js';
import { verifyBoard } from '../../src/rankings/upkeep/verify.js';
import type { FairPlay } from '../../src/submissions/decide/fair-play.js';
import { ingest } from '../../src/submissions/ingest.js';
import { SubmissionPipeline } from '../../src/submissions/queue/pipeline.js';
import { cloneDatabase, type TestDatabase } from '../support/database.js';
import { waiting } from '../support/locks.js';
import { makeBoard, makeIdentities, makeWorld, submissionOf, type World } from '../support/world.js';

const log = makeLog('silent');
const clock = () => Date.parse('2026-03-01T12:00:00Z');

let database: TestDatabase;
let db: Database;
let world: World;
let board: string;
let players: string[];

beforeAll(async () => {
  database = await cloneDatabase();
  db = database.open();
  world = await makeWorld(db.knex);
});
afterAll(() => database.drop());
beforeEach(async () => {
  board = await makeBoard(db.knex, world, {
    boardType: 'run_identity',
    sortDirection: 'desc',
    keepStrategy: 'best',
  });
  players = await makeIdentities(db.knex, world, 5);
});

const run = (player: number, amount: number) =>
  submissionOf(world, board, players[player]!, { amount, isTest: false });

/** A process whose reads of facts are followed by something before it goes on. */
function processWith(meanwhile: () => Promise<unknown>, fairPlay?: FairPlay): SubmissionPipeline {
  const pool = new Proxy(db.pool, {
    get(target, name) {
      const value = Reflect.get(target, name);
      if (name !== 'query') return typeof value === 'function' ? value.bind(target) : value;
      return async (asked: { name?: string }) => {
        const answer = await target.query(asked as never);
        if (asked.name === 'submission_facts') await meanwhile();
        return answer;
      };
    },
  });
  return new SubmissionPipeline({ ...db, pool }, clock, log, () => undefined, undefined, undefined, fairPlay);
}

/** Two processes that write to the board, until the first of them starts its batches with the lock. */
async function contended(fairPlay?: FairPlay): Promise<SubmissionPipeline[]> {
  const other = processWith(async () => undefined);
  let interferes = true;
  const one = processWith(async () => {
    if (interferes) await other.submit(run(0, 1));
  }, fairPlay);
  // The first batch fails with facts that were read, or cached, and so does the next: from then on the lock comes first.
  await one.submit(run(1, 10));
  await one.submit(run(1, 11));
  interferes = false;
  return [one, other];
}

async function transactionsSince(seq: number): Promise<number> {
  const { rows } = await db.pool.query<{ count: number }>(
    'select count(distinct xmin::text) from score_events where board_id = $1 and seq > $2',
    [uuidOf(board), seq],
  );
  return rows[0]!.count;
}

test('a board that another process writes to, too: submissions that arrive while its lock is awaited are one batch', async () => {
  const [one, other] = (await contended()) as [SubmissionPipeline, SubmissionPipeline];
  const seq = 4;
  const holder = await db.pool.connect();
  await holder.query('begin');
  await holder.query('select from board_rankings where board_id = $1 for update', [uuidOf(board)]);
  const first = one.submit(run(1, 12));
  await waiting({ database: db } as never, 1);
  const later = [2, 3, 4].map((player) => one.submit(run(player, 20 + player)));
  await holder.query('commit');
  holder.release();
  const outcomes = await Promise.all([first, ...later]);
  expect(outcomes.map(({ score }) => score.rank)).toEqual([4, 3, 2, 1]);
  expect(await transactionsSince(seq)).toBe(1);
  expect(await verifyBoard(db, board)).toEqual([]);
  await Promise.all([one.close(), other.close()]);
});

test('new flags are announced with the batches of a contended board that wrote them, and with no later one', async () => {
  await db.knex('games').update({ anti_cheat_enabled: true });
  const announced: string[] = [];
  const checks = new ScoreChecker(db, clock, log, readConfig({}), (topic) => announced.push(topic));
  const pipelines = await contended(checks);
  const announcedBy = async (player: number, amount: number) => {
    announced.length = 0;
    await pipelines[0]!.submit(run(player, amount));
    return announced.length;
  };
  expect(await announcedBy(2, 10)).toBe(0);
  // At the same moment again.
  expect(await announcedBy(2, 11)).toBe(2);
  expect(await announcedBy(3, 10)).toBe(0);
  await Promise.all(pipelines.map((one) => one.close()));
});

test('a board whose writing is held up leaves a part of the queue to other boards', async () => {
  const options = { batch: 1, queue: 8, writers: 1 };
  const one = new SubmissionPipeline(db, clock, log, () => undefined, options);
  const rules = { boardType: 'run_identity', sortDirection: 'desc', keepStrategy: 'best' } as const;
  const other = await makeBoard(db.knex, world, rules);
  const holder = await db.pool.connect();
  await holder.query('begin');
  await holder.query('select from board_rankings where board_id = $1 for update', [uuidOf(board)]);
  const first = one.submit(run(0, 1));
  await waiting({ database: db } as never, 1);
  const queued = Array.from({ length: 6 }, (_, n) => one.submit(run(n % 5, n)));
  const refused = one.submit(run(1, 7)).catch((error) => error);
  const its = one.submit(submissionOf(world, other, players[0]!, { amount: 5, isTest: false }));
  await holder.query('commit');
  holder.release();
  expect(await refused).toMatchObject({ code: 'UNAVAILABLE' });
  expect((await its).score.rank).toBe(1);
  expect(await Promise.all([first, ...queued])).toHaveLength(7);
  await one.close();
});

test('a lock that is not had in time is the reason of the failure, and can be tried again', async () => {
  const holder = await db.pool.connect();
  await holder.query('begin');
  await holder.query('select from board_rankings where board_id = $1 for update', [uuidOf(board)]);
  const writer = await db.pool.connect();
  await writer.query(`set lock_timeout = '300ms'`);
  const failing = ingest(writer, clock, [run(1, 12)]).catch((error) => error);
  await waiting({ database: db } as never, 1);
  // The answers to all statements arrive at once, as in a busy process.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 600);
  expect(await failing).toMatchObject({ code: '55P03' });
  await holder.query('commit');
  holder.release();
  await writer.query('reset lock_timeout');
  expect(await ingest(writer, clock, [run(1, 12)])).toMatchObject([{ kept: true }]);
  writer.release();
});

test('a wait for the lock that is ended writes nothing, and the next batch is written', async () => {
  const other = processWith(async () => undefined);
  let interferes = true;
  const one = processWith(async () => {
    if (interferes) await other.submit(run(0, 1));
  });
  await one.submit(run(1, 10));
  await one.submit(run(1, 11));
  interferes = false;
  const holder = await db.pool.connect();
  await holder.query('begin');
  await holder.query('select from board_rankings where board_id = $1 for update', [uuidOf(board)]);
  const written = one.submit(run(1, 12)).catch(({ code }: { code: string }) => code);
  await waiting({ database: db } as never, 1);
  await db.pool.query(
    `select pg_cancel_backend(pid) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  );
  expect(await written).toBe('UNAVAILABLE');
  await holder.query('commit');
  holder.release();
  expect(await one.submit(run(1, 13))).toMatchObject({ kept: true, score: { rank: 1, value: 13 } });
  expect(await transactionsSince(4)).toBe(1);
  expect(await verifyBoard(db, board)).toEqual([]);
  await Promise.all([one.close(), other.close()]);
});
