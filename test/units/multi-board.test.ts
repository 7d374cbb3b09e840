import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import type { DomainError } from '../../src/base/errors.js';
import { uuidOf } from '../../src/base/ids.js';
import { makeLog } from '../../src/base/log.js';
import { lockRankings } from '../../src/boards/board/ranking.js';
import { readConfig } from '../../src/config/table.js';
import type { Database } from '../../src/db/pool.js';
import { ScoreChecker } from '../../src/fairplay/checks/score-checker.js';
import type { Result } from '../../src/scores/submit/claims.js';
import { ingest } from '../../src/scores/submit/ingest.js';
import { SubmissionPipeline } from '../../src/scores/submit/pipeline/pipeline.js';
import type { Submission } from '../../src/scores/submit/submission.js';
import { verifyBoard } from '../../src/scores/upkeep/verify.js';
import { boardRules } from '../support/board-rules.js';
import { contents, told } from '../support/comparable.js';
import { cloneDatabase, type TestDatabase } from '../support/database.js';
import {
  type BoardRules,
  makeBoard,
  makeIdentities,
  makeSessions,
  makeWorld,
  ruleOn,
  type Seat,
  submissionOf,
  type World,
} from '../support/world.js';

const RUNS = Number(process.env.PROPERTY_RUNS ?? 20);
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
  seats = await makeSessions(db.knex, world, await makeIdentities(db.knex, world, 8));
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
  const { identityId, origin } = seats[seat]!;
  const nonce = { uuid: randomUUID(), expiresAt: new Date(now + 60_000) };
  return submissionOf(world, boards[board]!, identityId, {
    ...{ isTest: false, amount, origin: { ...origin, nonce } },
    ...of,
  });
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

test('who was written together is remembered', async () => {
  await all(boards.map((_, i) => run(i, i, 10)));
  now += 10_000;
  const again = await all(boards.map((_, i) => run(i, i, 20)));
  expect(again).toMatchObject(boards.map(() => ({ score: { rank: 1, value: 20 } })));
  expect([await transactions(), reads]).toEqual([2, 1]);
});

test('no board waits for one that somebody else is writing to', async () => {
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
  'a board that has changed, written %s, is read again, and relied on again after some batches',
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

test('whoever would be refused by what is remembered is looked up: the board may be open again', async () => {
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

test('what needs more than its submission written goes by itself, and what is refused writes nothing', async () => {
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

interface Step {
  kind: 'batch' | 'rename' | 'tier' | 'rule' | 'elsewhere';
  who: {
    seat: number;
    board: number;
    amount: number;
    name: string | undefined;
    key: boolean;
    isTest: boolean;
  }[];
  seconds: number;
}

const BOARDS = 3;

async function isFlagged(eventId: string): Promise<boolean> {
  const { rows } = await db.pool.query('select from score_events where id = $1 and disposition <> $2', [
    uuidOf(eventId),
    'accepted',
  ]);
  return rows.length > 0;
}

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record<Step>({
    kind: fc.oneof(
      { weight: 8, arbitrary: fc.constant('batch' as const) },
      { weight: 1, arbitrary: fc.constantFrom('rename', 'tier', 'rule', 'elsewhere') },
    ),
    who: fc.uniqueArray(
      fc.record({
        seat: fc.nat(7),
        board: fc.nat(BOARDS - 1),
        amount: fc.oneof(fc.integer({ min: -3, max: 3 }), fc.constantFrom(0.1, 900)),
        name: fc.oneof({ weight: 5, arbitrary: fc.constant(undefined) }, fc.constantFrom('Ann', 'Bob')),
        key: fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, fc.boolean()),
        isTest: fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, fc.boolean()),
      }),
      { selector: ({ seat }) => seat, minLength: 1, maxLength: 8 },
    ),
    seconds: fc.constantFrom(0, 1, 3, 400, 4_000),
  }),
  { minLength: 3, maxLength: 12 },
);

test('whatever is written together is answered and stored as if each board had been written by itself', async () => {
  // Outliers are told by what each process has seen of the others when: that differs between two.
  const settings = readConfig({
    ANTI_CHEAT_RATE_LIMIT_A: '3',
    ANTI_CHEAT_RATE_LIMIT_B: '2',
    ANTI_CHEAT_RATE_LIMIT_C: '1',
    ANTI_CHEAT_OUTLIER_MIN_ENTRIES: '100000',
  });
  await db.knex('games').where('id', uuidOf(world.gameId)).update({ anti_cheat_enabled: true });
  const judge = () => new ScoreChecker(db, clock, log, settings, () => undefined);
  let together = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(boardRules, { minLength: BOARDS, maxLength: BOARDS }),
      steps,
      async (rules, history) => {
        const sides: string[][] = [[], []];
        for (const side of sides) for (const one of rules) side.push(await makeBoard(db.knex, world, one));
        const fairPlay = judge();
        const one = new SubmissionPipeline(db, clock, log, () => undefined, undefined, undefined, judge());
        const written: Map<string, string>[] = [new Map(), new Map()];
        for (const [step, { kind, who, seconds }] of history.entries()) {
          now += seconds * 1_000;
          const [first] = who;
          const subject = db.knex('identities').where('id', uuidOf(seats[first!.seat]!.identityId));
          if (kind === 'rename') await subject.update({ display_name: first!.name ?? 'Nobody' });
          if (kind === 'tier') await subject.update({ trust_tier: first!.isTest ? 'c' : 'a' });
          if (kind === 'rule') {
            for (const [s, side] of sides.entries()) {
              const event = written[s]!.get(`${first!.board} ${first!.seat}`);
              // A flagged one is ruled on by its flags alone.
              if (!event || (await isFlagged(event))) continue;
              const about = { eventId: uuidOf(event), identityId: uuidOf(seats[first!.seat]!.identityId) };
              await ruleOn(
                db.knex,
                side[first!.board]!,
                about,
                first!.isTest ? 'include' : 'exclude',
                new Date(now),
              );
            }
          }
          const answers = await Promise.all(
            sides.map(async (side, s) => {
              const items = who.map(({ seat, board, amount, name, key, isTest }) => ({
                ...run(0, seat, amount + 0, { isTest, playerName: name, wantPreviousRank: true }),
                boardId: side[board]!,
                idempotency: key
                  ? {
                      scope: seats[seat]!.identityId,
                      key: `${side[0]} ${step % 3}`,
                      bodyHash: Buffer.alloc(32),
                    }
                  : undefined,
              }));
              const results =
                s === 0 && kind !== 'elsewhere'
                  ? await Promise.all(
                      items.map((item) => one.submit(item).catch((error: DomainError) => error)),
                    )
                  : await byThemselves(items, fairPlay);
              results.forEach((result, i) => {
                if ('eventId' in result) written[s]!.set(`${who[i]!.board} ${who[i]!.seat}`, result.eventId);
              });
              return results;
            }),
          );
          expect(answers[0]!.map(told)).toEqual(answers[1]!.map(told));
          if (kind === 'batch' && new Set(who.map(({ board }) => board)).size > 1) together += 1;
        }
        await one.close();
        const tables = await Promise.all(
          sides.map((side) => Promise.all(side.map((id) => contents(db, id)))),
        );
        expect(tables[0]).toEqual(tables[1]);
        for (const board of sides[0]!) expect(await verifyBoard(db, board)).toEqual([]);
      },
    ),
    { numRuns: RUNS },
  );
  expect(together).toBeGreaterThan(0);
}, 36_000_000);

/** Board by board, below its lock. */
async function byThemselves(items: Submission[], fairPlay: ScoreChecker): Promise<Result[]> {
  const results = new Map<Submission, Result>();
  for (const boardId of new Set(items.map((item) => item.boardId))) {
    const own = items.filter((item) => item.boardId === boardId);
    await fairPlay.prepare(boardId, [true, false]);
    const client = await db.pool.connect();
    const answers = await ingest(client, clock, own, fairPlay);
    client.release();
    fairPlay.ended(boardId);
    own.forEach((item, i) => {
      results.set(item, answers[i]!);
    });
  }
  return items.map((item) => results.get(item)!);
}
