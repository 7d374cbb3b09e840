-- Entries of rankings, derived: from events, or on a ratio board from two rankings of the same key. The board's own ranking is view 0.

-- The rankings of these views (0: the board itself) that an event with these tags, of this time, is in: a function of the event and of
-- view_periods. src/submissions/facts/places.ts says the same.
create or replace function ranking_keys(b uuid, nos integer[], tags jsonb, country text, t timestamptz)
returns table (view_no integer, period_number integer, group_key text, ties text) language sql stable as $$
  select 0, 0, '', null where 0 = any(nos)
  union all
  select v.view_no, coalesce(p.number, 0), k.group_key, v.tie_policy
  from board_views v
  cross join lateral (select group_of(v.by_tags, ranking_keys.tags, ranking_keys.country) offset 0) k(group_key)
  left join lateral (select x.number, x.ends_at from view_periods x
    where v.period is not null and x.board_id = b and x.view_no = v.view_no and x.starts_at <= t
    order by x.starts_at desc limit 1) p on t < p.ends_at
  where v.board_id = b and v.view_no = any(nos) and k.group_key is not null
    and (v.period is null or p.number is not null and (v.since is null or p.ends_at > v.since))
$$;

-- The views of a board that submissions and rulings are followed in, as they are served, the board's own first.
create or replace function served_views(b uuid) returns integer[] language sql stable as $$
  select 0 || live_views(b)
$$;

-- Those of the build under way that are not being dropped.
create or replace function built_views(b uuid) returns integer[] language sql stable as $$
  select array(
    select n::integer from board_rankings r cross join lateral jsonb_array_elements_text(r.build -> 'views') n
    where r.board_id = b and (n = '0' or exists (select from board_views v where v.board_id = b and v.view_no = n::integer and v.status <> 'dropping'))
    order by n::integer)
$$;

-- The events that make up entries: `live` where the ruling stands for them; where an identity has none of those left, its held ones
-- (a provisional, hidden entry) or else its excluded ones (a rejected one). `first_id` is the identity's first event of any disposition.
-- The newest ruling on an event says whether it counts (`include`), counts and waits for a decision (`review`), waits without counting
-- (`hold`) or does not count (`exclude`); without one its disposition says so. `disposition` is the present state. An event that was rejected at once
-- leaves nothing behind while it does not count.
-- Here and below: rulings are looked up in place, as a function with a query in it is called for every event, which took most
-- of the time of deriving many players, and not at all where a board has none; and both populations are named wherever an index has is_test before the player, or
-- every Postgres before 18 reads the whole board to find one player's events.
-- Imported events count up to the number `upto` (docs/decisions/import.md). `place` numbers a player's events: by `seq`, and imported ones
-- before those that were accepted after they occurred. A board's clock may have been set back, so an event is as late as any before it.
create or replace function events_upto(b uuid, ids uuid[], upto bigint) returns table (
  is_test boolean, identity_id uuid, seq bigint, place bigint, id uuid, amount float8, player_name text, value_display text, metadata jsonb,
  disposition text, created_at timestamptz, live boolean, any_live boolean, first_id uuid, imported boolean, tags jsonb, country text)
language sql stable as $$
  select x.is_test, x.identity_id, x.seq, x.place, x.id, x.amount, coalesce(x.shown_name, x.player_name), x.value_display, x.metadata,
    case x.effect when 'include' then 'accepted' when 'review' then 'flagged' when 'hold' then 'held' else 'rejected' end,
    coalesce(x.occurred_at, x.created_at), effect_counts(x.effect),
    bool_or(effect_counts(x.effect)) over (partition by x.is_test, x.identity_id), x.first_id, x.source = 'import', x.tags, x.country
  from (
    select e.*,
      coalesce(
        case when (select exists (select from rulings r where r.board_id = b)) then
          (select r.effect from rulings r where r.board_id = b and r.event_id = e.id order by r.seq desc limit 1) end,
        effect_of(e.disposition)) as effect,
      -- With runs of merged players, it is decided when they come and go (merged_score_id).
      case when bool_or(e.played_by is not null) over (partition by e.is_test, e.identity_id)
        then (select s.id from states s where s.board_id = b and s.is_test = e.is_test and s.identity_id = e.identity_id limit 1)
        else first_value(e.id) over (partition by e.is_test, e.identity_id order by e.seq) end as first_id,
      row_number() over (partition by e.is_test, e.identity_id order by e.placed_at, e.seq) as place
    from (
      select v.*, case when upto > 0 then case
          when v.occurred_at is null then max(v.created_at) over (partition by v.is_test, v.identity_id order by v.seq rows unbounded preceding)
          else least(v.occurred_at, v.created_at) end end as placed_at
      from score_events v where v.board_id = b and v.is_test in (false, true) and v.identity_id = any(ids)
        and (v.source <> 'import' or v.seq <= upto)) e) x
  where x.disposition <> 'rejected' or x.effect <> 'exclude'
$$;

-- The events of these players that may make entries, each with its rankings, existing or not. Events that do not count are in the board's own
-- ranking alone: there a player has a hidden entry.
create or replace function ranked_events(b uuid, nos integer[], ids uuid[], upto bigint) returns table (
  view_no integer, period_number integer, group_key text, ties text, is_test boolean, identity_id uuid, seq bigint, place bigint, id uuid, amount float8,
  player_name text, value_display text, metadata jsonb, disposition text, created_at timestamptz, live boolean, any_live boolean, first_id uuid)
language sql stable as $$
  select k.view_no, k.period_number, k.group_key, k.ties, c.is_test, c.identity_id, c.seq, c.place, c.id, c.amount, c.player_name, c.value_display,
    c.metadata, c.disposition, c.created_at, c.live, c.any_live, c.first_id
  from events_upto(b, array(
    select i.id from unnest(ids) i(id)
    where case when (select not exists (select from rulings r where r.board_id = b)) then true else
      coalesce((select r.effect = 'include' from rulings r where r.board_id = b and r.identity_id = i.id order by r.seq desc limit 1), true) end), upto) c
  cross join lateral ranking_keys(b, nos, c.tags, c.country, c.created_at) k
  where c.live or k.view_no = 0
$$;

-- The entries of these players in these views' rankings, by these rules: in those that are served or, where `building`, in those that are
-- being built. `ties` is that of the board's own ranking.
create or replace function derive_events(b uuid, nos integer[], ids uuid[], kind text, direction text, strategy text, ties text, upto bigint, building boolean)
returns setof derived_entry language sql stable as $$
  with events as materialized (
    select r.g, coalesce(c.ties, derive_events.ties) as ties, c.is_test, c.identity_id, c.seq, c.place, c.id, c.amount,
      c.player_name, c.value_display, c.metadata, c.disposition, c.created_at, c.live, c.any_live, c.first_id
    from ranked_events(b, nos, ids, upto) c
    cross join lateral (select case when building then x.next_generation else x.generation end as g, x.status from rankings x
      where x.board_id = b and x.view_no = c.view_no and x.period_number = c.period_number and x.group_key = c.group_key limit 1) r
    where r.status <> 'dropped' and r.g is not null
  ), runs as (
    -- Every run is an entry of its own.
    select c.g, c.ties, c.is_test, c.id as slot, c.id, c.identity_id, c.seq as event_seq, c.amount as value, c.seq, c.live,
      c.disposition, c.disposition = 'flagged' as doubted, c.player_name, c.value_display, c.metadata, c.created_at, c.created_at as updated_at
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
      -- Of a player without any that counts, held ones first. Hashed, and only where there is such a player.
      and case when c.any_live or c.disposition = 'held' then true
        else (c.g, c.is_test, c.identity_id) not in (select h.g, h.is_test, h.identity_id from events h where h.disposition = 'held') end
    window before_and_this as (partition by c.g, c.is_test, c.identity_id order by c.place rows unbounded preceding)
  ), stepped as (
    -- `reached` numbers the stretches of equal value: an event that does not change the value keeps the place.
    select u.*, u.running is distinct from lag(u.running) over (partition by u.g, u.is_test, u.identity_id order by u.place) as steps
    from usable u
  ), stretched as (
    select s.*, max(s.place) filter (where s.steps) over (partition by s.g, s.is_test, s.identity_id order by s.place rows unbounded preceding) as reached
    from stepped s
  ), reached as (
    -- A stretch begins with the event that reached its value.
    select s.*, first_value(s.seq) over stretch as reached_seq, first_value(s.created_at) over stretch as reached_at
    from stretched s
    window stretch as (partition by s.g, s.is_test, s.identity_id, s.reached order by s.place rows unbounded preceding)
  ), kept as (
    select distinct on (s.g, s.is_test, s.identity_id) s.*
    from reached s
    order by s.g, s.is_test, s.identity_id,
      case strategy when 'best' then rank_key_of(s.running, direction) end,
      case when strategy in ('best', 'first') and kind = 'run_identity' then s.place else - s.place end
  ), single as (
    select k.g, k.ties, k.is_test, k.identity_id as slot, k.first_id as id, k.identity_id, k.seq as event_seq, k.running as value,
      case when strategy in ('best', 'first') and kind = 'run_identity' then k.seq else k.reached_seq end as seq, k.live,
      k.disposition, k.doubted, coalesce(d.display_name, k.player_name) as player_name, k.value_display, k.metadata, k.first_at as created_at,
      case when strategy in ('best', 'first') and kind = 'run_identity' then k.created_at else k.reached_at end as updated_at
    from kept k
    -- The player's present name; in the test population that of the event (docs/decisions/names.md).
    left join lateral (select nullif(i.display_name, '') as display_name from identities i where i.id = k.identity_id limit 1) d on not k.is_test
  )
  select x.g, x.is_test, x.slot, x.id, x.identity_id, null::uuid, x.event_seq, x.value, rank_key_of(x.value, direction), placed_seq(x.seq, x.ties), x.live,
    case when x.disposition = 'held' then 'provisional' when not x.live then 'rejected' when x.doubted then 'under_review' else 'active' end,
    x.player_name, x.value_display, x.metadata, x.created_at, x.updated_at
  from (select * from runs union all select * from single) x
$$;

-- Where these players can have entries in these views' rankings: where one of their events has its key, also one that does not count.
create or replace function event_places(b uuid, nos integer[], ids uuid[], kind text, building boolean) returns setof entry_place language sql stable as $$
  select distinct case when building then r.next_generation else r.generation end, v.is_test, case kind when 'run_runs' then v.id else v.identity_id end
  from score_events v
  cross join lateral ranking_keys(b, nos, v.tags, v.country, coalesce(v.occurred_at, v.created_at)) k
  cross join lateral (select x.generation, x.next_generation, x.status from rankings x
    where x.board_id = b and x.view_no = k.view_no and x.period_number = k.period_number and x.group_key = k.group_key limit 1) r
  where v.board_id = b and v.is_test in (false, true) and v.identity_id = any(ids) and r.status <> 'dropped'
    and case when building then r.next_generation else r.generation end is not null
$$;

-- Makes entries, trees (unless they have yet to be `planted`) and dense ranks at these places what was derived. Under the board's lock.
-- Answers how many entries differed.
create or replace function agree_entries(b uuid, targets derived_entry[], places entry_place[], planted boolean) returns bigint language plpgsql volatile as $$
declare
  dense boolean := (select r.dense_views or r.tie_policy = 'dense' or coalesce(r.build ->> 'ties' = 'dense', false) from board_rankings r where r.board_id = b);
  changed bigint := 0;
  deltas record;
begin
  for deltas in
    with target as materialized (
      select t.* from unnest(targets) t
    ), gone as (
      -- By place, here and below: it is known by then, and whatever the planner believes of the table, nothing is searched again.
      delete from entries e where e.ctid = any(array(
        select p.place from unnest(places) s
        cross join lateral (select e.ctid as place from entries e
          where e.board_id = b and e.generation = s.generation and e.is_test = s.is_test and e.slot = s.slot limit 1) p
        -- Hashed, also where nothing but nested loops is planned.
        where (s.generation, s.is_test, s.slot) not in (select t.generation, t.is_test, t.slot from target t)))
      returning e.generation, e.is_test, e.rank_key, e.seq, e.ranked
    ), different as materialized (
      select t.*, p.place, p.rank_key as old_key, p.seq as old_seq, p.ranked as old_ranked
      from target t left join lateral (select e.ctid as place, e.* from entries e
        where e.board_id = b and e.generation = t.generation and e.is_test = t.is_test and e.slot = t.slot limit 1) p on true
      where p.slot is null or (p.id, p.event_board_id, p.event_seq, p.value, p.rank_key, p.seq, p.ranked, p.status, p.player_name, p.value_display, p.metadata, p.created_at, p.updated_at)
        is distinct from (t.id, t.event_board_id, t.event_seq, t.value, t.rank_key, t.seq, t.ranked, t.status, t.player_name, t.value_display, t.metadata, t.created_at, t.updated_at)
    ), came as (
      insert into entries (board_id, generation, is_test, slot, id, identity_id, event_board_id, event_seq, value, rank_key, seq, ranked, status,
          player_name, value_display, metadata, created_at, updated_at)
        select b, d.generation, d.is_test, d.slot, d.id, d.identity_id, d.event_board_id, d.event_seq, d.value, d.rank_key, d.seq, d.ranked, d.status,
          d.player_name, d.value_display, d.metadata, d.created_at, d.updated_at
        from different d where d.place is null
      returning 1
    ), altered as (
      update entries e set
        id = d.id, event_board_id = d.event_board_id, event_seq = d.event_seq, value = d.value, rank_key = d.rank_key, seq = d.seq, ranked = d.ranked,
        status = d.status, player_name = d.player_name, value_display = d.value_display, metadata = d.metadata, created_at = d.created_at, updated_at = d.updated_at
      from different d where e.ctid = d.place
      returning 1
    ), moves as (
      select generation, is_test, rank_key, seq, -1 as d from gone where ranked
      union all select generation, is_test, old_key, old_seq, -1 from different where old_ranked
      union all select generation, is_test, rank_key, seq, 1 from different where ranked
    )
    select m.generation as g, m.is_test, array_agg(m.rank_key) filter (where m.d is not null) as ks, array_agg(m.seq) filter (where m.d is not null) as ss,
      array_agg(m.d) filter (where m.d is not null) as ds,
      -- Counted, all entries are written before the trees follow them.
      (select count(*) from gone) + (select count(*) from came) + (select count(*) from altered) as touched,
      (select count(*) from gone) as vanished
    from (select * from moves union all select 0, false, null, null, null) m
    group by m.generation, m.is_test
  loop
    changed := deltas.touched;
    if deltas.vanished > 0 then
      perform note_left(b, deltas.g);
    end if;
    if planted and deltas.ks is not null then
      perform apply_rank_deltas(b, deltas.g, deltas.is_test, deltas.ks, deltas.ss, deltas.ds);
      if dense then
        perform follow_values(b, deltas.g, deltas.is_test, deltas.ks);
      end if;
    end if;
  end loop;
  return changed;
end $$;

-- Gives the rankings of these players' events that have none yet a number and, where `building`, all of these views' rankings one in the
-- build. Answers how many numbers were given. Players whose groups have no place are noted; those of groups that have one by now are derived.
create or replace function begin_rankings(b uuid, nos integer[], ids uuid[], upto bigint, building boolean) returns integer language plpgsql volatile as $$
declare
  missing record;
  given integer;
  late uuid[];
begin
  perform from board_rankings r where r.board_id = b for update;
  select array_agg(m.view_no) as views, array_agg(m.period_number) as periods, array_agg(m.group_key) as groups into missing from (
    select distinct e.view_no, e.period_number, e.group_key from ranked_events(b, nos, ids, upto) e
    where not exists (select from rankings r
      where r.board_id = b and r.view_no = e.view_no and r.period_number = e.period_number and r.group_key = e.group_key)) m;
  given := number_rankings(b, nos, missing.views, missing.periods, missing.groups, building);
  if exists (select from unnest(missing.views, missing.periods, missing.groups) m(view_no, period_number, group_key)
      where not exists (select from rankings r
        where r.board_id = b and r.view_no = m.view_no and r.period_number = m.period_number and r.group_key = m.group_key)) then
    insert into left_out_runs (board_id, view_no, period_number, group_key, identity_id)
      select distinct b, e.view_no, e.period_number, e.group_key, e.identity_id from ranked_events(b, nos, ids, upto) e
      where not exists (select from rankings r
        where r.board_id = b and r.view_no = e.view_no and r.period_number = e.period_number and r.group_key = e.group_key)
    on conflict do nothing;
  end if;
  late := take_in(b, nos, case when building then '{}' else ids end);
  if cardinality(late) > 0 then
    perform rederive(b, array_remove(nos, 0), late, now());
  end if;
  return given;
end $$;

-- Gives these rankings, which are not there yet, a number; as above. Numbers are never used again. Under the board's lock.
create or replace function number_rankings(b uuid, nos integer[], views integer[], periods integer[], groups text[], building boolean)
returns integer language plpgsql volatile as $$
declare
  newest integer; first integer;
  begun integer;
begin
  select r.newest_ranking, r.newest_ranking into newest, first from board_rankings r where r.board_id = b for update;
  with missing as materialized (
    select m.* from unnest(views, periods, groups) m(view_no, period_number, group_key)
  ), allowed as (
    select m.*, row_number() over (partition by m.view_no, m.period_number order by m.group_key)
      + (select count(*) from rankings r where r.board_id = b and r.view_no = m.view_no and r.period_number = m.period_number) as held
    from missing m)
  insert into rankings (board_id, ranking_no, view_no, period_number, group_key, generation, status)
    select b, newest - n.n, n.view_no, n.period_number, n.group_key, newest - n.n,
      case (select v.status from board_views v where v.board_id = b and v.view_no = n.view_no) when 'live' then 'live' else 'building' end
    from (select a.*, row_number() over (order by a.view_no, a.period_number, a.group_key)::integer as n
      from allowed a where a.held <= (select v.most_groups from board_views v where v.board_id = b and v.view_no = a.view_no)) n;
  get diagnostics begun = row_count;
  newest := newest - begun;
  if building then
    update rankings r set next_generation = newest - n.n
      from (select x.ranking_no, row_number() over (order by x.ranking_no desc)::integer as n from rankings x
        where x.board_id = b and x.view_no = any(nos) and x.view_no > 0 and x.next_generation is null and x.status <> 'dropped') n
      where r.board_id = b and r.ranking_no = n.ranking_no;
    get diagnostics begun = row_count;
    newest := newest - begun;
  end if;
  update board_rankings r set newest_ranking = newest where r.board_id = b and r.newest_ranking <> newest;
  return first - newest;
end $$;

-- The parts of states that rulings and rules decide, when the board's own entries have been derived.
create or replace function state_values(b uuid, ids uuid[], kind text, direction text) returns table (
  is_test boolean, identity_id uuid, accepted_count bigint, best_value float8, selected_event_id uuid, value float8)
language sql stable as $$
  with live as (
    -- Events of an import that is under way are counted, and make no value.
    select w.*, row_number() over (partition by w.is_test, w.identity_id, w.waits order by rank_key_of(w.amount, direction), w.seq) as rank
    from (select c.*, c.imported and c.seq > (select r.imported_seq from board_rankings r where r.board_id = b) as waits
      from events_upto(b, ids, 9223372036854775807) c where c.live) w
  ), summed as materialized (
    select l.is_test, l.identity_id, count(*) as accepted_count,
      max(l.amount) filter (where l.rank = 1 and not l.waits) as best_value,
      max(l.id::text) filter (where l.rank = 1 and not l.waits) as best_id
    from live l group by l.is_test, l.identity_id
  ), everyone as (
    select distinct e.is_test, e.identity_id from score_events e where e.board_id = b and e.is_test in (false, true) and e.identity_id = any(ids)
  )
  select i.is_test, i.identity_id, coalesce(s.accepted_count, 0), s.best_value,
    case when kind = 'run_runs' then s.best_id::uuid else v.id end,
    case when kind = 'run_runs' then s.best_value else e.value end
  from everyone i
  cross join lateral (select r.generation from board_rankings r where r.board_id = b limit 1) g
  left join summed s on s.is_test = i.is_test and s.identity_id = i.identity_id
  left join lateral (select x.value, x.event_seq, x.ranked from entries x
    where kind <> 'run_runs' and x.board_id = b and x.generation = g.generation and x.is_test = i.is_test and x.slot = i.identity_id limit 1) e on e.ranked
  left join lateral (select x.id from score_events x where x.board_id = b and x.seq = e.event_seq limit 1) v on true
$$;

-- A ratio board's rankings in which these players' events on either source lie that have a number beyond the given ones; of players with a
-- ruling beyond them, those of all events; and always the board's own. Entries can be nowhere else.
create or replace function ratio_keys(b uuid, nos integer[], rules jsonb, ids uuid[], num_from bigint, den_from bigint) returns table (
  view_no integer, period_number integer, group_key text, is_test boolean, identity_id uuid, ties text, num_no integer, den_no integer)
language sql stable as $$
  with pair as materialized (
    select * from ratio_view_sources(b, array_remove(nos, 0), rules)
  ), source as materialized (
    select (rules ->> 'numerator')::uuid as board_id, num_from as seen, array(select p.num_no from pair p) as nos
    union all
    select (rules ->> 'denominator')::uuid, den_from, array(select p.den_no from pair p)
  ), ruled as materialized (
    select coalesce(r.identity_id, (select v.identity_id from score_events v where v.id = r.event_id and v.board_id = r.board_id limit 1)) as id
    from source x join rulings r on r.board_id = x.board_id and r.seq > x.seen
    where num_from > 0 or den_from > 0
  )
  select 0, 0, '', t.is_test, i.id, rules ->> 'ties', 0, 0 from unnest(ids) i(id) cross join (values (false), (true)) t(is_test) where 0 = any(nos)
  union all
  select distinct p.view_no, k.period_number, k.group_key, t.is_test, i.id, p.ties, p.num_no, p.den_no
  from source x
  cross join unnest(ids) i(id)
  cross join (values (false), (true)) t(is_test)
  cross join lateral (select v.tags, v.country, coalesce(v.occurred_at, v.created_at) as at from score_events v
    where v.board_id = x.board_id and v.is_test = t.is_test and v.identity_id = i.id
      and v.seq > case when i.id in (select r.id from ruled r) then 0 else x.seen end) e
  cross join lateral ranking_keys(x.board_id, x.nos, e.tags, e.country, e.at) k
  join pair p on k.view_no = case when x.board_id = p.num then p.num_no else p.den_no end
  where x.nos <> '{}'
$$;

-- Ratios of these players in the rankings of the sources, by these rules. A player of whom nothing counts, or who is kept off one of the
-- sources, does not live here; one that has not reached a minimum lives and has no value. A ranking that a source has dropped decides
-- nothing any more.
create or replace function derive_ratios(b uuid, nos integer[], rules jsonb, ids uuid[], num_from bigint, den_from bigint)
returns table (
  view_no integer, period_number integer, group_key text, ties text, is_test boolean, identity_id uuid, lives boolean,
  numerator float8, denominator float8, ratio float8, value float8, rank_key float8, value_display text, status text, player_name text,
  metadata jsonb, event_board_id uuid, event_seq bigint, created_at timestamptz, reached_at timestamptz)
language sql stable as $$
  with rule as materialized (
    select (rules ->> 'numerator')::uuid as num, (rules ->> 'denominator')::uuid as den, rules ->> 'zero' as zero,
      (rules ->> 'min_numerator')::float8 as min_numerator, (rules ->> 'min_denominator')::float8 as min_denominator,
      (rules ->> 'scale')::float8 as scale, rules ->> 'display' as display, (rules ->> 'decimals')::integer as decimals, rules ->> 'sort_direction' as direction
  ), pair as materialized (
    select c.*, k.view_no, k.period_number, k.group_key, k.ties, k.is_test, k.identity_id,
      (en.slot is not null or ed.slot is not null)
        and coalesce((select r.effect from rulings r where r.board_id = c.num and r.identity_id = k.identity_id order by r.seq desc limit 1), 'include') = 'include'
        and coalesce((select r.effect from rulings r where r.board_id = c.den and r.identity_id = k.identity_id order by r.seq desc limit 1), 'include') = 'include' as lives,
      coalesce(en.value, 0) as numerator, coalesce(ed.value, 0) as denominator,
      -- The newer of the two events is shown.
      ed.slot is null or vn.at >= vd.at as shows_numerator,
      en.player_name as num_name, ed.player_name as den_name, en.metadata as num_metadata, ed.metadata as den_metadata, en.event_seq as num_seq, ed.event_seq as den_seq,
      case when 'under_review' in (en.status, ed.status) then 'under_review' else 'active' end as status,
      least(en.created_at, ed.created_at) as created_at, greatest(en.updated_at, ed.updated_at) as reached_at
    from rule c
    cross join lateral ratio_keys(b, nos, rules, ids, num_from, den_from) k
    -- Probes of keys by their shape, whatever the planner believes of tables that were empty when the plan was made; `ranked`
    -- is asked outside, or it takes the index of the order.
    left join lateral (select r.generation, r.status from rankings r
      where r.board_id = c.num and r.view_no = k.num_no and r.period_number = k.period_number and r.group_key = k.group_key limit 1) rn on true
    left join lateral (select r.generation, r.status from rankings r
      where r.board_id = c.den and r.view_no = k.den_no and r.period_number = k.period_number and r.group_key = k.group_key limit 1) rd on true
    left join lateral (select * from entries e
      where e.board_id = c.num and e.generation = rn.generation and e.is_test = k.is_test and e.slot = k.identity_id limit 1) en on en.ranked
    left join lateral (select * from entries e
      where e.board_id = c.den and e.generation = rd.generation and e.is_test = k.is_test and e.slot = k.identity_id limit 1) ed on ed.ranked
    left join lateral (select coalesce(v.occurred_at, v.created_at) as at from score_events v where v.board_id = c.num and v.seq = en.event_seq limit 1) vn on true
    left join lateral (select coalesce(v.occurred_at, v.created_at) as at from score_events v where v.board_id = c.den and v.seq = ed.event_seq limit 1) vd on true
    where rn.status is distinct from 'dropped' and rd.status is distinct from 'dropped'
  ), divided as (
    select p.*, case when p.denominator = 0 then 'nan' else ratio_quotient(p.numerator, p.denominator) end as ratio,
      -- Less than nothing out of nothing is no infinity.
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
  select v.view_no, v.period_number, v.group_key, v.ties, v.is_test, v.identity_id, v.lives,
    case when v.lives then v.numerator end, case when v.lives then v.denominator end, case when v.lives then v.ratio end,
    v.value, case when v.endless then '-infinity' else rank_key_of(v.value, v.direction) end,
    case when v.endless then '∞' else ratio_text(case when v.ratio = 'nan' then 0 else v.ratio end, v.display, v.decimals) end,
    v.status, case when v.shows_numerator then v.num_name else v.den_name end,
    case when v.shows_numerator then v.num_metadata else v.den_metadata end,
    case when v.shows_numerator then v.num else v.den end, case when v.shows_numerator then v.num_seq else v.den_seq end,
    v.created_at, v.reached_at
  from valued v
$$;

-- Gives the rankings of these keys that have none yet a number, and each the period that it is of, as the sources have it.
create or replace function begin_ratio_rankings(b uuid, nos integer[], rules jsonb, ids uuid[], num_from bigint, den_from bigint, building boolean, at timestamptz)
returns void language plpgsql volatile as $$
declare
  missing record;
  late uuid[];
begin
  select array_agg(m.view_no) as views, array_agg(m.period_number) as periods, array_agg(m.group_key) as groups into missing from (
    select distinct k.view_no, k.period_number, k.group_key from ratio_keys(b, nos, rules, ids, num_from, den_from) k
    where not exists (select from rankings r
      where r.board_id = b and r.view_no = k.view_no and r.period_number = k.period_number and r.group_key = k.group_key)) m;
  insert into view_periods (board_id, view_no, number, key, starts_at, ends_at)
    select b, s.view_no, p.number, p.key, p.starts_at, p.ends_at
    from ratio_view_sources(b, array_remove(nos, 0), rules) s
    join view_periods p on (p.board_id, p.view_no) in ((s.num, s.num_no), (s.den, s.den_no))
    join unnest(missing.views, missing.periods) m(view_no, number) on m.view_no = s.view_no and m.number = p.number
  on conflict do nothing;
  if missing.views is not null or building then
    perform number_rankings(b, nos, missing.views, missing.periods, missing.groups, building);
    insert into left_out_runs (board_id, view_no, period_number, group_key, identity_id)
      select distinct b, k.view_no, k.period_number, k.group_key, k.identity_id from ratio_keys(b, nos, rules, ids, num_from, den_from) k
      where not exists (select from rankings r
        where r.board_id = b and r.view_no = k.view_no and r.period_number = k.period_number and r.group_key = k.group_key)
    on conflict do nothing;
  end if;
  late := take_in(b, nos, case when num_from = 0 and den_from = 0 and not building then ids else '{}' end);
  if cardinality(late) > 0 then
    perform rederive(b, array_remove(nos, 0), late, at);
  end if;
end $$;

-- The same as derive_events of a ratio board, without the numbers that order equal ratios, and where players have no ratio.
create or replace function ratio_entries(b uuid, nos integer[], rules jsonb, ids uuid[], building boolean, num_from bigint, den_from bigint,
  out targets derived_entry[], out places entry_place[]) language sql stable as $$
  with target as materialized (
    select t.*, case when building then r.next_generation else r.generation end as g
    from derive_ratios(b, nos, rules, ids, num_from, den_from) t
    cross join lateral (select x.* from rankings x
      where x.board_id = b and x.view_no = t.view_no and x.period_number = t.period_number and x.group_key = t.group_key limit 1) r
    where r.status <> 'dropped' and case when building then r.next_generation else r.generation end is not null
  )
  select coalesce(array_agg((n.g, n.is_test, n.identity_id, ratio_id(b, n.identity_id, n.is_test), n.identity_id, n.event_board_id, n.event_seq, n.value,
      n.rank_key, null, true, n.status, n.player_name, n.value_display, n.metadata, n.created_at, n.reached_at)::derived_entry)
      filter (where n.value is not null), '{}'),
    coalesce(array_agg((n.g, n.is_test, n.identity_id)::entry_place) filter (where n.value is null), '{}')
  from target n
$$;

-- Equal ratios stand in the order in which their players reached the sums behind them: by the time of the newer of both, then, in one
-- millisecond, those whose newest event is on the numerator first, by its number. All of it is in the entry and comes from the sources' events
-- alone, so copies and rebuilds have the same order. Numbers leave room for players who come back to a place between two others.
create or replace function equals_apart() returns bigint language sql immutable parallel safe as 'select 65536::bigint';

-- The rankings with these numbers that show the later of equals first.
create or replace function latest_first(b uuid, ties text, numbers integer[]) returns integer[] language sql stable as $$
  select array(
    select g.g from unnest(numbers) g(g)
    join rankings r on r.board_id = b and g.g in (r.generation, r.next_generation)
    left join board_views v on v.board_id = b and v.view_no = r.view_no
    where coalesce(v.tie_policy, ties) = 'latest')
$$;

-- Gives these entries of a ratio board their numbers among equals: those at their place keep theirs, others get one between their neighbours or
-- beyond the last. Where there is no room left between two, all equals get new ones, and are returned, too. Under the board's lock.
create or replace function number_ratios(b uuid, rules jsonb, targets derived_entry[]) returns derived_entry[] language sql stable as $$
  with target as materialized (
    select t.*, t.event_board_id <> (rules ->> 'numerator')::uuid as den,
      t.generation = any((select latest_first(b, rules ->> 'ties', array(select distinct u.generation from unnest(targets) u)))::integer[]) as latest,
      case when p.rank_key = t.rank_key then event_number(p.seq) end as own,
      coalesce((p.rank_key, p.updated_at, p.event_board_id, p.event_seq) = (t.rank_key, t.updated_at, t.event_board_id, t.event_seq), false) as stays
    from unnest(targets) t
    left join lateral (select e.* from entries e
      where e.board_id = b and e.generation = t.generation and e.is_test = t.is_test and e.slot = t.slot limit 1) p on true
  ), spread as (
    -- Joined to nothing else from here on: many players in a round would be compared with one another.
    select t.*, coalesce(event_number(l.seq), 0) as low, event_number(h.seq) as high,
      row_number() over gap as nth, count(*) over (partition by t.stays, t.generation, t.is_test, t.rank_key, coalesce(l.seq, 0)) as n
    from target t
    left join lateral (
      (select e.seq from entries e where not t.stays and not t.latest
        and e.board_id = b and e.generation = t.generation and e.is_test = t.is_test and e.ranked and e.rank_key = t.rank_key
        and (e.updated_at, e.event_board_id <> (rules ->> 'numerator')::uuid, e.event_seq) < (t.updated_at, t.den, t.event_seq)
        order by e.rank_key desc, e.seq desc limit 1)
      union all
      (select e.seq from entries e where not t.stays and t.latest
        and e.board_id = b and e.generation = t.generation and e.is_test = t.is_test and e.ranked and e.rank_key = t.rank_key
        and (e.updated_at, e.event_board_id <> (rules ->> 'numerator')::uuid, e.event_seq) < (t.updated_at, t.den, t.event_seq)
        order by e.rank_key, e.seq limit 1)) l on true
    left join lateral (
      (select e.seq from entries e where not t.stays and not t.latest
        and e.board_id = b and e.generation = t.generation and e.is_test = t.is_test and e.ranked and e.rank_key = t.rank_key
        and e.seq > coalesce(l.seq, 0) order by e.rank_key, e.seq limit 1)
      union all
      (select e.seq from entries e where not t.stays and t.latest
        and e.board_id = b and e.generation = t.generation and e.is_test = t.is_test and e.ranked and e.rank_key = t.rank_key
        and e.seq < coalesce(l.seq, 9007199254740991) order by e.rank_key desc, e.seq desc limit 1)) h on true
    window gap as (partition by t.stays, t.generation, t.is_test, t.rank_key, coalesce(l.seq, 0) order by t.updated_at, t.den, t.event_seq)
  ), numbered as materialized (
    select s.*, not s.stays and s.high - s.low <= s.n as crowded,
      case when s.stays or s.own = s.low and s.nth = 1 or s.own = s.high and s.nth = s.n then s.own
        when s.high is null then s.low + s.nth * equals_apart()
        else s.low + s.nth * ((s.high - s.low) / (s.n + 1)) end as number
    from spread s
  ), crowd as materialized (
    select distinct n.generation, n.is_test, n.rank_key from numbered n where n.crowded
  ), again as materialized (
    select x.generation, x.is_test, x.slot, max(x.number) over (partition by x.generation, x.is_test, x.rank_key)
      + equals_apart() * row_number() over (partition by x.generation, x.is_test, x.rank_key order by x.updated_at, x.den, x.event_seq) as number
    from (
      select t.generation, t.is_test, t.slot, t.rank_key, t.updated_at, t.den, t.event_seq, t.own as number
      from crowd c join numbered t on (t.generation, t.is_test, t.rank_key) = (c.generation, c.is_test, c.rank_key)
      union all
      select e.generation, e.is_test, e.slot, e.rank_key, e.updated_at, e.event_board_id <> (rules ->> 'numerator')::uuid, e.event_seq, event_number(e.seq)
      from crowd c
      cross join lateral (select x.* from entries x
        where x.board_id = b and x.generation = c.generation and x.is_test = c.is_test and x.ranked and x.rank_key = c.rank_key) e
      where (e.generation, e.is_test, e.slot) not in (select t.generation, t.is_test, t.slot from target t)) x
  )
  select array(
    select (t.generation, t.is_test, t.slot, t.id, t.identity_id, t.event_board_id, t.event_seq, t.value, t.rank_key,
      placed_seq(coalesce(a.number, t.number), case when t.latest then 'latest' end), t.ranked, t.status,
      t.player_name, t.value_display, t.metadata, t.created_at, t.updated_at)::derived_entry
    from numbered t
    left join again a on (a.generation, a.is_test, a.slot) = (t.generation, t.is_test, t.slot)
    union all
    select (e.generation, e.is_test, e.slot, e.id, e.identity_id, e.event_board_id, e.event_seq, e.value, e.rank_key,
      placed_seq(a.number, case when event_number(e.seq) <> e.seq then 'latest' end), e.ranked, e.status,
      e.player_name, e.value_display, e.metadata, e.created_at, e.updated_at)::derived_entry
    from again a
    cross join lateral (select x.* from entries x
      where x.board_id = b and x.generation = a.generation and x.is_test = a.is_test and x.slot = a.slot limit 1) e
    where (a.generation, a.is_test, a.slot) not in (select t.generation, t.is_test, t.slot from target t))
$$;

-- Numbers of entries that are being built, until all are there: unlike any other, and none that an entry keeps.
create or replace function unnumbered_ratios(rules jsonb, targets derived_entry[]) returns derived_entry[] language sql stable as $$
  select array(
    select (t.generation, t.is_test, t.slot, t.id, t.identity_id, t.event_board_id, t.event_seq, t.value, t.rank_key,
      - 1 - 2 * t.event_seq - (t.event_board_id = (rules ->> 'numerator')::uuid)::integer, t.ranked, t.status,
      t.player_name, t.value_display, t.metadata, t.created_at, t.updated_at)::derived_entry
    from unnest(targets) t)
$$;

-- Gives all entries of these rankings of a ratio board their numbers among equals.
create or replace function number_built_ratios(b uuid, rules jsonb, numbers integer[]) returns void language sql volatile as $$
  update entries e set seq = placed_seq(x.nth * equals_apart(), case when e.generation = any(latest_first(b, rules ->> 'ties', numbers)) then 'latest' end)
  from (
    select y.generation, y.is_test, y.slot, row_number() over (partition by y.generation, y.is_test, y.rank_key
      order by y.updated_at, y.event_board_id <> (rules -> 'ratio' ->> 'numerator')::uuid, y.event_seq) as nth
    from entries y where y.board_id = b and y.generation = any(numbers) and y.is_test in (false, true)) x
  where e.board_id = b and e.generation = x.generation and e.is_test = x.is_test and e.slot = x.slot
$$;

-- Makes the states of a ratio board what its sources and its own entries say. Answers how many differed.
create or replace function rederive_ratio_states(b uuid, rules jsonb, ids uuid[], at timestamptz) returns bigint language sql volatile as $$
  with target as materialized (
    select t.*, s.known, s.account_id, s.game_id, s.accepted_count, s.last_event_id, s.last_submission_at, s.began_at,
      (select v.id from score_events v where v.board_id = t.event_board_id and v.seq = t.event_seq limit 1) as event_id
    from derive_ratios(b, '{0}', rules, ids, 0, 0) t
    cross join lateral (
      select n.id is not null or d.id is not null as known, coalesce(n.account_id, d.account_id) as account_id, coalesce(n.game_id, d.game_id) as game_id,
        coalesce(n.accepted_count, 0) + coalesce(d.accepted_count, 0) as accepted_count,
        case when d.id is null or n.last_submission_at >= d.last_submission_at then n.last_event_id else d.last_event_id end as last_event_id,
        greatest(n.last_submission_at, d.last_submission_at) as last_submission_at, least(n.created_at, d.created_at) as began_at
      from (select 1) one
      left join lateral (select * from states x where x.board_id = (rules ->> 'numerator')::uuid and x.is_test = t.is_test and x.identity_id = t.identity_id limit 1) n on true
      left join lateral (select * from states x where x.board_id = (rules ->> 'denominator')::uuid and x.is_test = t.is_test and x.identity_id = t.identity_id limit 1) d on true) s
  ), gone as (
    delete from states s where s.ctid = any(array(
      select x.place from target n
      cross join lateral (select v.ctid as place from states v
        where v.board_id = b and v.is_test = n.is_test and v.identity_id = n.identity_id limit 1) x
      where not n.known))
    returning 1
  ), written as (
    insert into states as s (board_id, is_test, identity_id, id, account_id, game_id, submission_count, accepted_count, last_event_id,
        last_submission_at, last_value, selected_event_id, value, numerator, denominator, created_at, updated_at)
      select b, n.is_test, n.identity_id, ratio_id(b, n.identity_id, n.is_test), n.account_id, n.game_id, 0, n.accepted_count, n.last_event_id,
        n.last_submission_at, 0, case when n.value is not null then n.event_id end, n.value, n.numerator, n.denominator, n.began_at, at
      from target n where n.known
    on conflict (board_id, is_test, identity_id) do update set
      accepted_count = excluded.accepted_count, last_event_id = excluded.last_event_id, last_submission_at = excluded.last_submission_at,
      selected_event_id = excluded.selected_event_id, value = excluded.value, numerator = excluded.numerator,
      denominator = excluded.denominator, updated_at = excluded.updated_at
      where (s.accepted_count, s.last_event_id, s.selected_event_id, s.value, s.numerator, s.denominator)
        is distinct from (excluded.accepted_count, excluded.last_event_id, excluded.selected_event_id, excluded.value, excluded.numerator, excluded.denominator)
    returning 1)
  select (select count(*) from gone) + (select count(*) from written)
$$;

-- The same of the states of a board with events.
create or replace function rederive_event_states(b uuid, rules jsonb, ids uuid[], at timestamptz) returns bigint language sql volatile as $$
  -- Materialized: joined, by statistics of a table with one row, they were computed anew for each state of the board.
  with target as materialized (
    select * from state_values(b, ids, rules ->> 'board_type', rules ->> 'sort_direction')
  ), written as (
    update states s set accepted_count = t.accepted_count, best_value = t.best_value,
      selected_event_id = t.selected_event_id, value = t.value, updated_at = at
    from target t
    where s.board_id = b and s.is_test = t.is_test and s.identity_id = t.identity_id
      and (s.accepted_count, s.best_value, s.selected_event_id, s.value)
        is distinct from (t.accepted_count, t.best_value, t.selected_event_id, t.value)
    returning 1)
  select count(*) from written
$$;

-- Makes entries and trees of these players in these views' rankings (0: the board's own, with the states) what events, rulings and sources say:
-- in those that are served or, where `building`, those of the build under way, by its rules. On a ratio board only in rankings of views where
-- events or rulings beyond the given numbers lie; 0: everywhere. Answers how many entries and states differed.
create or replace function rederive_rankings(b uuid, nos integer[], ids uuid[], at timestamptz, building boolean, num_from bigint, den_from bigint)
returns bigint language plpgsql volatile as $$
declare
  ranking board_rankings;
  rules jsonb; ratios boolean;
  targets derived_entry[]; places entry_place[];
  changed bigint; seen boolean; planted boolean;
begin
  if cardinality(ids) = 0 or cardinality(nos) = 0 then
    return 0;
  end if;
  select * into ranking from board_rankings r where r.board_id = b for update;
  rules := case when building then ranking.build else served_rules(ranking) end;
  rules := rules || case when jsonb_typeof(rules -> 'ratio') = 'object' then rules -> 'ratio' else '{}' end;
  ratios := rules ->> 'board_type' = 'ratio';
  planted := not building or ranking.build ->> 'phase' <> 'entries';
  if ratios then
    if ranking.newest_view > 0 then
      perform begin_ratio_rankings(b, nos, rules, ids, num_from, den_from, building, at);
    end if;
    select r.targets, r.places into targets, places from ratio_entries(b, nos, rules, ids, building, num_from, den_from) r;
    targets := case when planted then number_ratios(b, rules, targets) else unnumbered_ratios(rules, targets) end;
  else
    if ranking.newest_view > 0 then
      perform stamp_platforms(b, nos, ids);
      perform stamp_player_tags(b, nos, ids);
      perform begin_rankings(b, nos, ids, (rules ->> 'imported')::bigint, building);
    end if;
    targets := array(select d from derive_events(b, nos, ids, rules ->> 'board_type', rules ->> 'sort_direction', rules ->> 'keep_strategy', rules ->> 'ties',
      (rules ->> 'imported')::bigint, building) d);
    places := array(select p from event_places(b, nos, ids, rules ->> 'board_type', building) p);
  end if;
  changed := agree_entries(b, targets, places, planted);
  if not building and 0 = any(nos) then
    changed := changed + case when ratios then rederive_ratio_states(b, rules, ids, at) else rederive_event_states(b, rules, ids, at) end;
  end if;
  -- Writers that follow what is built have it in their caches, too.
  seen := changed > 0 and (not building or ranking.build ->> 'phase' = 'follow');
  if seen or ratios and changed > 0 then
    -- A ratio board has no events of its own: its sequence counts changes.
    update board_rankings r set seq = r.seq + case when ratios then changed else 0 end, last_event_at = case when ratios then at else r.last_event_at end,
        version = r.version + case when seen then 1 else 0 end, derived_version = case when seen then r.version + 1 else r.derived_version end
      where r.board_id = b;
  end if;
  return changed;
end $$;

-- The same in those of these views' rankings (null: all) that have to follow what changes: those that are served, and those that are about to be.
create or replace function rederive(b uuid, nos integer[], ids uuid[], at timestamptz) returns bigint language plpgsql volatile as $$
declare
  follows boolean;
begin
  select coalesce(r.build ->> 'phase' = 'follow', false) into follows from board_rankings r where r.board_id = b for update;
  return rederive_rankings(b, array(select n from unnest(served_views(b)) n where nos is null or n = any(nos)), ids, at, false, 0, 0)
    + case when follows then rederive_rankings(b, array(select n from unnest(built_views(b)) n where nos is null or n = any(nos)), ids, at, true, 0, 0) else 0 end;
end $$;

create or replace function rederive(b uuid, ids uuid[], at timestamptz) returns bigint language sql volatile as $$
  select rederive(b, null::integer[], ids, at)
$$;

-- One round of a ratio board: takes what both sources have beyond the marks, some events at a time. The ids are read before
-- the sums, so sums are never older than the marks that are stored with them; both sums are of one instant.
-- Answers how many entries and states changed and whether more is to be had.
create or replace function follow_ratio(b uuid, at timestamptz, most integer) returns table (changed bigint, behind boolean) language plpgsql volatile as $$
declare
  ranking board_rankings;
  news record;
begin
  changed := 0; behind := false;
  select * into ranking from board_rankings r where r.board_id = b for update;
  if ranking.board_type = 'ratio' and ranking.ratio is not null then
    select * into news from ratio_news(ranking.ratio, ranking.numerator_seq, ranking.denominator_seq, most);
    if news.num_seq > ranking.numerator_seq or news.den_seq > ranking.denominator_seq then
      changed := rederive_rankings(b, served_views(b), news.ids, at, false, ranking.numerator_seq, ranking.denominator_seq);
      update board_rankings r set numerator_seq = news.num_seq, denominator_seq = news.den_seq where r.board_id = b;
    end if;
    behind := news.behind;
  end if;
  return next;
end $$;

create or replace function settle_ratio_player(b uuid, i uuid, at timestamptz) returns boolean language plpgsql volatile as $$
declare
  ranking board_rankings;
begin
  select * into ranking from board_rankings r where r.board_id = b for update;
  return ranking.ratio is not null and rederive(b, array[i], at) > 0;
end $$;

-- A board's production ranking by other rules, without changing anything: entries now and then, how many of
-- those then would stand at another rank than the same event does now, or do not stand now, and the first places of both.
create or replace function preview_rules(b uuid, kind text, direction text, strategy text, places integer)
returns table (entries_now bigint, entries_then bigint, moved bigint, podium_now jsonb, podium_then jsonb) language sql stable as $$
  with ranking as materialized (
    select r.* from board_rankings r where r.board_id = b
  ), present as materialized (
    select e.event_seq, e.event_board_id, e.identity_id, e.player_name, e.value, e.value_display, e.rank_key, e.seq,
      row_number() over (order by e.rank_key, e.seq) as rank
    from ranking r join entries e on e.board_id = b and e.generation = r.generation and not e.is_test and e.ranked
  ), derived as (
    -- One value of each player stays what it is: only the order is another.
    select p.event_seq, p.event_board_id, p.identity_id, p.player_name, p.value, p.value_display, p.seq,
      case when p.rank_key = '-infinity' then p.rank_key else rank_key_of(p.value, direction) end as rank_key
    from present p, ranking r
    where r.keep_strategy = strategy and strategy <> 'best'
    union all
    select d.event_seq, null, d.identity_id, d.player_name, d.value, d.value_display, d.seq, d.rank_key
    from ranking r
    cross join lateral derive_events(b, '{0}', array(select s.identity_id from states s where s.board_id = b and not s.is_test), kind, direction, strategy,
      r.tie_policy, r.imported_seq, false) d
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
