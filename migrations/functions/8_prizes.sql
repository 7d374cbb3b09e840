-- Prizes: which table a closing gives by, which places it fixes, and the grants that are made from these.

-- Keeps the prizes of a board's rankings as its record has them. The first table holds for the running period, later ones from the
-- next. Of a board's own ranking that has entries it cannot change: true.
create or replace function declare_prizes(b uuid, at timestamptz) returns boolean language plpgsql volatile as $$
declare
  rule record;
  last prize_tables;
  applies text;
begin
  for rule in select coalesce(x ->> 'view', '') as view_name, nullif(x -> 'prizes', 'null') as prizes
    from boards o, jsonb_array_elements(o.closing_rules) x where o.id = b
  loop
    select * into last from prize_tables t where t.board_id = b and t.view_name = rule.view_name order by t.number desc limit 1;
    continue when last.prizes is not distinct from rule.prizes;
    applies := new_prizes_apply(b, rule.view_name);
    if applies = 'never' then
      return true;
    end if;
    insert into prize_tables (board_id, view_name, number, prizes, effective_at, created_at)
      values (b, rule.view_name, coalesce(last.number, 0) + 1, rule.prizes,
        case applies when 'now' then at else coalesce((select p.ends_at from board_views v
          join view_periods p on p.board_id = v.board_id and p.view_no = v.view_no and p.starts_at <= at and p.ends_at > at
          where v.board_id = b and v.name = rule.view_name and v.status <> 'dropping'), at) end, at);
  end loop;
  return false;
end $$;

-- When other prizes of a ranking apply: `now`, from the `next_period`, or `never`.
create or replace function new_prizes_apply(b uuid, name text) returns text language sql stable as $$
  select case when not exists (select from prize_tables t where t.board_id = b and t.view_name = name) then 'now'
    when name <> '' then 'next_period'
    when exists (select from board_rankings r where r.board_id = b and r.seq > 0) then 'never'
    else 'now' end
$$;

-- The prize table of a ranking that ends: null if it has none.
create or replace function prize_number(b uuid, name text, ended timestamptz) returns integer language sql stable as $$
  select case when t.prizes is not null then t.number end from prize_tables t
    where t.board_id = b and t.view_name = name and (t.effective_at < ended or (name = '' and t.effective_at = ended))
    order by t.number desc limit 1
$$;

create or replace function prizes_of(c closings) returns jsonb language sql stable as $$
  select t.prizes from prize_tables t where t.board_id = c.board_id and t.view_name = c.view_name and t.number = c.prize_number
$$;

-- Players with an entry.
create or replace function ranked_players(b uuid, g integer, t boolean) returns bigint language plpgsql stable as $$
begin
  if (select r.keep_strategy from board_rankings r where r.board_id = b) = 'all' then
    return (select count(distinct e.identity_id) from entries e where e.board_id = b and e.generation = g and e.is_test = t and e.ranked);
  end if;
  return coalesce(ranked_count(b, g, t), 0);
end $$;

-- The lines of a closing's prizes. `last_rank` of a share is the rank up to which it goes; null: the line is not by rank.
create or replace function prize_lines(prizes jsonb, players bigint)
returns table (nth bigint, name text, first_rank integer, last_rank integer, is_share boolean, reached float8) language sql stable as $$
  select l.ordinality, l.line ->> 'name', case when l.line ->> 'percent' is null then (l.line ->> 'firstRank')::integer else 1 end,
    case when l.line ->> 'percent' is null then (l.line ->> 'lastRank')::integer
      else least(greatest(1, ceil(players * (l.line ->> 'percent')::numeric / 100)), 1000000)::integer end,
    l.line ->> 'percent' is not null, (l.line ->> 'reached')::float8
  from jsonb_array_elements(prizes -> 'lines') with ordinality l(line, ordinality)
$$;

-- A player's best entries in the order of the ranking, up to a key; null: all.
create or replace function best_entries(b uuid, g integer, t boolean, upto float8)
returns table (identity_id uuid, rank_key float8, seq bigint, value float8, value_display text, player_name text) language plpgsql stable as $$
begin
  if (select r.keep_strategy from board_rankings r where r.board_id = b) = 'all' then
    return query select distinct on (e.identity_id) e.identity_id, e.rank_key, e.seq, e.value, e.value_display, e.player_name from entries e
      where e.board_id = b and e.generation = g and e.is_test = t and e.ranked and (upto is null or e.rank_key <= upto)
      order by e.identity_id, e.rank_key, e.seq;
  else
    return query select e.identity_id, e.rank_key, e.seq, e.value, e.value_display, e.player_name from entries e
      where e.board_id = b and e.generation = g and e.is_test = t and e.ranked and (upto is null or e.rank_key <= upto)
      order by e.rank_key, e.seq limit 1000000;
  end if;
end $$;

-- What each line asks of its players: runs, hours since they were first seen, and a proof of who they are; 0 and false: nothing.
create or replace function line_conditions(prizes jsonb) returns table (nth bigint, runs integer, hours integer, proven boolean) language sql immutable parallel safe as $$
  select l.ordinality, coalesce((l.line ->> 'minimumRuns')::integer, 0), coalesce((l.line ->> 'minimumAgeHours')::integer, 0),
    coalesce((l.line ->> 'provenOnly')::boolean, false)
  from jsonb_array_elements(prizes -> 'lines') with ordinality l(line, ordinality)
$$;

-- A player's runs that count in the time of a closing, in whatever group, at most `most`. Those of a ratio are its sources'; a rehearsal has one
-- run of each player, so the board's count.
create or replace function counted_runs(c closings, begun timestamptz, who uuid, most integer) returns bigint language sql stable as $$
  select count(*) from (
    select from boards o left join ratio_configs x on x.board_id = o.id
      cross join unnest(case when x.board_id is null then array[coalesce(o.rehearsal_of_id, o.id)] else array[x.numerator_board_id, x.denominator_board_id] end) s(id)
      cross join lateral (select from score_events e
        where e.board_id = s.id and e.is_test = (c.is_test and o.rehearsal_of_id is null) and e.identity_id = who
          and (c.view_name = '' or (coalesce(e.occurred_at, e.created_at) >= begun and coalesce(e.occurred_at, e.created_at) < c.ended_at))
          and event_counts(e.board_id, e.id, e.disposition)
        order by e.seq desc limit most) r
      where o.id = c.board_id limit most) x
$$;

-- The players of a ranking in its order, up to a key, with what lines may ask of them: as many runs as any line asks for, and since when they
-- are known. A rehearsal's own players have no runs on the board, and meet every condition.
create or replace function line_players(c closings, prizes jsonb, g integer, upto float8)
returns table (identity_id uuid, rank_key float8, seq bigint, value float8, value_display text, player_name text, runs bigint, since timestamptz, proven_at timestamptz)
language plpgsql stable as $$
declare
  most_runs integer := (select max(x.runs) from line_conditions(prizes) x);
  most_hours integer := (select max(x.hours) from line_conditions(prizes) x);
  any_proven boolean := coalesce((select bool_or(x.proven) from line_conditions(prizes) x), false);
  begun timestamptz := (select r.starts_at from closing_ranking(c) r);
  rehearses boolean := is_rehearsal(c.board_id);
begin
  if most_runs + most_hours = 0 and not any_proven then
    return query select e.*, 0::bigint, '-infinity'::timestamptz, null::timestamptz from best_entries(c.board_id, g, c.is_test, upto) e;
    return;
  end if;
  return query select e.*, case when rehearses and k.n = 0 then most_runs else k.n end, case when rehearses and k.n = 0 then '-infinity' else i.created_at end,
      case when rehearses and k.n = 0 then '-infinity' else i.proven_at end
    from best_entries(c.board_id, g, c.is_test, upto) e left join identities i on i.id = e.identity_id
    cross join lateral (select case when most_runs > 0 or rehearses then counted_runs(c, begun, e.identity_id, greatest(most_runs, 1)) else 0 end as n) k;
end $$;

create or replace function meets(runs bigint, since timestamptz, proven_at timestamptz, c closings, least_runs integer, least_hours integer, only_proven boolean)
returns boolean language sql stable as $$
  select runs >= least_runs and (not only_proven or coalesce(proven_at <= c.ended_at, false)) and (least_hours = 0 or coalesce(since <= c.ended_at - least_hours * interval '1 hour', false))
$$;

-- Whether a line gives to a place, and how many players share that.
create or replace function line_gives(p closing_places, is_share boolean, first_rank integer, last_rank integer, reached float8, direction text)
returns boolean language sql immutable parallel safe as $$
  select case when is_share then p.tie_rank <= last_rank
    when last_rank is not null then p.prize_rank between first_rank and last_rank
    when reached is not null then case direction when 'asc' then p.value <= reached else p.value >= reached end
    else true end
$$;

create or replace function line_shared_by(p closing_places, last_rank integer, prizes jsonb) returns integer language sql immutable parallel safe as $$
  select case when p.tied > 1 and p.tie_rank + p.tied - 1 > last_rank and prizes ->> 'ties' = 'share' then p.tied end
$$;

-- The rank that lines of ranks go by.
create or replace function prize_rank(prizes jsonb, policy text, nth bigint, tie bigint, dense bigint) returns bigint language sql immutable parallel safe as $$
  select case when prizes ->> 'ties' = 'rank' then nth when prizes ->> 'ties' = 'all' and policy = 'dense' then dense else tie end
$$;

-- The lines of a table, each by the players whom it counts: those of `counted`, or all.
create or replace function counted_lines(prizes jsonb, players bigint, counted bigint[])
returns table (nth bigint, name text, first_rank integer, last_rank integer, is_share boolean, reached float8) language sql immutable parallel safe as $$
  select l.* from generate_series(1, jsonb_array_length(prizes -> 'lines')) n cross join lateral prize_lines(prizes, coalesce(counted[n], players)) l where l.nth = n
$$;

-- The places that a closing fixes: those of its rule, and all up to the last that has a prize, with the lines that each is given. A line that
-- asks for something ranks those who meet it alone; `counted`: how many they are, of each such line. Without prizes the places of its rule.
create or replace function prize_places(c closings, prizes jsonb, g integer, policy text) returns table (p closing_places, counted bigint[])
language plpgsql stable as $$
declare
  equals text := prizes ->> 'ties';
  direction text := (select r.sort_direction from board_rankings r where r.board_id = c.board_id);
  asks boolean := (select bool_or(x.runs + x.hours > 0 or x.proven) from line_conditions(prizes) x);
  most integer;
  -- Everybody up to this key has a place.
  through float8;
  upto float8;
begin
  if prizes is null or c.player_count < (prizes ->> 'minimumEntries')::bigint then
    return query select f, null::bigint[] from first_places(c.board_id, g, c.is_test, policy, c.places) f;
    return;
  end if;
  select greatest(c.places, max(case when l.last_rank is null and l.reached is null then 1000000 else l.last_rank end)), max(rank_key_of(l.reached, direction))
    into most, through from prize_lines(prizes, c.player_count) l;
  -- Where every run is ranked, a player's best one is only known after all were read, and who meets what lines ask for as well.
  if not asks and (select r.keep_strategy from board_rankings r where r.board_id = c.board_id) <> 'all' then
    upto := (select e.rank_key from entries e where e.board_id = c.board_id and e.generation = g and e.is_test = c.is_test and e.ranked
      order by e.rank_key, e.seq offset most - 1 limit 1);
    if upto is not null and equals = 'all' and policy = 'dense' then
      upto := (select max(d.rank_key) from (select distinct e.rank_key from entries e
        where e.board_id = c.board_id and e.generation = g and e.is_test = c.is_test and e.ranked order by e.rank_key limit most) d);
    end if;
    upto := case when upto is not null then greatest(upto, through) end;
  end if;
  return query
    with asked as materialized (select * from line_conditions(prizes)),
    fields as (select a.runs, a.hours, a.proven from asked a union select 0, 0, false),
    ordered as (
      select x.*, f.runs as least_runs, f.hours as least_hours, f.proven as only_proven, row_number() over w as nth, rank() over k as tie, dense_rank() over k as dense,
        count(*) over (partition by f.runs, f.hours, f.proven, x.rank_key) as equal
      from line_players(c, prizes, g, upto) x join fields f on meets(x.runs, x.since, x.proven_at, c, f.runs, f.hours, f.proven)
      window w as (partition by f.runs, f.hours, f.proven order by x.rank_key, x.seq), k as (partition by f.runs, f.hours, f.proven order by x.rank_key)
    ), ranked as materialized (
      select o.least_runs, o.least_hours, o.only_proven, o.identity_id,
        (c.board_id, c.id, o.nth, case policy when 'competition' then o.tie when 'dense' then o.dense else o.nth end, o.identity_id, o.player_name, o.value,
          o.value_display, prize_rank(prizes, policy, o.nth, o.tie, o.dense),
          case when equals = 'rank' then o.nth else o.tie end, case when equals = 'rank' then 1 else o.equal end, null, null)::closing_places as p
      from ordered o
    ), fielded as (
      select array_agg(case when a.runs + a.hours > 0 or a.proven then coalesce(n.players, 0) end order by a.nth) as counted
      from asked a left join (select r.least_runs, r.least_hours, r.only_proven, count(*) as players from ranked r group by 1, 2, 3) n
        on (n.least_runs, n.least_hours, n.only_proven) = (a.runs, a.hours, a.proven)
    ), lines as materialized (
      select a.runs, a.hours, a.proven, l.* from fielded f cross join lateral counted_lines(prizes, c.player_count, f.counted) l join asked a on a.nth = l.nth
    ), given as (
      select (array_agg(r.p) filter (where r.least_runs = 0 and r.least_hours = 0 and not r.only_proven))[1] as p,
        coalesce(array_agg(l.nth::integer order by l.nth) filter (where l.nth is not null), '{}') as lines,
        coalesce(array_agg(line_shared_by(r.p, l.last_rank, prizes) order by l.nth) filter (where l.nth is not null), '{}') as shares
      from ranked r left join lines l on (l.runs, l.hours, l.proven) = (r.least_runs, r.least_hours, r.only_proven)
        and line_gives(r.p, l.is_share, l.first_rank, l.last_rank, l.reached, direction)
      group by r.identity_id
    ), whole as (
      select g.*, max((g.p).rank) filter (where g.lines <> '{}') over () as last from given g
    )
    select ((w.p).board_id, (w.p).closing_id, (w.p).rank, (w.p).display_rank, (w.p).identity_id, (w.p).player_name, (w.p).value, (w.p).value_display,
      (w.p).prize_rank, (w.p).tie_rank, (w.p).tied, w.lines, w.shares)::closing_places, f.counted
    from whole w cross join fielded f where (w.p).rank <= 1000000 and (w.p).rank <= greatest(c.places, w.last);
end $$;

create or replace function places_by(c closings, prizes jsonb, g integer, policy text) returns setof closing_places language sql stable as $$
  select (x.p).* from prize_places(c, prizes, g, policy) x
$$;

create or replace function places_to_fix(c closings, g integer, policy text) returns setof closing_places language sql stable as $$
  select * from places_by(c, prizes_of(c), g, policy)
$$;

-- What a frozen closing does about its prizes.
create or replace function prizes_begun_by(c closings, prizes jsonb) returns boolean language sql immutable parallel safe as $$
  select prizes is not null and c.player_count >= (prizes ->> 'minimumEntries')::bigint
$$;

create or replace function prizes_begun(c closings) returns text language sql stable as $$
  select case when prizes_begun_by(c, prizes_of(c)) then 'granting' else 'none' end
$$;

-- Whether the prizes of a ranking wait for a release: it had begun when a backup was restored, so it may have been closed once already.
create or replace function holds_prizes(c closings, begun timestamptz) returns boolean language sql stable as $$
  select prizes_begun(c) = 'granting' and exists (select from games g join boards o on o.id = c.board_id
    where g.id = c.game_id and g.prizes_held_at >= coalesce(begun, o.created_at))
$$;

-- Lets a held closing grant the rest of its prizes. Open rewards can be claimed for as long as before.
create or replace function release_held(b uuid, i uuid, at timestamptz) returns boolean language plpgsql volatile as $$
declare
  c closings;
begin
  select * into c from closings x where x.board_id = b and x.id = i and x.prizes_status = 'held' for update;
  if not found then
    return false;
  end if;
  update rewards w set expires_at = w.expires_at + (at - c.held_at), updated_at = at
    where w.board_id = b and w.closing_id = i and w.status = 'open' and w.expires_at is not null;
  update closings x set prizes_status = 'granting', held_at = null, updated_at = at where x.board_id = b and x.id = i;
  return true;
end $$;

-- Whether equal values give a line to more players than its table allows.
create or replace function line_gives_too_many(prizes jsonb, first_rank integer, last_rank integer, players bigint) returns boolean
language sql immutable parallel safe as $$
  select coalesce(prizes ->> 'ties' = 'all' and players > last_rank - first_rank + 1 + (prizes ->> 'tieLimit')::bigint, false)
$$;

-- Who is given what: a row for each place, with a rank in the range, and line.
create or replace function prizes_due(c closings, after integer, upto integer)
returns table (rank integer, nth bigint, line text, identity_id uuid, shared_by integer, first_rank integer, last_rank integer) language plpgsql stable as $$
declare
  prizes jsonb := prizes_of(c);
  direction text := (select r.sort_direction from board_rankings r where r.board_id = c.board_id);
begin
  return query select p.rank, l.nth, l.name, p.identity_id, g.shared_by, l.first_rank, l.last_rank
      from closing_places p cross join lateral unnest(p.lines, p.shares) g(nth, shared_by) join counted_lines(prizes, c.player_count, c.line_players) l on l.nth = g.nth
      where p.board_id = c.board_id and p.closing_id = c.id and p.rank > after and p.rank <= upto
    union all
    -- Places that were fixed by an earlier version.
    select p.rank, l.nth, l.name, p.identity_id, line_shared_by(p, l.last_rank, prizes), l.first_rank, l.last_rank
      from closing_places p join prize_lines(prizes, c.player_count) l on line_gives(p, l.is_share, l.first_rank, l.last_rank, l.reached, direction)
      where p.board_id = c.board_id and p.closing_id = c.id and p.rank > after and p.rank <= upto and p.lines is null;
end $$;

-- The same for any of its lines.
create or replace function gives_too_many(c closings) returns boolean language plpgsql stable as $$
declare
  prizes jsonb := prizes_of(c);
begin
  return prizes ->> 'ties' = 'all' and exists (
    select from prizes_due(c, 0, 1000000) d group by d.nth, d.first_rank, d.last_rank
      having line_gives_too_many(prizes, d.first_rank, d.last_rank, count(*)));
end $$;

-- What a closing's rewards are named by, but for line and player; and the id by the hash of the whole name: as `named_uuid` makes it, for many.
create or replace function reward_names(c closings) returns text language sql immutable parallel safe as $$
  select concat_ws(E'\n', 'reward', c.board_id, c.view_name, c.period_key, c.group_key, c.is_test::text, '')
$$;

create or replace function uuid_of_hash(h text) returns uuid language sql immutable parallel safe as $$
  select (substr(h, 1, 12) || '8' || substr(h, 14, 3) || to_hex((('x' || substr(h, 17, 1))::bit(4)::integer & 3) | 8) || substr(h, 18, 15))::uuid
$$;

-- Grants the prizes of the next places of a frozen closing. `granting`: there are more; `granted`; `waiting_for_limit`; null: it is not due, or
-- another process is at it.
create or replace function grant_prizes(b uuid, i uuid, most_places integer, most_grants bigint, at timestamptz) returns text language plpgsql volatile as $$
declare
  c closings;
  made uuid[];
  upto integer;
  expires timestamptz;
  names text;
begin
  select * into c from closings x where x.board_id = b and x.id = i and x.prizes_status = 'granting' for update skip locked;
  if not found then
    return null;
  end if;
  if c.granted_through = 0 and c.released_at is null and (gives_too_many(c) or (select count(*) from prizes_due(c, 0, 1000000)) > most_grants) then
    update closings x set prizes_status = 'waiting_for_limit', updated_at = at where x.board_id = b and x.id = i;
    return 'waiting_for_limit';
  end if;
  upto := c.granted_through + most_places;
  names := reward_names(c);
  expires := at + (prizes_of(c) ->> 'expiresDays')::integer * interval '1 day';
  with granted as (
    insert into rewards (board_id, id, account_id, game_id, closing_id, line, identity_id, is_test, rank, shared_by, status, expires_at, created_at, updated_at)
      select b, uuid_of_hash(d.hash), c.account_id, c.game_id, i, d.line, d.identity_id, c.is_test, d.rank, d.shared_by, 'open', expires, at, at
      from (select d.*, encode(sha256(convert_to(names || d.line || E'\n' || d.identity_id, 'UTF8')), 'hex') as hash
        from prizes_due(c, c.granted_through, upto) d order by d.rank, d.nth limit greatest(0, most_grants - c.granted_count)) d
    on conflict do nothing returning id, rank, line)
  select coalesce(array_agg(g.id order by g.rank, g.line), '{}') into made from granted g;
  perform report_rewards('reward.granted', made, at, c.frozen_at);
  update closings x set granted_through = upto, granted_count = x.granted_count + cardinality(made), updated_at = at,
      prizes_status = case when x.granted_count + cardinality(made) < most_grants
        and exists (select from closing_places p where p.board_id = b and p.closing_id = i and p.rank > upto) then 'granting' else 'granted' end
    where x.board_id = b and x.id = i returning * into c;
  return c.prizes_status;
end $$;

-- Notes in the audit trail that rewards were claimed, acknowledged or have expired: an entry for each, by `what`.
create or replace function audit_rewards(ids uuid[], what text, by text, user_id uuid, key uuid, job text, address text, at timestamptz)
returns void language sql volatile as $$
  insert into audit_entries (id, account_id, game_id, user_id, action, subject_id, before, after, author, api_key_id, agent, ip_address, created_at)
    select uuid7_at(at), w.account_id, w.game_id, user_id, what, 'rwd_' || w.id,
      jsonb_build_object('status', case when what = 'reward_acknowledged' and w.claimed_at is not null then 'claimed' else 'open' end),
      jsonb_strip_nulls(jsonb_build_object('status', w.status, 'sessionId', case what when 'reward_claimed' then 'ses_' || w.claimed_by end)),
      by, key, job, address, at
    from rewards w where w.id = any(ids)
$$;

-- Called by earlier versions only, which count rewards of a closing by hour.
create or replace function tally_rewards(closing uuid, what text, n bigint, by text, user_id uuid, key uuid, job text, address inet, at timestamptz)
returns void language sql volatile as $$
  insert into audit_entries as a (id, account_id, game_id, user_id, action, subject_id, after, author, api_key_id, agent, ip_address, created_at)
    select named_uuid(concat_ws(E'\n', what, c.id, user_id, key, job, extract(epoch from date_trunc('hour', at)))), c.account_id, c.game_id, user_id,
      'reward_' || substr(what, 9), 'cls_' || c.id, jsonb_build_object('rewards', n), by, key, job, address, at
    from closings c where c.id = closing
  on conflict (id) do update set after = jsonb_build_object('rewards', (a.after ->> 'rewards')::bigint + n)
$$;

-- Has these rewards expire, if nobody has claimed them. Returns how many.
create or replace function expire_rewards(ids uuid[], job text, at timestamptz) returns bigint language plpgsql volatile as $$
declare
  gone uuid[];
begin
  with expired as (
    update rewards w set status = 'expired', status_order = 3, updated_at = at where w.id = any(ids) and w.status = 'open' returning w.id)
  select array_agg(e.id order by e.id) into gone from expired e;
  perform report_rewards('reward.expired', gone, at);
  perform audit_rewards(gone, 'reward_expired', 'job', null, null, job, null, at);
  return coalesce(cardinality(gone), 0);
end $$;

-- What is wrong with the grants of a closing: null if nothing is.
create or replace function wrong_grants(c closings) returns text language plpgsql stable as $$
declare
  made bigint := (select count(*) from rewards w where w.board_id = c.board_id and w.closing_id = c.id);
  names text := reward_names(c);
  missing bigint;
  wrong bigint;
begin
  if made <> c.granted_count then
    return 'it has another number of grants than it made';
  elsif made = 0 and c.prizes_status <> 'granted' then
    return null;
  end if;
  select count(*) filter (where w.id is null),
      count(*) filter (where w.id <> uuid_of_hash(encode(sha256(convert_to(names || w.line || E'\n' || w.identity_id, 'UTF8')), 'hex'))
        or (w.reissued_at is null and (d.rank is null or (w.id is not null and (w.rank, w.shared_by) is distinct from (d.rank, d.shared_by)))))
    into missing, wrong
    from prizes_due(c, 0, c.granted_through) d
    full join (select * from rewards w where w.board_id = c.board_id and w.closing_id = c.id) w on w.line = d.line and w.identity_id = d.identity_id;
  -- What is missing was beyond the limit.
  return case when wrong > 0 or (missing > 0 and exists (select from prizes_due(c, 0, c.granted_through) d
      where not exists (select from rewards w where w.board_id = c.board_id and w.closing_id = c.id and w.line = d.line and w.identity_id = d.identity_id)
        and d.rank < (select max(w.rank) from rewards w where w.board_id = c.board_id and w.closing_id = c.id and w.reissued_at is null)))
    then 'its grants are not those of its places' end;
end $$;
