import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { idOf } from '../../src/base/ids.js';
import { makeLog } from '../../src/base/log.js';
import { installCapture, removeCapture } from '../../src/cells/move/capture.js';
import { readShapes } from '../../src/cells/move/shapes.js';
import { Changes } from '../../src/db/changes.js';
import { migrate } from '../../src/db/migrate.js';
import type { Queryable } from '../../src/db/pool.js';
import { Builds } from '../../src/rankings/upkeep/builds.js';
import { PlayerTagWorker } from '../../src/rankings/upkeep/player-tags.js';
import { Ratios } from '../../src/rankings/upkeep/ratios.js';
import { Retirement } from '../../src/rankings/upkeep/retire.js';
import { emptyDatabase, MIGRATIONS, type TestDatabase } from '../support/database.js';
import type { RatioRules } from '../support/ratio.js';
import { expectExactRatioViews } from '../support/ratio-views.js';
import { expectSound } from '../support/standings.js';
import { expectExactViews } from '../support/views.js';

// The fixture was made by the version of 26 November 2026; test/fixtures/2026-11-26/README.md says how. Names of its boards say
// how far their builds are.

const FIXTURE = path.resolve(__dirname, '../fixtures/2026-11-26/installation.sql.gz');
const NOW = Date.parse('2026-03-01T12:00:00Z');
const RATIO: RatioRules = {
  ...{ swapped: false, zero: 'infinity' as const, minNumerator: 0, minDenominator: 0 },
  ...{ scale: 1, display: 'raw' as const, decimals: 2 },
};

let old: TestDatabase;
beforeEach(async () => {
  old = await emptyDatabase();
  const { knex } = old.open();
  await knex.raw(`${gunzipSync(readFileSync(FIXTURE)).toString()}; set search_path = public;`);
});
afterEach(() => old.drop());

test('builds under way are taken over, rankings are what their events say, and no entry is rewritten', async () => {
  const db = old.open();
  const { knex } = db;
  const boards = (await knex('boards').orderBy('name')).map(({ id, name, sort_direction }) => {
    const [kind, ...phase] = name.split(' ');
    return { board: idOf('board', id), kind, phase: phase.join(' '), direction: sort_direction };
  });
  expect(new Set(boards.map(({ phase }) => phase)).size).toBe(9);
  const places = async () =>
    (
      await knex.raw(
        'select max(ctid::text) as last, count(*) as n, max(xmin::text::bigint) as newest from entries',
      )
    ).rows;
  const before = await places();
  await migrate(knex, old.connectionString, MIGRATIONS);
  expect(await places()).toEqual(before);

  const work = [db, () => NOW, makeLog('fatal')] as const;
  const nothing = () => undefined;
  const builds = new Builds(...work, nothing);
  const retirement = new Retirement(...work, nothing);
  const ratios = new Ratios(...work, new Changes(), nothing);
  await new PlayerTagWorker(...work, nothing).followDue();
  for (let rounds = 1, left = 1; left > 0; rounds += 1) {
    expect(rounds).toBeLessThan(50);
    await Promise.all([builds.work(), retirement.work()]);
    const unbuilt = await knex('board_views').whereNot('status', 'live');
    left =
      unbuilt.length +
      (await knex('board_rankings').whereNotNull('build')).length +
      (await ratios.followAll());
  }

  for (const { board, kind, phase, direction } of boards) {
    const turned = !phase.startsWith('view') && phase !== 'none' && !/^(nume|denomi)/.test(kind!);
    const row = await knex('board_rankings').where('board_id', board.replace('brd_', '')).first();
    expect([kind, phase, row.sort_direction, direction]).toEqual([
      kind,
      phase,
      ...(turned ? ['asc', 'asc'] : ['desc', 'desc']),
    ]);
    await expectSound(db, board);
    if (kind !== 'ratio') expect(await expectExactViews(db, board)).toBeGreaterThan(0);
    else {
      const source = (of: string) =>
        boards.find((one) => one.kind === of && one.phase === phase)?.board as string;
      const [left, right] = [source('numerator'), source('denominator')];
      expect(await expectExactRatioViews(db, board, left, right, direction, RATIO)).toBeGreaterThan(0);
    }
  }
  await Promise.all([builds.close(), retirement.close(), ratios.close()]);
}, 300_000);

/**
 * The functions by which the version of 26 November writes to rankings. The others that it calls take locks, note what is to be done, or change texts
 * that no ranking shows: boards_to_retag, boards_to_settle, declare_tags, erase_player, finish_retagging, finish_settling, lock_flags, store_answers; and
 * try_review_on_ratio, which is always rolled back.
 */
const WRITERS = [
  ...[
    'build_step',
    'drop_view',
    'erase_step',
    'follow_rules',
    'follow_views',
    'forget_generation',
    'import_step',
    'pull_ratio',
  ],
  ...[
    'rederive',
    'restate_flags',
    'retag_player',
    'retire_rankings',
    'settle_events',
    'settle_identity',
    'settle_ratio',
  ],
  ...['settle_review', 'settle_tier', 'view_step', 'write_submissions'],
];

test('running processes of the version before write to no ranking, and start no more', async () => {
  const { knex, pool } = old.open();
  const { rows } = await pool.query(
    `select distinct on (p.proname) p.proname as name, format('select %s(%s)', p.proname, (select string_agg('null::' || format_type(t, null), ', ' order by n)
       from unnest(p.proargtypes) with ordinality a(t, n))) as call
     from pg_proc p where p.pronamespace = 'public'::regnamespace and p.proname = any($1) order by 1, p.oid desc`,
    [WRITERS],
  );
  expect(rows.map(({ name }) => name)).toEqual(WRITERS);
  await migrate(knex, old.connectionString, MIGRATIONS);
  for (const { call } of rows) await expect(pool.query(call)).rejects.toMatchObject({ code: '53LB0' });
  const known = await knex('migration_checksums').where('name', 'oldest-known').first('checksum');
  expect(known.checksum).toBe('060_equal_ratios.sql');
}, 300_000);

test.each(['capturing', 'frozen', 'incoming'])(
  'a cell with an account that is %s migrates, and the account goes on',
  async (state) => {
    const { knex, pool } = old.open();
    const { id: account } = await knex('accounts').first('id');
    const { rows: tables } = await pool.query(
      `select tablename as name from pg_tables where schemaname = 'public'`,
    );
    const present = new Set(tables.map(({ name }) => name));
    // That version knew two tables more.
    const shapes = async () => {
      const trx = await knex.transaction();
      await trx.raw('drop table if exists ratio_places, ratio_places_former');
      const found = await readShapes({ query: (text: string) => trx.raw(text) } as unknown as Queryable);
      await trx.rollback();
      return found.filter(({ name }) => present.has(name));
    };
    const never = new AbortController().signal;
    const client = await pool.connect();
    try {
      await installCapture(client, await shapes(), never);
      await client.query('insert into account_moves (account_id, state, epoch) values ($1, $2, 1)', [
        account,
        state,
      ]);
      await migrate(knex, old.connectionString, MIGRATIONS);

      const boards = (await knex('board_rankings').count().first())!.count;
      const own = knex('rankings').where({ ranking_no: 0, view_no: 0, group_key: '' });
      expect((await own.clone().count().first())!.count).toBe(boards);
      // Copies of rows that went before follow those that were added.
      const noted = await knex('account_changes').where({ account_id: account, relation: 'rankings' });
      const followed = new Set(
        noted.filter(({ key }) => key.ranking_no === 0).map(({ key }) => key.board_id),
      );
      expect(followed.size).toBe(state === 'incoming' ? 0 : Number(boards));
      const write = () => client.query('update board_rankings set version = version + 1');
      if (state === 'capturing') await write();
      else await expect(write()).rejects.toMatchObject({ code: '40LB2' });
      // The move has ended, or was taken back.
      await client.query('delete from account_moves');
      await removeCapture(client, await shapes(), never);
      await write();
    } finally {
      client.release();
    }
  },
  300_000,
);
