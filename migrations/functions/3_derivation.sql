-- Entries derived from events: after rulings, removals and changed rules, for ratio boards, and in generations that are not
-- served yet.

-- True if the newest ruling on the player lets it count.
create or replace function identity_counts(b uuid, i uuid) returns boolean language sql stable as $$
  select coalesce((select r.effect = 'include' from rulings r where r.board_id = b and r.identity_id = i order by r.seq desc limit 1), true)
$$;

create or replace function rank_key_of(value float8, sort_direction text) returns float8 language sql immutable parallel safe as $$
  select case sort_direction when 'asc' then value else 0 - value end  -- 0 - value: never -0
$$;

-- The events that make up entries: `live` where the ruling keeps them; for an identity with none of those left, its excluded
-- ones (a rejected, hidden entry). `first_id` is the identity's first event of any disposition. The newest ruling on an event
-- says whether it counts (`include`), counts and is under review (`review`) or does not count (`exclude`); without one its
-- disposition decides. `disposition` is the present state. An event rejected on arrival has no effect unless it counts. Here
-- and below, rulings are looked up in place, and not at all on a board without any: a function with a query in it would be
-- called for every event, which took most of the time of deriving many players. Both populations are named wherever an index
-- has is_test before the player, or every Postgres before 18 reads the whole board to find one player's events. Imported
-- events count up to the number `upto` (docs/decisions/import.md). `place` numbers a player's events by `seq`, imported ones
-- before those accepted after they occurred. A board's clock may have been set back, so an event is as late as any before it.
create or replace function events_upto(b uuid, ids uuid[], upto bigint) returns table (
  is_test boolean, identity_id uuid, seq bigint, place bigint, id uuid, amount float8, player_name text, value_display text, metadata jsonb,
  disposition text, created_at timestamptz, live boolean, any_live boolean, first_id uuid, imported boolean)
language sql stable as $$
  select x.is_test, x.identity_id, x.seq, x.place, x.id, x.amount, coalesce(x.shown_name, x.player_name), x.value_display, x.metadata,
    case x.effect when 'include' then 'accepted' when 'review' then 'flagged' else x.disposition end, coalesce(x.occurred_at, x.created_at), x.effect <> 'exclude',
    bool_or(x.effect <> 'exclude') over (partition by x.is_test, x.identity_id), x.first_id, x.source = 'import'
  from (
    select e.*,
      coalesce(
        case when (select exists (select from rulings r where r.board_id = b)) then
          (select r.effect from rulings r where r.board_id = b and r.event_id = e.id order by r.seq desc limit 1) end,
        case e.disposition when 'accepted' then 'include' when 'flagged' then 'review' else 'exclude' end) as effect,
      first_value(e.id) over (partition by e.is_test, e.identity_id order by e.seq) as first_id,
      row_number() over (partition by e.is_test, e.identity_id order by e.placed_at, e.seq) as place
    from (
      select v.*, case when upto > 0 then case
          when v.occurred_at is null then max(v.created_at) over (partition by v.is_test, v.identity_id order by v.seq rows unbounded preceding)
          else least(v.occurred_at, v.created_at) end end as placed_at
      from score_events v where v.board_id = b and v.is_test in (false, true) and v.identity_id = any(ids)
        and (v.source <> 'import' or v.seq <= upto)) e) x
  where x.disposition <> 'rejected' or x.effect <> 'exclude'
$$;

create or replace function entries_upto(b uuid, ids uuid[], kind text, direction text, strategy text, upto bigint) returns table (
  is_test boolean, slot uuid, id uuid, identity_id uuid, event_seq bigint, value float8, rank_key float8, seq bigint,
  ranked boolean, status text, player_name text, value_display text, metadata jsonb, created_at timestamptz, updated_at timestamptz)
language sql stable as $$
  with events as materialized (
    select c.* from events_upto(b, array(
      select i.id from unnest(ids) i(id)
      where case when (select not exists (select from rulings r where r.board_id = b)) then true else
        coalesce((select r.effect = 'include' from rulings r where r.board_id = b and r.identity_id = i.id order by r.seq desc limit 1), true) end), upto) c
  ), runs as (
    -- Every run is an entry of its own.
    select c.is_test, c.id as slot, c.id, c.identity_id, c.seq as event_seq, c.amount as value, c.seq, c.live,
      c.disposition = 'flagged' as doubted, c.player_name, c.value_display, c.metadata, c.created_at, c.created_at as updated_at
    from events c where kind = 'run_runs'
  ), usable as (
    -- A hidden sum stays within the range of numbers: otherwise a second delta at its end could not be removed again.
    select c.*, case kind when 'counter'
        then sum(case when c.any_live then c.amount else greatest(-1e302, least(c.amount, 1e302)) end) over before_and_this
        else c.amount end as running,
      -- A sum is under review while any of its deltas is.
      case kind when 'counter' then bool_or(c.disposition = 'flagged') over before_and_this else c.disposition = 'flagged' end as doubted,
      first_value(c.created_at) over before_and_this as first_at
    from events c where kind in ('run_identity', 'counter') and c.live = c.any_live
    window before_and_this as (partition by c.is_test, c.identity_id order by c.place rows unbounded preceding)
  ), stepped as (
    -- `reached` numbers the stretches of equal value: an event that does not change the value keeps its position.
    select u.*, u.running is distinct from lag(u.running) over (partition by u.is_test, u.identity_id order by u.place) as steps
    from usable u
  ), stretched as (
    select s.*, max(s.place) filter (where s.steps) over (partition by s.is_test, s.identity_id order by s.place rows unbounded preceding) as reached
    from stepped s
  ), reached as (
    -- A stretch begins with the event that reached its value.
    select s.*, first_value(s.seq) over stretch as reached_seq, first_value(s.created_at) over stretch as reached_at
    from stretched s
    window stretch as (partition by s.is_test, s.identity_id, s.reached order by s.place rows unbounded preceding)
  ), kept as (
    select distinct on (s.is_test, s.identity_id) s.*
    from reached s
    order by s.is_test, s.identity_id,
      case strategy when 'best' then rank_key_of(s.running, direction) end,
      case when strategy in ('best', 'first') and kind = 'run_identity' then s.place else - s.place end
  ), single as (
    select k.is_test, k.identity_id as slot, k.first_id as id, k.identity_id, k.seq as event_seq, k.running as value,
      case when strategy in ('best', 'first') and kind = 'run_identity' then k.seq else k.reached_seq end as seq, k.live,
      k.doubted, coalesce(d.display_name, k.player_name) as player_name, k.value_display, k.metadata, k.first_at as created_at,
      case when strategy in ('best', 'first') and kind = 'run_identity' then k.created_at else k.reached_at end as updated_at
    from kept k
    -- The player's present name; in the test population that of the event (docs/decisions/names.md).
    left join lateral (select nullif(i.display_name, '') as display_name from identities i where i.id = k.identity_id limit 1) d on not k.is_test
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

-- As the served generation has them, by these rules.
create or replace function derive_entries(b uuid, ids uuid[], kind text, direction text, strategy text) returns table (
  is_test boolean, slot uuid, id uuid, identity_id uuid, event_seq bigint, value float8, rank_key float8, seq bigint,
  ranked boolean, status text, player_name text, value_display text, metadata jsonb, created_at timestamptz, updated_at timestamptz)
language sql stable as $$
  select d.* from entries_upto(b, ids, kind, direction, strategy, (select r.imported_seq from board_rankings r where r.board_id = b)) d
$$;

-- The same in a ranking with this order of equal values.
create or replace function placed_entries(b uuid, ids uuid[], kind text, direction text, strategy text, ties text, upto bigint) returns table (
  is_test boolean, slot uuid, id uuid, identity_id uuid, event_seq bigint, value float8, rank_key float8, seq bigint,
  ranked boolean, status text, player_name text, value_display text, metadata jsonb, created_at timestamptz, updated_at timestamptz)
language sql stable as $$
  select d.is_test, d.slot, d.id, d.identity_id, d.event_seq, d.value, d.rank_key, placed_seq(d.seq, ties), d.ranked, d.status, d.player_name,
    d.value_display, d.metadata, d.created_at, d.updated_at
  from entries_upto(b, ids, kind, direction, strategy, upto) d
$$;

-- The parts of states that rulings and rules decide.
create or replace function state_values(b uuid, ids uuid[], kind text, direction text, strategy text) returns table (
  is_test boolean, identity_id uuid, accepted_count bigint, best_value float8, selected_event_id uuid, value float8)
language sql stable as $$
  with live as (
    -- Events of a running import are counted, and make no value.
    select w.*, row_number() over (partition by w.is_test, w.identity_id, w.waits order by rank_key_of(w.amount, direction), w.seq) as rank
    from (select c.*, c.imported and c.seq > (select r.imported_seq from board_rankings r where r.board_id = b) as waits
      from events_upto(b, ids, 9223372036854775807) c where c.live) w
  ), summed as materialized (
    select l.is_test, l.identity_id, count(*) as accepted_count,
      max(l.amount) filter (where l.rank = 1 and not l.waits) as best_value,
      max(l.id::text) filter (where l.rank = 1 and not l.waits) as best_id
    from live l group by l.is_test, l.identity_id
  ), entry as materialized (
    -- Once, not for each player of the join below.
    select d.is_test, d.identity_id, d.value, e.id as event_id
    from derive_entries(b, ids, kind, direction, strategy) d
    join score_events e on e.board_id = b and e.seq = d.event_seq
    where kind <> 'run_runs' and d.ranked
  ), everyone as (
    select distinct e.is_test, e.identity_id from score_events e where e.board_id = b and e.is_test in (false, true) and e.identity_id = any(ids)
  )
  select i.is_test, i.identity_id, coalesce(s.accepted_count, 0), s.best_value,
    case when kind = 'run_runs' then s.best_id::uuid else entry.event_id end,
    case when kind = 'run_runs' then s.best_value else entry.value end
  from everyone i
  left join summed s on s.is_test = i.is_test and s.identity_id = i.identity_id
  left join entry on entry.is_test = i.is_test and entry.identity_id = i.identity_id
$$;

-- Makes entries, tree and states of these identities match the board's own events and rulings, under its lock; in a generation
-- under construction, which has no states, entries and tree. Returns how many entries and states differed. Others call
-- `rederive` (013_ratios.sql).
create or replace function rederive_events(b uuid, g integer, ids uuid[], at timestamptz) returns bigint language plpgsql volatile as $$
declare
  rules record;
  changed bigint := 0;
  states_changed bigint;
  deltas record;
  has_views boolean;
begin
  select r.generation, r.board_type, r.sort_direction, r.keep_strategy, r.tie_policy as ties, r.imported_seq as upto, r.build, r.newest_view into rules
    from board_rankings r where r.board_id = b for update;
  has_views := rules.newest_view > 0;
  if rules.generation <> g then
    -- The generation under construction is built by its own rules.
    select g as generation, rules.build ->> 'board_type' as board_type, rules.build ->> 'sort_direction' as sort_direction,
      rules.build ->> 'keep_strategy' as keep_strategy, rules.build ->> 'ties' as ties,
      coalesce((rules.build ->> 'imported')::bigint, rules.upto) as upto into rules;
  end if;

  for deltas in
    with target as materialized (
      select * from placed_entries(b, ids, rules.board_type, rules.sort_direction, rules.keep_strategy, rules.ties, rules.upto)
    ), gone as (
      -- By position, here and below: it is already known, and whatever the planner assumes about the table, nothing is
      -- searched again.
      delete from entries e where e.ctid = any(array(
        select p.place
        from (
          select t.is_test, i.id as slot from unnest(ids) i(id) cross join (values (false), (true)) t(is_test) where rules.board_type <> 'run_runs'
          union all
          select v.is_test, v.id from score_events v
            where rules.board_type = 'run_runs' and v.board_id = b and v.is_test in (false, true) and v.identity_id = any(ids)) s
        cross join lateral (select e.ctid as place from entries e
          where e.board_id = b and e.generation = g and e.is_test = s.is_test and e.slot = s.slot limit 1) p
        -- Hashed, even where the planner would choose nested loops.
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
      -- If counted, all entries are written before the tree follows.
      (select count(*) from gone) + (select count(*) from came) + (select count(*) from altered) as touched
    from (select * from moves union all select p, null, null, null from (values (true), (false)) v(p)) m
    group by m.is_test
  loop
    changed := greatest(changed, deltas.touched);
    select array_agg(u.k), array_agg(u.s), array_agg(u.d) into deltas.ks, deltas.ss, deltas.ds
      from unnest(deltas.ks, deltas.ss, deltas.ds) u(k, s, d) where u.d is not null;
    if deltas.ks is not null then
      perform apply_rank_deltas(b, g, deltas.is_test, deltas.ks, deltas.ss, deltas.ds);
      if rules.ties = 'dense' then
        perform follow_values(b, g, deltas.is_test, deltas.ks);
      end if;
    end if;
  end loop;

  if g = (select r.generation from board_rankings r where r.board_id = b) then
    with target as materialized (
      select * from state_values(b, ids, rules.board_type, rules.sort_direction, rules.keep_strategy)
    ), written as (
      update states s set accepted_count = t.accepted_count, best_value = t.best_value,
        selected_event_id = t.selected_event_id, value = t.value, updated_at = at
      from target t
      where s.board_id = b and s.is_test = t.is_test and s.identity_id = t.identity_id
        and (s.accepted_count, s.best_value, s.selected_event_id, s.value)
          is distinct from (t.accepted_count, t.best_value, t.selected_event_id, t.value)
      returning 1)
    select count(*) into states_changed from written;
    if has_views then
      changed := changed + rederive_views(b, followed_views(b), ids, false);
    end if;
    if changed + states_changed > 0 then
      update board_rankings r set version = r.version + 1, derived_version = r.version + 1 where r.board_id = b;
    end if;
  elsif has_views then
    changed := changed + rederive_views(b, live_views(b), ids, true);
  end if;
  return changed + coalesce(states_changed, 0);
end $$;

-- Boards that a player may have to leave or return to, deleted ones included. Ratio boards follow their sources. A batch that
-- is being committed may have seen the player as it was, and its rows are not visible yet. It holds the board's lock, so every
-- locked board counts; a batch that takes the lock later sees the raised game_standings. First the locks, then the rows: the
-- second statement sees a transaction that released its lock in between.
create or replace function boards_to_settle(i uuid) returns uuid[] language plpgsql volatile as $$
declare
  game uuid;
  busy uuid[];
begin
  select d.game_id into game from identities d where d.id = i;
  with idle as materialized (
    select r.board_id from board_rankings r
    where r.board_id in (select b.id from boards b where b.game_id = game and b.board_type <> 'ratio')
    for share skip locked)
  select coalesce(array_agg(b.id), '{}') into busy
    from boards b where b.game_id = game and b.board_type <> 'ratio' and b.id not in (select board_id from idle);
  return array(
    select b.id from boards b
    where b.game_id = game and b.board_type <> 'ratio'
      and (b.id = any(busy) or exists (
        select from states s where s.board_id = b.id and s.is_test in (false, true) and s.identity_id = i))
    order by b.id);
end $$;

-- Makes one board match what is wanted of a player now: a ruling, a number of the board's sequence with it, and the player's
-- entries derived again. Returns whether anything had to be done; a second call does nothing.
create or replace function settle_identity(b uuid, i uuid, at timestamptz) returns boolean language plpgsql volatile as $$
declare
  board record;
  due record;
  wanted boolean;
begin
  perform from board_rankings r where r.board_id = b for update;
  if not exists (select from states s where s.board_id = b and s.is_test in (false, true) and s.identity_id = i) then
    -- Another process held it, but not for this player.
    return false;
  end if;
  select d.effect, d.requested_by into due from identities_due d where d.identity_id = i;
  if found then
    wanted := due.effect = 'include';
  else
    select d.deleted_at is null or d.keeps_scores into wanted from identities d where d.id = i;
  end if;
  if wanted is null or wanted = identity_counts(b, i) then
    return false;
  end if;
  update board_rankings r set seq = r.seq + 1 where r.board_id = b returning r.generation, r.seq into board;
  insert into rulings (board_id, seq, identity_id, effect, ruled_by, ruled_at, reason)
    values (b, board.seq, i, case when wanted then 'include' else 'exclude' end, due.requested_by, at,
      case when wanted then 'player restored' else 'player deleted' end);
  perform rederive(b, board.generation, array[i], at);
  return true;
end $$;

-- The last step, when all boards have been settled for this ticket. Returns `done`; `superseded`: something else was requested
-- in the meantime; `conflict`: the player's key or the device's fingerprint has been taken, so it stays deleted, and its
-- boards are due again. Locks in the order of every write: device, identity, due.
create or replace function finish_settling(i uuid, by_ticket uuid, at timestamptz) returns text language plpgsql volatile as $$
declare
  due identities_due;
begin
  select * into due from identities_due d where d.identity_id = i;
  perform from devices d where d.id = due.device_id for update;
  perform from identities d where d.id = i for update;
  delete from identities_due d where d.identity_id = i and d.ticket = by_ticket returning * into due;
  if not found then
    return 'superseded';
  end if;
  if due.effect = 'include' then
    update devices set deleted_at = null, updated_at = at where id = due.device_id;
    update identities set deleted_at = null, deleted_with = null, updated_at = at where id = i;
  end if;
  return 'done';
exception when unique_violation then
  -- The block's own changes have been rolled back, the deletion of the row included.
  update identities_due d set effect = 'exclude', device_id = null, ticket = gen_random_uuid()
    where d.identity_id = i and d.ticket = by_ticket;
  return 'conflict';
end $$;

-- Contradictions between a board and the deletions of its players, as sentences. Looks at deleted players of the game and at
-- those ever ruled on here: few, however large the board.
create or replace function verify_identities(b uuid) returns text[] language sql stable as $$
  with subjects as (
    select i.id, i.deleted_at is null or i.keeps_scores as lives
    from boards d join identities i on i.game_id = d.game_id and i.deleted_at is not null
    where d.id = b and d.board_type <> 'ratio'
      and exists (select from states s where s.board_id = b and s.is_test in (false, true) and s.identity_id = i.id)
    union
    select i.id, i.deleted_at is null or i.keeps_scores
    from rulings r join identities i on i.id = r.identity_id
    where r.board_id = b and r.identity_id is not null
  )
  select array(
    select format(case when x.lives then 'player %s is not deleted and is kept off the board' else 'player %s is deleted and stands on the board' end, x.id)
    from subjects x
    where x.lives <> identity_counts(b, x.id) and not exists (select from identities_due d where d.identity_id = x.id)
    order by x.id limit 100)
$$;

-- The largest number up to which all events of board b are older than t (`inclusive`: or as old).
create or replace function events_until(b uuid, t timestamptz, inclusive boolean) returns bigint
language plpgsql stable strict as $$
declare
  low bigint := 0;
  high bigint := (select r.seq from board_rankings r where r.board_id = b);
  middle bigint;
  found_seq bigint;
  found_at timestamptz;
begin
  -- All up to low are older, all beyond high are not.
  while low < high loop
    middle := low + (high - low) / 2 + 1;
    -- Rulings take numbers of the same sequence: the nearest event at or below.
    select e.seq, e.created_at into found_seq, found_at from score_events e
      where e.board_id = b and e.seq <= middle order by e.seq desc limit 1;
    if found_seq is null or found_seq <= low or found_at < t or (inclusive and found_at = t) then low := middle;
    else high := found_seq - 1;
    end if;
  end loop;
  return coalesce(low, 0);
end $$;

-- The bounds of the numbers of the n events of board b next to the time `at`, those of that time itself, and all that share
-- the time of the last of them: whatever orders equal times, a page of n beyond a position at that time is within. `at` null:
-- from the edge of the list. Only test or production events, or those of one identity: null for all. A null bound means none.
create or replace function events_span(b uuid, test boolean, who uuid, at timestamptz, older boolean, n integer, out low bigint, out high bigint)
language plpgsql stable as $$
declare
  populations boolean[] := case when who is null then array[test] when test is null then '{f,t}' else array[test] end;
  edge bigint;
  farthest timestamptz;
begin
  if at is not null then
    low := events_until(b, at, false) + 1;
    high := events_until(b, at, true);
  end if;
  edge := case when older then low - 1 else high end;
  -- A branch for each population: no index has the numbers of one identity in both.
  execute format('select x.created_at from (%s) x order by x.seq %s offset $1 - 1 limit 1',
      (select string_agg(format(
        '(select e.seq, e.created_at from score_events e where e.board_id = $2 %s %s %s order by e.seq %s limit $1)',
        case when p then 'and e.is_test' when not p then 'and not e.is_test' end,
        case when who is not null then 'and e.identity_id = $3' end,
        case when edge is null then '' when older then 'and e.seq <= $4' else 'and e.seq > $4' end,
        case when older then 'desc' else 'asc' end), ' union all ')
       from unnest(populations) p),
      case when older then 'desc' else 'asc' end)
    into farthest using n, b, who, edge;
  if older then low := events_until(b, farthest, false) + 1; else high := events_until(b, farthest, true); end if;
end $$;

create or replace function ratio_rules(b uuid) returns jsonb language sql stable as $$
  select jsonb_build_object(
    'numerator', c.numerator_board_id, 'denominator', c.denominator_board_id, 'zero', c.zero_denominator_policy,
    'min_numerator', c.min_numerator, 'min_denominator', c.min_denominator,
    'scale', c.scale, 'display', c.display, 'decimals', c.decimals)
  from ratio_configs c where c.board_id = b
$$;

-- The two below also work where a result leaves the range of numbers: it becomes the last number of the range, or 0. Only
-- numbers that may do so pay for the block that catches it.
create or replace function far_product(x float8, y float8, divide boolean) returns float8 language plpgsql immutable parallel safe as $$
begin
  return case when divide then x / y else x * y end;
exception when numeric_value_out_of_range then
  return case
    when divide and abs(x) < abs(y) or not divide and abs(x) < 1 and abs(y) < 1 then 0
    else 1.7976931348623157e308 * sign(x) * sign(y) end;
end $$;

create or replace function ratio_quotient(n float8, d float8) returns float8 language sql immutable parallel safe as $$
  select case
    when n = 0 then 0
    when abs(n) between 1e-150 and 1e150 and abs(d) between 1e-150 and 1e150 then n / d
    else far_product(n, d, true) end
$$;

create or replace function ratio_product(r float8, factor float8) returns float8 language sql immutable parallel safe as $$
  select case
    when r = 0 then 0
    when abs(r) between 1e-150 and 1e150 and factor between 1e-150 and 1e150 then r * factor
    else far_product(r, factor, false) end
$$;

-- A ratio as people read it, rounded as the decimal number it is written as: 1.005 is 1.01.
create or replace function ratio_text(r float8, display text, decimals integer) returns text language sql immutable parallel safe as $$
  select case
      when abs(r) < 1e15 then round(r::numeric * case display when 'percent' then 100 else 1 end, decimals)::text
      else ratio_product(r, case display when 'percent' then 100 else 1 end)::text end
    || case display when 'percent' then '%' else '' end
$$;

-- The id of a player's score and state on a ratio board. It comes from no event, so it is made from what it identifies, and is
-- the same whenever it is derived again. It keeps the time and version digits of the player's id.
create or replace function ratio_id(b uuid, i uuid, t boolean) returns uuid language sql immutable parallel safe as $$
  select (substr(x.player, 1, 13) || substr(x.hash, 1, 3) || substr(x.player, 17, 1) || substr(x.hash, 4, 15))::uuid
  from (select replace(i::text, '-', '') as player, md5(b::text || i::text || t::text) as hash) x
$$;

-- These players' entries that follow from the sources, by these rules. A player without counting events, or excluded from a
-- source, is not live; one below a minimum is live without a value. A row per player and population, also for players the
-- sources do not know.
create or replace function derive_ratios(rules jsonb, direction text, ids uuid[]) returns table (
  is_test boolean, identity_id uuid, known boolean, account_id uuid, game_id uuid, accepted_count bigint, last_event_id uuid,
  last_submission_at timestamptz, began_at timestamptz, lives boolean, numerator float8, denominator float8, ratio float8,
  value float8, rank_key float8, value_display text, status text, player_name text, metadata jsonb, event_board_id uuid, event_seq bigint,
  event_id uuid, created_at timestamptz, reached_at timestamptz, numerator_seq bigint, denominator_seq bigint)
language sql stable as $$
  with source as materialized (
    select n.board_id as num, d.board_id as den, n.generation as num_generation, d.generation as den_generation,
      rules ->> 'zero' as zero, (rules ->> 'min_numerator')::float8 as min_numerator, (rules ->> 'min_denominator')::float8 as min_denominator,
      (rules ->> 'scale')::float8 as scale, rules ->> 'display' as display, (rules ->> 'decimals')::integer as decimals
    from board_rankings n, board_rankings d
    where n.board_id = (rules ->> 'numerator')::uuid and d.board_id = (rules ->> 'denominator')::uuid
  ), pair as materialized (
    select c.*, p.is_test, i.id as identity_id, sn.id is not null or sd.id is not null as known, coalesce(sn.account_id, sd.account_id) as account_id, coalesce(sn.game_id, sd.game_id) as game_id,
      coalesce(sn.accepted_count, 0) + coalesce(sd.accepted_count, 0) as accepted_count,
      case when sd.id is null or sn.last_submission_at >= sd.last_submission_at then sn.last_event_id else sd.last_event_id end as last_event_id,
      greatest(sn.last_submission_at, sd.last_submission_at) as last_submission_at, least(sn.created_at, sd.created_at) as began_at,
      (en.slot is not null or ed.slot is not null) and coalesce((select r.effect from rulings r where r.board_id = c.num and r.identity_id = i.id order by r.seq desc limit 1), 'include') = 'include'
        and coalesce((select r.effect from rulings r where r.board_id = c.den and r.identity_id = i.id order by r.seq desc limit 1), 'include') = 'include' as lives,
      coalesce(en.value, 0) as numerator, coalesce(ed.value, 0) as denominator,
      coalesce(event_number(en.seq), 0) as num_reached, coalesce(event_number(ed.seq), 0) as den_reached,
      -- The newer of the two events is shown.
      ed.slot is null or vn.at >= vd.at as shows_numerator,
      en.player_name as num_name, ed.player_name as den_name, en.metadata as num_metadata, ed.metadata as den_metadata, en.event_seq as num_seq, ed.event_seq as den_seq, vn.id as num_event, vd.id as den_event,
      case when 'under_review' in (en.status, ed.status) then 'under_review' else 'active' end as status,
      least(en.created_at, ed.created_at) as created_at, greatest(en.updated_at, ed.updated_at) as reached_at
    from source c
    cross join unnest(ids) i(id)
    cross join (values (false), (true)) p(is_test)
    -- Probes of keys by their shape, whatever the planner assumes about tables that were empty when the plan was made;
    -- `ranked` is evaluated outside, or the planner takes the index of the order.
    left join lateral (select * from states s where s.board_id = c.num and s.is_test = p.is_test and s.identity_id = i.id limit 1) sn on true
    left join lateral (select * from states s where s.board_id = c.den and s.is_test = p.is_test and s.identity_id = i.id limit 1) sd on true
    left join lateral (select * from entries e
      where e.board_id = c.num and e.generation = c.num_generation and e.is_test = p.is_test and e.slot = i.id and sn.id is not null limit 1) en on en.ranked
    left join lateral (select * from entries e
      where e.board_id = c.den and e.generation = c.den_generation and e.is_test = p.is_test and e.slot = i.id and sd.id is not null limit 1) ed on ed.ranked
    left join lateral (select v.id, coalesce(v.occurred_at, v.created_at) as at from score_events v where v.board_id = c.num and v.seq = en.event_seq limit 1) vn on true
    left join lateral (select v.id, coalesce(v.occurred_at, v.created_at) as at from score_events v where v.board_id = c.den and v.seq = ed.event_seq limit 1) vd on true
  ), divided as (
    select p.*, case when p.denominator = 0 then 'nan' else ratio_quotient(p.numerator, p.denominator) end as ratio,
      -- A negative number divided by zero is not infinity.
      p.denominator = 0 and p.zero = 'infinity' and p.numerator >= 0 as endless
    from pair p
  ), valued as (
    select d.*, case
        when not d.lives or d.numerator < d.min_numerator or d.denominator < d.min_denominator then null
        when d.endless then 1e15
        when d.ratio <> 'nan' then ratio_product(d.ratio, d.scale)
        when d.zero = 'zero' then 0 end as value
    from divided d
  )
  select v.is_test, v.identity_id, v.known, v.account_id, v.game_id, v.accepted_count, v.last_event_id, v.last_submission_at, v.began_at, v.lives,
    case when v.lives then v.numerator end, case when v.lives then v.denominator end, case when v.lives then v.ratio end,
    v.value, case when v.endless then '-infinity' else rank_key_of(v.value, direction) end,
    case when v.endless then '∞' else ratio_text(case when v.ratio = 'nan' then 0 else v.ratio end, v.display, v.decimals) end,
    v.status, case when v.shows_numerator then v.num_name else v.den_name end,
    case when v.shows_numerator then v.num_metadata else v.den_metadata end,
    case when v.shows_numerator then v.num else v.den end, case when v.shows_numerator then v.num_seq else v.den_seq end,
    case when v.shows_numerator then v.num_event else v.den_event end, v.created_at, v.reached_at, v.num_reached, v.den_reached
  from valued v
$$;

-- When these players reached the ratios of their events, which may have been before the newest event: zero divided by anything
-- stays zero. For boards built from history: as a board that existed at the time would have noted it.
create or replace function ratio_reached(rules jsonb, ids uuid[]) returns table (is_test boolean, identity_id uuid, at timestamptz) language plpgsql stable as $$
begin
  if ids = '{}' then
    return;
  end if;
  return query
    with event as (
      select s.own, e.is_test, e.identity_id, e.created_at as at, e.place, e.amount
      from (values (true, rules ->> 'numerator'), (false, rules ->> 'denominator')) s(own, board)
      join board_rankings r on r.board_id = s.board::uuid
      cross join lateral events_upto(r.board_id, ids, r.imported_seq) e
      where e.live
    ), divided as (
      select e.*, ratio_at(sum(e.amount) filter (where e.own) over upto, sum(e.amount) filter (where not e.own) over upto) as ratio
      from event e window upto as (partition by e.is_test, e.identity_id order by e.at, e.own, e.place rows unbounded preceding)
    ), stepped as (
      select d.*, d.ratio is distinct from lag(d.ratio) over (partition by d.is_test, d.identity_id order by d.at, d.own, d.place) as steps
      from divided d
    )
    select s.is_test, s.identity_id, max(s.at) filter (where s.steps) from stepped s group by s.is_test, s.identity_id;
end $$;

-- True if everything in the sources was imported: then only imports gave positions, and the next one assigns them again by
-- time.
create or replace function only_imported(rules jsonb) returns boolean language sql stable as $$
  select not exists (
    select from board_rankings r
    where r.board_id in ((rules ->> 'numerator')::uuid, (rules ->> 'denominator')::uuid)
      and r.seq > (select coalesce(sum(i.written), 0) from score_imports i where i.board_id = r.board_id))
$$;

create or replace function ratio_at(numerator float8, denominator float8) returns float8 language sql immutable as $$
  select case when coalesce(denominator, 0) = 0 then 'nan' else ratio_quotient(coalesce(numerator, 0), denominator) end
$$;

-- Makes entries, positions and tree of these players in one generation of a ratio board match its sources; in the served one
-- the states, too. Without views. Returns how many entries and states differed.
create or replace function rederive_ratio_board(b uuid, g integer, ids uuid[], at timestamptz) returns bigint language plpgsql volatile as $$
declare
  ranking board_rankings;
  serves boolean; planted boolean;
  rules jsonb; direction text; ties text;
  changed bigint := 0; numbered bigint := 0; states_changed bigint := 0;
  moves record;
begin
  select * into ranking from board_rankings r where r.board_id = b for update;
  serves := ranking.generation = g;
  rules := case when serves then ranking.ratio else ranking.build -> 'ratio' end;
  direction := case when serves then ranking.sort_direction else ranking.build ->> 'sort_direction' end;
  ties := case when serves then ranking.tie_policy else ranking.build ->> 'ties' end;
  -- A generation under construction gets its tree after its entries.
  planted := serves or ranking.build ->> 'phase' <> 'entries';

  for moves in
    with target as materialized (
      select * from derive_ratios(rules, direction, ids)
    ), placed as materialized (
      -- A position moves to the generation under construction with the ratio it was reached with.
      select t.*, p.ratio as old_ratio, p.numerator_seq as old_numerator, p.denominator_seq as old_denominator, p.seq as old_place, p.reached_at as old_at,
        coalesce((p.ratio, p.numerator_seq, p.denominator_seq) = (t.ratio, t.numerator_seq, t.denominator_seq), false) as stands,
        case when f.seq is not null then f.seq when p.ratio = t.ratio then p.seq when q.ratio = t.ratio then q.seq end as place,
        case when f.seq is not null then f.reached_at when p.ratio = t.ratio then p.reached_at when q.ratio = t.ratio then q.reached_at end as place_at
      from target t
      left join lateral (select * from ratio_places r
        where r.board_id = b and r.generation = g and r.is_test = t.is_test and r.identity_id = t.identity_id limit 1) p on true
      left join lateral (select * from ratio_places r
        where not serves and not only_imported(rules) and r.board_id = b and r.generation = ranking.generation and r.is_test = t.is_test and r.identity_id = t.identity_id limit 1) q on true
      left join lateral (select * from ratio_places_former r
        where r.board_id = b and r.ranking_no = 0 and r.is_test = t.is_test and r.identity_id = t.identity_id and r.ratio = t.ratio
          and r.numerator_seq = t.numerator_seq and r.denominator_seq = t.denominator_seq
          and (p.ratio, p.numerator_seq, p.denominator_seq) is distinct from (t.ratio, t.numerator_seq, t.denominator_seq) limit 1) f on true
    ), history as materialized (
      select * from ratio_reached(rules, array(select p.identity_id from placed p where not serves and p.lives and p.place is null group by p.identity_id))
    ), counted as materialized (
      select p.*, p.lives and p.place is null as is_new,
        coalesce(p.place, ranking.seq + count(*) filter (where p.lives and p.place is null)
          over (order by coalesce(h.at, p.reached_at), p.event_seq, p.identity_id, p.is_test rows unbounded preceding)) as seq,
        coalesce(p.place_at, h.at, p.reached_at) as updated_at
      from placed p left join history h on (h.is_test, h.identity_id) = (p.is_test, p.identity_id)
    ), numbered as materialized (
      select c.*, placed_seq(c.seq, ties) as order_seq from counted c
    ), former as (
      insert into ratio_places_former (board_id, is_test, identity_id, ratio, numerator_seq, denominator_seq, seq, reached_at)
        select b, n.is_test, n.identity_id, n.old_ratio, n.old_numerator, n.old_denominator, n.old_place, n.old_at
        from numbered n
        where n.lives and n.old_place <> n.seq and exists (select from score_flags f where f.identity_id = n.identity_id)
      on conflict do nothing
    ), places as (
      insert into ratio_places as r (board_id, generation, is_test, identity_id, ratio, seq, reached_at, numerator_seq, denominator_seq)
        select b, g, n.is_test, n.identity_id, n.ratio, n.seq, n.updated_at, n.numerator_seq, n.denominator_seq
        from numbered n where n.lives and not n.stands
      on conflict (board_id, generation, is_test, identity_id) do update
        set ratio = excluded.ratio, seq = excluded.seq, reached_at = excluded.reached_at,
          numerator_seq = excluded.numerator_seq, denominator_seq = excluded.denominator_seq
      returning 1
    ), gone as (
      -- By position: as a join it may be planned as a scan of the whole board for each of them.
      delete from entries e where e.ctid = any(array(
        select x.place from numbered n
        cross join lateral (select v.ctid as place from entries v
          where v.board_id = b and v.generation = g and v.is_test = n.is_test and v.slot = n.identity_id limit 1) x
        where n.value is null))
      returning e.is_test, e.rank_key, e.seq
    ), different as materialized (
      select t.*, p.rank_key as old_key, p.seq as old_seq
      from numbered t
      left join lateral (select e.* from entries e
        where e.board_id = b and e.generation = g and e.is_test = t.is_test and e.slot = t.identity_id limit 1) p on true
      where t.value is not null and (p.slot is null or (p.event_board_id, p.event_seq, p.value, p.rank_key, p.seq, p.status, p.player_name, p.value_display, p.metadata, p.created_at, p.updated_at)
        is distinct from (t.event_board_id, t.event_seq, t.value, t.rank_key, t.order_seq, t.status, t.player_name, t.value_display, t.metadata, t.created_at, t.updated_at))
    ), written as (
      insert into entries as e (board_id, generation, is_test, slot, id, identity_id, event_board_id, event_seq, value, rank_key, seq, ranked,
          status, player_name, value_display, metadata, created_at, updated_at)
        select b, g, d.is_test, d.identity_id, ratio_id(b, d.identity_id, d.is_test), d.identity_id, d.event_board_id, d.event_seq, d.value,
          d.rank_key, d.order_seq, true, d.status, d.player_name, d.value_display, d.metadata, d.created_at, d.updated_at
        from different d
      on conflict (board_id, generation, is_test, slot) do update set
        event_board_id = excluded.event_board_id, event_seq = excluded.event_seq, value = excluded.value, rank_key = excluded.rank_key,
        seq = excluded.seq, status = excluded.status, player_name = excluded.player_name, value_display = excluded.value_display,
        metadata = excluded.metadata, created_at = excluded.created_at, updated_at = excluded.updated_at
      returning 1
    ), states_gone as (
      delete from states s where s.ctid = any(array(
        select x.place from numbered n
        cross join lateral (select v.ctid as place from states v
          where v.board_id = b and v.is_test = n.is_test and v.identity_id = n.identity_id limit 1) x
        where serves and not n.known))
      returning 1
    ), states_written as (
      insert into states as s (board_id, is_test, identity_id, id, account_id, game_id, submission_count, accepted_count, last_event_id,
          last_submission_at, last_value, selected_event_id, value, numerator, denominator, created_at, updated_at)
        select b, n.is_test, n.identity_id, ratio_id(b, n.identity_id, n.is_test), n.account_id, n.game_id, 0, n.accepted_count, n.last_event_id,
          n.last_submission_at, 0, case when n.value is not null then n.event_id end, n.value, n.numerator, n.denominator, n.began_at, at
        from numbered n where serves and n.known
      on conflict (board_id, is_test, identity_id) do update set
        accepted_count = excluded.accepted_count, last_event_id = excluded.last_event_id, last_submission_at = excluded.last_submission_at,
        selected_event_id = excluded.selected_event_id, value = excluded.value, numerator = excluded.numerator,
        denominator = excluded.denominator, updated_at = excluded.updated_at
        where (s.accepted_count, s.last_event_id, s.selected_event_id, s.value, s.numerator, s.denominator)
          is distinct from (excluded.accepted_count, excluded.last_event_id, excluded.selected_event_id, excluded.value, excluded.numerator, excluded.denominator)
      returning 1
    ), shifts as (
      select is_test, rank_key, seq, -1 as d from gone
      union all select is_test, old_key, old_seq, -1 from different where old_key is not null
      union all select is_test, rank_key, order_seq, 1 from different
    )
    select v.p as is_test, array_agg(s.rank_key) filter (where s.d is not null) as ks, array_agg(s.seq) filter (where s.d is not null) as ss,
      array_agg(s.d) filter (where s.d is not null) as ds,
      (select count(*) from gone) + (select count(*) from different) + 0 * (select count(*) from written) + 0 * (select count(*) from places) as entries_changed,
      (select count(*) from states_gone) + (select count(*) from states_written) as states_changed,
      (select count(*) from numbered n where n.is_new) as numbers
    from (values (false), (true)) v(p) left join shifts s on s.is_test = v.p
    group by v.p
  loop
    changed := moves.entries_changed; states_changed := moves.states_changed; numbered := moves.numbers;
    if planted and moves.ks is not null then
      perform apply_rank_deltas(b, g, moves.is_test, moves.ks, moves.ss, moves.ds);
      if ties = 'dense' then
        perform follow_values(b, g, moves.is_test, moves.ks);
      end if;
    end if;
  end loop;

  if numbered > 0 or (serves and changed + states_changed > 0) then
    update board_rankings r set seq = r.seq + numbered, last_event_at = at,
        version = r.version + case when serves and changed + states_changed > 0 then 1 else 0 end,
        derived_version = case when serves and changed + states_changed > 0 then r.version + 1 else r.derived_version end
      where r.board_id = b;
  end if;
  return changed + states_changed;
end $$;

-- The same with the board's views: the served rankings, or those of the generation under construction.
create or replace function rederive_ratio(b uuid, g integer, ids uuid[], at timestamptz) returns bigint language plpgsql volatile as $$
declare
  ranking board_rankings;
  changed bigint;
begin
  select * into ranking from board_rankings r where r.board_id = b for update;
  changed := rederive_ratio_board(b, g, ids, at);
  if ranking.newest_view > 0 then
    changed := changed + rederive_ratio_views(b, live_views(b), ids, at, ranking.generation <> g,
      ranking.generation = g or ranking.build ->> 'phase' <> 'entries', 0, 0);
  end if;
  return changed;
end $$;

-- Makes entries, tree and states of these identities match events and rulings: a ratio board's from its sources, any other's
-- from its own. Under the board's lock. Returns how many entries and states differed.
create or replace function rederive(b uuid, g integer, ids uuid[], at timestamptz) returns bigint language plpgsql volatile as $$
declare
  kind text;
begin
  select r.board_type into kind from board_rankings r where r.board_id = b for update;
  return case kind when 'ratio' then rederive_ratio(b, g, ids, at) else rederive_events(b, g, ids, at) end;
end $$;

-- The next players after one who may have entries or states on the board.
create or replace function next_identities(b uuid, after uuid, most integer) returns uuid[] language sql stable as $$
  select array(
    select x.identity_id
    from (select b as id
          union select (j.rules ->> f.field)::uuid
          from board_rankings r
          cross join lateral (values (r.ratio), (r.build -> 'ratio')) j(rules)
          cross join (values ('numerator'), ('denominator')) f(field)
          where r.board_id = b and j.rules is not null and jsonb_typeof(j.rules) = 'object') source
    cross join (values (false), (true)) p(is_test)
    cross join lateral (select s.identity_id from states s
      where s.board_id = source.id and s.is_test = p.is_test and s.identity_id > after
      order by s.board_id, s.is_test, s.identity_id limit most) x
    group by x.identity_id order by x.identity_id limit most)
$$;

-- Players with news in the sources beyond these numbers, a limited number of events at a time, and the numbers this reaches.
create or replace function ratio_news(rules jsonb, num_from bigint, den_from bigint, most integer)
returns table (ids uuid[], num_seq bigint, den_seq bigint, behind boolean) language sql stable as $$
  with source as materialized (
    select r.board_id, f.seen, least(r.seq, f.seen + most) as upto, r.seq, f.field
    from (values ('numerator', num_from), ('denominator', den_from)) f(field, seen)
    join board_rankings r on r.board_id = (rules ->> f.field)::uuid
  )
  select array(
      select e.identity_id from source x join score_events e on e.board_id = x.board_id and e.seq > x.seen and e.seq <= x.upto and e.source <> 'import'
      union
      select coalesce(r.identity_id, (select v.identity_id from score_events v where v.id = r.event_id and v.board_id = r.board_id limit 1))
        from source x join rulings r on r.board_id = x.board_id and r.seq > x.seen and r.seq <= x.upto),
    max(s.upto) filter (where s.field = 'numerator'), max(s.upto) filter (where s.field = 'denominator'), bool_or(s.upto < s.seq)
  from source s
$$;

-- One round of a ratio board: reads what both sources have beyond the marks, a limited number of events at a time. Ids are
-- read before sums, so sums are never older than the marks stored with them; both sums are from one instant. Returns how many
-- entries and states changed and whether there is more.
create or replace function pull_ratio(b uuid, at timestamptz, most integer) returns table (changed bigint, behind boolean) language plpgsql volatile as $$
declare
  ranking board_rankings;
  news record;
begin
  changed := 0; behind := false;
  select * into ranking from board_rankings r where r.board_id = b for update;
  if ranking.board_type = 'ratio' and ranking.ratio is not null then
    select * into news from ratio_news(ranking.ratio, ranking.numerator_seq, ranking.denominator_seq, most);
    if news.num_seq > ranking.numerator_seq or news.den_seq > ranking.denominator_seq then
      changed := rederive_ratio_board(b, ranking.generation, news.ids, at);
      if ranking.newest_view > 0 then
        -- Only where the news are: a player's other rankings are unchanged.
        changed := changed + rederive_ratio_views(b, live_views(b), news.ids, at, false, true, ranking.numerator_seq, ranking.denominator_seq);
      end if;
      update board_rankings r set numerator_seq = news.num_seq, denominator_seq = news.den_seq where r.board_id = b;
    end if;
    behind := news.behind;
  end if;
  return next;
end $$;

-- A player was excluded from the sources or restored to them: their ratio boards, deleted ones included, follow before the
-- response.
create or replace function ratios_to_settle(i uuid) returns uuid[] language sql stable as $$
  select array(
    select c.board_id from identities x join boards b on b.game_id = x.game_id join ratio_configs c on c.board_id = b.id
    where x.id = i order by c.board_id)
$$;

create or replace function settle_ratio(b uuid, i uuid, at timestamptz) returns boolean language plpgsql volatile as $$
declare
  ranking board_rankings;
  changed bigint := 0;
begin
  select * into ranking from board_rankings r where r.board_id = b for update;
  if ranking.ratio is not null then
    changed := rederive_ratio(b, ranking.generation, array[i], at);
  end if;
  return changed > 0;
end $$;

-- Contradictions between a ratio board and its sources, of the next players after one, except players whose news the board has
-- yet to read.
create or replace function verify_ratios(b uuid, after uuid, most integer) returns table (upto uuid, faults text[]) language sql stable as $$
  with ranking as materialized (
    select r.* from board_rankings r where r.board_id = b and r.ratio is not null
  ), subject as materialized (
    select next_identities(b, after, most) as ids
  ), pending as materialized (
    select n.ids from ranking r cross join lateral ratio_news(r.ratio, r.numerator_seq, r.denominator_seq, 2147483647) n
  ), target as materialized (
    select t.* from ranking r cross join subject s cross join lateral derive_ratios(r.ratio, r.sort_direction, s.ids) t
  )
  select (select max(i::text)::uuid from subject s, unnest(s.ids) i),
    array(
      select format('player %s has the ratio %s instead of %s', coalesce(t.identity_id, e.slot), coalesce(e.value::text, 'none'), coalesce(t.value::text, 'none'))
      from (select x.* from target x where x.value is not null) t
      full join (select x.* from ranking r cross join subject s join entries x on x.board_id = b and x.generation = r.generation
          and x.is_test in (false, true) and x.slot = any(s.ids)) e on e.slot = t.identity_id and e.is_test = t.is_test
      where (e.value, e.rank_key, e.value_display, e.status, e.event_seq) is distinct from (t.value, t.rank_key, t.value_display, t.status, t.event_seq)
        and not coalesce(t.identity_id, e.slot) = any(coalesce((select p.ids from pending p), '{}'))
      limit 100)
    || array(
      select format('the state of player %s does not agree with the boards it is derived from', t.identity_id)
      from target t left join states s on s.board_id = b and s.is_test = t.is_test and s.identity_id = t.identity_id
      where t.known and (s.value, s.numerator, s.denominator) is distinct from (t.value, t.numerator, t.denominator)
        and not t.identity_id = any(coalesce((select p.ids from pending p), '{}'))
        and exists (select from ranking r where r.build is null)
      limit 100)
$$;

-- The rules the board's record asks for, and those of its served ranking. `ties`: the order of equal values, and whether there
-- is a ranking of values; how ranks are shown is otherwise no rule. `imported`: up to which imported event it is built, which
-- acts like a rule.
create or replace function wanted_rules(b uuid) returns jsonb language sql stable as $$
  select jsonb_build_object('board_type', d.board_type, 'sort_direction', d.sort_direction, 'keep_strategy', d.keep_strategy, 'ratio', ratio_rules(b),
    'ties', case when d.tie_policy in ('latest', 'dense') then d.tie_policy else 'earliest' end,
    'imported', case when d.board_type = 'ratio'
      then (select coalesce(sum(n.imported_seq), 0)::bigint from ratio_configs c
        join board_rankings n on n.board_id in (c.numerator_board_id, c.denominator_board_id) where c.board_id = b)
      else (select r.import_seq from board_rankings r where r.board_id = b) end)
  from boards d where d.id = b
$$;

create or replace function served_rules(r board_rankings) returns jsonb language sql stable as $$
  select jsonb_build_object('board_type', r.board_type, 'sort_direction', r.sort_direction, 'keep_strategy', r.keep_strategy, 'ratio', r.ratio, 'imported', r.imported_seq,
    'ties', case when r.tie_policy in ('latest', 'dense') then r.tie_policy else 'earliest' end)
$$;

-- Starts what the board's record asks for, under the board's lock: begins to build a generation, switches to another one, or
-- drops the one being built. Returns whether anything has to be built.
create or replace function begin_build(b uuid, at timestamptz) returns boolean language plpgsql volatile as $$
declare
  ranking board_rankings;
  wanted jsonb;
  building boolean; unsettled boolean;
begin
  select * into ranking from board_rankings r where r.board_id = b for update;
  wanted := wanted_rules(b);
  if wanted -> 'ties' = served_rules(ranking) -> 'ties' then
    update board_rankings r set tie_policy = d.tie_policy from boards d where r.board_id = b and d.id = b and r.tie_policy <> d.tie_policy;
  end if;
  building := coalesce(ranking.build ->> 'phase' <> 'states', false);
  -- States that have yet to follow the served generation.
  unsettled := coalesce(ranking.build ->> 'phase' = 'states' or (ranking.build -> 'unsettled')::boolean, false);
  if building and ranking.build @> wanted then
    return true;
  end if;
  if building then
    insert into generations_due (board_id, generation, due_at) values (b, (ranking.build ->> 'generation')::integer, at);
    perform forget_next_rankings(b, at);
  end if;
  if wanted = served_rules(ranking) then
    if building then
      update board_rankings r set build = case when unsettled
          then jsonb_build_object('phase', 'states', 'generation', r.generation, 'after', '00000000-0000-0000-0000-000000000000') end
        where r.board_id = b;
    end if;
    return unsettled;
  end if;
  if ranking.seq = 0 and wanted -> 'ratio' = 'null' then
    update board_rankings r set board_type = wanted ->> 'board_type', sort_direction = wanted ->> 'sort_direction',
        keep_strategy = wanted ->> 'keep_strategy', tie_policy = (select d.tie_policy from boards d where d.id = b)
      where r.board_id = b;
    return false;
  end if;
  update board_rankings r set build = wanted || jsonb_build_object(
      'phase', 'entries', 'after', '00000000-0000-0000-0000-000000000000', 'unsettled', unsettled, 'seq', ranking.seq,
      'generation', 1 + greatest(ranking.generation, ranking.newest_generation),
      'numerator_seq', (select n.seq from board_rankings n where n.board_id = (wanted -> 'ratio' ->> 'numerator')::uuid),
      'denominator_seq', (select n.seq from board_rankings n where n.board_id = (wanted -> 'ratio' ->> 'denominator')::uuid)),
      newest_generation = 1 + greatest(ranking.generation, ranking.newest_generation)
    where r.board_id = b;
  if ranking.newest_view > 0 then
    -- The live views' rankings get a number in the generation under construction, too.
    perform begin_rankings(b, live_views(b), '{}', 0, true);
  end if;
  return true;
end $$;

-- Stores the progress of a build. A caller that finds another target undoes its step.
create or replace function note_build(b uuid, g integer, progress jsonb) returns void language plpgsql volatile as $$
begin
  update board_rankings r set build = r.build || progress
    where r.board_id = b and (r.build ->> 'generation')::integer = g;
  if not found then
    raise exception 'generation % of board % is not wanted any more', g, b using errcode = 'LB001';
  end if;
end $$;

-- The players of events and rulings beyond a number, a limited range at a time, and the number this reaches. Imports build a
-- generation of their own: their events are left out.
create or replace function build_news(b uuid, from_seq bigint, most integer) returns table (ids uuid[], upto bigint, behind boolean) language sql stable as $$
  select array(
      select e.identity_id from score_events e where e.board_id = b and e.seq > from_seq and e.seq <= from_seq + most and e.source <> 'import'
      union
      select coalesce(r.identity_id, (select v.identity_id from score_events v where v.id = r.event_id and v.board_id = b limit 1))
        from rulings r where r.board_id = b and r.seq > from_seq and r.seq <= from_seq + most),
    least(r.seq, from_seq + most), r.seq > from_seq + most
  from board_rankings r where r.board_id = b
$$;

-- Those of these players whose states do not match the served generation, with what it makes of them.
create or replace function states_behind(b uuid, ids uuid[]) returns table (
  is_test boolean, identity_id uuid, best_value float8, selected_event_id uuid, value float8) language sql stable as $$
  select x.is_test, x.identity_id, x.best_value, x.selected_event_id, x.value
  from (
    select t.board_id, t.is_test, t.identity_id, t.best_value as old_best_value, t.selected_event_id as old_selected_event_id, t.value as old_value,
      case when e.shows_best then e.value else best.amount end as best_value,
      case when r.board_type = 'run_runs' then best.id else shown.id end as selected_event_id,
      case when r.board_type = 'run_runs' then best.amount else e.value end as value
    from board_rankings r
    cross join unnest(ids) i(id)
    cross join (values (false), (true)) p(is_test)
    cross join lateral (select * from states s where s.board_id = b and s.is_test = p.is_test and s.identity_id = i.id limit 1) t
    left join lateral (select e.ranked, e.event_seq, e.value, r.keep_strategy = 'best' and r.board_type = 'run_identity' as shows_best from entries e
      where e.board_id = b and e.generation = r.generation and e.is_test = p.is_test and e.slot = i.id limit 1) e on e.ranked
    -- Where the entry is not the best event anyway.
    left join lateral (select v.amount, v.id
      from score_events v
      where e.shows_best is not true and v.board_id = b and v.is_test = p.is_test and v.identity_id = i.id
        and (v.source <> 'import' or v.seq <= r.imported_seq)
        and coalesce((select u.effect from rulings u where u.board_id = b and u.event_id = v.id order by u.seq desc limit 1),
          case v.disposition when 'rejected' then 'exclude' else 'include' end) <> 'exclude'
      order by rank_key_of(v.amount, r.sort_direction), v.seq limit 1) best on true
    left join lateral (select v.id from score_events v where v.board_id = b and v.seq = e.event_seq limit 1) shown on true
    where r.board_id = b) x
  where (x.old_best_value, x.old_selected_event_id, x.old_value) is distinct from (x.best_value, x.selected_event_id, x.value)
$$;

-- Makes the parts of these players' states that depend on a board's rules match the served generation. Under the board's lock.
-- Returns how many differed.
create or replace function refresh_states(b uuid, ids uuid[], at timestamptz) returns bigint language sql volatile as $$
  with written as (
    update states s set best_value = x.best_value, selected_event_id = x.selected_event_id, value = x.value, updated_at = at
    from states_behind(b, ids) x
    where s.board_id = b and s.is_test = x.is_test and s.identity_id = x.identity_id
    returning 1)
  select count(*) from written
$$;

-- The next step of a board's running work; `most`: players per step. Steps that keep submissions waiting take fewer. Returns
-- `idle`: nothing is running; `busy`: another process is at it; `step`; `turned`: the new generation is now served. The
-- advisory lock allows one step at a time; a caller that already holds the board's lock (`alone`) needs none.
create or replace function build_step(b uuid, at timestamptz, most integer, alone boolean) returns text language plpgsql volatile as $$
declare
  ranking board_rankings;
  g integer; phase text; ids uuid[]; ratios boolean;
  numbers integer[];
  news record;
  fewer integer := greatest(1, most / 5);
begin
  if not alone and not pg_try_advisory_xact_lock(7100002, hashtext(b::text)) then
    return 'busy';
  end if;
  select * into ranking from board_rankings r where r.board_id = b;
  if ranking.build is null then
    return 'idle';
  end if;
  g := (ranking.build ->> 'generation')::integer;
  phase := ranking.build ->> 'phase';
  ratios := coalesce(ranking.build ->> 'board_type', ranking.board_type) = 'ratio';

  if phase in ('entries', 'states') then
    ids := next_identities(b, (ranking.build ->> 'after')::uuid, case when phase = 'states' and not ratios then 2 * fewer else most end);
    if cardinality(ids) = 0 then
      if phase = 'entries' then
        perform note_build(b, g, '{"phase": "tree"}');
      else
        update board_rankings r set build = null where r.board_id = b and r.build = ranking.build;
      end if;
      return 'step';
    end if;
    if phase = 'entries' and not ratios then
      if ranking.newest_view > 0 then
        perform stamp_platforms(b, live_views(b), ids);
        perform stamp_player_tags(b, live_views(b), ids);
        if exists (select from ranked_events(b, live_views(b), ids, coalesce((ranking.build ->> 'imported')::bigint, ranking.imported_seq)) e
            where not exists (select from rankings r where r.board_id = b and r.view_no = e.view_no and r.period_number = e.period_number
              and r.group_key = e.group_key and (r.next_generation is not null or r.status = 'dropped'))) then
          -- Numbers are given under the lock, so in a step of its own.
          perform from board_rankings r where r.board_id = b for update;
          perform note_build(b, g, '{}');
          if begin_rankings(b, live_views(b), ids, coalesce((ranking.build ->> 'imported')::bigint, ranking.imported_seq), true) > 0 and not alone then
            return 'step';
          end if;
        end if;
        execute format($sql$
          insert into entries (board_id, generation, is_test, slot, id, identity_id, event_seq, value, rank_key, seq, ranked, status,
              player_name, value_display, metadata, created_at, updated_at)
            select $1, d.next_generation, d.is_test, d.slot, d.id, d.identity_id, d.event_seq, d.value, d.rank_key, d.seq, true, d.status,
              d.player_name, d.value_display, d.metadata, d.created_at, d.updated_at
            from view_entries($1, live_views($1), $2, %L, %L, %L, %L) d where d.next_generation is not null $sql$,
            ranking.build ->> 'board_type', ranking.build ->> 'sort_direction', ranking.build ->> 'keep_strategy',
            coalesce((ranking.build ->> 'imported')::bigint, ranking.imported_seq)) using b, ids;
      end if;
      -- The rules as literals: as values they would be evaluated for every event, a third of the time.
      execute format($sql$
        insert into entries (board_id, generation, is_test, slot, id, identity_id, event_seq, value, rank_key, seq, ranked, status,
            player_name, value_display, metadata, created_at, updated_at)
          select $1, $2, d.is_test, d.slot, d.id, d.identity_id, d.event_seq, d.value, d.rank_key, d.seq, d.ranked, d.status,
            d.player_name, d.value_display, d.metadata, d.created_at, d.updated_at
          from placed_entries($1, $3, %L, %L, %L, %L, %L) d $sql$,
          ranking.build ->> 'board_type', ranking.build ->> 'sort_direction', ranking.build ->> 'keep_strategy', ranking.build ->> 'ties',
          coalesce((ranking.build ->> 'imported')::bigint, ranking.imported_seq)) using b, g, ids;
    elsif phase = 'states' and not ratios and not exists (select from states_behind(b, ids)) then
      -- Nothing to write, so submissions need not wait.
      null;
    else
      perform from board_rankings r where r.board_id = b for update;
      perform note_build(b, g, '{}');
      if phase = 'states' then
        if ratios then
          perform rederive_ratio_board(b, g, ids, at);
        else
          if refresh_states(b, ids, at) > 0 then
            -- Which of a player's runs is its best is read from its state.
            update board_rankings r set version = r.version + 1, derived_version = r.version + 1 where r.board_id = b;
          end if;
        end if;
      else
        perform rederive_ratio(b, g, ids, at);
      end if;
    end if;
    perform note_build(b, g, jsonb_build_object('after', ids[cardinality(ids)],
      'done', coalesce((ranking.build ->> 'done')::bigint, 0) + cardinality(ids)));
    return 'step';
  end if;

  if phase = 'tree' then
    if ranking.build -> 'tree' is null then
      if ranking.build ->> 'ties' = 'dense' and not build_values(b, array[g], most) then
        perform note_build(b, g, '{}');
        return 'step';
      end if;
      perform build_rank_tree(b, g, false);
      perform build_rank_tree(b, g, true);
      perform note_build(b, g, case when ranking.newest_view > 0 then jsonb '{"tree": 0}' else '{"phase": "news"}' end);
      return 'step';
    end if;
    numbers := array(select r.ranking_no from rankings r
      where r.board_id = b and r.ranking_no < (ranking.build ->> 'tree')::integer and r.next_generation is not null order by r.ranking_no desc limit 200);
    if ranking.dense_views then
      if not build_values(b, array(
          select r.next_generation from rankings r join board_views v on v.board_id = b and v.view_no = r.view_no and v.tie_policy = 'dense'
          where r.board_id = b and r.ranking_no = any(numbers) and r.next_generation is not null order by r.ranking_no desc), most) then
        perform note_build(b, g, '{}');
        return 'step';
      end if;
    end if;
    perform build_rank_tree(b, r.next_generation, t.is_test) from rankings r, (values (false), (true)) t(is_test)
      where r.board_id = b and r.ranking_no = any(numbers) and r.next_generation is not null;
    perform note_build(b, g, case when cardinality(numbers) = 0 then jsonb '{"phase": "news"}' else jsonb_build_object('tree', numbers[cardinality(numbers)]) end);
    return 'step';
  end if;

  -- News. Nothing is added under the lock, so a round that leaves nothing is the last.
  select * into ranking from board_rankings r where r.board_id = b for update;
  perform note_build(b, g, '{}');
  if ratios then
    select n.ids, n.num_seq, n.den_seq, n.behind into news
      from ratio_news(ranking.build -> 'ratio', (ranking.build ->> 'numerator_seq')::bigint, (ranking.build ->> 'denominator_seq')::bigint, most) n;
    perform rederive_ratio(b, g, news.ids, at);
    perform note_build(b, g, jsonb_build_object('numerator_seq', news.num_seq, 'denominator_seq', news.den_seq));
  else
    select n.ids, n.upto, n.behind into news from build_news(b, (ranking.build ->> 'seq')::bigint, fewer) n;
    perform rederive_events(b, g, news.ids, at);
    perform note_build(b, g, jsonb_build_object('seq', news.upto));
  end if;
  if news.behind then
    return 'step';
  end if;
  insert into generations_due (board_id, generation, due_at) values (b, ranking.generation, at + interval '10 seconds');
  if ranking.newest_view > 0 then
    perform turn_rankings(b, at);
  end if;
  update board_rankings r set generation = g, board_type = r.build ->> 'board_type', sort_direction = r.build ->> 'sort_direction',
      keep_strategy = r.build ->> 'keep_strategy', tie_policy = (select d.tie_policy from boards d where d.id = b), ratio = nullif(r.build -> 'ratio', 'null'),
      imported_seq = coalesce((r.build ->> 'imported')::bigint, r.imported_seq), numerator_seq = (r.build ->> 'numerator_seq')::bigint, denominator_seq = (r.build ->> 'denominator_seq')::bigint,
      version = r.version + 1, derived_version = r.version + 1,
      build = jsonb_build_object('phase', 'states', 'generation', g, 'after', '00000000-0000-0000-0000-000000000000')
    where r.board_id = b;
  return 'turned';
end $$;

-- Makes the ranking follow the board's record (begin_build): a small board immediately, in this transaction. Returns whether
-- anything is left for the background.
create or replace function follow_rules(b uuid, at timestamptz, small integer) returns boolean language plpgsql volatile as $$
declare
  size bigint;
begin
  if not begin_build(b, at) then
    return false;
  end if;
  select case r.board_type when 'ratio' then 0 else r.seq end + cardinality(next_identities(b, '00000000-0000-0000-0000-000000000000', small + 1))
    into size from board_rankings r where r.board_id = b;
  if size > small then
    return true;
  end if;
  while build_step(b, at, small, true) <> 'idle' loop
  end loop;
  return false;
end $$;

-- Deletes rows of a generation that is no longer served. Returns how many; 0: none are left.
create or replace function forget_generation(b uuid, g integer, most integer) returns bigint language plpgsql volatile as $$
declare
  deleted bigint; more bigint;
  -- With the ranking of its values.
  gs integer[] := array[g, values_generation(g)];
begin
  delete from entries e where e.ctid = any(array(
    select x.ctid from entries x where x.board_id = b and x.generation = any(gs) and x.is_test in (false, true) limit most for update skip locked));
  get diagnostics deleted = row_count;
  if deleted = 0 then
    delete from rank_runs r where r.ctid = any(array(
      select x.ctid from rank_runs x where x.board_id = b and x.generation = any(gs) and x.is_test in (false, true) limit most for update skip locked));
    get diagnostics deleted = row_count;
  end if;
  if deleted = 0 then
    delete from rank_tops r where r.board_id = b and r.generation = any(gs) and r.is_test in (false, true);
    get diagnostics deleted = row_count;
    delete from ratio_places r where r.ctid = any(array(
      select x.ctid from ratio_places x where x.board_id = b and x.generation = g and x.is_test in (false, true) limit most for update skip locked));
    get diagnostics more = row_count;
    deleted := deleted + more;
  end if;
  if deleted = 0 and not exists (select from entries e where e.board_id = b and e.generation = any(gs) and e.is_test in (false, true))
      and not exists (select from ratio_places r where r.board_id = b and r.generation = g and r.is_test in (false, true)) then
    delete from generations_due d where d.board_id = b and d.generation = g;
  end if;
  return deleted;
end $$;

-- A board's production ranking by other rules, without changing anything: entries now and then, how many of those then would
-- have another rank than the same event has now, or are not ranked now, and the podium of both.
create or replace function preview_rules(b uuid, kind text, direction text, strategy text, places integer)
returns table (entries_now bigint, entries_then bigint, moved bigint, podium_now jsonb, podium_then jsonb) language sql stable as $$
  with ranking as materialized (
    select r.* from board_rankings r where r.board_id = b
  ), present as materialized (
    select e.event_seq, e.event_board_id, e.identity_id, e.player_name, e.value, e.value_display, e.rank_key, e.seq,
      row_number() over (order by e.rank_key, e.seq) as rank
    from ranking r join entries e on e.board_id = b and e.generation = r.generation and not e.is_test and e.ranked
  ), derived as (
    -- Each player's value stays the same: only the order changes.
    select p.event_seq, p.event_board_id, p.identity_id, p.player_name, p.value, p.value_display, p.seq,
      case when p.rank_key = '-infinity' then p.rank_key else rank_key_of(p.value, direction) end as rank_key
    from present p, ranking r
    where r.keep_strategy = strategy and strategy <> 'best'
    union all
    select d.event_seq, null, d.identity_id, d.player_name, d.value, d.value_display, placed_seq(d.seq, r.tie_policy), d.rank_key
    from ranking r
    cross join lateral derive_entries(b, array(select s.identity_id from states s where s.board_id = b and not s.is_test), kind, direction, strategy) d
    where not (r.keep_strategy = strategy and strategy <> 'best') and not d.is_test and d.ranked
  ), future as materialized (
    select d.*, row_number() over (order by d.rank_key, d.seq) as rank from derived d
  )
  select (select count(*) from present), (select count(*) from future),
    (select count(*) from future f
      left join present p on p.event_seq = f.event_seq and p.event_board_id is not distinct from f.event_board_id and p.identity_id = f.identity_id
      where p.rank is distinct from f.rank),
    (select jsonb_agg(jsonb_build_object('rank', p.rank, 'identityId', 'ide_' || p.identity_id, 'playerName', p.player_name,
        'value', p.value, 'valueDisplay', p.value_display) order by p.rank) from present p where p.rank <= places),
    (select jsonb_agg(jsonb_build_object('rank', f.rank, 'identityId', 'ide_' || f.identity_id, 'playerName', f.player_name,
        'value', f.value, 'valueDisplay', f.value_display) order by f.rank) from future f where f.rank <= places)
$$;
