import 'reflect-metadata';
import { uuidOf } from '../../src/base/ids.js';
import { makeLog } from '../../src/base/log.js';
import type { Database } from '../../src/db/pool.js';
import { ingest } from '../../src/submissions/ingest.js';
import { Transaction } from '../../src/submissions/write/transaction.js';
import { cloneDatabase, type TestDatabase } from '../support/database.js';
import { PlainPath } from '../support/plain-path.js';
import { makeBoard, makeIdentities, makeWorld, submissionOf, type World } from '../support/world.js';

// The trigger of every test database (support/follow-guard.ts): it must refuse, and must not refuse too much.

let testDatabase: TestDatabase;
let db: Database;
let world: World;
let player: string;
let boardId: string;
const now = Date.parse('2026-03-01T12:00:00Z');
const item = () => submissionOf(world, boardId, player, { isTest: false, amount: 2 });

beforeAll(async () => {
  testDatabase = await cloneDatabase();
  db = testDatabase.open();
  world = await makeWorld(db.knex);
  [player] = (await makeIdentities(db.knex, world, 1)) as [string];
  boardId = await makeBoard(db.knex, world, {
    ...{ boardType: 'counter', keepStrategy: 'all', sortDirection: 'desc', tiePolicy: 'earliest' },
  });
  await new PlainPath(
    db,
    () => now,
    makeLog('error'),
    () => undefined,
  ).submit(item());
});
afterAll(() => testDatabase.drop());

test('an entry that changes without an event or another derived version is refused', async () => {
  const changed = db.knex('entries').where('board_id', uuidOf(boardId)).update({ value: 9, rank_key: -9 });
  await expect(changed).rejects.toThrow('neither an event nor derived_version says so');
});

test('a transaction with an older id than that of the submission before it is not refused', async () => {
  const early = await db.pool.connect();
  try {
    const transaction = new Transaction(early);
    await transaction.begin();
    await early.query('select pg_current_xact_id()');
    const submissions = new PlainPath(
      db,
      () => now,
      makeLog('error'),
      () => undefined,
    );
    await submissions.submit(item());
    const locked = { mode: 'lock' as const, locked: transaction };
    const [outcome] = await ingest(early, () => now, [item()], undefined, locked);
    expect(outcome).toMatchObject({ score: { value: 6 } });
  } finally {
    early.release(true);
  }
});
