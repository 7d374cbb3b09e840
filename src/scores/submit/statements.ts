// The statements of a batch, in the order of execution. Functions: migrations/004_ingest.sql, 018_checks.sql.

export const LOCK = {
  name: 'lock_board',
  text: 'select from board_rankings where board_id = $1::uuid for update',
};

/** One value, as it is the same for all items of a board. */
const BOARD_FACTS = `
    select r.generation, r.board_type, r.sort_direction, r.keep_strategy, json_build_object(
      'generation', r.generation, 'seq', r.seq, 'version', r.version, 'newest_batch', r.newest_batch, 'last_event_at', r.last_event_at,
      'board_type', r.board_type, 'sort_direction', r.sort_direction, 'keep_strategy', r.keep_strategy,
      'account_id', d.account_id, 'game_id', d.game_id, 'is_active', d.is_active, 'starts_at', d.starts_at, 'ends_at', d.ends_at,
      'live', d.deleted_at is null and g.deleted_at is null and a.deleted_at is null, 'account_status', a.status,
      'anti_cheat_enabled', g.anti_cheat_enabled, 'anti_cheat_settings', g.anti_cheat_settings,
      'standings', coalesce((select s.changes from game_standings s where s.game_id = d.game_id), 0)) as facts
    from board_rankings r
    join boards d on d.id = r.board_id
    join games g on g.id = d.game_id
    join accounts a on a.id = d.account_id
    where r.board_id = wanted.board_id limit 1`;

/**
 * All facts for the decisions, of one instant: one row per item in the given order, each board's first row with the board.
 * Lateral probes with LIMIT 1: this shape forces a plan that walks primary keys, however empty the tables were when it was
 * made. The event that an entry shows is read only where the entry stays as it is: then it is part of the answer.
 */
export const FACTS = {
  name: 'submission_facts',
  text: `
    select case when u.ord = wanted.first then b.facts end as board,
      i.game_id as identity_game_id, i.deleted_at is not null as identity_deleted, i.display_name, i.trust_tier,
      d.status as device_status, d.deleted_at is not null as device_deleted,
      x.status as session_status, x.version as session_version, x.deleted_at is not null as session_deleted,
      s.id as state_id, s.best_value, s.recent, s.accepted_count, date_part('epoch', s.rejected_at) * 1000 as rejected_at,
      e.event_seq as entry_event_seq, e.value as entry_value, e.rank_key as entry_rank_key, e.seq as entry_seq,
      e.ranked as entry_ranked, e.status as entry_status, e.player_name as entry_player_name,
      e.value_display as entry_value_display,
      date_part('epoch', e.created_at) * 1000 as entry_created_at, date_part('epoch', e.updated_at) * 1000 as entry_updated_at,
      v.id as entry_event_id, v.device_id as entry_device_id, v.metadata as entry_metadata, v.city as entry_city,
      v.country as entry_country, v.timezone as entry_timezone,
      k.body_hash as key_hash, k.answer as key_answer, n.used is not null as nonce_used
    from unnest($1::uuid[], $2::int[]) with ordinality wanted(board_id, first, n)
    left join lateral (${BOARD_FACTS}) b on true
    join unnest($3::int[], $4::uuid[], $5::boolean[], $6::float8[], $7::uuid[], $8::uuid[], $9::uuid[], $10::text[], $11::uuid[])
      with ordinality u(n, identity_id, is_test, amount, device_id, session_id, scope, key, nonce, ord) on u.n = wanted.n
    left join lateral (select game_id, deleted_at, display_name, trust_tier from identities where id = u.identity_id limit 1) i on true
    left join lateral (select status, deleted_at from devices where id = u.device_id limit 1) d on true
    left join lateral (select status, version, deleted_at, device_id from device_sessions where id = u.session_id limit 1) x on x.device_id = u.device_id
    left join lateral (select id, best_value, recent, accepted_count, rejected_at from states where board_id = wanted.board_id and is_test = u.is_test and identity_id = u.identity_id limit 1) s on true
    left join lateral (select * from entries where board_id = wanted.board_id and generation = b.generation and is_test = u.is_test and slot = u.identity_id limit 1) e on true
    left join lateral (select id, device_id, metadata, city, country, timezone from score_events where board_id = wanted.board_id and seq = e.event_seq
      and b.board_type = 'run_identity' and (b.keep_strategy = 'first' or b.keep_strategy = 'best' and e.rank_key <= rank_key_of(u.amount, b.sort_direction)) limit 1) v on true
    left join lateral (select body_hash, answer, created_at from idempotency_keys where scope = u.scope and key = u.key limit 1) k on k.created_at >= $12::timestamptz
    left join lateral (select true as used from nonce_uses where nonce = u.nonce limit 1) n on true
    order by u.ord`,
};

/** Number of counting submissions of these players since a time, up to a limit, in the given order. */
export const COUNTED = {
  name: 'count_submissions',
  text: `
    select (select count(*) filter (where n.created_at > $4::timestamptz) from (
      select c.created_at from score_events c
      where c.board_id = $1::uuid and c.is_test = u.is_test and c.identity_id = u.identity_id
        and event_counts($1::uuid, c.id, c.disposition)
      order by c.seq desc limit $5::int) n) as counted
    from unnest($2::uuid[], $3::boolean[]) with ordinality u(identity_id, is_test, ord)
    order by u.ord`,
};

/** Casts of a function's parameters, in their order. */
const parameters = (types: string) =>
  types
    .trim()
    .split(/\s+/)
    .map((type, i) => `$${i + 1}::${type}`)
    .join(', ');

/** One element per board: its id, game, newest event, version, newest batch and standings as read. Cached players. Nonces and keys. */
const TAKEN = `
  uuid[] uuid[] bigint[] bigint[] uuid[] bigint[]
  int[] uuid[] int[] uuid[] text[] text[]
  uuid[] timestamptz[] uuid[] text[] bytea[]`;

export const TAKE = {
  name: 'take_boards',
  text: `select take_boards(${parameters(`${TAKEN} timestamptz timestamptz`)})`,
};

export const WRITE = {
  name: 'write_batch',
  text: `select ahead, old_ahead from write_batch(${parameters(`${TAKEN} timestamptz
    int[] uuid[] timestamptz[] text[] text[] bigint[] uuid[] timestamptz boolean
    int[] bigint[] uuid[] uuid[] uuid[] boolean[] float8[] text[] text[] jsonb[] text[] text[] text[] text[]
    uuid[] float8[] bytea[] int[] float8[]
    boolean[] float8[] bigint[] float8[] bigint[] uuid[] text[]`)}) order by ord`,
};

export const REJECT = {
  name: 'reject_submissions',
  text: `select reject_submissions($1::uuid, $2::bigint, $3::uuid, $4::uuid, $5::timestamptz, $6::uuid[], $7::uuid[], $8::uuid[], $9::boolean[],
    $10::float8[], $11::text[], $12::text[], $13::jsonb[], $14::text[], $15::text[], $16::text[], $17::boolean[])`,
};

export const ANSWER = {
  name: 'store_answers',
  text: `update idempotency_keys k set answer = u.answer
    from unnest($1::uuid[], $2::text[], $3::jsonb[]) u(scope, key, answer) where k.scope = u.scope and k.key = u.key`,
};

export type Plain = string | number | boolean | null | undefined;

/** A Postgres array of elements that need no quoting (uuids, numbers, own keywords): the driver would quote each one. */
export function plainArray(elements: Plain[]): string {
  return `{${elements.map((element) => element ?? 'null').join()}}`;
}

/** The same, or null if all elements are null, as most places and devices are. */
export function plainArrayOrNull(elements: Plain[]): string | null {
  return elements.every((element) => element == null) ? null : plainArray(elements);
}

/** Arbitrary texts, or null if there are none: the driver makes the array. */
export function textArrayOrNull(elements: (string | null)[]): (string | null)[] | null {
  return elements.every((element) => element === null) ? null : elements;
}
