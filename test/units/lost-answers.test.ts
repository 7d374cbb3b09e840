import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import { makeLog } from '../../src/base/log.js';
import { type Database, openDatabase } from '../../src/db/pool.js';
import type { Submission, SubmissionPath } from '../../src/submissions/facts/submission.js';
import { SubmissionPipeline } from '../../src/submissions/queue/pipeline.js';
import { cloneDatabase, type TestDatabase } from '../support/database.js';
import { PlainPath } from '../support/plain-path.js';
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

// A submission is committed, the connection is lost before the answer, and another process writes before the outcome is
// looked up.

const LOG = makeLog('silent');
const now = Date.parse('2026-03-01T12:00:00Z');
const clock = () => now;

let testDatabase: TestDatabase;
let proxy: SilentProxy;
let db: Database;
let through: Database;
let world: World;
let seats: Seat[];
let boards: string[];
/** Of another process. */
let other: SubmissionPath;

beforeAll(async () => {
  testDatabase = await cloneDatabase();
  db = testDatabase.open();
  proxy = await SilentProxy.before(testDatabase.connectionString);
  through = openDatabase(proxy.connectionString);
  world = await makeWorld(db.knex);
  seats = await makeSeats(db.knex, world, 3);
  other = new PlainPath(db, clock, LOG, () => undefined);
});
afterAll(async () => {
  await through.close();
  await proxy.close();
  await testDatabase.drop();
});

beforeEach(async () => {
  boards = [];
  for (let i = 0; i < 2; i += 1) {
    boards.push(
      await makeBoard(db.knex, world, {
        ...{ boardType: 'run_identity', sortDirection: 'desc', keepStrategy: 'best' },
      }),
    );
  }
});

function run(seat: number, amount: number, key?: string, board = 0): Submission {
  const { identityId } = seats[seat]!;
  return clientSubmission(world, boards[board]!, seats[seat]!, now, {
    ...{ amount, wantPreviousRank: true },
    idempotency: key === undefined ? undefined : { scope: identityId, key, bodyHash: Buffer.alloc(32) },
  });
}

const KEYED = ['store_answers', 'commit\0'];
/** A message that ends a single statement. */
const SYNC = 'S\0\0\0\x04';
/** How a path commits a submission without a key. */
const PATHS: [string, () => SubmissionPath, readonly string[]][] = [
  [
    'the pipeline',
    () => new SubmissionPipeline(through, clock, LOG, () => undefined),
    ['write_submissions', SYNC],
  ],
  [
    'the plain path',
    () => new PlainPath(through, clock, LOG, () => undefined),
    ['write_submissions', 'commit\0'],
  ],
];

/** Submits; before the outcomes are looked up, the first player improves, and another one passes both. */
async function submitAndLose(path: SubmissionPath, items: Submission[], last: readonly string[]) {
  proxy.loseAnswer(last);
  const outcomes = Promise.all(items.map((item) => path.submit(item)));
  await until(() => proxy.answersLost > 0);
  for (const board of [0, 1]) {
    await other.submit(run(0, 50, undefined, board));
    await other.submit(run(1, 90, undefined, board));
  }
  proxy.cut();
  return outcomes;
}

test.each(PATHS)('%s gives the first answer of a key, as a retry gets it', async (_name, open) => {
  const path = open();
  await path.submit(run(2, 20));
  await path.submit(run(0, 5));
  const key = randomUUID();
  const [outcome] = await submitAndLose(path, [run(0, 10, key)], KEYED);
  expect(outcome).toMatchObject({ score: { value: 10, rank: 2 }, previousRank: 2, replayed: false });
  expect(outcome).toMatchObject({ kept: true, isPersonalBest: true });
  const again = await path.submit(run(0, 10, key));
  expect(again).toEqual({ ...outcome, replayed: true });
  await path.close();
});

test('submissions to several boards in one transaction get the first answers of their keys, too', async () => {
  const path = PATHS[0]![1]();
  const keys = boards.map(() => randomUUID());
  await Promise.all([path.submit(run(0, 1)), path.submit(run(2, 1, undefined, 1))]);
  const items = [run(0, 10, keys[0], 0), run(2, 10, keys[1], 1)];
  const outcomes = await submitAndLose(path, items, KEYED);
  expect(outcomes).toMatchObject([
    { score: { value: 10, rank: 1 }, previousRank: 1 },
    { score: { value: 10, rank: 1 }, previousRank: 1 },
  ]);
  const again = await Promise.all([path.submit(run(0, 10, keys[0], 0)), path.submit(run(2, 10, keys[1], 1))]);
  expect(again).toEqual(outcomes.map((outcome) => ({ ...outcome, replayed: true })));
  await path.close();
});

test.each(PATHS)(
  '%s answers without a key what the board shows at the look-up',
  async (_name, open, last) => {
    const path = open();
    const [outcome] = await submitAndLose(path, [run(0, 10)], last);
    expect(outcome).toMatchObject({ score: { value: 50, rank: 2 }, kept: false, replayed: false });
    expect(outcome).toMatchObject({ previousRank: null, isPersonalBest: null });
    await path.close();
  },
);
