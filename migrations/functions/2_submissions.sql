-- Submissions: locking boards, claiming nonces and keys, writing batches; statistics that the checks read.

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

-- Sessions that the user's keys started end with the user (src/players/sessions/authenticate.ts).
create or replace function user_standing_changed() returns trigger language plpgsql as $$
begin
  perform count_standings(array(select distinct s.game_id from device_sessions s where s.started_by = new.id));
  return null;
end $$;

-- Locks several boards, or fails: none of their submissions waits for another board.
create or replace function lock_free_boards(boards board_write[]) returns void language plpgsql volatile as $$
declare
  busy text;
begin
  with taken as materialized (
    select r.board_id from board_rankings r
    where r.board_id = any(array(select b.board_id from unnest(boards) b)) order by r.board_id for update skip locked)
  select string_agg(b.board_id::text, ',') into busy from unnest(boards) b
    where b.board_id not in (select t.board_id from taken t);
  if busy is not null then
    raise exception 'Some of several boards are being written to' using errcode = '40LB4', detail = busy;
  end if;
end $$;

-- Compares the tags of players on these boards with what the decisions were based on, also of players without an event there, whose
-- tags change without the board's lock.
create or replace function compare_tags(boards uuid[], events played_event_write[]) returns void language plpgsql volatile as $$
declare
  changed text := (
    select string_agg(distinct e.board_id::text, ',')
    from unnest(events) e
    join board_rankings r on r.board_id = e.board_id
    where e.board_id = any(boards) and not coalesce(e.tags, '{}') @> player_tags_on(e.board_id, e.identity_id, r.player_tags));
begin
  if changed is not null then
    raise exception 'The tags of a player have changed since they were read' using errcode = '40LB3', detail = changed;
  end if;
end $$;

-- Creates the rankings that begin with a batch.
create or replace function begin_rankings(begun begun_ranking[]) returns void language plpgsql volatile as $$
declare
  found_rows integer;
begin
  -- A group with runs that were left out begins with them (open_groups).
  if exists (select from unnest(begun) w join left_out_runs l on l.board_id = w.board_id and l.view_no = w.view_no
      and l.period_number = w.period_number and l.group_key = w.group_key) then
    raise exception 'A group has to take in earlier runs first' using errcode = '53LB0';
  end if;
  -- Numbers follow the board's newest one, unless another writer has begun some since.
  update board_rankings r set newest_ranking = u.newest
    from (select w.board_id, min(least(w.ranking_no, w.next_generation)) as newest, max(w.ranking_no) + 1 as found from unnest(begun) w group by w.board_id) u
    where r.board_id = u.board_id and r.newest_ranking = u.found;
  get diagnostics found_rows = row_count;
  if found_rows < (select count(distinct w.board_id) from unnest(begun) w) then
    raise exception 'Rankings have begun since the batch was decided' using errcode = '40LB2',
      detail = (select string_agg(distinct w.board_id::text, ',') from unnest(begun) w);
  end if;
  insert into rankings (board_id, ranking_no, view_no, period_number, group_key, generation, next_generation, status)
    select w.board_id, w.ranking_no, w.view_no, w.period_number, w.group_key, w.ranking_no, w.next_generation, v.status
    from unnest(begun) w join board_views v on v.board_id = w.board_id and v.view_no = w.view_no;
end $$;

-- Gives players the names of their newest submissions. The boards' locks do not cover players: they are locked in the order of ids, so
-- that two batches cannot deadlock. Other boards follow in the background.
create or replace function write_names(names name_write[]) returns void language plpgsql volatile as $$
begin
  perform from identities i where i.id = any(array(select n.id from unnest(names) n)) order by i.id for no key update;
  update identities i set display_name = n.name, updated_at = n.at
    from unnest(names) n where i.id = n.id and not i.name_locked;
  perform note_renames(array_agg(n.id), max(n.at)) from unnest(names) n;
end $$;

-- Writes the decisions on one batch of submissions: events, states, entries, trees, names, the boards' numbers. Empty lists
-- are null. First it locks the boards and compares them, and the players of their games, with what the decisions were based
-- on. If something differs, it fails with a code of class 40, whose detail names the boards, and the batch has to be decided
-- again. A batch of one board waits for its lock; one of several boards waits for none. `players` are those whose facts were
-- cached: for them the version of the session (null: none), the name, the tier and, on boards with player tags, the tags are
-- compared, too. All other changes of players raise the game's count of standings. `keys` are the keys whose ranks the responses
-- need, and those at which entries are added or removed (`d`). `entries`, `new_entries` and `keys` belong to the boards' own
-- generations and their views' rankings; `begun` are rankings that begin. `shown_names`, null if there are none, are the names
-- that rankings show for the events instead of `player_name`, in order. `runs` are those of events with tickets. Returns how many
-- entries came before each key before the batch (null where `counted` is false), in order: the caller adds the moves of the batch,
-- which is cheaper than a second look-up. Only for keys in rankings of values (9_dense_ranks.sql) does it count after the batch.
create or replace function write_submissions(
  boards board_write[], players player_write[], nonces nonce_write[], events played_event_write[], states state_write[], new_states state_write[],
  entries entry_write[], new_entries entry_write[], keys key_write[], names name_write[], begun begun_ranking[], shown_names text[],
  runs split_run_write[])
returns json language plpgsql volatile as $$
declare
  board board_write;
  several boolean := cardinality(boards) > 1;
  account uuid := case when not several then (events[1]).account_id end;
  changed text[] := '{}'; changed_standings text[]; changed_players text[];
  claimed integer;
  tagged boolean; with_tags uuid[] := '{}';
  dense boolean; has_dense boolean := false;
  places rank_change[]; aheads json;
  shown key_write[];
begin
  if several then
    perform lock_free_boards(boards);
  end if;
  foreach board in array boards loop
    update board_rankings r set seq = board.seq, version = board.version, last_event_at = board.at, newest_batch = board.newest_batch
      where r.board_id = board.board_id and r.seq = board.found_seq and r.version = board.found_version
        and r.newest_batch is not distinct from board.found_batch
      returning r.dense_views or r.tie_policy = 'dense' or coalesce(r.build ->> 'ties' = 'dense', false), r.player_tags is not null into dense, tagged;
    if not found then
      changed := changed || board.board_id::text;
    elsif tagged then
      with_tags := with_tags || board.board_id;
    end if;
    has_dense := has_dense or coalesce(dense, false);
  end loop;

  -- After the locks: a statement sees what was committed while they were waited for.
  select array(
      select b.board_id::text from unnest(boards) b
      where b.standings <> coalesce((select s.changes from game_standings s where s.game_id = b.game_id), 0)),
    array(
      select u.board_id::text from unnest(players) u
      left join lateral (select x.version from device_sessions x where x.id = u.session_id limit 1) session on true
      left join lateral (select i.display_name as name, i.trust_tier as tier from identities i where i.id = u.identity_id limit 1) player on true
      where (session.version, player.name, player.tier) is distinct from (u.version, u.name, u.tier))
    into changed_standings, changed_players;
  changed := changed || changed_standings;
  if changed <> '{}' then
    raise exception 'The board or its players have changed since the batch was decided' using errcode = '40LB2', detail = array_to_string(changed, ',');
  end if;
  if changed_players <> '{}' then
    raise exception 'A player has changed since it was read' using errcode = '40LB3', detail = array_to_string(changed_players, ',');
  end if;
  if with_tags <> '{}' then
    perform compare_tags(with_tags, events);
  end if;
  if begun is not null then
    perform begin_rankings(begun);
  end if;

  -- Ordered by nonce: batches of other boards may hold some of them and must not deadlock with this one. Rows without an account, such
  -- as those of a batch of several boards, move with every account (src/cells/move).
  if nonces is not null then
    insert into nonce_uses (nonce, expires_at, account_id) select n.nonce, n.expires_at, account from unnest(nonces) n on conflict do nothing;
    get diagnostics claimed = row_count;
    if claimed < cardinality(nonces) then
      raise exception 'A nonce was used meanwhile' using errcode = '40LB1';
    end if;
  end if;
  if events is not null then
    insert into score_events (board_id, seq, id, account_id, game_id, identity_id, device_id, is_test, amount, player_name,
        value_display, metadata, disposition, source, city, country, timezone, replaced_key, replaced_seq, created_at, tags, played_at)
      select e.board_id, e.seq, e.id, e.account_id, e.game_id, e.identity_id, e.device_id, e.is_test, e.amount, e.player_name,
        e.value_display, e.metadata, e.disposition, e.source, e.city, e.country, e.timezone, e.replaced_key, e.replaced_seq, e.created_at, e.tags, e.played_at
      from unnest(events) e;
  end if;
  -- By position, here and below: whatever the planner assumes about a table that was empty, only its primary key is searched.
  if states is not null then
    update states s set
        device_id = coalesce(u.device_id, s.device_id), submission_count = s.submission_count + u.submissions,
        accepted_count = s.accepted_count + u.accepted, last_event_id = coalesce(u.last_event_id, s.last_event_id),
        last_submission_at = u.at, last_value = u.last_value, best_value = coalesce(u.best_value, s.best_value), recent = '',
        rejected_at = coalesce(u.rejected_at, s.rejected_at), selected_event_id = coalesce(u.selected_event_id, s.selected_event_id),
        value = coalesce(u.value, s.value), updated_at = u.at
      from unnest(states) u
        cross join lateral (select x.ctid as place from states x
          where x.board_id = u.board_id and x.is_test = u.is_test and x.identity_id = u.identity_id limit 1) p
      where s.ctid = p.place;
  end if;
  if shown_names is not null then
    update score_events v set shown_name = n.name
      from unnest(events) with ordinality e join unnest(shown_names) with ordinality n(name, ordinality) on n.ordinality = e.ordinality
      where n.name is not null and v.board_id = e.board_id and v.seq = e.seq;
  end if;
  if runs is not null then
    insert into runs (board_id, event_seq, ticket, started_at, elapsed_ms, idle_ms, run_ms, advance, attempt, seed, game_version, fault, splits)
      select r.board_id, r.event_seq, r.ticket, r.started_at, r.elapsed_ms, r.idle_ms, r.run_ms, r.advance, r.attempt, r.seed, r.game_version, r.fault, r.splits
      from unnest(runs) r;
  end if;
  if new_states is not null then
    insert into states (board_id, is_test, identity_id, id, account_id, game_id, device_id, submission_count, accepted_count,
        last_event_id, last_submission_at, last_value, best_value, rejected_at, selected_event_id, value, created_at, updated_at)
      select u.board_id, u.is_test, u.identity_id, u.id, u.account_id, u.game_id, u.device_id, u.submissions, u.accepted,
        u.last_event_id, u.at, u.last_value, u.best_value, u.rejected_at, u.selected_event_id, u.value, u.at, u.at
      from unnest(new_states) u;
  end if;

  if has_dense then
    -- Display ranks are read after everything is written, because which values the batch adds and removes is only known then.
    shown := array(select k from unnest(keys) k where is_values_generation(k.generation));
    keys := array(select k from unnest(keys) k where not is_values_generation(k.generation));
  end if;
  -- Every key is located once, before entries and counts change; a second time if the population had no tree yet for its first entries.
  loop
    select coalesce(array_agg((k.n, k.board_id, k.generation, k.is_test, k.d, p.top_key, p.top_seq, p.run, p.run_key, p.run_seq, p.leaf, c.ahead)::rank_change), '{}'),
        json_agg(c.ahead order by k.n)
      into places, aheads
      from unnest(keys) k
      cross join lateral rank_place(k.board_id, k.generation, k.is_test, k.key, k.seq) p
      cross join lateral (select case when k.counted then p.ahead + (select count(*) from entries e
        where e.board_id = k.board_id and e.generation = k.generation and e.is_test = k.is_test and e.ranked
          and (e.rank_key, e.seq) >= (p.leaf_key, p.leaf_seq) and (e.rank_key, e.seq) < (k.key, k.seq)) end as ahead offset 0) c;
    exit when cardinality(places) = coalesce(cardinality(keys), 0);
    perform plant_rank_tree(k.board_id, k.generation, k.is_test)
      from (select distinct x.board_id, x.generation, x.is_test from unnest(keys) x) k;
  end loop;

  if entries is not null then
    update entries e set
        event_seq = u.event_seq, value = u.value, rank_key = u.rank_key, seq = u.seq, ranked = u.status <> 'provisional', status = u.status,
        player_name = u.player_name, value_display = u.value_display, metadata = u.metadata, created_at = u.created_at, updated_at = u.updated_at
      from unnest(entries) u
        cross join lateral (select x.ctid as place from entries x
          where x.board_id = u.board_id and x.generation = u.generation and x.is_test = u.is_test and x.slot = u.slot limit 1) p
      where e.ctid = p.place;
  end if;
  if new_entries is not null then
    insert into entries (board_id, generation, is_test, slot, id, identity_id, event_seq, value, rank_key, seq, ranked, status,
        player_name, value_display, metadata, created_at, updated_at)
      select u.board_id, u.generation, u.is_test, u.slot, u.id, u.identity_id, u.event_seq, u.value, u.rank_key, u.seq, u.status <> 'provisional', u.status,
        u.player_name, u.value_display, u.metadata, u.created_at, u.updated_at
      from unnest(new_entries) u;
  end if;
  if entries is not null or new_entries is not null then
    perform change_ranks(places);
    if has_dense then
      perform follow_values(keys);
    end if;
  end if;
  if names is not null then
    perform write_names(names);
  end if;

  if cardinality(shown) > 0 then
    return to_json(array(
      select x.ahead from (
        select p.n, p.ahead from unnest(places) p
        union all
        select k.n, coalesce(r.rank, 1) - 1 from unnest(shown) k
          left join lateral rank_of(k.board_id, k.generation, k.is_test, k.key, k.seq) r on true) x
      order by x.n));
  end if;
  return coalesce(aheads, '[]');
end $$;

-- The same for processes of the previous release, whose runs have no splits.
create or replace function write_runs(
  boards board_write[], players player_write[], nonces nonce_write[], events played_event_write[], states state_write[], new_states state_write[],
  entries entry_write[], new_entries entry_write[], keys key_write[], names name_write[], begun begun_ranking[], shown_names text[],
  runs run_write[])
returns json language plpgsql volatile as $$
begin
  return write_submissions(boards, players, nonces, events, states, new_states, entries, new_entries, keys, names, begun, shown_names,
    (select array_agg((r.board_id, r.event_seq, r.ticket, r.started_at, r.elapsed_ms, r.idle_ms, r.run_ms, r.advance, r.attempt, r.seed,
      r.game_version, r.fault, null)::split_run_write) from unnest(runs) r));
end $$;

-- The same for processes of the release before tickets, which know nothing of their rules: boards with tickets refuse their writes.
create or replace function write_batches(
  boards board_write[], players player_write[], nonces nonce_write[], events played_event_write[], states state_write[], new_states state_write[],
  entries entry_write[], new_entries entry_write[], keys key_write[], names name_write[], begun begun_ranking[], shown_names text[])
returns json language plpgsql volatile as $$
begin
  if exists (select from boards d where d.id = any(array(select b.board_id from unnest(write_batches.boards) b)) and d.tickets is not null) then
    raise exception 'A board has tickets, which this process does not know' using errcode = '57P03';
  end if;
  return write_submissions(boards, players, nonces, events, states, new_states, entries, new_entries, keys, names, begun, shown_names, null);
end $$;

-- Before a setting is used that processes from before a migration do not know (src/db/schema/settings-since.ts). False: a process of a release that does not know them is connected (as `leaderboard changes`; this release says
-- `leaderboard announcer`). True: none is, and none starts any more.
create or replace function open_since(migration text) returns boolean language plpgsql volatile as $$
begin
  if exists (select from migration_checksums m where m.name = 'oldest-known' and m.checksum >= migration) then
    return true;
  end if;
  if exists (select from pg_stat_activity a where a.datname = current_database() and a.application_name = 'leaderboard changes') then
    return false;
  end if;
  insert into migration_checksums as m (name, checksum) values ('oldest-known', migration)
    on conflict (name) do update set checksum = greatest(m.checksum, excluded.checksum);
  return true;
end $$;

-- What issuing a ticket needs to know of a board at a time: whether it takes runs, its settings, and the period of the view that they name.
create or replace function tickets_of_board(b uuid, at timestamptz)
returns table (game_id uuid, account_status text, live boolean, board_type text, is_active boolean, starts_at timestamptz, ends_at timestamptz,
  tickets jsonb, view_no integer, period_number integer, period_ends_at timestamptz)
language sql stable as $$
  select d.game_id, a.status, d.deleted_at is null and g.deleted_at is null and a.deleted_at is null, d.board_type, d.is_active, d.starts_at, d.ends_at,
    d.tickets, v.view_no, p.number, p.ends_at
  from boards d join games g on g.id = d.game_id join accounts a on a.id = d.account_id
  left join board_views v on v.board_id = d.id and v.name = d.tickets ->> 'view' and v.status <> 'dropping'
  left join lateral (select y.number, y.ends_at from view_periods y
    where y.board_id = d.id and y.view_no = v.view_no and y.starts_at <= at order by y.starts_at desc limit 1) p on p.ends_at > at
  where d.id = b
$$;

-- Takes a player's next attempts in a period, as many of these tickets as are left, or finds those of an earlier request with this key.
-- `tickets` get their number. No rows: none is left. `bound` is false if the key belongs to another request. `used` counts all of the period.
create or replace function take_attempts(
  b uuid, view integer, period integer, who uuid, test boolean, most integer, asked bytea[], asked_key bytea, request bytea, at timestamptz)
returns table (ticket bytea, used integer, bound boolean, again boolean) language plpgsql volatile as $$
declare
  own attempts;
  had integer;
  room integer;
begin
  insert into attempts (board_id, view_no, period_number, identity_id, is_test, tickets, keys, requests, issued_at)
    values (b, view, period, who, test, '{}', '{}', '{}', '{}') on conflict do nothing;
  select * into own from attempts a
    where a.board_id = b and a.view_no = view and a.period_number = period and a.identity_id = who and a.is_test = test for update;
  had := cardinality(own.tickets);
  if asked_key = any(own.keys) then
    return query select u.ticket, had, u.request = take_attempts.request, true
      from unnest(own.tickets, own.keys, own.requests) with ordinality u(ticket, key, request, n) where u.key = asked_key order by u.n;
    return;
  end if;
  room := least(cardinality(asked), most - had);
  if room <= 0 then
    return;
  end if;
  update attempts a set
      tickets = a.tickets || array(select set_byte(u.ticket, 31, had + u.n::integer) from unnest(asked[:room]) with ordinality u(ticket, n) order by u.n),
      keys = a.keys || array_fill(asked_key, array[room]), requests = a.requests || array_fill(request, array[room]),
      issued_at = a.issued_at || array_fill(at, array[room])
    where a.board_id = b and a.view_no = view and a.period_number = period and a.identity_id = who and a.is_test = test
    returning a.* into own;
  return query select u.ticket, had + room, true, false from unnest(own.tickets[had + 1:]) with ordinality u(ticket, n) order by u.n;
end $$;

-- Claims idempotency keys with their answers, in the transaction of the submissions that they answer, in the order of keys. A key
-- whose answer is older than `forgotten` counts as never used. One that is used by now fails the transaction (class 40).
create or replace function store_answers(answers json, at timestamptz, forgotten timestamptz) returns void language plpgsql volatile as $$
declare
  claimed integer;
begin
  insert into idempotency_keys (scope, key, body_hash, answer, created_at)
    select a.scope, a.key, a.body_hash, a.answer, store_answers.at
    from json_to_recordset(answers) a(scope uuid, key text, body_hash bytea, answer jsonb)
    order by a.scope, a.key collate "C"
    on conflict (scope, key) do update set body_hash = excluded.body_hash, answer = excluded.answer, created_at = excluded.created_at
      where idempotency_keys.created_at < forgotten;
  get diagnostics claimed = row_count;
  if claimed < json_array_length(answers) then
    raise exception 'An idempotency key was used meanwhile' using errcode = '40LB1';
  end if;
end $$;

-- The effect of an event without a ruling: it counts (`include`), counts and waits for a decision (`review`), waits for one and does not
-- count (`hold`), or does not count (`exclude`).
create or replace function effect_of(disposition text) returns text language sql immutable parallel safe as $$
  select case disposition when 'accepted' then 'include' when 'flagged' then 'review' when 'held' then 'hold' else 'exclude' end
$$;

-- True if an event with this effect is ranked.
create or replace function effect_counts(effect text) returns boolean language sql immutable parallel safe as $$
  select effect in ('include', 'review')
$$;

-- The present effect of an event, by its newest ruling or else its disposition: for single events (see 005_rederive.sql).
create or replace function event_effect(b uuid, event uuid, disposition text) returns text language sql stable as $$
  select coalesce((select r.effect from rulings r where r.board_id = b and r.event_id = event order by r.seq desc limit 1), effect_of(disposition))
$$;

create or replace function event_counts(b uuid, event uuid, disposition text) returns boolean language sql stable as $$
  select effect_counts(event_effect(b, event, disposition))
$$;

-- The rank that a run which does not count would have now in its board's own ranking, among the other players or runs; null: it would move no
-- entry, as the player's present one would stay, or its sum would leave the range of numbers.
create or replace function would_rank(e score_events) returns bigint language plpgsql stable as $$
declare
  board board_rankings;
  own record;
  k float8;
  s bigint;
  stays boolean;
begin
  select * into board from board_rankings r where r.board_id = e.board_id;
  s := placed_seq(e.seq, board.tie_policy);
  select x.ranked, x.value, x.rank_key, x.seq, x.event_seq into own from entries x
    where x.board_id = e.board_id and x.generation = board.generation and x.is_test = e.is_test
      and x.slot = case board.board_type when 'run_runs' then e.id else e.identity_id end limit 1;
  if not coalesce(own.ranked, false) then
    k := rank_key_of(e.amount, board.sort_direction);
    return coalesce((select r.rank from rank_of(e.board_id, board.generation, e.is_test, k, s) r), 1);
  elsif board.board_type = 'counter' then
    if greatest(abs(own.value), abs(e.amount)) > 8e307 then
      return null;
    end if;
    k := rank_key_of(own.value + e.amount, board.sort_direction);
  else
    k := rank_key_of(e.amount, board.sort_direction);
    stays := case board.keep_strategy when 'first' then own.event_seq < e.seq when 'last' then own.event_seq > e.seq
      else (own.rank_key, own.seq) <= (k, s) end;
    if stays then
      return null;
    end if;
  end if;
  return (select r.rank from rank_of(e.board_id, board.generation, e.is_test, k, s) r) - ((own.rank_key, own.seq) < (k, s))::integer;
end $$;

-- The time by which the checks judge an event.
create or replace function judged_at(e score_events) returns timestamptz language sql immutable parallel safe as $$
  select coalesce(e.played_at, e.occurred_at, e.created_at)
$$;

-- A player's newest counting submissions to a board after `since`, newest first, at most 100: pairs of epoch milliseconds and
-- amount. An event from a gateway whose clock ran ahead (more than ten seconds before the one that follows it) and everything
-- before it do not count. `holding`: held runs do.
create or replace function submissions_since(b uuid, t boolean, who uuid, since timestamptz, holding boolean) returns json language plpgsql stable as $$
declare
  event record;
  newer timestamptz;
  pairs float8[] := '{}';
begin
  for event in
    select judged_at(e) as at, e.amount from score_events e
    where e.board_id = b and e.is_test = t and e.identity_id = who and e.source <> 'import'
      and case when holding then event_effect(b, e.id, e.disposition) <> 'exclude' else event_counts(b, e.id, e.disposition) end
    order by e.seq desc limit 100
  loop
    exit when event.at <= since or event.at > newer + interval '10 seconds';
    pairs := pairs || (extract(epoch from event.at) * 1000)::float8 || event.amount;
    newer := event.at;
  end loop;
  return to_json(pairs);
end $$;

-- The pace of a player, which held runs are part of.
create or replace function recent_submissions(b uuid, t boolean, who uuid, since timestamptz) returns json language sql stable as $$
  select submissions_since(b, t, who, since, true)
$$;

-- The sample from which the outlier check takes a population's median and deviations: packed pairs of rank key (float8send)
-- and how many entries it represents (int4send), ascending. All entries of a board of fewer than exact_below; otherwise the
-- lower bounds of the counted tree's leaves, and from coarse_from entries on those of its runs, so that the sample stays at
-- some thousand numbers. Null `sample`: there are no entries.
create or replace function ranked_sample(b uuid, g integer, t boolean, exact_below integer, coarse_from integer)
returns table (entries bigint, exact boolean, sample bytea) language plpgsql stable as $$
begin
  entries := ranked_count(b, g, t);
  exact := entries < exact_below;
  if exact then
    select string_agg(float8send(e.rank_key) || int4send(1), '' order by e.rank_key, e.seq) into sample
      from entries e where e.board_id = b and e.generation = g and e.is_test = t and e.ranked;
  elsif entries < coarse_from then
    select string_agg(float8send(u.k) || int4send(r.sums[u.i + 1] - r.sums[u.i]), '' order by r.lo_key, r.lo_seq, u.i) into sample
      from rank_runs r cross join lateral unnest(r.lo_keys) with ordinality u(k, i)
      where r.board_id = b and r.generation = g and r.is_test = t;
  else
    select string_agg(float8send(u.k) || int4send(r.sums[u.i + 1] - r.sums[u.i]), '' order by r.lo_key, r.lo_seq, u.i) into sample
      from rank_tops r cross join lateral unnest(r.lo_keys) with ordinality u(k, i)
      where r.board_id = b and r.generation = g and r.is_test = t;
  end if;
  return next;
end $$;

-- The sample of the served generation; null if the game has no checks.
create or replace function population_sample(b uuid, t boolean, exact_below integer, coarse_from integer)
returns table (generation integer, direction text, seq bigint, checked boolean, entries bigint, exact boolean, sample bytea) language plpgsql stable as $$
begin
  select r.generation, r.sort_direction, r.seq, g.anti_cheat_enabled into generation, direction, seq, checked
    from board_rankings r join boards d on d.id = r.board_id join games g on g.id = d.game_id where r.board_id = b;
  if checked is true then
    select s.entries, s.exact, s.sample into population_sample.entries, population_sample.exact, population_sample.sample
      from ranked_sample(b, population_sample.generation, t, exact_below, coarse_from) s;
  end if;
  return next;
end $$;

-- True for a player with a past on a board: known to the game for a day, or with five counting runs there, the first of them an hour ago, or
-- with a tier of trust by a person (a confirmed cheat gives tier c). Who makes players in a hurry has none of these.
create or replace function has_past(b uuid, t boolean, who uuid, at timestamptz) returns boolean language sql stable as $$
  select exists (select from identities i where i.id = who and (i.created_at <= at - interval '1 day' or i.trust_tier in ('a', 'b')))
    or exists (select from states s where s.board_id = b and s.is_test = t and s.identity_id = who
      and s.accepted_count >= 5 and s.created_at <= at - interval '1 hour')
$$;

-- The best entries of players with a past, one of each, among the first `most` of a ranking; packed as in ranked_sample. Null: there are none.
create or replace function settled_sample(b uuid, g integer, t boolean, most integer, at timestamptz) returns bytea language sql stable as $$
  select string_agg(float8send(p.rank_key) || int4send(1), '' order by p.rank_key, p.seq)
  from (select distinct on (e.identity_id) e.identity_id, e.rank_key, e.seq
    from (select x.identity_id, x.rank_key, x.seq from entries x
      where x.board_id = b and x.generation = g and x.is_test = t and x.ranked order by x.rank_key, x.seq limit most) e
    order by e.identity_id, e.rank_key, e.seq) p
  where has_past(b, t, p.identity_id, at)
$$;

-- Typical play on a board: the hour before the newest submission of each recent player, at most this many players out of at
-- most this many newest events. A busy player counts once. In the form of recent_submissions.
-- `settled_at`: only players with a past at that time; null: all.
create or replace function play_of_players(b uuid, t boolean, most integer, newest integer, settled_at timestamptz)
returns table (board_type text, recents json) language plpgsql stable as $$
declare
  upto bigint;
begin
  select r.board_type, r.seq into play_of_players.board_type, upto from board_rankings r where r.board_id = b;
  select json_agg(submissions_since(b, t, p.identity_id, p.newest_at - interval '1 hour', false)) into recents
    from (select e.identity_id, max(judged_at(e)) as newest_at from score_events e
      where e.board_id = b and e.seq > upto - newest and e.seq <= upto and e.is_test = t and e.disposition in ('accepted', 'flagged') and e.source <> 'import'
      group by e.identity_id having settled_at is null or has_past(b, t, e.identity_id, settled_at)
      order by max(e.seq) desc limit most) p;
  return next;
end $$;

create or replace function recent_play(b uuid, t boolean, most integer, newest integer) returns table (board_type text, recents json)
language sql stable as $$
  select * from play_of_players(b, t, most, newest, null)
$$;
