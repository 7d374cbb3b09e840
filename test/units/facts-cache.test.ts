import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { DomainError } from '../../src/base/errors.js';
import { uuid7, uuidOf } from '../../src/base/ids.js';
import { makeLog } from '../../src/base/log.js';
import { lockRankings } from '../../src/boards/board/ranking.js';
import { readConfig } from '../../src/config/table.js';
import type { Database } from '../../src/db/pool.js';
import { ScoreChecker } from '../../src/fairplay/checks/score-checker.js';
import type { Result } from '../../src/scores/submit/claims.js';
import { type Approach, ingest } from '../../src/scores/submit/ingest.js';
import { FactsCache } from '../../src/scores/submit/pipeline/facts-cache.js';
import { SubmissionPipeline } from '../../src/scores/submit/pipeline/pipeline.js';
import type { Outcome, Submission } from '../../src/scores/submit/submission.js';
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

const RUNS = Number(process.env.PROPERTY_RUNS ?? 30);
const BEST: BoardRules = { boardType: 'run_identity', sortDirection: 'desc', keepStrategy: 'best' };
const CHANGED = /^40LB/;

let testDatabase: TestDatabase;
let db: Database;
let world: World;
let seats: Seat[];
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
  seats = await makeSessions(db.knex, world, await makeIdentities(db.knex, world, 5));
});

/** By the player's own client, with a nonce of its own. */
function run(
  boardId: string,
  { identityId, origin }: Seat,
  of: Partial<Submission> & { amount: number },
): Submission {
  const nonce = { uuid: randomUUID(), expiresAt: new Date(now + 60_000) };
  return submissionOf(world, boardId, identityId, { isTest: false, origin: { ...origin, nonce }, ...of });
}

const player = (seat: Seat) => db.knex('identities').where('id', uuidOf(seat.identityId));

class Writer {
  readonly cache = new FactsCache();
  /** Batches that something was read for. */
  reads = 0;

  constructor(private readonly judge?: ScoreChecker) {}

  async write(items: Submission[], approach: Approach = this.remembering()): Promise<Result[]> {
    await this.judge?.prepare(items[0]!.boardId, [true, false]);
    const client = await db.pool.connect();
    try {
      return await ingest(client, clock, items, this.judge, approach);
    } catch (error) {
      this.cache.forget(uuidOf(items[0]!.boardId));
      throw error;
    } finally {
      client.release();
      this.judge?.ended(items[0]!.boardId);
    }
  }

  private remembering(): Approach {
    const query = (asked: never) => {
      this.reads += 1;
      return db.pool.query(asked);
    };
    return { reader: { query } as never, cache: this.cache };
  }
}

test('who was written before is not read again, nor is the board; whoever else is in the batch is', async () => {
  const board = await makeBoard(db.knex, world, BEST);
  const writer = new Writer();
  await writer.write([run(board, seats[0]!, { amount: 5 }), run(board, seats[1]!, { amount: 6 })]);
  expect(writer.reads).toBe(1);
  const [better, worse] = (await writer.write([
    run(board, seats[0]!, { amount: 7, metadata: { level: 3 } }),
    run(board, seats[1]!, { amount: 2 }),
  ])) as Outcome[];
  expect(writer.reads).toBe(1);
  expect(better!.score).toMatchObject({ rank: 1, value: 7, metadata: { level: 3 } });
  expect(worse).toMatchObject({ kept: false, score: { rank: 2, value: 6 } });
  const all = await writer.write([
    run(board, seats[2]!, { amount: 9 }),
    run(board, seats[0]!, { amount: 8 }),
    run(board, seats[3]!, { amount: 1 }),
  ]);
  expect(writer.reads).toBe(2);
  expect((all as Outcome[]).map(({ score }) => score.rank)).toEqual([1, 2, 4]);
  // The other population of the same player is another entry.
  await writer.write([run(board, seats[0]!, { amount: 3, isTest: true })]);
  expect(writer.reads).toBe(3);
  expect(await verifyBoard(db, board)).toEqual([]);
});

test('a nonce or an idempotency key that was used before is looked up', async () => {
  const board = await makeBoard(db.knex, world, BEST);
  const writer = new Writer();
  const [seat] = seats;
  const first = run(board, seat!, { amount: 5 });
  await writer.write([first]);
  const [again] = await writer.write([{ ...first, eventId: `sev_${uuid7()}` }]);
  expect(again).toMatchObject({ code: 'NONCE_USED' });
  const idempotency = { scope: seat!.identityId, key: 'one', bodyHash: Buffer.alloc(32) };
  const keyed = () => run(board, seat!, { amount: 6, idempotency });
  const [made] = (await writer.write([keyed()])) as Outcome[];
  const [replayed] = (await writer.write([keyed()])) as Outcome[];
  expect(replayed).toMatchObject({ replayed: true, eventId: made!.eventId });
});

test('whoever would be refused by what is remembered is looked up: the board may be open again', async () => {
  const board = await makeBoard(db.knex, world, BEST);
  const writer = new Writer();
  const endAt = (at: number) =>
    db.knex.transaction(async (trx) => {
      await lockRankings(trx, [uuidOf(board)]);
      await trx('boards')
        .where('id', uuidOf(board))
        .update({ ends_at: new Date(at) });
      await trx('board_rankings').where('board_id', uuidOf(board)).increment('version', 1);
    });
  await endAt(now + 1_000);
  await writer.write([run(board, seats[0]!, { amount: 5 })]);
  now += 2_000;
  const [refused] = await writer.write([run(board, seats[0]!, { amount: 6 })]);
  expect(refused).toMatchObject({ code: 'BOARD_CLOSED' });
  await endAt(now + 1_000);
  const [taken] = await writer.write([run(board, seats[0]!, { amount: 6 })]);
  expect(taken).toMatchObject({ score: { value: 6 } });
});

test('a player with much metadata is read again', async () => {
  const board = await makeBoard(db.knex, world, BEST);
  const writer = new Writer();
  await writer.write([run(board, seats[0]!, { amount: 5, metadata: { note: 'x'.repeat(2_000) } })]);
  await writer.write([run(board, seats[0]!, { amount: 4 })]);
  expect(writer.reads).toBe(2);
});

type Happens = (seat: Seat, boards: string[]) => Promise<unknown>;

const game = () => db.knex('games').where('id', uuidOf(world.gameId));
const session = ({ origin }: Seat) => db.knex('device_sessions').where('id', uuidOf(origin.sessionId));
const device = ({ origin }: Seat) => db.knex('devices').where('id', uuidOf(origin.deviceId));

test.each<[what: string, happens: Happens, answer: object]>([
  ['their session is refreshed', (seat) => session(seat).increment('version', 1), { code: 'INVALID_TOKEN' }],
  [
    'their session is revoked',
    (seat) => session(seat).update({ status: 'revoked', revoked_at: new Date(now) }),
    { code: 'INVALID_TOKEN' },
  ],
  ['their session is gone', (seat) => session(seat).delete(), { code: 'INVALID_TOKEN' }],
  ['their device is banned', (seat) => device(seat).update({ status: 'banned' }), { code: 'DEVICE_BLOCKED' }],
  [
    'they are deleted',
    (seat) => player(seat).update({ deleted_at: new Date(now) }),
    { code: 'INVALID_TOKEN' },
  ],
  [
    'they are renamed',
    (seat) => player(seat).update({ display_name: 'Renamed' }),
    { score: { playerName: 'Renamed', value: 9, status: 'active', rank: 1 } },
  ],
  [
    'they are trusted less',
    (seat) => player(seat).update({ trust_tier: 'c' }),
    { score: { value: 9, status: 'under_review' } },
  ],
  [
    'the game has other checks',
    () => game().update({ anti_cheat_settings: { progression_percent: { b: 300 } } }),
    { score: { value: 9, status: 'under_review' } },
  ],
  [
    'the account is suspended',
    () => db.knex('accounts').where('id', uuidOf(world.accountId)).update({ status: 'suspended' }),
    { code: 'ACCOUNT_SUSPENDED' },
  ],
  [
    'another process writes to the board',
    async (_, boards) => {
      for (const board of boards) await new Writer().write([run(board, seats[1]!, { amount: 100 })]);
    },
    { score: { value: 9, rank: 2 } },
  ],
])('when %s, what is remembered of a player is not relied on any more', async (_what, happens, answer) => {
  await game().update({ anti_cheat_enabled: true });
  const boards = [await makeBoard(db.knex, world, BEST), await makeBoard(db.knex, world, BEST)];
  const judge = () => new ScoreChecker(db, clock, log, readConfig({}), () => undefined);
  const writer = new Writer(judge());
  const pipeline = new SubmissionPipeline(db, clock, log, () => undefined, undefined, undefined, judge());
  const next = (board: number, amount: number) => run(boards[board]!, seats[0]!, { amount });
  for (const amount of [1, 1.5, 1.8]) {
    now += 400_000;
    await writer.write([next(0, amount)]);
    await pipeline.submit(next(1, amount));
  }
  expect(writer.reads).toBe(1);
  await happens(seats[0]!, boards);
  now += 400_000;
  // Four times as good as before: flagged from 300 percent on, not from 1,000.
  await expect(writer.write([next(0, 9)])).rejects.toMatchObject({ code: expect.stringMatching(CHANGED) });
  expect(writer.reads).toBe(1);
  const answered = await pipeline.submit(next(1, 9)).catch((error: DomainError) => error);
  expect(answered).toMatchObject(answer);
  await pipeline.close();
});

interface Step {
  kind: 'batch' | 'rename' | 'tier' | 'rule' | 'elsewhere';
  who: { seat: number; amount: number; isTest: boolean; name: string | undefined; byAdmin: boolean }[];
  seconds: number;
}

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record<Step>({
    kind: fc.oneof(
      { weight: 8, arbitrary: fc.constant('batch' as const) },
      { weight: 1, arbitrary: fc.constantFrom('rename', 'tier', 'rule', 'elsewhere') },
    ),
    who: fc.uniqueArray(
      fc.record({
        seat: fc.nat(4),
        amount: fc.oneof(fc.integer({ min: -3, max: 3 }), fc.constantFrom(0.1, 900)),
        isTest: fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, fc.boolean()),
        name: fc.option(fc.constantFrom('Ann', 'Bob'), { nil: undefined }),
        byAdmin: fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, fc.boolean()),
      }),
      { selector: ({ seat }) => seat, minLength: 1, maxLength: 5 },
    ),
    seconds: fc.constantFrom(0, 1, 3, 400, 4_000),
  }),
  { minLength: 4, maxLength: 20 },
);

test('whatever happens in between, a process that remembers answers and writes what one does that reads everything', async () => {
  // Outliers are told by what each process has seen of the others when: that differs between two.
  const settings = readConfig({ ANTI_CHEAT_RATE_LIMIT_B: '4', ANTI_CHEAT_OUTLIER_MIN_ENTRIES: '100000' });
  await game().update({ anti_cheat_enabled: true });
  const judge = () => new ScoreChecker(db, clock, log, settings, () => undefined);
  let recalled = 0;
  await fc.assert(
    fc.asyncProperty(boardRules, steps, async (board, history) => {
      const boards = [await makeBoard(db.knex, world, board), await makeBoard(db.knex, world, board)];
      const [remembering, reading] = [new Writer(judge()), new Writer(judge())];
      const events: Record<number, Outcome[]> = { 0: [], 1: [] };
      for (const { kind, who, seconds } of history) {
        now += seconds * 1_000;
        const [first] = who;
        const subject = seats[first!.seat]!;
        if (kind === 'rename') await player(subject).update({ display_name: first!.name ?? 'Nobody' });
        if (kind === 'tier') await player(subject).update({ trust_tier: first!.isTest ? 'c' : 'a' });
        if (kind === 'rule') {
          for (const [n, boardId] of boards.entries()) {
            const event = events[n]![first!.seat];
            if (!event) continue;
            const about = { eventId: uuidOf(event.eventId), identityId: uuidOf(event.score.identityId!) };
            await ruleOn(db.knex, boardId, about, first!.isTest ? 'include' : 'exclude', new Date(now));
          }
        }
        const answers: object[][] = [];
        for (const [n, boardId] of boards.entries()) {
          const items = () =>
            who.map(({ seat, amount, isTest, name, byAdmin }) =>
              run(boardId, seats[seat]!, {
                ...{ amount: amount + 0, isTest, playerName: name, wantPreviousRank: true },
                ...(byAdmin && { origin: { kind: 'admin', accountId: world.accountId, superAdmin: false } }),
              }),
            );
          let results: Result[];
          if (n === 1 || kind === 'elsewhere') {
            results = await reading.write(items(), { reader: db.pool });
          } else {
            const readsBefore = remembering.reads;
            // As the pipeline does: what has changed is read again.
            results = await remembering.write(items()).catch((error: { code: string }) => {
              expect(error.code).toMatch(CHANGED);
              return remembering.write(items());
            });
            if (remembering.reads === readsBefore) recalled += 1;
          }
          answers.push(results.map(told));
          events[n]!.push(...results.filter((result): result is Outcome => !(result instanceof DomainError)));
        }
        expect(answers[0]).toEqual(answers[1]);
      }
      const tables = await Promise.all(boards.map((boardId) => contents(db, boardId)));
      expect(tables[0]).toEqual(tables[1]);
    }),
    { numRuns: RUNS },
  );
  expect(recalled).toBeGreaterThan(0);
}, 36_000_000);
