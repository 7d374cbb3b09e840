import { Operator } from '../../seeds/operator.js';
import { plant } from '../../seeds/plant.js';
import { makeLog } from '../../src/base/log.js';
import type { Database } from '../../src/db/pool.js';
import { allBoards, verifyBoard } from '../../src/rankings/upkeep/verify.js';
import { SETTINGS } from '../support/app.js';
import { cloneDatabase, type TestDatabase } from '../support/database.js';
import { byHand } from '../support/follow-guard.js';
import { full } from '../support/lane.js';
import { PlainPath } from '../support/plain-path.js';
import { DataDir, runProgram, settingsOn } from '../support/process.js';
import { makeBoard, makeIdentities, makeWorld, submissionOf } from '../support/world.js';

// Programs beside the service, in processes of their own: each start takes seconds.

const TABLES = [
  ...[
    'accounts',
    'users',
    'api_keys',
    'games',
    'boards',
    'board_templates',
    'identities',
    'devices',
    'device_sessions',
  ],
  ...['board_rankings', 'score_events', 'entries', 'states', 'rank_runs', 'rank_tops', 'rulings'],
];

let clone: TestDatabase;
let database: Database;
let dataDir: DataDir;
let settings: Record<string, string>;

beforeAll(async () => {
  clone = await cloneDatabase();
  database = clone.open();
  dataDir = new DataDir();
  settings = { ...settingsOn(clone, dataDir), LOG_LEVEL: 'warn' };
});

afterAll(async () => {
  await clone.drop();
  await dataDir.remove();
});

/** Rows and a checksum of every table. */
async function contents(): Promise<Record<string, unknown>> {
  const entries = TABLES.map(async (table) => {
    const { rows } = await database.pool.query(
      `select count(*) as rows, md5(string_agg(t::text, ' ' order by t::text)) as sum from ${table} t`,
    );
    return [table, rows[0]];
  });
  return Object.fromEntries(await Promise.all(entries));
}

full('npm run seed plants a studio whose ranks are right; a second time it changes nothing', async () => {
  const seeded = await runProgram('seeds/main.ts', settings);
  expect([seeded.code, seeded.stderr]).toEqual([0, '']);
  const key = dataDir.read('studio-key');
  expect(seeded.stdout).toContain(key);
  const planted = await contents();
  const { rows } = await database.pool.query(
    `select board_type, sort_direction, keep_strategy, count(*) filter (where not is_test) > 25 as crowded,
            count(*) filter (where is_test) > 0 as tested
     from boards join entries on board_id = boards.id group by boards.id order by 1, 2, 3`,
  );
  const full = { crowded: true, tested: true };
  const kind = (board_type: string, sort_direction: string, keep_strategy: string) => {
    return { board_type, sort_direction, keep_strategy, ...full };
  };
  expect(rows).toEqual([
    kind('counter', 'asc', 'all'),
    kind('counter', 'desc', 'all'),
    kind('counter', 'desc', 'all'),
    kind('ratio', 'desc', 'all'),
    kind('run_identity', 'asc', 'best'),
    kind('run_identity', 'asc', 'first'),
    // Of them one of the weekly series, three weeks.
    ...Array.from({ length: 4 }, () => kind('run_identity', 'desc', 'best')),
    kind('run_identity', 'desc', 'last'),
    kind('run_runs', 'desc', 'all'),
  ]);
  for await (const boardId of allBoards(database)) expect(await verifyBoard(database, boardId)).toEqual([]);

  const operator = await Operator.enter({
    settings: {
      ...SETTINGS,
      headerPrefix: 'service',
      trustedProxies: [],
      corsOrigins: ['*'],
      maxBodyBytes: 65_536,
    },
    database,
    log: makeLog('fatal'),
  });
  const again = await plant(operator);
  await operator.leave();
  expect(again).toMatchObject({ key: undefined, submissions: 0 });
  expect(again.boards.size).toBe(10);
  expect(await contents()).toEqual(planted);
});

test('npm run verify-ranks names every fault and ends with 1', async () => {
  const world = await makeWorld(database.knex);
  const rules = { boardType: 'run_identity', sortDirection: 'desc', keepStrategy: 'best' } as const;
  const board = await makeBoard(database.knex, world, rules);
  const path = new PlainPath(database, Date.now, makeLog('fatal'), () => undefined);
  for (const player of await makeIdentities(database.knex, world, 3))
    await path.submit(submissionOf(world, board, player, { amount: 1, isTest: false }));
  const right = await runProgram('src/operator/verify-ranks.ts', settings);
  expect([right.code, right.stderr]).toEqual([0, '']);
  expect(right.stdout).toMatch(/^\d+ boards verified, 0 errors found\.\n$/);

  const { rows } = await database.pool.query<{ board_id: string }>(
    `update rank_tops set ahead = ahead + 1 where ctid = (select ctid from rank_tops where not is_test limit 1)
     returning board_id`,
  );
  const shown = await byHand(database.knex, (trx) =>
    trx.raw<{ rows: { id: string }[] }>(
      `update entries set metadata = '{"level": -1}' where ctid = (select ctid from entries where ranked and not is_test limit 1)
       returning id`,
    ),
  );
  const wrong = await runProgram('src/operator/verify-ranks.ts', settings);
  expect(wrong.code).toBe(1);
  expect(wrong.stdout).toContain(`brd_${rows[0]!.board_id} (production): `);
  expect(wrong.stdout).toContain(`entry ${shown.rows[0]!.id} shows metadata that its event does not have`);
  expect(wrong.stdout).not.toContain(' 0 errors found.');
  expect(wrong.stderr).toBe('');
});
