import 'reflect-metadata';
import { DomainError } from '../../src/base/errors.js';
import { uuid7, uuidOf } from '../../src/base/ids.js';
import { makeLog } from '../../src/base/log.js';
import { lockRankings } from '../../src/boards/board/ranking.js';
import { readConfig } from '../../src/config/table.js';
import type { Database } from '../../src/db/pool.js';
import { ScoreChecker } from '../../src/fairplay/checks/score-checker.js';
import { verifyBoard } from '../../src/rankings/upkeep/verify.js';
import type { Outcome, Submission } from '../../src/submissions/facts/submission.js';
import { SubmissionPipeline } from '../../src/submissions/queue/pipeline.js';
import { cloneDatabase, type TestDatabase } from '../support/database.js';
import { RememberingWriter } from '../support/remembering-writer.js';
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
  seats = await makeSeats(db.knex, world, 5);
});

const run = (boardId: string, seat: Seat, of: Partial<Submission> & { amount: number }) =>
  clientSubmission(world, boardId, seat, now, of);

const player = (seat: Seat) => db.knex('identities').where('id', uuidOf(seat.identityId));

test('a player that was written before is not read again, nor is the board; other players of the batch are', async () => {
  const board = await makeBoard(db.knex, world, BEST);
  const writer = new RememberingWriter(db, clock);
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
  const writer = new RememberingWriter(db, clock);
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

test('a refusal by cached facts is checked in the database, since the board may be open again', async () => {
  const board = await makeBoard(db.knex, world, BEST);
  const writer = new RememberingWriter(db, clock);
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
  const writer = new RememberingWriter(db, clock);
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
      for (const board of boards)
        await new RememberingWriter(db, clock).write([run(board, seats[1]!, { amount: 100 })]);
    },
    { score: { value: 9, rank: 2 } },
  ],
])('when %s, cached facts of a player are no longer used', async (_what, happens, answer) => {
  await game().update({ anti_cheat_enabled: true });
  const boards = [await makeBoard(db.knex, world, BEST), await makeBoard(db.knex, world, BEST)];
  const judge = () => new ScoreChecker(db, clock, log, readConfig({}), () => undefined);
  const writer = new RememberingWriter(db, clock, judge());
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
