-- Leagues (docs/decisions/leagues.md): seats, cohorts, and the close of a period in ranges of cohorts.

-- How many of a cohort move up and down. With fewer players than its size: in proportion, halves upwards; promotion wins, and nobody moves
-- twice. The top tier promotes nobody, the lowest and late cohorts demote nobody.
create or replace function league_lines(tiers integer, tier integer, size integer, promote integer, demote integer, scored integer,
  is_late boolean)
returns table (up integer, down integer) language sql immutable parallel safe rows 1 as $$
  select u.up, least(case when tier <= 1 or is_late then 0 else (2 * demote * least(scored, size) + size) / (2 * size) end, scored - u.up)
  from (select case when tier >= tiers then 0 else least(scored, (2 * promote * least(scored, size) + size) / (2 * size)) end as up) u
$$;

-- The tier after a period. `place` among `scored` players, null: no score; `idle` counts this period, too.
create or replace function league_next_tier(tier integer, place bigint, scored integer, up integer, down integer, idle integer,
  idle_periods integer)
returns integer language sql immutable parallel safe as $$
  select case when place <= up then tier + 1 when place > scored - down then tier - 1
    when place is null and idle > idle_periods then greatest(tier - 1, 1) else tier end
$$;

-- What cohorts of a period would be given if they closed now: the close writes these rows, and a running cohort shows them. A score of zero
-- where more is better is none.
create or replace function league_results(b uuid, no integer, nth integer, test boolean, cohorts_of smallint[], cohorts integer[])
returns table (tier smallint, cohort integer, place smallint, identity_id uuid, value double precision, next_tier smallint, idle smallint)
language sql stable as $$
  with wanted as (
    select c.tier, c.cohort, c.is_late, k.generation, r.sort_direction, jsonb_array_length(p.tiers) as tiers,
      (t.rule ->> 'size')::integer as size,
      (t.rule ->> 'promote')::integer as promote, (t.rule ->> 'demote')::integer as demote, p.idle_periods,
        p.equal_values = 'together' as together
    from unnest(cohorts_of, cohorts) u(tier, cohort)
    join league_cohorts c on c.board_id = b and c.view_no = no and c.period_number = nth and c.is_test = test and c.tier = u.tier
      and c.cohort = u.cohort
    join league_periods p on p.board_id = b and p.view_no = no and p.period_number = nth
    join board_rankings r on r.board_id = b
    left join rankings k on k.board_id = b and k.view_no = no and k.period_number = nth and k.group_key = c.tier || '.' || c.cohort
      and k.status = 'live'
    cross join lateral (select p.tiers -> c.tier - 1 as rule offset 0) t
  ), seated as (
    select w.*, s.identity_id, e.value, e.rank_key, e.seq, x.scored, case when x.scored then 0 else s.idle + 1 end as idle
    from wanted w
    join league_seats s on s.board_id = b and s.view_no = no and s.period_number = nth and s.is_test = test and s.tier = w.tier
      and s.cohort = w.cohort
    left join entries e on e.board_id = b and e.generation = w.generation and e.is_test = test and e.slot = s.identity_id and e.ranked
    cross join lateral (select e.value is not null and (e.value <> 0 or w.sort_direction = 'asc') as scored) x
  ), placed as (
    select s.*, row_number() over (o rows unbounded preceding) as place,
      rank() over (partition by s.tier, s.cohort order by s.scored desc, s.rank_key) as first_of_equals,
      (count(*) filter (where s.scored) over (partition by s.tier, s.cohort))::integer as n
    from seated s window o as (partition by s.tier, s.cohort order by s.scored desc, s.rank_key, s.seq, s.identity_id)
  )
  select p.tier, p.cohort, p.place::smallint, p.identity_id, p.value,
    league_next_tier(p.tier, case when p.scored then case when p.together then p.first_of_equals else p.place end end,
      p.n, l.up, l.down, p.idle, p.idle_periods)::smallint,
    p.idle::smallint
  from placed p cross join lateral league_lines(p.tiers, p.tier, p.size, p.promote, p.demote, p.n, p.is_late) l
$$;

-- Closes these cohorts of a period that has ended, once; those that another transaction is closing are left to it.
create or replace function close_cohorts(b uuid, no integer, nth integer, test boolean, cohorts_of smallint[], cohorts integer[],
  at timestamptz)
-- Planning it for each range would cost more than a range of ten cohorts.
returns bigint language plpgsql volatile set plan_cache_mode = force_generic_plan as $$
declare
  upto bigint := (select r.seq from board_rankings r where r.board_id = b);
  closed bigint;
begin
  select array_agg(x.tier), array_agg(x.cohort) into cohorts_of, cohorts from (
    select c.tier, c.cohort from unnest(cohorts_of, cohorts) u(tier, cohort)
    join league_cohorts c on c.board_id = b and c.view_no = no and c.period_number = nth and c.is_test = test and c.tier = u.tier
      and c.cohort = u.cohort
    where c.closed_at is null order by c.tier, c.cohort for update of c skip locked) x;
  insert into league_outcomes (board_id, view_no, period_number, is_test, tier, cohort, place, identity_id, value, next_tier, idle)
    select b, no, nth, test, r.tier, r.cohort, r.place, r.identity_id, r.value, r.next_tier, r.idle
    from league_results(b, no, nth, test, cohorts_of, cohorts) r order by r.tier, r.cohort, r.place;
  update league_cohorts c set closed_at = at, closed_seq = upto, is_open = false
    from unnest(cohorts_of, cohorts) u(tier, cohort)
    where c.board_id = b and c.view_no = no and c.period_number = nth and c.is_test = test and c.tier = u.tier and c.cohort = u.cohort;
  get diagnostics closed = row_count;
  return closed;
end $$;

-- Periods of leagues to close, in the order in which they ended; of a league the earliest.
create or replace function leagues_to_close(at timestamptz) returns table (board_id uuid, view_no integer, period_number integer,
  settles_at timestamptz)
language sql stable as $$
  select distinct on (l.board_id, l.view_no) l.board_id, l.view_no, l.period_number, p.ends_at + l.settle_seconds * interval '1 second'
  from league_periods l join view_periods p on p.board_id = l.board_id and p.view_no = l.view_no and p.number = l.period_number
  where l.closed_at is null and p.ends_at <= at
  order by l.board_id, l.view_no, l.period_number
$$;

-- Takes no seat and no run into a period that is over, once. Board, then period, as every writer locks them. A transaction of its own, so that
-- submissions wait for nothing else.
create or replace function end_league(b uuid, no integer, nth integer, at timestamptz) returns void language plpgsql volatile as $$
declare
  ends timestamptz := (select p.ends_at from view_periods p where p.board_id = b and p.view_no = no and p.number = nth and p.ends_at <= at);
begin
  if not exists (select from league_periods l where l.board_id = b and l.view_no = no and l.period_number = nth and l.ended_at is null) then
    return;
  end if;
  perform from board_rankings r where r.board_id = b for update;
  update league_periods l set ended_at = at
    where l.board_id = b and l.view_no = no and l.period_number = nth and l.ended_at is null and ends is not null;
  if found then
    perform end_ranking(b, ends);
  end if;
end $$;

-- It has ended and settled, and the periods before it are closed.
create or replace function league_is_due(b uuid, no integer, nth integer, at timestamptz) returns boolean language sql stable as $$
  select exists (select from league_periods l join view_periods p on p.board_id = b and p.view_no = no and p.number = nth
    where l.board_id = b and l.view_no = no and l.period_number = nth and l.ended_at is not null and l.closed_at is null
      and p.ends_at + l.settle_seconds * interval '1 second' <= at)
  and not exists (select from league_periods l where l.board_id = b and l.view_no = no and l.period_number < nth and l.closed_at is null)
$$;

-- Closes the next range of cohorts after a place, in their order, and returns the last one looked at; null: there are no more. The period
-- is closed with the range that finds none open.
create or replace function close_league(b uuid, no integer, nth integer, at timestamptz, most integer, inout test boolean,
  inout tier_no smallint, inout cohort_no integer,
  out closed bigint) language plpgsql volatile as $$
declare
  tiers smallint[];
  numbers integer[];
  populations boolean[];
begin
  closed := 0;
  if not league_is_due(b, no, nth, at) then
    test := null;
    return;
  end if;
  select array_agg(x.tier), array_agg(x.cohort), array_agg(x.is_test) into tiers, numbers, populations from (
    select c.is_test, c.tier, c.cohort from league_cohorts c
    where c.board_id = b and c.view_no = no and c.period_number = nth and (c.is_test, c.tier, c.cohort) > (close_league.test, tier_no,
      cohort_no)
    order by c.is_test, c.tier, c.cohort limit most) x;
  if tiers is null then
    test := null;
    update league_periods l set closed_at = at where l.board_id = b and l.view_no = no and l.period_number = nth and l.closed_at is null
      and not exists (select from league_cohorts c where c.board_id = b and c.view_no = no and c.period_number = nth
        and c.closed_at is null);
    return;
  end if;
  select sum(close_cohorts(b, no, nth, u.is_test, u.tiers, u.cohorts, at)) into closed from (
    select x.is_test, array_agg(x.tier) as tiers, array_agg(x.cohort) as cohorts
      from unnest(populations, tiers, numbers) x(is_test, tier, cohort) group by x.is_test) u;
  test := populations[cardinality(populations)];
  tier_no := tiers[cardinality(tiers)];
  cohort_no := numbers[cardinality(numbers)];
end $$;

-- The tier in which players are seated, from their last seat before the period: its outcome, less one for each period since then beyond
-- those that may be idle. `waits`: the outcome is not known yet, because the period of that seat has not settled.
create or replace function league_tiers_of(b uuid, no integer, nth integer, test boolean, ids uuid[], idle_periods integer, tiers integer)
returns table (identity_id uuid, tier smallint, idle smallint, waits boolean) language sql stable as $$
  select u.id, least(greatest(coalesce(o.next_tier, 1) - greatest(coalesce(x.idle, 0) - greatest(o.idle, league_tiers_of.idle_periods),
    0), 1), tiers)::smallint,
    coalesce(x.idle, 0)::smallint, s.cohort is not null and o.place is null
  from unnest(ids) u(id)
  left join lateral (select p.* from league_seats p where p.board_id = b and p.view_no = no and p.is_test = test
    and p.identity_id = u.id and p.period_number < nth
    order by p.period_number desc limit 1) s on true
  left join lateral (select r.* from league_outcomes r where r.board_id = b and r.view_no = no and r.period_number = s.period_number
    and r.is_test = test
    and r.tier = s.tier and r.cohort = s.cohort and r.identity_id = u.id limit 1) o on true
  left join lateral (select case when o.place is null then 0 else least(o.idle + nth - s.period_number - 1, 30000) end as idle) x on true
$$;

-- Seats of players in a period, claimed by those without one. Whoever waits for the outcome of an earlier period gets none yet; nobody does
-- once the period has ended. Claims of one league follow each other, so a player has one seat and a tier one open cohort; boards never wait
-- for each other. A transaction of its own, before the batch that needs the seats is decided.
create or replace function claim_seats(b uuid, no integer, nth integer, test boolean, ids uuid[], at timestamptz)
returns table (identity_id uuid, tier smallint, cohort integer) language plpgsql volatile as $$
#variable_conflict use_column
declare
  missing uuid[] := array(select u.id from unnest(ids) u(id) where not exists (select from league_seats s
    where s.board_id = b and s.view_no = no and s.is_test = test and s.identity_id = u.id and s.period_number = nth));
  period view_periods;
  league league_periods;
  one record;
  last record;
  late boolean;
  size integer;
  room integer;
begin
  if cardinality(missing) > 0 then
    perform close_seats(b, no, nth, test, missing, at);
    select * into period from view_periods p where p.board_id = b and p.view_no = no and p.number = nth;
    insert into league_periods (board_id, view_no, period_number, tiers, settle_seconds, late_share, idle_periods, equal_values)
      select b, no, nth, l.tiers, l.settle_seconds, l.late_share, l.idle_periods, l.equal_values from leagues l where l.board_id = b
        and l.view_no = no
      on conflict do nothing;
    select * into league from league_periods l
      where l.board_id = b and l.view_no = no and l.period_number = nth and l.ended_at is null for update;
    late := league.late_share > 0 and at >= period.ends_at - league.late_share * (period.ends_at - period.starts_at);
    for one in
      select t.tier, array_agg(t.identity_id order by t.identity_id) as ids, array_agg(t.idle order by t.identity_id) as idles
      from league_tiers_of(b, no, nth, test, missing, league.idle_periods, jsonb_array_length(league.tiers)) t
      where league.board_id is not null and not t.waits and not exists (select from league_seats s
        where s.board_id = b and s.view_no = no and s.is_test = test and s.identity_id = t.identity_id and s.period_number = nth)
      group by t.tier order by t.tier
    loop
      size := (league.tiers -> one.tier - 1 ->> 'size')::integer;
      while cardinality(one.ids) > 0 loop
        select c.cohort, c.seats into last from league_cohorts c
          where c.board_id = b and c.view_no = no and c.period_number = nth and c.is_test = test and c.tier = one.tier
            and c.is_late = late and c.is_open;
        if not found then
          insert into league_cohorts as c (board_id, view_no, period_number, is_test, tier, cohort, is_late, seats, is_open)
            select b, no, nth, test, one.tier, coalesce(max(x.cohort), 0) + 1, late, 0, true from league_cohorts x
            where x.board_id = b and x.view_no = no and x.period_number = nth and x.is_test = test and x.tier = one.tier
            returning c.cohort, c.seats into last;
        end if;
        room := least(size - last.seats, cardinality(one.ids));
        insert into league_seats (board_id, view_no, period_number, is_test, identity_id, tier, cohort, idle, seated_at)
          select b, no, nth, test, u.id, one.tier, last.cohort, u.idle, at from unnest(one.ids[:room], one.idles[:room]) u(id, idle);
        update league_cohorts c set seats = c.seats + room, is_open = c.seats + room < size
          where c.board_id = b and c.view_no = no and c.period_number = nth and c.is_test = test and c.tier = one.tier
            and c.cohort = last.cohort;
        one.ids := one.ids[room + 1:];
        one.idles := one.idles[room + 1:];
      end loop;
    end loop;
  end if;
  return query select s.identity_id, s.tier, s.cohort from unnest(ids) u(id)
    join league_seats s on s.board_id = b and s.view_no = no and s.is_test = test and s.identity_id = u.id and s.period_number = nth;
end $$;

-- Closes the cohorts of these players' last seats before a period, as far as they have settled: whoever plays on does not wait for the job.
create or replace function close_seats(b uuid, no integer, nth integer, test boolean, ids uuid[], at timestamptz)
  returns void language plpgsql volatile as $$
declare
  open record;
begin
  for open in
    select s.period_number, l.ended_at is null as running, array_agg(s.tier) as tiers, array_agg(s.cohort) as cohorts
    from (select distinct x.period_number, x.tier, x.cohort from unnest(ids) u(id)
      cross join lateral (select p.* from league_seats p where p.board_id = b and p.view_no = no and p.is_test = test
        and p.identity_id = u.id and p.period_number < nth
        order by p.period_number desc limit 1) x) s
    join league_cohorts c on c.board_id = b and c.view_no = no and c.period_number = s.period_number and c.is_test = test
      and c.tier = s.tier and c.cohort = s.cohort
      and c.closed_at is null
    join league_periods l on l.board_id = b and l.view_no = no and l.period_number = s.period_number
    join view_periods p on p.board_id = b and p.view_no = no and p.number = s.period_number
      and p.ends_at + l.settle_seconds * interval '1 second' <= at
    group by 1, 2 order by 1
  loop
    if open.running then
      perform end_league(b, no, open.period_number, at);
    end if;
    -- Waits where the job is closing them, unlike `close_cohorts`.
    perform from unnest(open.tiers, open.cohorts) u(tier, cohort)
      join league_cohorts c on c.board_id = b and c.view_no = no and c.period_number = open.period_number and c.is_test = test
        and c.tier = u.tier and c.cohort = u.cohort
      order by c.tier, c.cohort for update of c;
    perform close_cohorts(b, no, open.period_number, test, open.tiers, open.cohorts, at);
  end loop;
end $$;

-- Players of closed cohorts for whom later decisions would give another tier, by place. Outcomes never change by themselves.
create or replace function league_differences(b uuid, no integer, nth integer, test boolean, cohorts_of smallint[], cohorts integer[])
returns table (tier smallint, cohort integer, identity_id uuid, place smallint, next_tier smallint, now_place smallint, now_tier smallint)
language sql stable as $$
  select o.tier, o.cohort, o.identity_id, o.place, o.next_tier, r.place, r.next_tier
  from league_results(b, no, nth, test, cohorts_of, cohorts) r
  join league_outcomes o on o.board_id = b and o.view_no = no and o.period_number = nth and o.is_test = test and o.tier = r.tier
    and o.cohort = r.cohort
    and o.identity_id = r.identity_id
  where o.next_tier <> r.next_tier
  order by o.tier, o.cohort, o.place
$$;

-- Gives these players the tier that they would be given now. A seat they have taken since stays: it counts for the next one.
create or replace function reissue_league(b uuid, no integer, nth integer, test boolean, cohorts_of smallint[], cohorts integer[],
  ids uuid[], at timestamptz)
returns bigint language sql volatile as $$
  with changed as (
    update league_outcomes o set next_tier = d.now_tier, reissued_at = at
      from league_differences(b, no, nth, test, cohorts_of, cohorts) d
      where o.board_id = b and o.view_no = no and o.period_number = nth and o.is_test = test and o.tier = d.tier
        and o.cohort = d.cohort and o.place = d.place
        and o.identity_id = any(ids)
    returning 1)
  select count(*) from changed
$$;

-- What is wrong with a cohort: its seats, its outcomes by themselves, and, where nothing was decided since its close, outcomes that are not
-- those of the ranking. Null: nothing.
create or replace function wrong_league_cohort(c league_cohorts) returns text language plpgsql stable as $$
declare
  rules league_periods := (select l from league_periods l
    where l.board_id = c.board_id and l.view_no = c.view_no and l.period_number = c.period_number);
  tier_rule jsonb := rules.tiers -> c.tier - 1;
  more_is_better boolean := (select r.sort_direction = 'desc' from board_rankings r where r.board_id = c.board_id);
  seated bigint;
  wrong record;
begin
  select count(*) into seated from league_seats s
    where s.board_id = c.board_id and s.view_no = c.view_no and s.period_number = c.period_number and s.is_test = c.is_test
      and s.tier = c.tier and s.cohort = c.cohort;
  if seated <> c.seats or c.seats > (tier_rule ->> 'size')::integer then
    return 'it has ' || seated || ' players for ' || c.seats || ' seats of ' || (tier_rule ->> 'size');
  end if;
  if c.closed_at is null then
    return null;
  end if;
  with own as (
    select o.*, s.idle as idle_before, o.value is not null and (o.value <> 0 or not more_is_better) as scored
    from league_outcomes o
    left join league_seats s on s.board_id = o.board_id and s.view_no = o.view_no and s.is_test = o.is_test
      and s.identity_id = o.identity_id
      and s.period_number = o.period_number and s.tier = o.tier and s.cohort = o.cohort
    where o.board_id = c.board_id and o.view_no = c.view_no and o.period_number = c.period_number and o.is_test = c.is_test
      and o.tier = c.tier and o.cohort = c.cohort
  ), counted as (
    select x.*, min(x.place) over (partition by x.scored, x.value) as first_of_equals,
      (count(*) filter (where x.scored) over ())::integer as n,
      lag(x.scored) over w < x.scored or (x.scored and case when more_is_better then lag(x.value) over w < x.value
        else lag(x.value) over w > x.value end) as misplaced
    from own x window w as (order by x.place)
  )
  select count(*) as outcomes, count(distinct k.identity_id) filter (where k.idle_before is not null) as players, max(k.place) as last,
      bool_or(k.misplaced) as misplaced,
      bool_or(k.idle <> case when k.scored then 0 else k.idle_before + 1 end or (k.reissued_at is null
        and k.next_tier <> league_next_tier(c.tier,
        case when k.scored then case rules.equal_values when 'together' then k.first_of_equals else k.place end end, k.n, l.up, l.down,
          k.idle, rules.idle_periods)))
        as untrue
    into wrong
    from counted k
    cross join lateral league_lines(jsonb_array_length(rules.tiers), c.tier, (tier_rule ->> 'size')::integer,
      (tier_rule ->> 'promote')::integer,
      (tier_rule ->> 'demote')::integer, k.n, c.is_late) l;
  if wrong.outcomes <> seated or wrong.players <> seated or wrong.last is distinct from nullif(seated, 0)::smallint then
    return 'its outcomes are not one for each of its players';
  elsif wrong.misplaced then
    return 'its places are not in order';
  elsif wrong.untrue then
    return 'its outcomes do not follow from its places';
  elsif exists (select from rulings r where r.board_id = c.board_id and r.seq > c.closed_seq)
      or exists (select from board_rankings r where r.board_id = c.board_id and greatest(r.import_seq, r.imported_seq) > c.closed_seq)
      or not exists (select from board_views v where v.board_id = c.board_id and v.view_no = c.view_no and v.status = 'live') then
    return null;
  elsif exists (select from league_results(c.board_id, c.view_no, c.period_number, c.is_test, array[c.tier], array[c.cohort]) r
      where not exists (select from league_outcomes o where o.board_id = c.board_id and o.view_no = c.view_no
        and o.period_number = c.period_number
        and o.is_test = c.is_test and o.tier = c.tier and o.cohort = c.cohort and o.place = r.place and o.identity_id = r.identity_id
        and o.value is not distinct from r.value and (o.next_tier = r.next_tier or o.reissued_at is not null))) then
    return 'its outcomes are not those of the ranking, where nothing was decided since';
  end if;
  return null;
end $$;

-- The same for the next `most` cohorts of a board after `after`: view, period, population (1: tests), tier, cohort. `upto` is null after
-- the last.
create or replace function verify_leagues(b uuid, after integer[], most integer)
  returns table (upto integer[], faults text[]) language sql stable as $$
  with part as (
    select c, array[c.view_no, c.period_number, c.is_test::integer, c.tier, c.cohort] as key from league_cohorts c
    where c.board_id = b and (c.view_no, c.period_number, c.is_test, c.tier, c.cohort) > (after[1], after[2], after[3] = 1,
      after[4]::smallint, after[5])
    order by c.view_no, c.period_number, c.is_test, c.tier, c.cohort limit most
  )
  select case when count(*) = most then max(p.key) end, coalesce(array_agg('league ' || v.name || ', period ' || p.key[2] || ',
    cohort ' || p.key[4] || '.' || p.key[5]
      || case when p.key[3] = 1 then ' of tests' else '' end || ': ' || w.fault order by p.key) filter (where w.fault is not null), '{}')
  from part p
  join board_views v on v.board_id = b and v.view_no = p.key[1]
  cross join lateral (select wrong_league_cohort(p.c) as fault offset 0) w
$$;
