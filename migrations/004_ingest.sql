-- A batch of submissions to one board: lock, claim, write. Decisions are made by the application between the calls.

-- Takes the board's lock, then reads it: a statement that waits for a lock and reads in one go reads the past, so the
-- two are statements of their own in a volatile function. No row: no such board.
create function lock_board(b uuid) returns table (
  generation integer, seq bigint, last_event_at timestamptz, board_type text, sort_direction text, keep_strategy text,
  account_id uuid, game_id uuid, is_active boolean, starts_at timestamptz, ends_at timestamptz, live boolean, account_status text)
language plpgsql volatile as $$
begin
  perform from board_rankings r where r.board_id = b for update;
  return query
    select r.generation, r.seq, r.last_event_at, r.board_type, r.sort_direction, r.keep_strategy,
      d.account_id, d.game_id, d.is_active, d.starts_at, d.ends_at,
      d.deleted_at is null and g.deleted_at is null and a.deleted_at is null, a.status
    from board_rankings r
    join boards d on d.id = r.board_id
    join games g on g.id = d.game_id
    join accounts a on a.id = d.account_id
    where r.board_id = b;
end $$;

-- Claims nonces, then idempotency keys, both in key order: they are unique across boards, so two boards' batches may
-- meet here, and the order keeps them from deadlocking. Null: the item has none. Answers per item: 'nonce' or 'key' when
-- that one was used before (then nothing of the item stays claimed), else null.
-- A key whose answer is older than `forgotten` counts as never used.
create function claim_uses(nonces uuid[], expiries timestamptz[], scopes uuid[], keys text[], hashes bytea[], at timestamptz, forgotten timestamptz)
returns table (ord bigint, refused text) language plpgsql volatile as $$
declare
  won_nonces uuid[];
  won_keys bigint[];
begin
  with won as (
    insert into nonce_uses (nonce, expires_at)
      select u.nonce, min(u.expiry) from unnest(nonces, expiries) u(nonce, expiry) where u.nonce is not null
      group by u.nonce order by u.nonce
    on conflict do nothing returning nonce)
  select coalesce(array_agg(nonce), '{}') into won_nonces from won;
  with wanted as (
    select u.* from unnest(nonces, scopes, keys, hashes) with ordinality u(nonce, scope, key, hash, ord)
    where u.key is not null and (u.nonce is null or u.nonce = any(won_nonces))
  ), won as (
    insert into idempotency_keys (scope, key, body_hash, created_at)
      select scope, key, hash, at from wanted order by scope, key
    on conflict (scope, key) do update set body_hash = excluded.body_hash, answer = null, created_at = excluded.created_at
      where idempotency_keys.created_at < forgotten
    returning scope, key)
  select coalesce(array_agg(wanted.ord), '{}') into won_keys from won join wanted using (scope, key);
  delete from nonce_uses d using unnest(nonces, keys) with ordinality u(nonce, key, ord)
    where d.nonce = u.nonce and u.nonce = any(won_nonces) and u.key is not null and not u.ord = any(won_keys);
  return query select u.ord, case
      when u.nonce is not null and not u.nonce = any(won_nonces) then 'nonce'
      when u.key is not null and not u.ord = any(won_keys) then 'key' end
    from unnest(nonces, keys) with ordinality u(nonce, key, ord);
end $$;

-- Writes a decided batch: events, states, entries, tree, names, the board's numbers. Arrays hold one element an item,
-- in arrival order; item i gets the number first_seq + i - 1. `changes` tells whether the item sets its entry; the
-- entry's key after the batch is (rank_keys, seqs) either way.
-- Answers the rank after the batch and, where it is wanted, the rank before it (null: there was none).
create function write_batch(
  b uuid, g integer, first_seq bigint, account uuid, game uuid, at timestamptz,
  ids uuid[], identities_ uuid[], devices_ uuid[], tests boolean[], amounts float8[], names text[], displays text[],
  metadatas jsonb[], dispositions text[], sources text[], cities text[], countries text[], timezones text[],
  state_ids uuid[], accepted_counts bigint[], best_values float8[], recents bytea[], selected_ids uuid[], state_values float8[],
  changes boolean[], slots uuid[], entry_ids uuid[], event_seqs bigint[], vals float8[], rank_keys float8[], seqs bigint[], statuses text[],
  created_ats timestamptz[], updated_ats timestamptz[], old_keys float8[], old_seqs bigint[],
  want_before boolean[], rename boolean[])
returns table (ord bigint, rank bigint, previous_rank bigint) language plpgsql volatile as $$
declare
  size integer := cardinality(ids);
  before_ranks bigint[];
begin
  insert into score_events (board_id, seq, id, account_id, game_id, identity_id, device_id, is_test, amount, player_name,
      value_display, metadata, disposition, source, city, country, timezone, created_at)
    select b, first_seq + u.ord - 1, u.id, account, game, u.identity_id, u.device_id, u.is_test, u.amount, u.player_name,
      u.value_display, u.metadata, u.disposition, u.source, u.city, u.country, u.timezone, at
    from unnest(ids, identities_, devices_, tests, amounts, names, displays, metadatas, dispositions, sources, cities, countries, timezones)
      with ordinality u(id, identity_id, device_id, is_test, amount, player_name, value_display, metadata, disposition, source, city, country, timezone, ord);

  insert into states as s (board_id, is_test, identity_id, id, account_id, game_id, device_id, submission_count, accepted_count,
      last_event_id, last_submission_at, last_value, best_value, recent, selected_event_id, value, created_at, updated_at)
    select b, u.is_test, u.identity_id, u.state_id, account, game, u.device_id, 1, u.accepted_count,
      u.id, at, u.amount, u.best_value, u.recent, u.selected_id, u.state_value, at, at
    from unnest(ids, identities_, devices_, tests, amounts, state_ids, accepted_counts, best_values, recents, selected_ids, state_values)
      u(id, identity_id, device_id, is_test, amount, state_id, accepted_count, best_value, recent, selected_id, state_value)
    order by u.is_test, u.identity_id
  on conflict (board_id, is_test, identity_id) do update set
    device_id = coalesce(excluded.device_id, s.device_id), submission_count = s.submission_count + 1,
    accepted_count = excluded.accepted_count, last_event_id = excluded.last_event_id,
    last_submission_at = excluded.last_submission_at, last_value = excluded.last_value, best_value = excluded.best_value,
    recent = excluded.recent, selected_event_id = excluded.selected_event_id, value = excluded.value,
    updated_at = excluded.updated_at;

  if array_position(want_before, true) is not null then
    -- Before this batch's entries and counts.
    select array_agg(case when want_before[r.ord] and old_keys[r.ord] is not null then r.rank end order by r.ord) into before_ranks
    from ranks_of(array_fill(b, array[size]), array_fill(g, array[size]), tests, old_keys, old_seqs) r;
  end if;

  if array_position(changes, true) is not null then
    insert into entries as e (board_id, generation, is_test, slot, id, identity_id, event_seq, value, rank_key, seq, ranked, status,
        player_name, value_display, created_at, updated_at)
      select b, g, u.is_test, u.slot, u.id, u.identity_id, u.event_seq, u.value, u.rank_key, u.seq, true, u.status,
        u.player_name, u.value_display, u.created_at, u.updated_at
      from unnest(changes, tests, slots, entry_ids, identities_, event_seqs, vals, rank_keys, seqs, statuses, names, displays, created_ats, updated_ats)
        u(changes, is_test, slot, id, identity_id, event_seq, value, rank_key, seq, status, player_name, value_display, created_at, updated_at)
      where u.changes
      order by u.is_test, u.slot
    on conflict (board_id, generation, is_test, slot) do update set
      event_seq = excluded.event_seq, value = excluded.value, rank_key = excluded.rank_key, seq = excluded.seq,
      ranked = excluded.ranked, status = excluded.status, player_name = excluded.player_name,
      value_display = excluded.value_display, created_at = excluded.created_at, updated_at = excluded.updated_at;

    perform apply_rank_deltas(b, g, x.t, x.ks, x.ss, x.ds) from (
      select d.t, array_agg(d.k) as ks, array_agg(d.s) as ss, array_agg(d.d) as ds
      from (
        select u.t, u.k, u.s, 1 as d from unnest(changes, tests, rank_keys, seqs) u(c, t, k, s) where u.c
        union all
        select u.t, u.k, u.s, -1 from unnest(changes, tests, old_keys, old_seqs) u(c, t, k, s) where u.c and u.k is not null) d
      group by d.t) x;
  end if;

  if array_position(rename, true) is not null then
    -- Identities are not below this board's lock: locked in id order, so that two boards' batches cannot deadlock.
    perform from identities i where i.id in (select u.i from unnest(identities_, rename) u(i, r) where u.r)
      order by i.id for no key update;
    update identities i set display_name = u.name, updated_at = at
      from unnest(identities_, names, rename) u(id, name, r) where u.r and i.id = u.id;
  end if;

  update board_rankings r set seq = first_seq + size - 1, version = r.version + 1, last_event_at = at where r.board_id = b;

  return query
    select r.ord, r.rank, before_ranks[r.ord]
    from ranks_of(array_fill(b, array[size]), array_fill(g, array[size]), tests, rank_keys, seqs) r
    order by r.ord;
end $$;
