import pg from 'pg';

/**
 * Every table that lists are made of, filled by set-based statements with the same rows however many: ties everywhere,
 * one account (1) that owns half of everything, one (2) that owns a hundredth, many small ones; one game (1), board (1)
 * and device (1) that are as large.
 */
export async function fillTables(connectionString: string, rows: number): Promise<void> {
  const clients = [new pg.Client({ connectionString }), new pg.Client({ connectionString })];
  for (const client of clients) {
    await client.connect();
    await client.query(
      `set statement_timeout = 0; set maintenance_work_mem = '128MB'; set max_parallel_maintenance_workers = 0`,
    );
  }
  const [first] = clients as [pg.Client];
  /** Of tables and indexes that do not meet: two at a time keep two cores busy. */
  const shared = async (statements: string[]) => {
    const work = async (client: pg.Client) => {
      for (let next = statements.shift(); next; next = statements.shift()) await client.query(next);
    };
    await Promise.all(clients.map(work));
  };
  await first.query(HELPERS);
  await first.query(NUMBERS, [rows]);
  // No plan depends on them, and the statements below keep what they hold.
  for (const { away } of (await first.query<{ away: string }>(CHECKS)).rows) await first.query(away);
  // Nor is anything to look at them beside the test: the planner knows only the statistics of `analyze` below.
  for (const table of TABLES) {
    await first.query(`alter table ${table} set unlogged, set (autovacuum_enabled = off)`);
  }
  const { rows: indexes } = await first.query<{ away: string; back: string }>(INDEXES, [TABLES]);
  // Made afterwards in one go: much faster than kept up row by row.
  for (const { away } of indexes) await first.query(away);
  await shared([...FILL]);
  // Without the guard of followed pages (follow-guard.ts), which looks at each row.
  await first.query(`set session_replication_role = 'replica'`);
  await first.query(ENTRIES);
  await first.query(`set session_replication_role = 'origin'`);
  await shared(indexes.map(({ back }) => back));
  for (const test of [false, true]) {
    await first.query('select build_rank_tree($1, 1, $2)', [filledUuid(1), test]);
  }
  await first.query('drop schema fill cascade');
  await first.query('analyze');
  for (const client of clients) await client.end();
}

/** The uuid of the i-th record of each kind, below its prefix. Their first bytes differ: sorts look at these. */
export function filledUuid(i: number): string {
  return `${i.toString(16).padStart(8, '0')}-0000-7000-8000-000000000000`;
}

const HELPERS = `
  create schema fill;
  create function fill.id_of(i bigint) returns uuid language sql immutable as
    $$ select (lpad(to_hex(i), 8, '0') || '-0000-7000-8000-000000000000')::uuid $$;
  create function fill.at(step bigint) returns timestamptz language sql stable as
    $$ select timestamptz '2029-01-01 00:00:00Z' + step * interval '7 seconds' $$;
  create function fill.mixed(i bigint, among bigint) returns bigint language sql immutable as
    $$ select (i * 104729) % (among + 1) $$;`;

/** The parts of the records of all kinds, worked out once. The game of a record is its account's. */
const NUMBERS = `
  create table fill.numbers as
  select x.*, fill.id_of(i) as id, fill.id_of(owner) as account_id, fill.id_of(game) as game_id, fill.id_of(board) as board_id,
    fill.id_of(board_owner) as board_account_id,
    fill.at(fill.mixed(i, n / 8)) as created_at, fill.at(fill.mixed(i + 5, n / 4)) as updated_at, fill.mixed(i, n / 2) as half
  from (
    select i, n, case when i % 2 = 1 then 1 when i % 100 = 2 then 2 else i end as owner, case when i % 4 = 1 then 1 else i end as game,
      case when i % 10 = 0 then i else 1 end as board, case when i % 10 > 0 then 1 when i % 100 = 2 then 2 else i end as board_owner
    from (select i, $1::bigint as n from generate_series(1, $1::bigint) i) y) x`;

const TABLES = [
  'accounts',
  'users',
  'api_keys',
  'games',
  'boards',
  'board_rankings',
  'board_templates',
  'identities',
  'devices',
  'device_sessions',
  'score_events',
  'entries',
  'states',
  'score_flags',
  'identity_reviews',
  'audit_entries',
  'score_imports',
  'jam_codes',
];

/** Foreign keys first, by name of their kind: what they refer to is there as long as they are. */
const CHECKS = `
  select format('alter table %s drop constraint %I', conrelid::regclass, conname) as away
  from pg_constraint
  where connamespace = 'public'::regnamespace and contype in ('c', 'f')
  order by contype desc`;

const INDEXES = `
  select 'drop index ' || x.indexrelid::regclass as away, pg_get_indexdef(x.indexrelid) as back
  from pg_index x
  where x.indrelid::regclass::text = any($1) and not exists (select from pg_constraint k where k.conindid = x.indexrelid)`;

const FILL = [
  `insert into accounts (id, name, slug, status, created_at, updated_at)
   select id, 'Account ' || fill.mixed(i, n * 7) || ' ' || i, 'a-' || i, 'active', created_at, updated_at from fill.numbers`,
  `insert into users (id, account_id, email, display_name, status, super_admin, is_owner, created_at, updated_at)
   select id, account_id, fill.mixed(i, n) || '-' || i || '@example.com', 'User ' || half, 'active', false, false, created_at, updated_at
   from fill.numbers`,
  `insert into api_keys (id, account_id, user_id, name, prefix, hash, status, created_at, updated_at)
   select id, account_id, id, 'key ' || half, 'p' || i, decode(lpad(to_hex(i), 64, '0'), 'hex'),
     case when i % 9 = 0 then 'revoked' else 'active' end, created_at, updated_at from fill.numbers`,
  `insert into games (id, account_id, name, slug, anti_cheat_enabled, tags, created_at, updated_at)
   select id, account_id, 'Game ' || fill.mixed(i, n * 3) || ' ' || i, 'g-' || i, false, '{}', created_at, updated_at from fill.numbers`,
  `insert into boards (id, account_id, game_id, name, slug, short_code, is_active, is_published, board_type, sort_direction,
     keep_strategy, tags, created_at, updated_at)
   select id, account_id, game_id, 'Board ' || half, 's-' || half, 'C' || lpad(i::text, 7, '0'), i % 3 = 1, true, 'run_runs', 'desc',
     'all', '{}', created_at, updated_at from fill.numbers`,
  `insert into board_rankings (board_id, generation, board_type, sort_direction, keep_strategy, seq, version)
   select id, 1, 'run_runs', 'desc', 'all', n, 1 from fill.numbers`,
  `insert into board_templates (id, account_id, game_id, name, repeat_interval, next_run_at, is_active, is_published, board_type,
     sort_direction, keep_strategy, tags, config, boards_made, failures, created_at, updated_at)
   select id, account_id, game_id, 'Template ' || half, '1 week', fill.at(fill.mixed(i + 3, n / 5)), i % 3 = 1, true, 'run_runs', 'desc',
     'all', '{}', '{}', 0, 0, created_at, updated_at from fill.numbers`,
  `insert into identities (id, account_id, game_id, kind, external_key, display_name, created_at, updated_at)
   select id, account_id, game_id, case when i % 3 = 0 then 'custom' else 'device' end, 'player ' || i, 'Player ' || half,
     created_at, updated_at from fill.numbers`,
  `insert into devices (id, account_id, game_id, identity_id, client_fingerprint, platform, status, metadata, first_seen_at,
     last_seen_at, created_at, updated_at)
   select id, account_id, game_id, id, 'device ' || i, 'os ' || i % 4, case when i % 1000 = 5 then 'banned' else 'active' end, '{}',
     created_at, fill.at(fill.mixed(i + 3, n / 5)), created_at, updated_at from fill.numbers`,
  `insert into device_sessions (id, account_id, game_id, device_id, identity_id, test_mode, version, status, expires_at,
     refresh_expires_at, revoked_at, created_at, updated_at)
   select id, account_id, game_id, game_id, game_id, false, 1, case when i % 1000 = 5 then 'revoked' else 'active' end,
     timestamptz '2040-01-01', case when i % 5 = 0 then fill.at(0) else timestamptz '2040-01-01' end, case when i % 1000 = 5 then created_at end,
     created_at, updated_at from fill.numbers`,
  `insert into jam_codes (id, code, description, active, current_uses, features, created_at, updated_at)
   select id, 'JAM' || lpad(i::text, 9, '0'), 'Jam ' || i, i % 3 > 0, half % 50, '{}', created_at, updated_at from fill.numbers`,
  // Times never run against the numbers of a board. Ids run in another order.
  `insert into score_events (board_id, seq, id, account_id, game_id, identity_id, is_test, amount, player_name, disposition,
     source, created_at)
   select board_id, i, fill.id_of(i # 5::bigint), board_account_id, board_id,
     case when board = 1 then fill.id_of(i % least(40, n / 6) * 4 + 1) else board_id end, i % greatest(5, n / 400) = 1,
     fill.mixed(i, n / 4), 'Player ' || half, 'accepted', 'client', fill.at(i / 4) from fill.numbers`,
  `insert into states (board_id, is_test, identity_id, id, account_id, game_id, submission_count, accepted_count, last_event_id,
     last_submission_at, last_value, value, created_at, updated_at)
   select board_id, i % 7 = 0, id, id, board_account_id, board_id, 1, 1, id, fill.at(i), i,
     case when i % 5 > 0 then fill.mixed(i, n / 4) end, created_at, updated_at from fill.numbers`,
  `insert into score_flags (board_id, event_seq, id, event_id, account_id, game_id, identity_id, is_test, flag_type, confidence, status,
     metadata, compared_events, created_at, updated_at)
   select board_id, i, id, fill.id_of(i # 5::bigint), board_account_id, board_id,
     case when board = 1 then fill.id_of(i % least(40, n / 6) * 4 + 1) else board_id end, false,
     case when i % 1000 = 5 then 'outlier' when i % 3 = 0 then 'duplicate' else 'velocity' end,
     (array['low', 'medium', 'high'])[1 + i % 3],
     case when i % 100 = 5 then 'pending' when i % 1000 = 6 then 'confirmed_cheat' when i % 2 = 0 then 'dismissed' else 'false_positive' end,
     '{}', '{}', created_at, updated_at from fill.numbers`,
  `insert into identity_reviews (id, account_id, game_id, identity_id, upto, decision, ban_devices, status, leased_until, created_at, updated_at)
   select id, account_id, game_id, fill.id_of(i % least(40, n / 6) * 4 + 1), created_at, 'dismissed', false,
     case when i % 1000 = 5 then 'undone' else 'applied' end, created_at, created_at, updated_at from fill.numbers`,
  `insert into score_imports (id, account_id, game_id, board_id, status, checked, has_rows, created_at, updated_at)
   select id, board_account_id, board_id, board_id, 'finished', false, false, created_at, updated_at from fill.numbers`,
  `insert into audit_entries (id, account_id, game_id, user_id, action, subject_id, created_at)
   select id, account_id, game_id, fill.id_of(i % least(40, n / 6) * 4 + 1),
     case when i % 1000 = 5 then 'runs_review_undone' else 'flag_reviewed' end, 'flg_' || fill.id_of(i / 3), created_at
   from fill.numbers`,
];

const ENTRIES = `
  insert into entries (board_id, generation, is_test, slot, id, identity_id, event_seq, value, rank_key, seq, ranked, status,
    player_name, created_at, updated_at)
  select v.board_id, 1, is_test, v.id, v.id, identity_id, seq, amount, 0 - amount, seq, true, 'active', player_name, v.created_at,
    n.updated_at
  from score_events v join fill.numbers n on n.i = v.seq`;
