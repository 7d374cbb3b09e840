// The statements of a batch, in the order in which it runs them. Functions: migrations/004_ingest.sql.

export const LOCK = { name: 'lock_board', text: 'select * from lock_board($1::uuid)' };

/**
 * Everything the decisions need, one row an item in the order given. Lateral probes with LIMIT 1: by its shape the plan is
 * a walk of primary keys, however empty the tables were when it was made.
 */
export const FACTS = {
  name: 'submission_facts',
  text: `
    select i.game_id as identity_game_id, i.deleted_at is not null as identity_deleted, i.display_name,
      d.status as device_status, d.deleted_at is not null as device_deleted,
      x.status as session_status, x.version as session_version, x.deleted_at is not null as session_deleted,
      s.id as state_id, s.accepted_count, s.best_value, s.recent, s.selected_event_id, s.value as state_value,
      e.event_seq as entry_event_seq, e.value as entry_value, e.rank_key as entry_rank_key, e.seq as entry_seq,
      e.ranked as entry_ranked, e.status as entry_status, e.player_name as entry_player_name,
      e.value_display as entry_value_display,
      date_part('epoch', e.created_at) * 1000 as entry_created_at, date_part('epoch', e.updated_at) * 1000 as entry_updated_at,
      v.id as entry_event_id, v.device_id as entry_device_id, v.metadata as entry_metadata, v.city as entry_city,
      v.country as entry_country, v.timezone as entry_timezone,
      k.body_hash as key_hash, k.answer as key_answer
    from unnest($3::uuid[], $4::boolean[], $5::uuid[], $6::uuid[], $7::uuid[], $8::text[])
      with ordinality u(identity_id, is_test, device_id, session_id, scope, key, ord)
    left join lateral (select game_id, deleted_at, display_name from identities where id = u.identity_id limit 1) i on true
    left join lateral (select status, deleted_at from devices where id = u.device_id limit 1) d on true
    left join lateral (select status, version, deleted_at, device_id from device_sessions where id = u.session_id limit 1) x on x.device_id = u.device_id
    left join lateral (select id, accepted_count, best_value, recent, selected_event_id, value from states where board_id = $1::uuid and is_test = u.is_test and identity_id = u.identity_id limit 1) s on true
    left join lateral (select * from entries where board_id = $1::uuid and generation = $2::int and is_test = u.is_test and slot = u.identity_id limit 1) e on true
    left join lateral (select id, device_id, metadata, city, country, timezone from score_events where board_id = $1::uuid and seq = e.event_seq limit 1) v on true
    left join lateral (select body_hash, answer, created_at from idempotency_keys where scope = u.scope and key = u.key limit 1) k on k.created_at >= $9::timestamptz
    order by u.ord`,
};

export const CLAIM = {
  name: 'claim_uses',
  text: `select refused from claim_uses($1::uuid[], $2::timestamptz[], $3::uuid[], $4::text[], $5::bytea[], $6::timestamptz, $7::timestamptz) order by ord`,
};

export const WRITE = {
  name: 'write_batch',
  text: `select rank, previous_rank from write_batch($1::uuid, $2::int, $3::bigint, $4::uuid, $5::uuid, $6::timestamptz,
    $7::uuid[], $8::uuid[], $9::uuid[], $10::boolean[], $11::float8[], $12::text[], $13::text[],
    $14::jsonb[], $15::text[], $16::text[], $17::text[], $18::text[], $19::text[],
    $20::uuid[], $21::bigint[], $22::float8[], $23::bytea[], $24::uuid[], $25::float8[],
    $26::boolean[], $27::uuid[], $28::uuid[], $29::bigint[], $30::float8[], $31::float8[], $32::bigint[], $33::text[],
    $34::timestamptz[], $35::timestamptz[], $36::float8[], $37::bigint[], $38::boolean[], $39::boolean[]) order by ord`,
};

export const ANSWER = {
  name: 'store_answers',
  text: `update idempotency_keys k set answer = u.answer
    from unnest($1::uuid[], $2::text[], $3::jsonb[]) u(scope, key, answer) where k.scope = u.scope and k.key = u.key`,
};

export type Plain = string | number | boolean | null;

/** A Postgres array of elements that need no quoting (uuids, numbers, words of ours): the driver quotes each one. */
export function plainArray(elements: Plain[]): string {
  return `{${elements.map((element) => element ?? 'null').join()}}`;
}
