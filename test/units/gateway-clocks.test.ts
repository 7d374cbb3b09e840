import 'reflect-metadata';
import type { Clock } from '../../src/base/clock.js';
import { DomainError } from '../../src/base/errors.js';
import { uuidOf } from '../../src/base/ids.js';
import { makeLog } from '../../src/base/log.js';
import { readConfig } from '../../src/config/table.js';
import { DatabaseClock } from '../../src/db/clock.js';
import type { Database } from '../../src/db/pool.js';
import { ScoreChecker } from '../../src/fairplay/checks/score-checker.js';
import { verifyBoard } from '../../src/rankings/upkeep/verify.js';
import { SubmissionPipeline } from '../../src/submissions/queue/pipeline.js';
import { HOUR, SECOND } from '../support/clock.js';
import { cloneDatabase, type TestDatabase } from '../support/database.js';
import { rederiveAll } from '../support/rederive.js';
import { until } from '../support/wait.js';
import {
  clientSubmission,
  makeBoard,
  makeSeats,
  makeWorld,
  type Seat,
  type World,
} from '../support/world.js';

const LIMIT = 3;
const GAP_MS = 30;

const log = makeLog('silent');
let testDatabase: TestDatabase;
let db: Database;
let world: World;
let seats: Seat[];
let board: string;
const closing: (() => Promise<void>)[] = [];

beforeAll(async () => {
  testDatabase = await cloneDatabase();
  db = testDatabase.open();
  world = await makeWorld(db.knex);
  await db.knex('games').where('id', uuidOf(world.gameId)).update({ anti_cheat_enabled: true });
  seats = await makeSeats(db.knex, world, 4);
  await db.knex('device_sessions').update({ expires_at: '2100-01-01', refresh_expires_at: '2100-01-01' });
});
afterAll(() => testDatabase.drop());

beforeEach(async () => {
  board = await makeBoard(db.knex, world, {
    boardType: 'counter',
    sortDirection: 'desc',
    keepStrategy: 'all',
  });
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** A gateway on the database whose machine shows that time. @returns submits for a player */
function gateway(clock: Clock, env: Record<string, string>) {
  const settings = readConfig(env);
  const judge = new ScoreChecker(db, clock, log, settings, () => undefined);
  const pipeline = new SubmissionPipeline(db, clock, log, () => undefined, undefined, undefined, judge);
  closing.push(() => pipeline.close());
  return (seat: number) => {
    const run = clientSubmission(world, board, seats[seat]!, clock(), { amount: 1 });
    return pipeline.submit(run).catch((error: DomainError) => error);
  };
}

const events = async () =>
  (
    await db.pool.query<{ disposition: string; created_at: Date }>(
      'select disposition, created_at from score_events where board_id = $1 order by seq',
      [uuidOf(board)],
    )
  ).rows;
const lastEventAt = async () => {
  const { rows } = await db.pool.query('select last_event_at from board_rankings where board_id = $1', [
    uuidOf(board),
  ]);
  return rows[0].last_event_at.getTime();
};

test('an hour between the clocks of two gateways does not affect the players of both', async () => {
  const env = { ANTI_CHEAT_VELOCITY_SECONDS_B: String(GAP_MS / 1_000) };
  const clocks: DatabaseClock[] = [];
  for (const ahead of [HOUR, 0]) {
    const clock = await DatabaseClock.open(db.pool, log, () => Date.now() + ahead);
    closing.push(() => clock.close());
    clocks.push(clock);
  }
  const gateways = clocks.map(({ now }) => gateway(now, env));
  // A clock is as exact as the answer was quick that set it, which on a busy machine it was not.
  const apart = Math.abs(clocks[0]!.now() - clocks[1]!.now());
  const began = Date.now();
  for (let round = 0; round < 8; round += 1) {
    for (const seat of [0, 1])
      expect(await gateways[(round + seat) % 2]!(seat)).not.toBeInstanceOf(DomainError);
    const after = Date.now() + 2 * (GAP_MS + apart);
    await until(() => Date.now() > after, 5);
  }
  const stored = await events();
  expect(stored.map(({ disposition }) => disposition)).toEqual(stored.map(() => 'accepted'));
  const times = stored.map(({ created_at }) => created_at.getTime());
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  expect([times[0]! > began - SECOND, times.at(-1)! < Date.now() + SECOND]).toEqual([true, true]);
});

test('a jump of the clock counts once a second reading confirms it; the offset is that of the machine', async () => {
  let [database, machine] = [0, 0];
  // The local clock goes back as far as the database's goes ahead of it.
  const clock = await DatabaseClock.open(
    db.pool,
    log,
    () => Date.now() - database,
    () => Date.now() + machine,
  );
  // It is read when the test says so.
  await clock.close();
  const lead = () => Math.round((clock.now() - (Date.now() - database)) / SECOND);
  // 0 and not -0, which rounding gives a clock that is behind by microseconds.
  const offset = () => Math.round(clock.offset()) + 0;
  expect([lead(), offset()]).toEqual([0, 0]);
  machine = HOUR;
  await clock.look();
  expect([lead(), offset()]).toEqual([0, 3_600]);
  [database, machine] = [20 * SECOND, 0];
  await clock.look();
  expect([lead(), offset()]).toEqual([0, 0]);
  await clock.look();
  expect(lead()).toBe(20);
  // Back again: the first jump was confirmed, this one is not.
  database = 0;
  await clock.look();
  expect(lead()).toBe(20);
});

test('a board whose time was ahead goes on with the present time, and earlier submissions are not held against players', async () => {
  let now = Date.parse('2026-03-01T12:00:00Z');
  const env = { ANTI_CHEAT_RATE_LIMIT_B: String(LIMIT) };
  const wrong = gateway(() => now + HOUR / 2, env);
  const right = gateway(() => now, env);
  for (let i = 0; i < LIMIT; i += 1) {
    now += 3 * SECOND;
    await wrong(0);
  }
  now += 3 * SECOND;
  expect(await wrong(0)).toMatchObject({ code: 'SCORE_REJECTED' });
  for (let i = 0; i < LIMIT; i += 1) {
    now += 3 * SECOND;
    for (const seat of [0, 1]) expect(await right(seat)).not.toBeInstanceOf(DomainError);
    expect(await lastEventAt()).toBe(now);
  }
  const rejected = (await events()).map(({ disposition }) => disposition === 'rejected');
  expect([rejected.length, rejected.filter(Boolean).length]).toEqual([3 * LIMIT + 1, 1]);
  // Submissions of the right time count as ever.
  expect(await right(0)).toMatchObject({ code: 'SCORE_REJECTED' });
  expect(await verifyBoard(db, board)).toEqual([]);
  expect(await rederiveAll(db, board, new Date(now))).toBe(0);
});

test('where clocks differ by little, times follow the order of events', async () => {
  const now = Date.parse('2026-03-01T12:00:00Z');
  await gateway(() => now + SECOND, {})(2);
  await gateway(() => now, {})(3);
  expect((await events()).map(({ created_at }) => created_at.getTime())).toEqual([
    now + SECOND,
    now + SECOND,
  ]);
});
