import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { idOf } from '../../src/base/ids.js';
import { makeLog } from '../../src/base/log.js';
import { installCapture, removeCapture } from '../../src/cells/move/capture.js';
import { readShapes } from '../../src/cells/move/shapes.js';
import { Changes } from '../../src/db/changes.js';
import type { Queryable } from '../../src/db/pool.js';
import { migrate } from '../../src/db/schema/migrate.js';
import { Builds } from '../../src/rankings/upkeep/builds.js';
import { PlayerTagWorker } from '../../src/rankings/upkeep/player-tags.js';
import { Ratios } from '../../src/rankings/upkeep/ratios.js';
import { Retirement } from '../../src/rankings/upkeep/retire.js';
import { emptyDatabase, MIGRATIONS, type TestDatabase } from '../support/database.js';
import type { RatioRules } from '../support/ratio.js';
import { expectExactRatioViews } from '../support/ratio-views.js';
import { SCRATCH } from '../support/scratch.js';
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
 * The functions by which the version of 26 November writes to rankings. The others that it calls take locks, note what
 * is to be done, or change texts that no ranking shows: boards_to_retag, boards_to_settle, declare_tags, erase_player,
 * finish_retagging, finish_settling, lock_flags, store_answers; and try_review_on_ratio, which is always rolled back.
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
    `select distinct on (p.proname) p.proname as name, format('select %s(%s)', p.proname,
      (select string_agg('null::' || format_type(t, null), ', ' order by n)
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

/** People, keys and sign-ins as the version of 27 November wrote them. */
const TEAM = `
  with a as (select id from accounts where deleted_at is null order by id limit 1),
  g as (select g.id, g.account_id from games g join a on a.id = g.account_id order by g.id limit 1),
  p as (insert into identity_providers (id, account_id, kind, name, issuer, client_id, scopes, groups_claim, group_roles,
    default_role, key_days, created_at, updated_at)
    select gen_random_uuid(), id, 'own', 'Corp', 'https://issuer.example.com', 'client', 'openid', 'groups',
      '[{"group": "mods", "role": "moderator"}]', 'viewer', 30, now(), now()
    from a returning id, account_id),
  u as (insert into users (id, account_id, email, display_name, status, super_admin, is_owner, role, game_ids, keys_stop_at,
    created_at, updated_at)
    select gen_random_uuid(), g.account_id, 'mod@example.com', 'Mod', 'active', false, false, 'moderator', array[g.id],
      now(), now(), now() from g returning id, account_id, game_ids),
  k as (insert into api_keys (id, account_id, user_id, name, prefix, hash, status, scopes, only_game_id, is_console,
    signed_in_with, signed_in_from, check_due_at, expires_at, created_at, updated_at)
    select gen_random_uuid(), u.account_id, u.id, n.name, 'svc_' || n.name, decode(md5(n.name) || md5(n.name), 'hex'),
      'active', n.scopes::text[],
      case when n.console then null else u.game_ids[1] end, n.console, case when n.console then 'provider' end, case
        when n.console then '203.0.113.7' end,
      case when n.console then now() end, now(), now(), now()
    from u cross join (values ('server', '{read,submit}', false), ('session', null, true)) n(name, scopes, console)
      returning id, name, account_id),
  l as (insert into provider_links (id, account_id, user_id, provider_id, issuer, subject, subject_key, created_at, updated_at)
    select gen_random_uuid(), u.account_id, u.id, p.id, 'https://issuer.example.com', 'sub', 'digest', now(), now() from u, p
      returning id, account_id),
  s as (insert into provider_sessions (key_id, account_id, link_id, sid, sealed_refresh, created_at)
    select k.id, k.account_id, l.id, 'sid', '\\x01', now() from k, l where k.name = 'session')
  insert into passkeys (id, account_id, user_id, name, credential_id, public_key, sign_count, transports, is_synced, created_at, updated_at)
    select gen_random_uuid(), account_id, id, 'Laptop', '\\x01', '\\x02', 7, '{usb}', false, now(), now() from u`;
const TEAM_TABLES =
  'accounts users api_keys passkeys identity_providers provider_links provider_sessions games'.split(' ');

test('roles, keys, passkeys and sign-ins are kept by later migrations', async () => {
  const { knex } = old.open();
  const former = mkdtempSync(path.join(SCRATCH, `leaderboard-test-${process.pid}-`));
  // The functions are of the present tables.
  const isLater = (name: string) =>
    (/^(\d{3})_/.exec(path.basename(name))?.[1] ?? '') > '078' ||
    path.basename(path.dirname(name)) === 'functions';
  const rows = async () => {
    const all = TEAM_TABLES.map((table) =>
      knex.raw<{ rows: object[] }>(
        `select to_jsonb(t) as row from ${table} t order by to_jsonb(t) ->> 'created_at', to_jsonb(t)::text`,
      ),
    );
    return (await Promise.all(all)).map((read) => read.rows);
  };
  try {
    cpSync(MIGRATIONS, former, { recursive: true, filter: (name) => !isLater(name) });
    await migrate(knex, old.connectionString, former);
    await knex.raw(TEAM);
    const before = await rows();
    expect(before.every((of) => of.length > 0)).toBe(true);
    expect((await migrate(knex, old.connectionString, MIGRATIONS)).applied.length).toBeGreaterThan(0);
    expect(await rows()).toMatchObject(before);
  } finally {
    rmSync(former, { recursive: true });
  }
});
