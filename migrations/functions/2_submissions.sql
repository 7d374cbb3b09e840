-- Submissions: how boards are locked, nonces and keys claimed, and batches written; statistics that the checks read.

create or replace function count_standings(games uuid[]) returns void language sql as $$
  insert into game_standings as s (game_id, changes) select u.id, 1 from unnest(games) u(id) order by u.id
    on conflict (game_id) do update set changes = s.changes + 1 where s.xmin <> pg_current_xact_id()::xid
$$;

create or replace function standing_changed() returns trigger language plpgsql as $$
begin
  perform count_standings(array[new.game_id]);
  return null;
end $$;

create or replace function game_standing_changed() returns trigger language plpgsql as $$
begin
  perform count_standings(array[new.id]);
  return null;
end $$;

create or replace function account_standing_changed() returns trigger language plpgsql as $$
begin
  perform count_standings(array(select g.id from games g where g.account_id = new.id));
  return null;
end $$;

-- Claims nonces, then idempotency keys, both in key order: they are unique across boards, so two boards' batches may
-- meet here, and the order keeps them from deadlocking. Null: the item has none, or no item has any. One that was free when the batch was
-- decided, and is used by now, fails the transaction, which is then to be tried again (class 40).
-- A key whose answer is older than `forgotten` counts as never used.
create or replace function claim_uses(nonces uuid[], expiries timestamptz[], scopes uuid[], keys text[], hashes bytea[], at timestamptz, forgotten timestamptz)
returns void language plpgsql volatile as $$
declare
  claimed bigint;
  lost boolean := false;
begin
  if nonces is not null then
    insert into nonce_uses (nonce, expires_at)
      select u.nonce, u.expiry from unnest(nonces, expiries) u(nonce, expiry) where u.nonce is not null order by u.nonce
      on conflict do nothing;
    get diagnostics claimed = row_count;
    lost := claimed < cardinality(array_remove(nonces, null));
  end if;
  if keys is not null and not lost then
    insert into idempotency_keys (scope, key, body_hash, created_at)
      select u.scope, u.key, u.hash, at from unnest(scopes, keys, hashes) u(scope, key, hash) where u.key is not null order by u.scope, u.key
      on conflict (scope, key) do update set body_hash = excluded.body_hash, answer = null, created_at = excluded.created_at
        where idempotency_keys.created_at < forgotten;
    get diagnostics claimed = row_count;
    lost := claimed < cardinality(array_remove(keys, null));
  end if;
  if lost then
    raise exception 'A nonce or an idempotency key was used meanwhile' using errcode = '40LB1';
  end if;
end $$;

-- The boards of these numbers, counted from 1, as an error's detail.
create or replace function boards_named(boards uuid[], numbers integer[]) returns text language sql immutable as $$
  select string_agg(distinct boards[u.n]::text, ',') from unnest(numbers) u(n)
$$;

-- Takes the boards' locks and claims a batch's nonces and keys, if the boards and the players of their games are as they were when the batch
-- was decided: the newest event, version and batch of each board, and its game's count of standings. Else it fails, and is to be decided
-- again (class 40; the detail names those boards). A batch of its own process may be under way before it: then it is told what that one leaves.
-- A batch of one board waits for its lock. One of several waits for none: nobody's submissions wait for another's board.
-- Of players that were not read for this batch but remembered from one before, what has no such count is compared as well: the version
-- of their session (a refresh raises it; null: there is none), their name and their tier. Null `players`: all were read. `player_boards`
-- and all that end in `_boards` count boards from 1.
create or replace function take_boards(
  boards uuid[], games uuid[], found_seqs bigint[], found_versions bigint[], found_batches uuid[], standings bigint[],
  player_boards integer[], sessions uuid[], versions integer[], players uuid[], player_names text[], tiers text[],
  nonces uuid[], expiries timestamptz[], scopes uuid[], keys text[], hashes bytea[], at timestamptz, forgotten timestamptz)
returns void language plpgsql volatile as $$
declare
  taken uuid[];
  changed integer[];
begin
  if cardinality(boards) > 1 then
    taken := array(select r.board_id from board_rankings r where r.board_id = any(boards) order by r.board_id for update skip locked);
    if cardinality(taken) < cardinality(boards) then
      raise exception 'Some of several boards are being written to' using errcode = '40LB4',
        detail = boards_named(boards, array(select u.n::integer from unnest(boards) with ordinality u(id, n) where u.id <> all(taken)));
    end if;
  end if;
  select array_agg(u.n) into changed
    from unnest(boards, found_seqs, found_versions, found_batches) with ordinality u(board_id, seq, version, newest_batch, n)
    left join lateral (select x.seq, x.version, x.newest_batch from board_rankings x where x.board_id = u.board_id for update) r on true
    where (r.seq, r.version, r.newest_batch) is distinct from (u.seq, u.version, u.newest_batch);
  if changed is null then
    -- A statement of its own: what was committed while the lock was waited for is seen by it.
    select array_agg(u.n) into changed from unnest(games, standings) with ordinality u(game, standing, n)
      where coalesce((select s.changes from game_standings s where s.game_id = u.game), 0) <> u.standing;
  end if;
  if changed is not null then
    raise exception 'The board or its players have changed since the batch was decided' using errcode = '40LB2', detail = boards_named(boards, changed);
  end if;
  if players is not null then
    select array_agg(u.n) into changed from unnest(player_boards, sessions, versions, players, player_names, tiers) u(n, session_id, version, identity_id, name, tier)
      left join lateral (select x.version from device_sessions x where x.id = u.session_id limit 1) session on true
      left join lateral (select i.display_name as name, i.trust_tier as tier from identities i where i.id = u.identity_id limit 1) player on true
      where (session.version, player.name, player.tier) is distinct from (u.version, u.name, u.tier);
    if changed is not null then
      raise exception 'A player has changed since it was read' using errcode = '40LB3', detail = boards_named(boards, changed);
    end if;
  end if;
  perform claim_uses(nonces, expiries, scopes, keys, hashes, at, forgotten);
end $$;

-- Writes a decided batch: events, states, entries, trees, names, the boards' numbers. The first arrays hold one element a board; those from
-- `item_boards` on one an item, each board's in arrival order; null stands for an array of nulls. Item i is the event
-- event_seqs[i] of board item_boards[i]. `changes` tells whether
-- the item sets its entry; the entry's key after the batch is (rank_keys, seqs) either way, before it (old_keys,
-- old_seqs) (null: there was none). `latest` is the last of the boards' moments `ats`. `newest` is what a state's `recent` gets at its end, `recent_froms` the byte, counted from 1, with which
-- what stays of it begins. `state_values` are null where the state keeps what it shows.
-- First comes take_boards, with what is to be claimed.
-- Answers how many entries of its board stood before each item's key, and before its old one if `want_before`, ahead of the batch: what
-- the batch moved in between is the caller's sum, cheaper than a second look.
create or replace function write_batch(
  boards uuid[], games uuid[], found_seqs bigint[], found_versions bigint[], found_batches uuid[], standings bigint[],
  player_boards integer[], sessions uuid[], versions integer[], players uuid[], player_names text[], tiers text[],
  nonces uuid[], expiries timestamptz[], scopes uuid[], keys text[], hashes bytea[], forgotten timestamptz,
  generations integer[], accounts uuid[], ats timestamptz[], kinds text[], directions text[],
  last_seqs bigint[], first_ids uuid[], latest timestamptz, want_before boolean,
  item_boards integer[], event_seqs bigint[],
  ids uuid[], identities_ uuid[], devices_ uuid[], tests boolean[], amounts float8[], names text[], displays text[],
  metadatas jsonb[], dispositions text[], cities text[], countries text[], timezones text[],
  state_ids uuid[], best_values float8[], newest bytea[], recent_froms integer[], state_values float8[],
  changes boolean[], rank_keys float8[], seqs bigint[], old_keys float8[], old_seqs bigint[],
  renamed uuid[], new_names text[])
returns table (ord bigint, ahead bigint, old_ahead bigint) language plpgsql volatile as $$
declare
  size integer := cardinality(ids);
  moves record;
begin
  perform take_boards(boards, games, found_seqs, found_versions, found_batches, standings, player_boards, sessions, versions, players,
    player_names, tiers, nonces, expiries, scopes, keys, hashes, latest, forgotten);

  insert into score_events (board_id, seq, id, account_id, game_id, identity_id, device_id, is_test, amount, player_name,
      value_display, metadata, disposition, source, city, country, timezone, replaced_key, replaced_seq, created_at)
    select boards[u.n], u.event_seq, u.id, accounts[u.n], games[u.n], u.identity_id, u.device_id, u.is_test, u.amount, u.player_name,
      u.value_display, u.metadata, u.disposition, case when u.device_id is null then 'admin' else 'client' end,
      u.city, u.country, u.timezone, case when u.changes then u.old_key end, case when u.changes then coalesce(u.old_seq, 0) end, ats[u.n]
    from unnest(item_boards, event_seqs, ids, identities_, devices_, tests, amounts, names, displays, metadatas, dispositions, cities, countries,
        timezones, changes, old_keys, old_seqs)
      u(n, event_seq, id, identity_id, device_id, is_test, amount, player_name, value_display, metadata, disposition, city, country, timezone,
        changes, old_key, old_seq);

  -- `recent_from` is 1 for a new state, and so is its count of submissions: where there is a state, the excluded row's count tells from which byte
  -- on what it remembers stays.
  insert into states as s (board_id, is_test, identity_id, id, account_id, game_id, device_id, submission_count, accepted_count,
      last_event_id, last_submission_at, last_value, best_value, recent, selected_event_id, value, created_at, updated_at)
    select boards[u.n], u.is_test, u.identity_id, u.state_id, accounts[u.n], games[u.n], u.device_id, u.recent_from, 1,
      u.id, ats[u.n], u.amount, u.best_value, u.newest, case when u.state_value is not null then u.id end, u.state_value, ats[u.n], ats[u.n]
    from unnest(item_boards, ids, identities_, devices_, tests, amounts, state_ids, best_values, newest, recent_froms, state_values)
      u(n, id, identity_id, device_id, is_test, amount, state_id, best_value, newest, recent_from, state_value)
    order by u.n, u.is_test, u.identity_id
  on conflict (board_id, is_test, identity_id) do update set
    device_id = coalesce(excluded.device_id, s.device_id), submission_count = s.submission_count + 1,
    accepted_count = s.accepted_count + 1, last_event_id = excluded.last_event_id,
    last_submission_at = excluded.last_submission_at, last_value = excluded.last_value, best_value = excluded.best_value,
    recent = substring(s.recent from excluded.submission_count::integer) || excluded.recent,
    selected_event_id = coalesce(excluded.selected_event_id, s.selected_event_id),
    value = coalesce(excluded.value, s.value), updated_at = excluded.updated_at;

  -- Every key is found once, before entries and counts change.
  loop
    select array_agg(m.ord) as ords, count(*) filter (where not m.old) as placed, array_agg(m.old) as olds,
        array_agg(m.n) as ns, array_agg(m.t) as ts, array_agg(m.d) as ds,
        array_agg(p.top_key) as top_keys, array_agg(p.top_seq) as top_seqs, array_agg(p.run) as runs,
        array_agg(p.run_key) as run_keys, array_agg(p.run_seq) as run_seqs, array_agg(p.leaf) as leaves,
        array_agg(case when not m.old or want_before then p.ahead + (select count(*) from entries e
          where e.board_id = m.b and e.generation = m.g and e.is_test = m.t and e.ranked
            and (e.rank_key, e.seq) >= (p.leaf_key, p.leaf_seq) and (e.rank_key, e.seq) < (m.k, m.s)) end) as aheads
      into moves
    from (
      select u.ord, false as old, u.n, boards[u.n] as b, generations[u.n] as g, u.t, u.k, u.s, case when u.c then 1 else 0 end as d
        from unnest(item_boards, tests, rank_keys, seqs, changes) with ordinality u(n, t, k, s, c, ord)
      union all
      select u.ord, true, u.n, boards[u.n], generations[u.n], u.t, u.k, u.s, case when u.c then -1 else 0 end
        from unnest(item_boards, tests, old_keys, old_seqs, changes) with ordinality u(n, t, k, s, c, ord)
        where u.k is not null and (u.c or want_before)) m
    cross join lateral rank_place(m.b, m.g, m.t, m.k, m.s) p;
    exit when moves.placed = size;
    -- A population's first entries: there is no tree yet.
    perform plant_rank_tree(boards[u.n], generations[u.n], u.t) from (select distinct u.n, u.t from unnest(item_boards, tests) u(n, t)) u;
  end loop;

  if array_position(changes, true) is not null then
    -- An entry that stands keeps its time of creation, and the time of its value while that stays.
    insert into entries as e (board_id, generation, is_test, slot, id, identity_id, event_seq, value, rank_key, seq, ranked, status,
        player_name, value_display, metadata, created_at, updated_at)
      select boards[u.n], generations[u.n], u.is_test, case kinds[u.n] when 'run_runs' then u.id else u.identity_id end,
        case kinds[u.n] when 'run_runs' then u.id else u.state_id end,
        u.identity_id, u.event_seq, rank_key_of(u.rank_key, directions[u.n]), u.rank_key, u.seq, true,
        case u.disposition when 'flagged' then 'under_review' else 'active' end, u.player_name, u.value_display, u.metadata,
        ats[u.n], ats[u.n]
      from unnest(item_boards, event_seqs, ids, identities_, tests, state_ids, rank_keys, seqs, dispositions, names, displays, metadatas, changes)
        u(n, event_seq, id, identity_id, is_test, state_id, rank_key, seq, disposition, player_name, value_display, metadata, changes)
      where u.changes
      order by u.n, 3, 4
    on conflict (board_id, generation, is_test, slot) do update set
      event_seq = excluded.event_seq, value = excluded.value, rank_key = excluded.rank_key, seq = excluded.seq,
      ranked = true,
      status = case when e.status = 'under_review' and kinds[array_position(boards, e.board_id)] = 'counter' then e.status else excluded.status end,
      player_name = excluded.player_name, value_display = excluded.value_display, metadata = excluded.metadata,
      created_at = case when e.ranked then e.created_at else excluded.created_at end,
      updated_at = case when e.ranked and e.value = excluded.value then e.updated_at else excluded.updated_at end;

    perform change_rank_counts(boards, generations, moves.ns, moves.ts, moves.top_keys, moves.top_seqs, moves.runs, moves.run_keys, moves.run_seqs, moves.leaves, moves.ds);
  end if;

  if renamed is not null then
    -- Identities are not below these boards' locks: locked in id order, so that two batches cannot deadlock.
    perform from identities i where i.id = any(renamed) order by i.id for no key update;
    update identities i set display_name = u.name, updated_at = latest from unnest(renamed, new_names) u(id, name) where i.id = u.id;
  end if;

  update board_rankings r set seq = u.seq, version = r.version + 1, last_event_at = u.at, newest_batch = u.first_id
    from unnest(boards, last_seqs, ats, first_ids) u(board_id, seq, at, first_id) where r.board_id = u.board_id;

  return query
    select u.ord, max(u.ahead) filter (where not u.old), max(u.ahead) filter (where u.old)
    from unnest(moves.ords, moves.olds, moves.aheads) u(ord, old, ahead)
    group by u.ord order by u.ord;
end $$;

-- Whether an event counts, by its newest ruling or else as it was disposed of: for single events (see 005_rederive.sql).
create or replace function event_counts(b uuid, event uuid, disposition text) returns boolean language sql stable as $$
  select coalesce((select r.effect <> 'exclude' from rulings r where r.board_id = b and r.event_id = event order by r.seq desc limit 1),
    disposition <> 'rejected')
$$;

-- Writes a batch's rejections, after take_boards or write_batch: of those `stored` the events, numbered from first_seq on, of all the
-- counts of submissions. Whoever is rejected has a state: there are submissions to count.
create or replace function reject_submissions(
  b uuid, first_seq bigint, account uuid, game uuid, at timestamptz, ids uuid[], identities_ uuid[], devices_ uuid[], tests boolean[],
  amounts float8[], names text[], displays text[], metadatas jsonb[], cities text[], countries text[], timezones text[], stored boolean[])
returns void language plpgsql volatile as $$
declare
  events bigint;
begin
  insert into score_events (board_id, seq, id, account_id, game_id, identity_id, device_id, is_test, amount, player_name,
      value_display, metadata, disposition, source, city, country, timezone, created_at)
    select b, first_seq + row_number() over (order by u.ord) - 1, u.id, account, game, u.identity_id, u.device_id, u.is_test, u.amount,
      u.player_name, u.value_display, u.metadata, 'rejected', case when u.device_id is null then 'admin' else 'client' end,
      u.city, u.country, u.timezone, at
    from unnest(ids, identities_, devices_, tests, amounts, names, displays, metadatas, cities, countries, timezones, stored)
      with ordinality u(id, identity_id, device_id, is_test, amount, player_name, value_display, metadata, city, country, timezone, stored, ord)
    where u.stored;
  get diagnostics events = row_count;

  update states s set device_id = coalesce(u.device_id, s.device_id), submission_count = s.submission_count + 1,
      last_event_id = case when u.stored then u.id else s.last_event_id end, last_submission_at = at, last_value = u.amount,
      rejected_at = case when u.stored then at else s.rejected_at end, updated_at = at
    from unnest(ids, identities_, devices_, tests, amounts, stored) u(id, identity_id, device_id, is_test, amount, stored)
    where s.board_id = b and s.is_test = u.is_test and s.identity_id = u.identity_id;

  -- Nothing that readers of the board see has changed: its version stays.
  update board_rankings r set seq = r.seq + events, last_event_at = at, newest_batch = ids[1] where r.board_id = b;
end $$;

-- What the outlier check takes a population's median and deviations from: packed pairs of rank key (float8send) and
-- how many entries it stands for (int4send), ascending. All entries of a board of fewer than exact_below; else the lower bounds of
-- the counted tree's leaves, from coarse_from entries on of its runs, so that it stays some thousand numbers. Null `sample`: the
-- game has no checks, or there are no entries.
create or replace function population_sample(b uuid, t boolean, exact_below integer, coarse_from integer)
returns table (generation integer, direction text, seq bigint, checked boolean, entries bigint, exact boolean, sample bytea) language plpgsql stable as $$
begin
  select r.generation, r.sort_direction, r.seq, g.anti_cheat_enabled into generation, direction, seq, checked
    from board_rankings r join boards d on d.id = r.board_id join games g on g.id = d.game_id where r.board_id = b;
  if checked is not true then
    return next; return;
  end if;
  entries := ranked_count(b, population_sample.generation, t);
  exact := entries < exact_below;
  if exact then
    select string_agg(float8send(e.rank_key) || int4send(1), '' order by e.rank_key, e.seq) into sample
      from entries e where e.board_id = b and e.generation = population_sample.generation and e.is_test = t and e.ranked;
  elsif entries < coarse_from then
    select string_agg(float8send(u.k) || int4send(r.sums[u.i + 1] - r.sums[u.i]), '' order by r.lo_key, r.lo_seq, u.i) into sample
      from rank_runs r cross join lateral unnest(r.lo_keys) with ordinality u(k, i)
      where r.board_id = b and r.generation = population_sample.generation and r.is_test = t;
  else
    select string_agg(float8send(u.k) || int4send(r.sums[u.i + 1] - r.sums[u.i]), '' order by r.lo_key, r.lo_seq, u.i) into sample
      from rank_tops r cross join lateral unnest(r.lo_keys) with ordinality u(k, i)
      where r.board_id = b and r.generation = population_sample.generation and r.is_test = t;
  end if;
  return next;
end $$;

-- What the players of a board usually do: the last hours of those who submitted lately, as their states keep them, at most so
-- many players out of at most so many of the newest events. Whoever plays much counts once, as everybody.
create or replace function recent_courses(b uuid, t boolean, most integer, newest integer) returns table (board_type text, recents bytea[])
language plpgsql stable as $$
declare
  upto bigint;
begin
  select r.board_type, r.seq into recent_courses.board_type, upto from board_rankings r where r.board_id = b;
  recents := array(
    select s.recent
    from (select distinct e.identity_id from score_events e
      where e.board_id = b and e.seq > upto - newest and e.seq <= upto and e.is_test = t limit most) p
    cross join lateral (select x.recent from states x where x.board_id = b and x.is_test = t and x.identity_id = p.identity_id limit 1) s
    where octet_length(s.recent) > 0);
  return next;
end $$;
