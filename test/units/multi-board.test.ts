import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import type { DomainError } from '../../src/base/errors.js';
import { uuidOf } from '../../src/base/ids.js';
import { makeLog } from '../../src/base/log.js';
import { lockRankings } from '../../src/boards/board/ranking.js';
import type { Database } from '../../src/db/pool.js';
import { verifyBoard } from '../../src/rankings/upkeep/verify.js';
import type { Result } from '../../src/submissions/decide/batch.js';
import type { Submission } from '../../src/submissions/facts/submission.js';
import { ingest } from '../../src/submissions/ingest.js';
import { SubmissionPipeline } from '../../src/submissions/queue/pipeline.js';
import { cloneDatabase, type TestDatabase } from '../support/database.js';
import {
  type BoardRules,
  clientSubmission,
  makeBoard,
  makeSeats,
  makeWorld,
  type Seat,
  type World,
} from '../support/world.js';

const BEST: BoardRules = { boardType: 'run_identity', sortDirection: 'desc', keepStrategy: 'best' };

let testDatabase: TestDatabase;
let db: Database;
let world: World;
let seats: Seat[];
let boards: string[];
let pipeline: SubmissionPipeline;
/** Statements that have read facts for it. */
let reads: number;
let now = Date.parse('2026-03-01T12:00:00Z');
const clock = () => now;
const log = makeLog('silent');

beforeAll(async () => {
  testDatabase = await cloneDatabase();
  db = testDatabase.open();
});
afterAll(() => testDatabase.drop());

beforeEach(async () => {
  now += 3_600_000;
  world = await makeWorld(db.knex);
  seats = await makeSeats(db.knex, world, 8);
  boards = [];
  for (let i = 0; i < 6; i += 1) boards.push(await makeBoard(db.knex, world, BEST));
  reads = 0;
  pipeline = new SubmissionPipeline({ ...db, pool: counted(db.pool) }, clock, log, () => undefined);
});
afterEach(() => pipeline.close());

function counted(pool: Database['pool']): Database['pool'] {
  return new Proxy(pool, {
    get(target, name) {
      const value = Reflect.get(target, name);
      if (name !== 'query') return typeof value === 'function' ? value.bind(target) : value;
      return (asked: { name?: string }) => {
        if (asked.name === 'submission_facts') reads += 1;
        return target.query(asked as never);
      };
    },
  });
}

function run(board: number, seat: number, amount: number, of: Partial<Submission> = {}): Submission {
  return clientSubmission(world, boards[board]!, seats[seat]!, now, { amount, ...of });
}

const answer = (item: Submission): Promise<Result> =>
  pipeline.submit(item).catch((error: DomainError) => error);

const all = (items: Submission[]) => Promise.all(items.map(answer));

/** How many transactions have written the events of all boards that are there now. */
async function transactions(): Promise<number> {
  const { rows } = await db.pool.query<{ count: number }>(
    'select count(distinct xmin::text) from score_events where board_id = any($1)',
    [boards.map(uuidOf)],
  );
  return rows[0]!.count;
}

async function expectRightRanks(): Promise<void> {
  for (const board of boards) expect(await verifyBoard(db, board)).toEqual([]);
}

test('single submissions to several boards are one transaction, and each board counts by itself', async () => {
  const first = await all(boards.map((_, i) => run(i, i, 10 + i, { wantPreviousRank: true })));
  expect(first).toMatchObject(
    boards.map((_, i) => ({ score: { rank: 1, value: 10 + i }, previousRank: null })),
  );
  expect([await transactions(), reads]).toEqual([1, 1]);
  now += 10_000;
  const second = await all([
    run(0, 1, 11, { wantPreviousRank: true, metadata: { level: 2 } }),
    run(1, 1, 12, { wantPreviousRank: true }),
    run(2, 2, 1, { wantPreviousRank: true }),
    run(3, 4, 1, { isTest: true }),
  ]);
  expect(second).toMatchObject([
    { score: { rank: 1, value: 11, metadata: { level: 2 } }, previousRank: null, kept: true },
    // The same player on another board waits for the next turn.
    { score: { rank: 1, value: 12 }, previousRank: 1, kept: true },
    { score: { rank: 1, value: 12 }, previousRank: 1, kept: false },
    { score: { rank: 1, value: 1, isTest: true } },
  ]);
  expect(await transactions()).toBe(3);
  await expectRightRanks();
});

test('players that were written together are cached', async () => {
  await all(boards.map((_, i) => run(i, i, 10)));
  now += 10_000;
  const again = await all(boards.map((_, i) => run(i, i, 20)));
  expect(again).toMatchObject(boards.map(() => ({ score: { rank: 1, value: 20 } })));
  expect([await transactions(), reads]).toEqual([2, 1]);
});

test('no board waits for one that another transaction is writing to', async () => {
  await all(boards.map((_, i) => run(i, i, 10)));
  now += 10_000;
  const client = await db.pool.connect();
  await client.query('begin');
  await client.query('select from board_rankings where board_id = $1 for update', [uuidOf(boards[2]!)]);
  let waits = true;
  const locked = answer(run(2, 2, 20)).finally(() => {
    waits = false;
  });
  const others = await all([0, 1, 3, 4, 5].map((i) => run(i, i, 20)));
  expect(others).toMatchObject([0, 1, 3, 4, 5].map(() => ({ score: { value: 20, rank: 1 } })));
  expect(waits).toBe(true);
  expect(await transactions()).toBe(2);
  await client.query('rollback');
  client.release();
  expect(await locked).toMatchObject({ score: { value: 20, rank: 1 } });
  await expectRightRanks();
});

test.each([
  ['together with others', [0, 1, 2, 3, 4, 5]],
  ['by itself', [3]],
])(
  'a board that has changed, written %s, is read again, and cached again after some batches',
  async (_how, written) => {
    await all(boards.map((_, i) => run(i, i, 10)));
    const elsewhere = await db.pool.connect();
    await ingest(elsewhere, clock, [run(3, 7, 50)]);
    elsewhere.release();
    now += 10_000;
    const ranks = await all(written.map((i) => run(i, i, 20)));
    expect(ranks).toMatchObject(written.map((i) => ({ score: { rank: i === 3 ? 2 : 1 } })));
    let readBefore = reads;
    now += 10_000;
    await all(written.map((i) => run(i, i, 25)));
    expect(reads).toBe(readBefore + 1);
    for (let i = 0; i < 40; i += 1) {
      now += 10_000;
      await all([run(3, 3, 30 + i)]);
    }
    readBefore = reads;
    for (let i = 0; i < 40; i += 1) {
      now += 10_000;
      await all([run(3, 3, 100 + i)]);
    }
    expect(reads).toBe(readBefore);
    await expectRightRanks();
  },
);

test('where several boards have changed, all are read and still written together', async () => {
  await all(boards.map((_, i) => run(i, i, 10)));
  const elsewhere = await db.pool.connect();
  for (const round of [0, 1]) {
    for (const board of [1, 4]) await ingest(elsewhere, clock, [run(board, 7, 50 + round)]);
    now += 10_000;
    const before = { reads, transactions: await transactions() };
    const ranks = await all(boards.map((_, i) => run(i, i, 20 + round)));
    expect(ranks).toMatchObject(boards.map((_, i) => ({ score: { rank: i === 1 || i === 4 ? 2 : 1 } })));
    expect(await transactions()).toBe(before.transactions + 1);
    expect(reads).toBe(before.reads + 1);
  }
  elsewhere.release();
  await expectRightRanks();
});

test('a refusal by cached facts is checked in the database, since the board may be open again', async () => {
  const endAt = (at: number) =>
    db.knex.transaction(async (trx) => {
      await lockRankings(trx, [uuidOf(boards[2]!)]);
      await trx('boards')
        .where('id', uuidOf(boards[2]!))
        .update({ ends_at: new Date(at) });
      await trx('board_rankings').where('board_id', uuidOf(boards[2]!)).increment('version', 1);
    });
  await endAt(now + 1_000);
  await all(boards.map((_, i) => run(i, i, 10)));
  now += 10_000;
  await endAt(now + 1_000);
  const taken = await all(boards.map((_, i) => run(i, i, 20)));
  expect(taken).toMatchObject(boards.map(() => ({ score: { value: 20 } })));
});

test('a submission with further writes is written alone, and a refused one writes nothing', async () => {
  const key = { scope: seats[0]!.identityId, key: 'one', bodyHash: Buffer.alloc(32) };
  const first = run(0, 0, 10, { idempotency: key });
  await db.knex('boards').where('id', uuidOf(boards[4]!)).update({ is_active: false });
  const nowhere = { ...run(5, 5, 10), boardId: `brd_${randomUUID()}` };
  expect(
    await all([first, run(1, 1, 10, { playerName: 'Renamed' }), run(2, 2, 10), run(4, 4, 10), nowhere]),
  ).toMatchObject([
    { score: { value: 10 } },
    { score: { playerName: 'Renamed' } },
    { score: { rank: 1 } },
    { code: 'BOARD_CLOSED' },
    { code: 'NOT_FOUND' },
  ]);
  const { rows } = await db.pool.query('select display_name from identities where id = $1', [
    uuidOf(seats[1]!.identityId),
  ]);
  expect(rows).toEqual([{ display_name: 'Renamed' }]);
  now += 10_000;
  const again = await all([
    { ...run(0, 0, 10, { idempotency: key }) },
    { ...first, eventId: run(0, 0, 10).eventId, boardId: boards[3]!, idempotency: undefined },
    run(2, 3, 10),
  ]);
  expect(again).toMatchObject([
    { replayed: true, eventId: first.eventId },
    { code: 'NONCE_USED' },
    { score: { rank: 2 } },
  ]);
  await expectRightRanks();
});
