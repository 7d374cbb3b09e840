-- Entries derived from events: after rulings, removals and changed rules, for ratio boards, and in generations that are not
-- served yet.

-- True if the newest ruling on the player lets it count.
create or replace function identity_counts(b uuid, i uuid) returns boolean language sql stable as $$
  select coalesce((select r.effect = 'include' from rulings r where r.board_id = b and r.identity_id = i order by r.seq desc limit 1), true)
$$;

create or replace function rank_key_of(value float8, sort_direction text) returns float8 language sql immutable parallel safe as $$
  select case sort_direction when 'asc' then value else 0 - value end  -- 0 - value: never -0
$$;

-- Boards that a player may have to leave or return to, deleted ones too. Ratio boards follow their sources by themselves.
-- A batch that is being committed may have found the player as it was, and its rows cannot be seen yet. It holds
-- the board's lock, so every board whose lock is taken counts; one that takes the lock later finds game_standings raised. First the locks, then the rows: a transaction that let go in between
-- is seen by the second statement.
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
create or replace function settle_player(b uuid, i uuid, at timestamptz) returns boolean language plpgsql volatile as $$
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
  perform rederive(b, array[i], at);
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
    select i.id, i.deleted_at is null or i.keeps_scores or i.merged_into is not null as lives
    from boards d join identities i on i.game_id = d.game_id and i.deleted_at is not null
    where d.id = b and d.board_type <> 'ratio'
      and exists (select from states s where s.board_id = b and s.is_test in (false, true) and s.identity_id = i.id)
    union
    select i.id, i.deleted_at is null or i.keeps_scores or i.merged_into is not null
    from rulings r join identities i on i.id = r.identity_id
    where r.board_id = b and r.identity_id is not null
      -- The runs of a merged player, or those that a player held, have left it.
      and exists (select from states s where s.board_id = b and s.is_test in (false, true) and s.identity_id = i.id)
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

-- `equals`: how equal ratios are ordered (8_rederive.sql); boards that were built before have another order or none here.
create or replace function ratio_rules(b uuid) returns jsonb language sql stable as $$
  select jsonb_build_object(
    'numerator', c.numerator_board_id, 'denominator', c.denominator_board_id, 'zero', c.zero_denominator_policy,
    'min_numerator', c.min_numerator, 'min_denominator', c.min_denominator,
    'scale', c.scale, 'display', c.display, 'decimals', c.decimals, 'equals', 'reached')
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

-- The next players after one, that a board's entries or states may be about.
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

-- A player was taken off the sources or came back to them: their ratio boards, deleted ones too, follow before that is answered.
create or replace function ratios_to_settle(i uuid) returns uuid[] language sql stable as $$
  select array(
    select c.board_id from identities x join boards b on b.game_id = x.game_id join ratio_configs c on c.board_id = b.id
    where x.id = i order by c.board_id)
$$;

-- `ties`: the order of equal values, and whether values are ranked beside it; how ranks are shown is no rule otherwise.
-- `imported`: up to which of its imported events it is made, which is as good as a rule.
-- The rules that a board's record asks for, and those its ranking is served by.
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

-- Players of these whose states do not agree with the served generation, with what it makes of them.
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
        and effect_counts(coalesce((select u.effect from rulings u where u.board_id = b and u.event_id = v.id order by u.seq desc limit 1),
          effect_of(v.disposition)))
      order by rank_key_of(v.amount, r.sort_direction), v.seq limit 1) best on true
    left join lateral (select v.id from score_events v where v.board_id = b and v.seq = e.event_seq limit 1) shown on true
    where r.board_id = b) x
  where (x.old_best_value, x.old_selected_event_id, x.old_value) is distinct from (x.best_value, x.selected_event_id, x.value)
$$;

-- Makes the parts of these players' states that depend on a board's rules match the served generation. Under the board's lock.
-- Returns how many differed.
create or replace function refresh_states(b uuid, ids uuid[], at timestamptz) returns bigint language sql volatile as $$
  with behind as materialized (
    select * from states_behind(b, ids)
  ), written as (
    update states s set best_value = x.best_value, selected_event_id = x.selected_event_id, value = x.value, updated_at = at
    from behind x
    where s.board_id = b and s.is_test = x.is_test and s.identity_id = x.identity_id
    returning 1)
  select count(*) from written
$$;

-- Deletes rows of a generation that is not served any more. Answers how many; 0: it is gone.
create or replace function clear_generation(b uuid, g integer, most integer) returns bigint language plpgsql volatile as $$
declare
  deleted bigint;
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
  end if;
  if deleted = 0 and not exists (select from entries e where e.board_id = b and e.generation = any(gs) and e.is_test in (false, true)) then
    delete from generations_due d where d.board_id = b and d.generation = g;
  end if;
  return deleted;
end $$;

