-- Counts submissions, flags and players by hour, day and month (docs/decisions/history.md).

-- Counts the next events of a board, at most about this many, in one transaction with its cursor. Returns how many numbers of
-- the board's sequence it took; null while another process counts the game.
create or replace function count_history(b uuid, most integer) returns bigint language plpgsql volatile as $$
declare
  nil constant uuid := '00000000-0000-0000-0000-000000000000';
  g uuid := (select d.game_id from boards d where d.id = b);
  known date;
  seen bigint;
  newest bigint;
  upto bigint;
begin
  insert into counted_games (game_id) values (g) on conflict do nothing;
  select c.since into known from counted_games c where c.game_id = g for update skip locked;
  if not found then
    return null;
  end if;
  insert into counted_boards (board_id, game_id, seq, filling) values (b, g, 0, false) on conflict do nothing;
  select c.seq into seen from counted_boards c where c.board_id = b;
  -- Numbers are without gaps in the order of commits: everything up to the newest one is visible from here on.
  select r.seq into newest from board_rankings r where r.board_id = b;
  select coalesce((select e.seq from score_events e where e.board_id = b and e.seq > seen and e.seq <= newest order by e.seq offset most - 1 limit 1), newest)
    into upto;

  with run as materialized (
    select e.seq, e.is_test, e.identity_id, e.created_at, date_trunc('hour', e.created_at, 'UTC') as hour,
      (date_trunc('month', e.created_at, 'UTC') at time zone 'UTC')::date as month
    from score_events e where e.board_id = b and e.seq > seen and e.seq <= upto and e.source <> 'import'
  ), flag as (
    select r.is_test, r.hour, count(*) as flags from score_flags f join run r on r.seq = f.event_seq
    where f.board_id = b and f.event_seq > seen and f.event_seq <= upto and f.flag_type not in ('manual', 'recording', 'verdict')
    group by r.is_test, r.hour
  ), first_here as materialized (
    select r.is_test, r.identity_id, r.created_at, r.hour
    from (select distinct on (x.is_test, x.identity_id) x.* from run x order by x.is_test, x.identity_id, x.seq) r
    where r.seq = (select e.seq from score_events e
      where e.board_id = b and e.is_test = r.is_test and e.identity_id = r.identity_id and e.source <> 'import' order by e.seq limit 1)
  ), earlier as materialized (
    -- Boards of a game are counted in any order: a first submission may turn out to be the second one.
    select f.is_test, f.identity_id, f.created_at, f.hour, date_trunc('hour', k.at, 'UTC') as was
    from first_here f left join first_submissions k on k.identity_id = f.identity_id and k.is_test = f.is_test
    where k.at is null or f.created_at < k.at
  ), kept as (
    insert into first_submissions as k (identity_id, is_test, at) select f.identity_id, f.is_test, f.created_at from earlier f
    on conflict (identity_id, is_test) do update set at = excluded.at
  ), active as materialized (
    select s.board_id, r.is_test, r.month, r.identity_id, r.hour, r.n, k.hours
    from (select distinct x.is_test, x.month, x.identity_id, x.hour,
        (extract(epoch from x.hour - x.month::timestamp at time zone 'UTC') / 3600)::smallint as n from run x where x.month >= known) r
    cross join (values (b), (nil)) s(board_id)
    left join active_players k on k.game_id = g and k.board_id = s.board_id and k.is_test = r.is_test and k.month = r.month
      and k.identity_id = r.identity_id
    where k.hours is null or r.n <> all (k.hours)
  ), noted as (
    insert into active_players as k (game_id, board_id, is_test, month, identity_id, hours)
      select g, a.board_id, a.is_test, a.month, a.identity_id, array_agg(a.n) from active a group by a.board_id, a.is_test, a.month, a.identity_id
    on conflict (game_id, board_id, is_test, month, identity_id) do update set hours = k.hours || excluded.hours
  ), counted as (
    select s.board_id, x.is_test, x.hour, x.submissions, x.flags, 0 as new_players
      from (select r.is_test, r.hour, count(*) as submissions, 0 as flags from run r group by r.is_test, r.hour
        union all select f.is_test, f.hour, 0, f.flags from flag f) x
      cross join (values (b), (nil)) s(board_id)
    union all select b, f.is_test, f.hour, 0, 0, 1 from first_here f
    union all select nil, f.is_test, f.hour, 0, 0, 1 from earlier f
    union all select nil, f.is_test, f.was, 0, 0, -1 from earlier f where f.was is not null
  ), change as (
    select c.board_id, c.is_test, s.span, date_trunc(s.span, c.hour, 'UTC') as at, c.submissions, c.flags, c.new_players, 0 as active_players
      from counted c cross join (values ('hour'), ('day'), ('month')) s(span)
    union all select a.board_id, a.is_test, 'hour', a.hour, 0, 0, 0, 1 from active a
    union all select distinct on (a.board_id, a.is_test, a.month, a.identity_id, a.n / 24)
        a.board_id, a.is_test, 'day', date_trunc('day', a.hour, 'UTC'), 0, 0, 0, 1 from active a
      where not exists (select from unnest(a.hours) h(n) where h.n / 24 = a.n / 24)
    union all select distinct on (a.board_id, a.is_test, a.month, a.identity_id)
        a.board_id, a.is_test, 'month', date_trunc('month', a.hour, 'UTC'), 0, 0, 0, 1 from active a where a.hours is null
  )
  insert into history as h (game_id, board_id, is_test, span, at, submissions, flags, new_players, active_players)
    select g, c.board_id, c.is_test, c.span, c.at, sum(c.submissions), sum(c.flags), sum(c.new_players), sum(c.active_players)
    from change c group by c.board_id, c.is_test, c.span, c.at
  on conflict (game_id, board_id, is_test, span, at) do update set
    submissions = h.submissions + excluded.submissions, flags = h.flags + excluded.flags,
    new_players = h.new_players + excluded.new_players, active_players = h.active_players + excluded.active_players;

  update counted_boards c set seq = upto, filling = c.filling and upto < newest where c.board_id = b;
  return upto - seen;
end $$;

-- Forgets who was active before a month, in games that are counted up to now. What is counted later for those months changes no count of
-- active players. Returns whether there was anything.
create or replace function forget_active(g uuid, before date) returns boolean language plpgsql volatile as $$
begin
  perform from counted_games c where c.game_id = g for update skip locked;
  if not found or exists (select from boards d join board_rankings r on r.board_id = d.id left join counted_boards c on c.board_id = d.id
      where d.game_id = g and r.seq > coalesce(c.seq, 0)) then
    return false;
  end if;
  delete from active_players a where a.ctid = any(array(select x.ctid from active_players x where x.game_id = g and x.month < before limit 5000));
  if found then
    -- At once: what is partly forgotten must not be counted again.
    update counted_games c set since = greatest(c.since, before) where c.game_id = g;
    return true;
  end if;
  return false;
end $$;
