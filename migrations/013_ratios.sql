-- Ratio boards: the ratio of two counter boards of a game, for each player. They pull: board_rankings remembers how far
-- both sources' sequences were read, and a round takes what lies beyond. No queue, so nothing can be lost in one; after a
-- crash the next round goes on, and several processes may try.

create table ratio_configs (
  id                       uuid primary key,
  board_id                 uuid not null constraint ratio_configs_board unique references boards (id),
  numerator_board_id       uuid not null references boards (id),
  denominator_board_id     uuid not null references boards (id),
  zero_denominator_policy  text not null constraint ratio_configs_policy check (zero_denominator_policy in ('null', 'zero', 'infinity')),
  min_numerator            float8 not null constraint ratio_configs_min_numerator check (min_numerator > '-infinity' and min_numerator < 'infinity'),
  min_denominator          float8 not null constraint ratio_configs_min_denominator check (min_denominator > '-infinity' and min_denominator < 'infinity'),
  scale                    float8 not null constraint ratio_configs_scale check (scale > 0 and scale < 'infinity'),
  display                  text not null constraint ratio_configs_display check (display in ('raw', 'percent')),
  decimals                 integer not null constraint ratio_configs_decimals check (decimals between 0 and 6),
  created_at               timestamptz(3) not null,
  updated_at               timestamptz(3) not null,
  constraint ratio_configs_sources check (numerator_board_id <> denominator_board_id)
);
create index ratio_configs_numerator on ratio_configs (numerator_board_id);
create index ratio_configs_denominator on ratio_configs (denominator_board_id);

-- The configuration that the served generation was made by, as ratio_rules writes it; null: nothing is served yet.
alter table board_rankings add column ratio jsonb;

-- An entry of a ratio board shows an event of one of its sources; null: of its own board.
alter table entries add column event_board_id uuid;

-- Which number of the ratio board's sequence a player's ratio was reached by: decides among equal ratios. Apart from the
-- entry, because it outlives it: whoever is deleted and restored, or falls below a minimum, comes back to the same place.
create table ratio_places (
  board_id     uuid not null,
  generation   integer not null,
  is_test      boolean not null,
  identity_id  uuid not null,
  -- Unscaled; NaN: the denominator is zero.
  ratio        float8 not null,
  seq          bigint not null,
  reached_at   timestamptz(3) not null,
  -- The numbers on both sources that the two sums were reached by; 0: there is none.
  numerator_seq    bigint not null,
  denominator_seq  bigint not null,
  primary key (board_id, generation, is_test, identity_id)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 2, autovacuum_vacuum_cost_limit = 100);

-- Places that flagged players had: when a review is taken back, the sums are again those of the same numbers, and the
-- player comes back to the place it had with them. Playing on, numbers only grow, so nobody else ever finds one here.
create table ratio_places_former (
  board_id         uuid not null,
  is_test          boolean not null,
  identity_id      uuid not null,
  ratio            float8 not null,
  numerator_seq    bigint not null,
  denominator_seq  bigint not null,
  seq              bigint not null,
  reached_at       timestamptz(3) not null,
  primary key (board_id, is_test, identity_id, ratio, numerator_seq, denominator_seq)
);

create function ratio_rules(b uuid) returns jsonb language sql stable as $$
  select jsonb_build_object(
    'numerator', c.numerator_board_id, 'denominator', c.denominator_board_id, 'zero', c.zero_denominator_policy,
    'min_numerator', c.min_numerator, 'min_denominator', c.min_denominator,
    'scale', c.scale, 'display', c.display, 'decimals', c.decimals)
  from ratio_configs c where c.board_id = b
$$;

-- The two below work where a result leaves the range of numbers, too: it becomes the last number of the range, or 0. Only
-- numbers that may do so pay for the block that catches it.
create function far_product(x float8, y float8, divide boolean) returns float8 language plpgsql immutable parallel safe as $$
begin
  return case when divide then x / y else x * y end;
exception when numeric_value_out_of_range then
  return case
    when divide and abs(x) < abs(y) or not divide and abs(x) < 1 and abs(y) < 1 then 0
    else 1.7976931348623157e308 * sign(x) * sign(y) end;
end $$;

create function ratio_quotient(n float8, d float8) returns float8 language sql immutable parallel safe as $$
  select case
    when n = 0 then 0
    when abs(n) between 1e-150 and 1e150 and abs(d) between 1e-150 and 1e150 then n / d
    else far_product(n, d, true) end
$$;

create function ratio_product(r float8, factor float8) returns float8 language sql immutable parallel safe as $$
  select case
    when r = 0 then 0
    when abs(r) between 1e-150 and 1e150 and factor between 1e-150 and 1e150 then r * factor
    else far_product(r, factor, false) end
$$;

-- A ratio as people read it. Rounded as the decimal number it is written as: 1.005 is 1.01.
create function ratio_text(r float8, display text, decimals integer) returns text language sql immutable parallel safe as $$
  select case
      when abs(r) < 1e15 then round(r::numeric * case display when 'percent' then 100 else 1 end, decimals)::text
      else ratio_product(r, case display when 'percent' then 100 else 1 end)::text end
    || case display when 'percent' then '%' else '' end
$$;

-- The id of a player's score and state on a ratio board. It comes from no event, so it is made from what it stands for:
-- the same whenever it is derived again. It keeps the time and version digits of the player's id.
create function ratio_id(b uuid, i uuid, t boolean) returns uuid language sql immutable parallel safe as $$
  select (substr(x.player, 1, 13) || substr(x.hash, 1, 3) || substr(x.player, 17, 1) || substr(x.hash, 4, 15))::uuid
  from (select replace(i::text, '-', '') as player, md5(b::text || i::text || t::text) as hash) x
$$;

-- What the sources make of these players, by these rules. A player of whom nothing counts, or who is kept off one of the
-- sources, does not live here; one that has not reached a minimum lives and has no value. A row for each player and population,
-- also for those that the sources do not know.
create function derive_ratios(rules jsonb, direction text, ids uuid[]) returns table (
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
      coalesce(en.seq, 0) as num_reached, coalesce(ed.seq, 0) as den_reached,
      -- The newer of the two events is shown.
      ed.slot is null or vn.created_at >= vd.created_at as shows_numerator,
      en.player_name as num_name, ed.player_name as den_name, en.metadata as num_metadata, ed.metadata as den_metadata, en.event_seq as num_seq, ed.event_seq as den_seq, vn.id as num_event, vd.id as den_event,
      case when 'under_review' in (en.status, ed.status) then 'under_review' else 'active' end as status,
      least(en.created_at, ed.created_at) as created_at, greatest(en.updated_at, ed.updated_at) as reached_at
    from source c
    cross join unnest(ids) i(id)
    cross join (values (false), (true)) p(is_test)
    -- Probes of keys by their shape, whatever the planner believes of tables that were empty when the plan was made; `ranked`
    -- is asked outside, or it takes the index of the order.
    left join lateral (select * from states s where s.board_id = c.num and s.is_test = p.is_test and s.identity_id = i.id limit 1) sn on true
    left join lateral (select * from states s where s.board_id = c.den and s.is_test = p.is_test and s.identity_id = i.id limit 1) sd on true
    left join lateral (select * from entries e
      where e.board_id = c.num and e.generation = c.num_generation and e.is_test = p.is_test and e.slot = i.id and sn.id is not null limit 1) en on en.ranked
    left join lateral (select * from entries e
      where e.board_id = c.den and e.generation = c.den_generation and e.is_test = p.is_test and e.slot = i.id and sd.id is not null limit 1) ed on ed.ranked
    left join lateral (select v.id, v.created_at from score_events v where v.board_id = c.num and v.seq = en.event_seq limit 1) vn on true
    left join lateral (select v.id, v.created_at from score_events v where v.board_id = c.den and v.seq = ed.event_seq limit 1) vd on true
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

-- Makes entries, places and tree of these players in one generation of a ratio board what its sources say now; of the
-- served one the states, too. Answers how many entries and states differed.
create function rederive_ratio(b uuid, g integer, ids uuid[], at timestamptz) returns bigint language plpgsql volatile as $$
declare
  ranking board_rankings;
  serves boolean; planted boolean;
  rules jsonb; direction text;
  changed bigint := 0; numbered bigint := 0; states_changed bigint := 0;
  moves record;
begin
  select * into ranking from board_rankings r where r.board_id = b for update;
  serves := ranking.generation = g;
  rules := case when serves then ranking.ratio else ranking.build -> 'ratio' end;
  direction := case when serves then ranking.sort_direction else ranking.build ->> 'sort_direction' end;
  -- A generation under construction gets its tree when its entries are there.
  planted := serves or ranking.build ->> 'phase' <> 'entries';

  for moves in
    with target as materialized (
      select * from derive_ratios(rules, direction, ids)
    ), placed as materialized (
      -- A place goes over into the generation under construction with the ratio that it was reached with.
      select t.*, p.ratio as old_ratio, p.numerator_seq as old_numerator, p.denominator_seq as old_denominator, p.seq as old_place, p.reached_at as old_at,
        coalesce((p.ratio, p.numerator_seq, p.denominator_seq) = (t.ratio, t.numerator_seq, t.denominator_seq), false) as stands,
        case when f.seq is not null then f.seq when p.ratio = t.ratio then p.seq when q.ratio = t.ratio then q.seq end as place,
        case when f.seq is not null then f.reached_at when p.ratio = t.ratio then p.reached_at when q.ratio = t.ratio then q.reached_at end as place_at
      from target t
      left join lateral (select * from ratio_places r
        where r.board_id = b and r.generation = g and r.is_test = t.is_test and r.identity_id = t.identity_id limit 1) p on true
      left join lateral (select * from ratio_places r
        where not serves and r.board_id = b and r.generation = ranking.generation and r.is_test = t.is_test and r.identity_id = t.identity_id limit 1) q on true
      left join lateral (select * from ratio_places_former r
        where r.board_id = b and r.is_test = t.is_test and r.identity_id = t.identity_id and r.ratio = t.ratio
          and r.numerator_seq = t.numerator_seq and r.denominator_seq = t.denominator_seq
          and (p.ratio, p.numerator_seq, p.denominator_seq) is distinct from (t.ratio, t.numerator_seq, t.denominator_seq) limit 1) f on true
    ), numbered as materialized (
      select p.*, p.lives and p.place is null as is_new,
        coalesce(p.place, ranking.seq + count(*) filter (where p.lives and p.place is null)
          over (order by p.reached_at, p.event_seq, p.identity_id, p.is_test rows unbounded preceding)) as seq,
        coalesce(p.place_at, p.reached_at) as updated_at
      from placed p
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
      -- By place: as a join it may be planned as a walk of the whole board for each of them.
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
        is distinct from (t.event_board_id, t.event_seq, t.value, t.rank_key, t.seq, t.status, t.player_name, t.value_display, t.metadata, t.created_at, t.updated_at))
    ), written as (
      insert into entries as e (board_id, generation, is_test, slot, id, identity_id, event_board_id, event_seq, value, rank_key, seq, ranked,
          status, player_name, value_display, metadata, created_at, updated_at)
        select b, g, d.is_test, d.identity_id, ratio_id(b, d.identity_id, d.is_test), d.identity_id, d.event_board_id, d.event_seq, d.value,
          d.rank_key, d.seq, true, d.status, d.player_name, d.value_display, d.metadata, d.created_at, d.updated_at
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
          last_submission_at, last_value, recent, selected_event_id, value, numerator, denominator, created_at, updated_at)
        select b, n.is_test, n.identity_id, ratio_id(b, n.identity_id, n.is_test), n.account_id, n.game_id, 0, n.accepted_count, n.last_event_id,
          n.last_submission_at, 0, '', case when n.value is not null then n.event_id end, n.value, n.numerator, n.denominator, n.began_at, at
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
      union all select is_test, rank_key, seq, 1 from different
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

-- Makes entries, tree and states of these identities what events and rulings say: a ratio board's from its sources, every
-- other's from its own. Under the board's lock. Answers how many entries and states differed.
create function rederive(b uuid, g integer, ids uuid[], at timestamptz) returns bigint language plpgsql volatile as $$
declare
  kind text;
begin
  select r.board_type into kind from board_rankings r where r.board_id = b for update;
  return case kind when 'ratio' then rederive_ratio(b, g, ids, at) else rederive_events(b, g, ids, at) end;
end $$;

-- The next players after one, that a board's entries or states may be about.
create function next_identities(b uuid, after uuid, most integer) returns uuid[] language sql stable as $$
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

-- Whom the sources have news about beyond these numbers, some events at a time, and which numbers that goes up to.
create function ratio_news(rules jsonb, num_from bigint, den_from bigint, most integer)
returns table (ids uuid[], num_seq bigint, den_seq bigint, behind boolean) language sql stable as $$
  with source as materialized (
    select r.board_id, f.seen, least(r.seq, f.seen + most) as upto, r.seq, f.field
    from (values ('numerator', num_from), ('denominator', den_from)) f(field, seen)
    join board_rankings r on r.board_id = (rules ->> f.field)::uuid
  )
  select array(
      select e.identity_id from source x join score_events e on e.board_id = x.board_id and e.seq > x.seen and e.seq <= x.upto
      union
      select coalesce(r.identity_id, (select v.identity_id from score_events v where v.id = r.event_id and v.board_id = r.board_id limit 1))
        from source x join rulings r on r.board_id = x.board_id and r.seq > x.seen and r.seq <= x.upto),
    max(s.upto) filter (where s.field = 'numerator'), max(s.upto) filter (where s.field = 'denominator'), bool_or(s.upto < s.seq)
  from source s
$$;

-- One round of a ratio board: takes what both sources have beyond the marks, some events at a time. The ids are read before
-- the sums, so sums are never older than the marks that are stored with them; both sums are of one instant.
-- Answers how many entries and states changed and whether more is to be had.
create function pull_ratio(b uuid, at timestamptz, most integer) returns table (changed bigint, behind boolean) language plpgsql volatile as $$
declare
  ranking board_rankings;
  news record;
begin
  changed := 0; behind := false;
  select * into ranking from board_rankings r where r.board_id = b for update;
  if ranking.board_type = 'ratio' and ranking.ratio is not null then
    select * into news from ratio_news(ranking.ratio, ranking.numerator_seq, ranking.denominator_seq, most);
    if news.num_seq > ranking.numerator_seq or news.den_seq > ranking.denominator_seq then
      changed := rederive_ratio(b, ranking.generation, news.ids, at);
      update board_rankings r set numerator_seq = news.num_seq, denominator_seq = news.den_seq where r.board_id = b;
    end if;
    behind := news.behind;
  end if;
  return next;
end $$;

-- A player was taken off the sources or came back to them: their ratio boards, deleted ones too, follow before that is answered.
create function ratios_to_settle(i uuid) returns uuid[] language sql stable as $$
  select array(
    select c.board_id from identities x join boards b on b.game_id = x.game_id join ratio_configs c on c.board_id = b.id
    where x.id = i order by c.board_id)
$$;

create function settle_ratio(b uuid, i uuid, at timestamptz) returns boolean language plpgsql volatile as $$
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

-- What is wrong between a ratio board and its sources, of the next players after one; nothing is told of players whose news
-- the board has yet to take.
create function verify_ratios(b uuid, after uuid, most integer) returns table (upto uuid, faults text[]) language sql stable as $$
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

-- As in 006_verify.sql; the event an entry shows may be another board's.
create or replace function verify_rank_range(b uuid, g integer, t boolean, from_key float8, from_seq bigint)
returns table (next_key float8, next_seq bigint, entries_seen bigint, faults text[]) language plpgsql stable as $$
declare
  node rank_runs;
  upper_key float8 := 'nan'; upper_seq bigint := 0;
begin
  faults := '{}'; entries_seen := 0;
  select * into node from rank_runs r
    where r.board_id = b and r.generation = g and r.is_test = t and (r.lo_key, r.lo_seq) >= (from_key, from_seq)
    order by r.lo_key, r.lo_seq limit 1;
  if not found then
    if from_key = '-infinity' then
      select count(*) into entries_seen from entries where board_id = b and generation = g and is_test = t and ranked;
      if entries_seen > 0 then
        faults := array[format('%s ranked entries and no tree', entries_seen)];
      end if;
    end if;
    return next; return;
  end if;
  select r.lo_key, r.lo_seq into next_key, next_seq from rank_runs r
    where r.board_id = b and r.generation = g and r.is_test = t and (r.lo_key, r.lo_seq) > (node.lo_key, node.lo_seq)
    order by r.lo_key, r.lo_seq limit 1;
  if found then
    upper_key := next_key; upper_seq := next_seq;
  end if;

  with leaves as (
    select u.i, u.lo_key, u.lo_seq, node.sums[u.i + 1] - node.sums[u.i] as n,
      coalesce(lead(u.lo_key) over w, upper_key) as hi_key, coalesce(lead(u.lo_seq) over w, upper_seq) as hi_seq
    from unnest(node.lo_keys, node.lo_seqs) with ordinality u(lo_key, lo_seq, i)
    window w as (order by u.i)
  ), counted as (
    select l.*, (select count(*) from entries e where e.board_id = b and e.generation = g and e.is_test = t and e.ranked
      and (e.rank_key, e.seq) >= (l.lo_key, l.lo_seq) and (e.rank_key, e.seq) < (l.hi_key, l.hi_seq)) as held
    from leaves l
  )
  select coalesce(sum(c.held), 0),
    faults
    || coalesce(array_agg(format('leaf (%s, %s) counts %s of %s entries', c.lo_key, c.lo_seq, c.n, c.held)) filter (where c.n is distinct from c.held), '{}')
    || coalesce(array_agg(format('leaf (%s, %s) is out of order', c.lo_key, c.lo_seq)) filter (where (c.lo_key, c.lo_seq) >= (c.hi_key, c.hi_seq)), '{}')
    into entries_seen, faults
  from counted c;
  if (node.lo_keys[1], node.lo_seqs[1]) is distinct from (node.lo_key, node.lo_seq) then
    faults := faults || format('run (%s, %s) does not begin with its first leaf', node.lo_key, node.lo_seq);
  end if;
  if node.sums[1] <> 0 or cardinality(node.sums) <> cardinality(node.lo_keys) + 1 or cardinality(node.lo_seqs) <> cardinality(node.lo_keys) then
    faults := faults || format('run (%s, %s) has arrays that do not fit together', node.lo_key, node.lo_seq);
  end if;

  faults := faults || array(
    select case
        when v.id is null then format('entry %s shows an event that is not there', e.id)
        when v.identity_id <> e.identity_id then format('entry %s shows an event of another identity', e.id)
        when v.metadata is distinct from e.metadata then format('entry %s shows metadata that its event does not have', e.id)
        when e.rank_key <> rank_key_of(e.value, r.sort_direction) then format('entry %s has value %s and rank key %s', e.id, e.value, e.rank_key)
        when i.id is null then format('entry %s belongs to an identity that is not there', e.id)
        else format('entry %s has no state', e.id) end
    from entries e
    join board_rankings r on r.board_id = b
    left join score_events v on v.board_id = coalesce(e.event_board_id, b) and v.seq = e.event_seq
    left join identities i on i.id = e.identity_id
    left join states s on s.board_id = b and s.is_test = e.is_test and s.identity_id = e.identity_id
    where e.board_id = b and e.generation = g and e.is_test = t and e.ranked
      and (e.rank_key, e.seq) >= (node.lo_key, node.lo_seq) and (e.rank_key, e.seq) < (upper_key, upper_seq)
      and (v.id is null or v.identity_id <> e.identity_id or v.metadata is distinct from e.metadata or i.id is null or s.id is null
        or (r.generation = g and r.board_type <> 'ratio' and e.rank_key <> rank_key_of(e.value, r.sort_direction)))
    order by e.rank_key, e.seq limit 100);
  return next;
end $$;
