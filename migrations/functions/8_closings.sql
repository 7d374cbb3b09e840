-- Closings: a ranking ends, settles, and is frozen once. Everything here is under the board's lock, which submissions take, too.

create or replace function named_uuid(name text) returns uuid language sql immutable parallel safe as $$
  select (substr(h, 1, 12) || '8' || substr(h, 14, 3) || to_hex((('x' || substr(h, 17, 1))::bit(4)::integer & 3) | 8) || substr(h, 18, 15))::uuid
  from encode(sha256(convert_to(name, 'UTF8')), 'hex') h
$$;

create or replace function closing_id(b uuid, view_name text, period_key text, group_key text, is_test boolean) returns uuid language sql immutable parallel safe as $$
  select named_uuid(concat_ws(E'\n', 'closing', b, view_name, period_key, group_key, is_test::text))
$$;

-- A board's rules as its record has them. What ended before a rule is never closed by it.
create or replace function declare_closings(b uuid, at timestamptz) returns void language plpgsql volatile as $$
begin
  delete from closing_rules r where r.board_id = b
    and not exists (select from boards o, jsonb_array_elements(o.closing_rules) x where o.id = b and coalesce(x ->> 'view', '') = r.view_name);
  insert into closing_rules as r (board_id, view_name, settle_seconds, review_top, review_seconds, places, since)
    select b, coalesce(x ->> 'view', ''), (x ->> 'settleMinutes')::integer * 60, (x ->> 'reviewTop')::integer, (x ->> 'reviewHours')::integer * 3600,
      (x ->> 'places')::integer, at
    from boards o, jsonb_array_elements(o.closing_rules) x where o.id = b
  on conflict (board_id, view_name) do update
    set settle_seconds = excluded.settle_seconds, review_top = excluded.review_top, review_seconds = excluded.review_seconds, places = excluded.places;
end $$;

-- Reports a closing to webhooks, once for each of its ends.
create or replace function report_closing(c closings, event text, at timestamptz) returns void language plpgsql volatile as $$
begin
  perform report_event(c.account_id, event, c.game_id, c.board_id, c.is_test, jsonb_build_object('closing_id', 'cls_' || c.id), at, at,
    named_uuid(concat_ws(E'\n', event, c.id, extract(epoch from c.ended_at))));
end $$;

-- No submission that is committed later has a time before `upto`.
create or replace function end_ranking(b uuid, upto timestamptz) returns void language sql volatile as $$
  update board_rankings r set version = r.version + 1, last_event_at = greatest(r.last_event_at, upto) where r.board_id = b
$$;

-- Begins the closing of the given groups and populations; one that was withdrawn begins again, any other stays as it is.
create or replace function begin_closings(b uuid, rule closing_rules, why text, period text, ended timestamptz, groups text[], populations boolean[], at timestamptz)
returns bigint language plpgsql volatile as $$
declare
  made closings;
  begun bigint := 0;
begin
  for made in
    insert into closings as c (board_id, id, account_id, game_id, view_name, period_key, group_key, is_test, reason, status, ended_at, settles_at,
      review_until, review_top, places, prize_number, prizes_status, created_at, updated_at)
    select b, closing_id(b, rule.view_name, period, u.group_key, u.is_test), o.account_id, o.game_id, rule.view_name, period, u.group_key, u.is_test, why,
      'settling', ended, ended + rule.settle_seconds * interval '1 second', ended + (rule.settle_seconds + rule.review_seconds) * interval '1 second',
      rule.review_top, rule.places, z.number, case when z.number is null then 'none' else 'pending' end, at, at
    from boards o, prize_number(b, rule.view_name, ended) z(number), unnest(groups, populations) u(group_key, is_test) where o.id = b
    on conflict (board_id, view_name, period_key, group_key, is_test) do update
      set status = 'settling', reason = excluded.reason, ended_at = excluded.ended_at, settles_at = excluded.settles_at,
        review_until = excluded.review_until, review_top = excluded.review_top, places = excluded.places, prize_number = excluded.prize_number,
        prizes_status = excluded.prizes_status, updated_at = excluded.updated_at
      where c.status = 'withdrawn'
    returning c.*
  loop
    begun := begun + 1;
    perform report_closing(made, 'ranking.settling', at);
  end loop;
  return begun;
end $$;

-- Begins the closing of a board's own ranking, if it is asked for.
create or replace function close_board(b uuid, why text, ended timestamptz, at timestamptz) returns bigint language plpgsql volatile as $$
declare
  rule closing_rules;
  g integer;
begin
  select * into rule from closing_rules r where r.board_id = b and r.view_name = '';
  if not found then
    return 0;
  end if;
  select r.generation into g from board_rankings r where r.board_id = b for update;
  perform end_ranking(b, ended);
  return begin_closings(b, rule, why, '', ended, array_fill(''::text, array[cardinality(p)]), p, at)
    from (select array[false] || case when ranked_count(b, g, true) > 0 then array[true] else '{}'::boolean[] end as p) x;
end $$;

-- A board that is open again before the freeze withdraws its closing.
create or replace function withdraw_closing(b uuid, at timestamptz) returns bigint language sql volatile as $$
  with gone as (
    update closings c set status = 'withdrawn', updated_at = at where c.board_id = b and c.view_name = '' and c.status = 'settling' returning 1)
  select count(*) from gone
$$;

-- Rankings whose end has passed, of boards that ask for it, in the order of their ends.
create or replace function closings_to_begin(at timestamptz) returns table (board_id uuid, view_name text, ended_at timestamptz) language sql stable as $$
  select r.board_id, r.view_name, o.ends_at from closing_rules r join boards o on o.id = r.board_id
    where r.view_name = '' and not o.is_active and o.ends_at <= at and o.ends_at > r.since
      and not exists (select from closings c where c.board_id = r.board_id and c.view_name = '' and c.status <> 'withdrawn')
  union all
  select r.board_id, r.view_name, p.ends_at from closing_rules r
    join board_views v on v.board_id = r.board_id and v.name = r.view_name and v.status = 'live'
    join view_periods p on p.board_id = r.board_id and p.view_no = v.view_no and p.ends_at > r.since and p.ends_at <= at
  order by 3, 1, 2
$$;

-- Begins the closings of one of these. Returns how many began.
create or replace function begin_due_closings(b uuid, name text, ended timestamptz, at timestamptz) returns bigint language plpgsql volatile as $$
declare
  rule closing_rules;
  period record;
  groups text[];
  populations boolean[];
begin
  perform from board_rankings r where r.board_id = b for update;
  select * into rule from closing_rules r where r.board_id = b and r.view_name = name for update;
  if not exists (select from closings_to_begin(at) d where d.board_id = b and d.view_name = name and d.ended_at = ended) then
    return 0;
  end if;
  if name = '' then
    return close_board(b, 'ended', ended, at);
  end if;
  select p.*, v.by_tags into period from board_views v join view_periods p on p.board_id = b and p.view_no = v.view_no and p.ends_at = ended
    where v.board_id = b and v.name = rule.view_name and v.status = 'live';
  perform end_ranking(b, ended);
  select array_agg(x.group_key order by x.group_key, x.is_test), array_agg(x.is_test order by x.group_key, x.is_test) into groups, populations from (
    select k.group_key, t.is_test from rankings k cross join (values (false), (true)) t(is_test)
      where k.board_id = b and k.view_no = period.view_no and k.period_number = period.number and k.status = 'live' and ranked_count(b, k.generation, t.is_test) > 0
    union select '', false where cardinality(period.by_tags) = 0) x;
  update closing_rules r set since = ended where r.board_id = b and r.view_name = name;
  return begin_closings(b, rule, 'ended', period.key, ended, coalesce(groups, '{}'), coalesce(populations, '{}'), at);
end $$;

-- The ranking of a closing: `wait`: it is being built; `gone`: its view was dropped.
create or replace function closing_ranking(c closings, out state text, out generation integer, out ties text, out starts_at timestamptz) language plpgsql stable as $$
declare
  board board_rankings;
  view record;
begin
  select * into board from board_rankings r where r.board_id = c.board_id;
  state := case when board.build is not null then 'wait' else 'live' end;
  if c.view_name = '' then
    generation := board.generation;
    ties := board.tie_policy;
    return;
  end if;
  select v.status, v.tie_policy, v.view_no, p.number, p.starts_at into view from board_views v
    left join view_periods p on p.board_id = v.board_id and p.view_no = v.view_no and p.key = c.period_key
    where v.board_id = c.board_id and v.name = c.view_name and v.status <> 'dropping';
  if view.number is null then
    state := 'gone';
    return;
  elsif view.status <> 'live' then
    state := 'wait';
    return;
  end if;
  ties := view.tie_policy;
  starts_at := view.starts_at;
  -- Without a ranking it is empty.
  generation := (select k.generation from rankings k
    where k.board_id = c.board_id and k.view_no = view.view_no and k.period_number = view.number and k.group_key = c.group_key and k.status = 'live');
end $$;

-- The first places of a ranking, one for each player. Where every run is ranked, as many runs are read as have so many players.
create or replace function first_places(b uuid, g integer, t boolean, ties text, most integer) returns setof closing_places language plpgsql stable
set work_mem = '64MB' as $$
declare
  all_runs boolean := exists (select from board_rankings r where r.board_id = b and r.board_type = 'run_runs');
  upto bigint := most;
  runs bigint;
  players bigint;
begin
  while all_runs loop
    select coalesce(sum(p.n), 0), count(*) into runs, players from (
      select count(*) as n from (
        select x.identity_id from entries x where x.board_id = b and x.generation = g and x.is_test = t and x.ranked order by x.rank_key, x.seq limit upto) e
      group by e.identity_id) p;
    exit when players >= most or runs < upto;
    upto := upto * 2;
  end loop;
  return query
    with e as (
      select x.rank_key, x.seq, x.identity_id, x.player_name, x.value, x.value_display
      from entries x where x.board_id = b and x.generation = g and x.is_test = t and x.ranked order by x.rank_key, x.seq limit upto),
    one_each as (
      select e.* from e where not all_runs
      union all (select distinct on (e.identity_id) e.* from e where all_runs order by e.identity_id, e.rank_key, e.seq))
    select b, null::uuid, (row_number() over w)::integer, (case ties when 'competition' then rank() over (order by p.rank_key)
        when 'dense' then dense_rank() over (order by p.rank_key) else row_number() over w end)::integer,
      p.identity_id, p.player_name, p.value, p.value_display, null::integer, null::integer, null::integer, null::integer[], null::integer[]
    from one_each p window w as (order by p.rank_key, p.seq) order by p.rank_key, p.seq limit most;
end $$;

-- What waits for a decision among the first places: runs of their players with open flags, and held runs that would be among them. Of a
-- group, those of the other groups, too: a run that waits has no group yet.
create or replace function undecided_runs(c closings, g integer, begun timestamptz) returns table (event_seq bigint, is_held boolean, flags bigint)
language plpgsql stable as $$
declare
  first_ids uuid[];
  worst float8;
  direction text;
begin
  select array_agg(p.identity_id), case when count(*) = c.review_top then (array_agg(p.value order by p.rank desc))[1] end into first_ids, worst
    from first_places(c.board_id, g, c.is_test, 'earliest', c.review_top) p;
  select r.sort_direction into direction from board_rankings r where r.board_id = c.board_id;
  return query select f.event_seq, false, count(*) from score_flags f
    where f.board_id = c.board_id and f.is_test = c.is_test and f.status = 'pending' and f.deleted_at is null and f.identity_id = any(first_ids)
      and not exists (select from held_runs h where h.board_id = f.board_id and h.event_seq = f.event_seq and h.ended_at is null)
    group by f.event_seq;
  return query select h.event_seq, true, 0::bigint from held_runs h join score_events e on e.board_id = h.board_id and e.seq = h.event_seq
    where h.board_id = c.board_id and h.ended_at is null and e.is_test = c.is_test and e.created_at >= coalesce(begun, '-infinity')
      and (c.view_name = '' or e.created_at < c.ended_at)
      and (worst is null or case direction when 'asc' then e.amount < worst else e.amount > worst end)
      and event_effect(e.board_id, e.id, e.disposition) = 'hold';
end $$;

-- Of each kind the newest hundred runs, as they are kept when a closing is frozen.
create or replace function undecided_list(c closings, g integer, begun timestamptz) returns setof closing_undecided language sql stable as $$
  select c.board_id, c.id, u.event_seq, u.is_held
  from (select r.*, row_number() over (partition by r.is_held order by r.event_seq desc) as nth from undecided_runs(c, g, begun) r) u where u.nth <= 100
$$;

-- What waits now, or waited when the closing was frozen.
create or replace function undecided_of(c closings) returns setof closing_undecided language plpgsql stable as $$
declare
  ranking record;
begin
  if c.status = 'frozen' then
    return query select * from closing_undecided u where u.board_id = c.board_id and u.closing_id = c.id;
  elsif c.status = 'settling' and c.review_top is not null then
    select * into ranking from closing_ranking(c);
    return query select * from undecided_list(c, ranking.generation, ranking.starts_at);
  end if;
end $$;

-- What a settling closing waits for. `ready`; `wait`: until its ranking is built, its sources are read, or what it is reviewed for is decided;
-- `gone`: its view was dropped; null: it is not due.
create or replace function freeze_state(c closings, at timestamptz, out state text, out generation integer, out ties text, out starts_at timestamptz,
  out open_flags integer, out held_runs integer) language plpgsql stable as $$
begin
  if c.status is distinct from 'settling' or c.settles_at > at then
    return;
  end if;
  select r.state, r.generation, r.ties, r.starts_at into state, generation, ties, starts_at from closing_ranking(c) r;
  if state = 'gone' then
    return;
  end if;
  if c.review_top is not null then
    select coalesce(sum(u.flags), 0), count(*) filter (where u.is_held) into open_flags, held_runs from undecided_runs(c, generation, starts_at) u;
  end if;
  state := case when state = 'wait' or (c.review_until > at and open_flags + held_runs > 0)
      or exists (select from ratio_configs x join board_rankings o on o.board_id = x.board_id join board_rankings n on n.board_id = x.numerator_board_id
        join board_rankings d on d.board_id = x.denominator_board_id where x.board_id = c.board_id and (n.seq, d.seq) is distinct from (o.numerator_seq, o.denominator_seq))
    then 'wait' else 'ready' end;
end $$;

-- Fixes the places of a closing. Another process may be at it: then those are waited for.
create or replace function fix_places(c closings, g integer, ties text) returns closings language plpgsql volatile as $$
begin
  if c.prize_number is not null then
    c.player_count := ranked_players(c.board_id, g, c.is_test);
  end if;
  with fixed as (select * from prize_places(c, prizes_of(c), g, ties)), kept as (
    insert into closing_places select c.board_id, c.id, (x.p).rank, (x.p).display_rank, (x.p).identity_id, (x.p).player_name, (x.p).value, (x.p).value_display,
      (x.p).prize_rank, (x.p).tie_rank, (x.p).tied, (x.p).lines, (x.p).shares from fixed x on conflict do nothing)
  select max(x.counted) into c.line_players from fixed x;
  return c;
end $$;

-- Freezes a closing that is due. `frozen`; `waiting`: `settles_at` says until when; null: it is not due any more.
--
-- What takes long, finding and writing its places, comes before the board's lock. They hold if nothing was derived since: no submission
-- reaches a ranking that has ended. Otherwise they are fixed again under the lock.
create or replace function freeze_closing(b uuid, i uuid, at timestamptz) returns text language plpgsql volatile as $$
declare
  seen closings;
  early record;
  derived bigint := (select r.derived_version from board_rankings r where r.board_id = b);
  fixed closings;
  c closings;
  board board_rankings;
  f record;
  holds boolean;
begin
  select * into seen from closings x where x.board_id = b and x.id = i;
  select * into early from freeze_state(seen, at);
  if early.state = 'ready' then
    fixed := fix_places(seen, early.generation, early.ties);
  end if;
  -- A ratio reads its sources, whose locks come first.
  perform from board_rankings s where s.board_id in (select unnest(array[x.numerator_board_id, x.denominator_board_id]) from ratio_configs x where x.board_id = b)
    order by s.board_id for update;
  select * into board from board_rankings r where r.board_id = b for update;
  select * into c from closings x where x.board_id = b and x.id = i for update;
  select * into f from freeze_state(c, at);
  holds := (f.state, f.generation, f.ties) is not distinct from (early.state, early.generation, early.ties)
    and board.derived_version = derived and c is not distinct from seen;
  if not holds and c.status <> 'frozen' then
    delete from closing_places p where p.board_id = b and p.closing_id = i;
  end if;
  if f.state is null then
    return null;
  elsif f.state = 'gone' then
    update closings x set status = 'withdrawn', updated_at = at where x.board_id = b and x.id = i;
    return 'withdrawn';
  elsif f.state = 'wait' then
    update closings x set settles_at = at + interval '10 seconds', updated_at = at where x.board_id = b and x.id = i;
    return 'waiting';
  end if;
  if not holds then
    fixed := fix_places(c, f.generation, f.ties);
  end if;
  perform end_ranking(b, c.ended_at);
  if f.open_flags + f.held_runs > 0 then
    insert into closing_undecided select * from undecided_list(c, f.generation, f.starts_at);
  end if;
  c.player_count := fixed.player_count;
  c.line_players := fixed.line_players;
  update closings x set status = 'frozen', frozen_at = at, updated_at = at, seq = board.seq, version = board.version + 1, generation = f.generation,
      entry_count = coalesce(ranked_count(b, f.generation, c.is_test), 0), open_flags = f.open_flags, held_runs = f.held_runs,
      player_count = c.player_count, line_players = c.line_players, prizes_status = case when holds_prizes(c, f.starts_at) then 'held' else prizes_begun(c) end,
      held_at = case when holds_prizes(c, f.starts_at) then at end
    where x.board_id = b and x.id = i returning * into c;
  perform report_closing(c, 'ranking.closed', at);
  return 'frozen';
end $$;

-- Whether the rankings of a period wait for their closing.
create or replace function is_closing(b uuid, no integer, nth integer) returns boolean language sql stable as $$
  select exists (select from board_views v join closing_rules r on r.board_id = b and r.view_name = v.name
      join view_periods p on p.board_id = b and p.view_no = no and p.number = nth
      where v.board_id = b and v.view_no = no and p.ends_at > r.since)
    or exists (select from board_views v join view_periods p on p.board_id = b and p.view_no = no and p.number = nth
      join closings c on c.board_id = b and c.view_name = v.name and c.period_key = p.key and c.status = 'settling'
      where v.board_id = b and v.view_no = no)
$$;

create or replace function erase_closings(i uuid) returns void language sql volatile as $$
  update closing_places p set player_name = erased_name(), value_display = null where p.identity_id = i;
  update rewards w set revoke_reason = null where w.identity_id = i and w.revoke_reason is not null
$$;

-- Whether a ranking may differ from its fixed places: a ruling, a run, an erasure or a player's tag came after.
create or replace function changed_since(c closings) returns boolean language sql stable as $$
  select exists (select from score_events e where e.board_id = c.board_id and e.seq > c.seq and (c.view_name = '' or e.created_at < c.ended_at))
    or exists (select from rulings r where r.board_id = c.board_id and r.seq > c.seq)
    or exists (select from boards o, jsonb_array_elements(o.dimensions) d where o.id = c.board_id and d ->> 'source' = 'player')
    or exists (select from ratio_configs x where x.board_id = c.board_id)
$$;

-- What is wrong with the fixed places of a board's closings: by themselves, and compared with the present ranking where no ruling, import or
-- change of rules came after. Names are not compared.
create or replace function verify_closings(b uuid) returns text[] language plpgsql stable as $$
declare
  c closings;
  ranking record;
  found text;
  faults text[] := '{}';
begin
  for c in select * from closings x where x.board_id = b and x.status = 'frozen' order by x.ended_at, x.id loop
    found := (select case
        when max(p.rank) is distinct from count(*) or min(p.display_rank) < 1 or count(distinct p.identity_id) <> count(*) then 'its ranks are not 1, 2, 3 …'
        when count(*) > c.entry_count then 'it has more places than entries'
        when count(*) = 0 and c.entry_count > 0 and c.places > 0 then 'it has no places'
        when bool_or(p.wrong) then 'its places are not in order'
      end
      from (select p.*, coalesce(lag(p.display_rank) over w > p.display_rank or case r.sort_direction when 'asc' then lag(p.value) over w > p.value
          else lag(p.value) over w < p.value end, false) as wrong
        from closing_places p join board_rankings r on r.board_id = b where p.board_id = b and p.closing_id = c.id window w as (order by p.rank)) p
      having count(*) > 0 or c.entry_count > 0);
    select * into ranking from closing_ranking(c);
    if found is null and ranking.state = 'live' and ranking.generation is not distinct from c.generation and not changed_since(c) then
      found := (select 'its places are not those of the ranking, which has not changed since' from (
        select p.rank, p.identity_id, p.value from closing_places p where p.board_id = b and p.closing_id = c.id) p
        full join places_to_fix(c, ranking.generation, ranking.ties) f on f.rank = p.rank
        where (f.identity_id, f.value) is distinct from (p.identity_id, p.value) limit 1);
      if found is null and c.entry_count <> coalesce(ranked_count(b, ranking.generation, c.is_test), 0) then
        found := 'its number of entries is not that of the ranking, which has not changed since';
      end if;
    end if;
    found := coalesce(found, wrong_grants(c));
    if found is not null then
      faults := faults || ('closing cls_' || c.id || ': ' || found);
    end if;
  end loop;
  return faults;
end $$;
