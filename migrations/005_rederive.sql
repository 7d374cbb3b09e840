-- Entries and states from events and rulings alone. Ingest's fast path must equal this at any time: re-deriving
-- everything changes nothing. Reviews, deletions and restores write a ruling and then re-derive whom it concerns.

-- Whether the newest ruling on the player lets it count.
create function identity_counts(b uuid, i uuid) returns boolean language sql stable as $$
  select coalesce((select r.effect = 'include' from rulings r where r.board_id = b and r.identity_id = i order by r.seq desc limit 1), true)
$$;

create function rank_key_of(value float8, sort_direction text) returns float8 language sql immutable parallel safe as $$
  select case sort_direction when 'asc' then value else 0 - value end  -- 0 - value: never -0
$$;

-- The events that make up entries: `live` where the ruling stands for them; where an identity has none of those left, its
-- excluded ones (a rejected, hidden entry). `first_id` is the identity's first event of any disposition.
-- The newest ruling on an event says whether it counts (`include`), counts and waits for a decision (`review`) or does not
-- (`exclude`); without one its disposition says so. `disposition` tells what holds now. An event that was rejected at once
-- leaves nothing behind while it does not count.
-- Here and below: rulings are looked up in place, as a function with a query in it is called for every event, which took most
-- of the time of deriving many players, and not at all where a board has none; and both populations are named wherever an index has is_test before the player, or
-- every Postgres before 18 reads the whole board to find one player's events.
create function counting_events(b uuid, ids uuid[]) returns table (
  is_test boolean, identity_id uuid, seq bigint, id uuid, amount float8, player_name text, value_display text, metadata jsonb,
  disposition text, created_at timestamptz, live boolean, any_live boolean, first_id uuid)
language sql stable as $$
  select x.is_test, x.identity_id, x.seq, x.id, x.amount, x.player_name, x.value_display, x.metadata,
    case x.effect when 'include' then 'accepted' when 'review' then 'flagged' else x.disposition end, x.created_at, x.effect <> 'exclude',
    bool_or(x.effect <> 'exclude') over (partition by x.is_test, x.identity_id), x.first_id
  from (
    select e.*,
      coalesce(
        case when (select exists (select from rulings r where r.board_id = b)) then
          (select r.effect from rulings r where r.board_id = b and r.event_id = e.id order by r.seq desc limit 1) end,
        case e.disposition when 'accepted' then 'include' when 'flagged' then 'review' else 'exclude' end) as effect,
      first_value(e.id) over (partition by e.is_test, e.identity_id order by e.seq) as first_id
    from score_events e where e.board_id = b and e.is_test in (false, true) and e.identity_id = any(ids)) x
  where x.disposition <> 'rejected' or x.effect <> 'exclude'
$$;

create function derive_entries(b uuid, ids uuid[], kind text, direction text, strategy text) returns table (
  is_test boolean, slot uuid, id uuid, identity_id uuid, event_seq bigint, value float8, rank_key float8, seq bigint,
  ranked boolean, status text, player_name text, value_display text, metadata jsonb, created_at timestamptz, updated_at timestamptz)
language sql stable as $$
  with events as materialized (
    select c.* from counting_events(b, array(
      select i.id from unnest(ids) i(id)
      where case when (select not exists (select from rulings r where r.board_id = b)) then true else
        coalesce((select r.effect = 'include' from rulings r where r.board_id = b and r.identity_id = i.id order by r.seq desc limit 1), true) end)) c
  ), runs as (
    -- Every run is an entry of its own.
    select c.is_test, c.id as slot, c.id, c.identity_id, c.seq as event_seq, c.amount as value, c.seq, c.live,
      c.disposition = 'flagged' as doubted, c.player_name, c.value_display, c.metadata, c.created_at, c.created_at as updated_at
    from events c where kind = 'run_runs'
  ), usable as (
    -- A hidden sum has nowhere to leave the range of numbers to: else a second delta at its end could not be taken out.
    select c.*, case kind when 'counter'
        then sum(case when c.any_live then c.amount else greatest(-1e302, least(c.amount, 1e302)) end) over before_and_this
        else c.amount end as running,
      -- A sum waits for a decision while any of its deltas does.
      case kind when 'counter' then bool_or(c.disposition = 'flagged') over before_and_this else c.disposition = 'flagged' end as doubted,
      first_value(c.created_at) over before_and_this as first_at
    from events c where kind in ('run_identity', 'counter') and c.live = c.any_live
    window before_and_this as (partition by c.is_test, c.identity_id order by c.seq rows unbounded preceding)
  ), stepped as (
    -- `reached` numbers the stretches of equal value: an event that does not change the value keeps the place.
    select u.*, u.running is distinct from lag(u.running) over (partition by u.is_test, u.identity_id order by u.seq) as steps
    from usable u
  ), stretched as (
    select s.*, max(s.seq) filter (where s.steps) over (partition by s.is_test, s.identity_id order by s.seq rows unbounded preceding) as reached_seq
    from stepped s
  ), kept as (
    select distinct on (s.is_test, s.identity_id) s.*
    from stretched s
    order by s.is_test, s.identity_id,
      case strategy when 'best' then rank_key_of(s.running, direction) end,
      case when strategy in ('best', 'first') and kind = 'run_identity' then s.seq else - s.seq end
  ), single as (
    select k.is_test, k.identity_id as slot, k.first_id as id, k.identity_id, k.seq as event_seq, k.running as value,
      case when strategy in ('best', 'first') and kind = 'run_identity' then k.seq else k.reached_seq end as seq, k.live,
      k.doubted, k.player_name, k.value_display, k.metadata, k.first_at as created_at,
      -- Of the event that reached the value, which is the kept one or is looked up.
      case when strategy in ('best', 'first') and kind = 'run_identity' then k.created_at
        else (select e.created_at from score_events e where e.board_id = b and e.seq = k.reached_seq) end as updated_at
    from kept k
  )
  select r.is_test, r.slot, r.id, r.identity_id, r.event_seq, r.value, rank_key_of(r.value, direction), r.seq, r.live,
    case when not r.live then 'rejected' when r.doubted then 'under_review' else 'active' end,
    r.player_name, r.value_display, r.metadata, r.created_at, r.updated_at
  from runs r
  union all
  select s.is_test, s.slot, s.id, s.identity_id, s.event_seq, s.value, rank_key_of(s.value, direction), s.seq, s.live,
    case when not s.live then 'rejected' when s.doubted then 'under_review' else 'active' end,
    s.player_name, s.value_display, s.metadata, s.created_at, s.updated_at
  from single s
$$;

-- What of a state follows from events and rulings. Counts of submissions are the metadata's own: a rejection that stored
-- no event is counted there too.
create function derive_states(b uuid, ids uuid[], kind text, direction text, strategy text) returns table (
  is_test boolean, identity_id uuid, accepted_count bigint, best_value float8, recent bytea,
  selected_event_id uuid, value float8)
language sql stable as $$
  with events as materialized (
    select * from counting_events(b, ids)
  ), live as (
    select c.*, max(c.created_at) over (partition by c.is_test, c.identity_id) as newest_at,
      row_number() over (partition by c.is_test, c.identity_id order by c.seq desc) as age,
      row_number() over (partition by c.is_test, c.identity_id order by rank_key_of(c.amount, direction), c.seq) as place
    from events c where c.live
  ), summed as (
    select l.is_test, l.identity_id, count(*) as accepted_count,
      max(l.amount) filter (where l.place = 1) as best_value,
      max(l.id::text) filter (where l.place = 1) as best_id,
      array_agg(l.seq order by l.seq) filter (where l.age <= 100 and l.created_at > l.newest_at - interval '1 hour') as recent_seqs
    from live l group by l.is_test, l.identity_id
  ), entry as (
    select d.is_test, d.identity_id, d.value, e.id as event_id
    from derive_entries(b, ids, kind, direction, strategy) d
    join score_events e on e.board_id = b and e.seq = d.event_seq
    where kind <> 'run_runs' and d.ranked
  ), everyone as (
    select distinct e.is_test, e.identity_id from score_events e where e.board_id = b and e.is_test in (false, true) and e.identity_id = any(ids)
  )
  select i.is_test, i.identity_id, coalesce(s.accepted_count, 0), s.best_value,
    coalesce((select string_agg(float8send((extract(epoch from e.created_at) * 1000)::float8) || float8send(e.amount), '' order by e.seq)
      from unnest(s.recent_seqs) q(seq)
      join score_events e on e.board_id = b and e.seq = q.seq), ''),
    case when kind = 'run_runs' then s.best_id::uuid else entry.event_id end,
    case when kind = 'run_runs' then s.best_value else entry.value end
  from everyone i
  left join summed s on s.is_test = i.is_test and s.identity_id = i.identity_id
  left join entry on entry.is_test = i.is_test and entry.identity_id = i.identity_id
$$;

-- Makes entries, tree and states of these identities what the board's own events and rulings say, under its lock; of a
-- generation under construction, which has no states, entries and tree. Answers how many entries and states differed.
-- `rederive` (013_ratios.sql) is what others call.
create function rederive_events(b uuid, g integer, ids uuid[], at timestamptz) returns bigint language plpgsql volatile as $$
declare
  rules record;
  changed bigint := 0;
  states_changed bigint;
  deltas record;
begin
  select r.generation, r.board_type, r.sort_direction, r.keep_strategy, r.build into rules
    from board_rankings r where r.board_id = b for update;
  if rules.generation <> g then
    -- The generation under construction is built by its own rules.
    select g as generation, rules.build ->> 'board_type' as board_type, rules.build ->> 'sort_direction' as sort_direction,
      rules.build ->> 'keep_strategy' as keep_strategy into rules;
  end if;

  for deltas in
    with target as materialized (
      select * from derive_entries(b, ids, rules.board_type, rules.sort_direction, rules.keep_strategy)
    ), gone as (
      -- By place, here and below: it is known by then, and whatever the planner believes of the table, nothing is searched again.
      delete from entries e where e.ctid = any(array(
        select p.place
        from (
          select t.is_test, i.id as slot from unnest(ids) i(id) cross join (values (false), (true)) t(is_test) where rules.board_type <> 'run_runs'
          union all
          select v.is_test, v.id from score_events v
            where rules.board_type = 'run_runs' and v.board_id = b and v.is_test in (false, true) and v.identity_id = any(ids)) s
        cross join lateral (select e.ctid as place from entries e
          where e.board_id = b and e.generation = g and e.is_test = s.is_test and e.slot = s.slot limit 1) p
        -- Hashed, also where nothing but nested loops is planned.
        where (s.is_test, s.slot) not in (select t.is_test, t.slot from target t)))
      returning e.is_test, e.rank_key, e.seq, e.ranked
    ), different as materialized (
      select t.*, p.place, p.rank_key as old_key, p.seq as old_seq, p.ranked as old_ranked
      from target t left join lateral (select e.ctid as place, e.* from entries e
        where e.board_id = b and e.generation = g and e.is_test = t.is_test and e.slot = t.slot limit 1) p on true
      where p.slot is null or (p.id, p.event_seq, p.value, p.rank_key, p.seq, p.ranked, p.status, p.player_name, p.value_display, p.metadata, p.created_at, p.updated_at)
        is distinct from (t.id, t.event_seq, t.value, t.rank_key, t.seq, t.ranked, t.status, t.player_name, t.value_display, t.metadata, t.created_at, t.updated_at)
    ), came as (
      insert into entries (board_id, generation, is_test, slot, id, identity_id, event_seq, value, rank_key, seq, ranked, status,
          player_name, value_display, metadata, created_at, updated_at)
        select b, g, d.is_test, d.slot, d.id, d.identity_id, d.event_seq, d.value, d.rank_key, d.seq, d.ranked, d.status,
          d.player_name, d.value_display, d.metadata, d.created_at, d.updated_at
        from different d where d.place is null
      returning 1
    ), altered as (
      update entries e set
        id = d.id, event_seq = d.event_seq, value = d.value, rank_key = d.rank_key, seq = d.seq, ranked = d.ranked, status = d.status,
        player_name = d.player_name, value_display = d.value_display, metadata = d.metadata, created_at = d.created_at, updated_at = d.updated_at
      from different d where e.ctid = d.place
      returning 1
    ), moves as (
      select is_test, rank_key, seq, -1 as d from gone where ranked
      union all select is_test, old_key, old_seq, -1 from different where old_ranked
      union all select is_test, rank_key, seq, 1 from different where ranked
    )
    select m.is_test, array_agg(m.rank_key) as ks, array_agg(m.seq) as ss, array_agg(m.d) as ds,
      -- Counted, all entries are written before the tree follows them.
      (select count(*) from gone) + (select count(*) from came) + (select count(*) from altered) as touched
    from (select * from moves union all select p, null, null, null from (values (true), (false)) v(p)) m
    group by m.is_test
  loop
    changed := greatest(changed, deltas.touched);
    select array_agg(u.k), array_agg(u.s), array_agg(u.d) into deltas.ks, deltas.ss, deltas.ds
      from unnest(deltas.ks, deltas.ss, deltas.ds) u(k, s, d) where u.d is not null;
    if deltas.ks is not null then
      perform apply_rank_deltas(b, g, deltas.is_test, deltas.ks, deltas.ss, deltas.ds);
    end if;
  end loop;

  if g = (select r.generation from board_rankings r where r.board_id = b) then
    with target as materialized (
      select * from derive_states(b, ids, rules.board_type, rules.sort_direction, rules.keep_strategy)
    ), written as (
      update states s set accepted_count = t.accepted_count, best_value = t.best_value, recent = t.recent,
        selected_event_id = t.selected_event_id, value = t.value, updated_at = at
      from target t
      where s.board_id = b and s.is_test = t.is_test and s.identity_id = t.identity_id
        and (s.accepted_count, s.best_value, s.recent, s.selected_event_id, s.value)
          is distinct from (t.accepted_count, t.best_value, t.recent, t.selected_event_id, t.value)
      returning 1)
    select count(*) into states_changed from written;
    if changed + states_changed > 0 then
      update board_rankings r set version = r.version + 1, derived_version = r.version + 1 where r.board_id = b;
    end if;
  end if;
  return changed + coalesce(states_changed, 0);
end $$;
