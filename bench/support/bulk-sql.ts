/**
 * The contents of the generated records, as functions of a number, so that every table can be filled by one
 * statement: identity `i` has submitted once to each board, as event number `i`, 200 ms after the previous one.
 */
export const EVENT_MS = 200;

/** Kinds of `bench.uuid_of`; boards follow from `event` on. */
export const KIND = { identity: 1, device: 2, session: 3, event: 100 };

/** @param start epoch milliseconds of the first event */
export function helpers(start: number): string {
  return `
    create schema if not exists bench;
    create or replace function bench.millis_of(i bigint) returns bigint language sql immutable parallel safe as $$
      select ${start} + i * ${EVENT_MS}
    $$;
    create or replace function bench.time_of(i bigint) returns timestamptz language sql immutable parallel safe as $$
      select to_timestamp((${start} + i * ${EVENT_MS}) / 1000.0::float8)
    $$;
    -- A UUIDv7 of that time, as the application would have made it: time (11 digits of it since 2004), 7, a counter,
    -- a (the variant) and the rest at random.
    create or replace function bench.uuid_of(kind integer, i bigint) returns uuid language sql immutable parallel safe as $$
      select ('0' || to_hex(${start} + i * ${EVENT_MS}) || to_hex(28672 + (i & 4095))
        || to_hex(hashint8extended(i, kind) & 1152921504606846975 | -6917529027641081856))::uuid
    $$;
    -- Whole points, most around 10,000 and some far above (log-normal): ties are as common as on a real board.
    create or replace function bench.value_of(board integer, i bigint) returns float8 language sql immutable parallel safe as $$
      select round(10000 * exp(((hashint8extended(i, board) & 65535) + (hashint8extended(i, board) >> 16 & 65535)
        + (hashint8extended(i, board) >> 32 & 65535)) / 32768.0::float8 - 3))
    $$`;
}

/** Parameters: account, game, how many. */
export const IDENTITIES = `
  insert into identities (id, account_id, game_id, kind, external_key, display_name, trust_tier, created_at, updated_at, deleted_at)
  select bench.uuid_of(${KIND.identity}, i), $1, $2, 'custom', 'player ' || i::text, 'Player ' || i::text, null,
    bench.time_of(i), bench.time_of(i), null
  from generate_series(1, $3::bigint) i`;

/** Parameters: account, game, numbers of the active identities. */
export const DEVICES = `
  insert into devices (id, account_id, game_id, identity_id, client_fingerprint, platform, status, metadata,
    first_seen_at, last_seen_at, created_at, updated_at)
  select bench.uuid_of(${KIND.device}, i), $1, $2, bench.uuid_of(${KIND.identity}, i), 'device ' || i::text, 'linux', 'active', '{}',
    bench.time_of(i), bench.time_of(i), bench.time_of(i), bench.time_of(i)
  from unnest($3::bigint[]) i`;

/** Parameters: account, game, numbers of the active identities. */
export const SESSIONS = `
  insert into device_sessions (id, account_id, game_id, device_id, identity_id, test_mode, version, status, expires_at,
    refresh_expires_at, created_at, updated_at)
  select bench.uuid_of(${KIND.session}, i), $1, $2,
    bench.uuid_of(${KIND.device}, i), bench.uuid_of(${KIND.identity}, i), false, 1, 'active',
    now() + interval '1 day', now() + interval '30 days', bench.time_of(i), bench.time_of(i)
  from unnest($3::bigint[]) i`;

/** Parameters: account, game, board, its number from 1, entries. */
export const EVENTS = `
  insert into score_events (board_id, seq, id, account_id, game_id, identity_id, device_id, is_test, amount, player_name,
    value_display, metadata, disposition, source, city, country, timezone, created_at)
  select $3::uuid, i, bench.uuid_of(${KIND.event} + $4, i), $1, $2, bench.uuid_of(${KIND.identity}, i), null, false, bench.value_of($4, i),
    'Player ' || i::text, null, jsonb_build_object('level', i % 50), 'accepted', 'client', null, null, null, bench.time_of(i)
  from generate_series(1, $5::bigint) i`;

/** Parameters as for EVENTS. */
export const STATES = `
  insert into states (board_id, is_test, identity_id, id, account_id, game_id, device_id, submission_count, accepted_count,
    last_event_id, last_submission_at, last_value, best_value, selected_event_id, value, created_at, updated_at)
  select $3::uuid, false, bench.uuid_of(${KIND.identity}, i), x.event, $1, $2, null, 1, 1, x.event, x.at, x.value, x.value,
    x.event, x.value, x.at, x.at
  from generate_series(1, $5::bigint) i
  cross join lateral (select bench.uuid_of(${KIND.event} + $4, i) as event, bench.time_of(i) as at, bench.value_of($4,
    i) as value offset 0) x`;

/** Parameters: board, its number from 1, entries. On desc boards better is a smaller key. */
export const ENTRIES = `
  insert into entries (board_id, generation, is_test, slot, id, identity_id, event_seq, value, rank_key, seq, ranked, status,
    player_name, value_display, metadata, created_at, updated_at)
  select $1::uuid, 1, false, x.identity, bench.uuid_of(${KIND.event} + $2, i), x.identity, i, x.value, 0 - x.value, i, true, 'active',
    'Player ' || i::text, null, jsonb_build_object('level', i % 50), x.at, x.at
  from generate_series(1, $3::bigint) i
  cross join lateral (select bench.uuid_of(${KIND.identity}, i) as identity, bench.time_of(i) as at, bench.value_of($2,
    i) as value offset 0) x`;

/** The sessions active on a board. Parameters: the board's number, numbers of the identities. */
export const PLAYERS = `
  select bench.uuid_of(${KIND.identity}, i) as identity_id, bench.uuid_of(${KIND.device}, i) as device_id,
    bench.uuid_of(${KIND.session}, i) as session_id, bench.uuid_of(${KIND.event} + $1::int, i) as score_id,
    bench.value_of($1::int, i) as value, 'Player ' || i::text as name
  from unnest($2::bigint[]) i`;

/**
 * Objects that are cheaper to create afterwards than to maintain: indexes no constraint needs, and the foreign keys
 * of identities. Statements that drop and recreate each.
 */
export const LATER = `
  select 'drop index ' || x.indexrelid::regclass as away, pg_get_indexdef(x.indexrelid) as back
  from pg_index x
  where x.indrelid = any(array['identities', 'score_events', 'states', 'entries']::regclass[])
    and not exists (select from pg_constraint c where c.conindid = x.indexrelid)
  union all
  select format('alter table identities drop constraint %I', c.conname),
    format('alter table identities add constraint %I %s', c.conname, pg_get_constraintdef(c.oid))
  from pg_constraint c where c.conrelid = 'identities'::regclass and c.contype = 'f'`;
