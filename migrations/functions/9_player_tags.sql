-- Tags of players: a player's value applies to all its events. A board ranks by the tags of its events, and all events of a
-- player on a board have the same value of such a tag, so rankings stay a function of events (docs/decisions/views.md).

-- The sources of the tags that a board's record declares, permanent once it has events. Under the board's lock. Returns the
-- name of a tag whose source was another; null: there is none.
create or replace function declare_tags(b uuid) returns text language plpgsql volatile as $$
declare
  ranking board_rankings;
  players text[]; submissions text[];
  wrong text;
begin
  select * into ranking from board_rankings r where r.board_id = b for update;
  select coalesce(array_agg(d ->> 'name' order by d ->> 'name') filter (where d ->> 'source' = 'player'), '{}'),
      coalesce(array_agg(d ->> 'name' order by d ->> 'name') filter (where d ->> 'source' <> 'player'), '{}')
    into players, submissions from boards x, jsonb_array_elements(x.dimensions) d where x.id = b and x.board_type <> 'ratio';
  if ranking.seq > 0 then
    select n into wrong from unnest(players) n where n = any(ranking.submission_tags)
      union all select n from unnest(submissions) n where n = any(ranking.player_tags) limit 1;
    players := array(select n from unnest(players || ranking.player_tags) n group by n order by n);
    submissions := array(select n from unnest(submissions || ranking.submission_tags) n group by n order by n);
  end if;
  if wrong is null then
    update board_rankings r set player_tags = nullif(players, '{}'), submission_tags = nullif(submissions, '{}')
      where r.board_id = b and (r.player_tags, r.submission_tags) is distinct from (nullif(players, '{}'), nullif(submissions, '{}'));
  end if;
  return wrong;
end $$;

-- The values of these tags that a player's events on a board have: those of its newest event; without one, the player's
-- present values. JSON null: no value.
create or replace function player_tags_on(b uuid, i uuid, names text[]) returns jsonb language sql stable as $$
  select jsonb_object_agg(n.name, coalesce(e.tags -> n.name, to_jsonb(p.value), 'null'))
  from unnest(names) n(name)
  left join lateral (
    select v.tags from (values (false), (true)) t(is_test)
    cross join lateral (select x.seq, x.tags from score_events x
      where x.board_id = b and x.is_test = t.is_test and x.identity_id = i order by x.seq desc limit 1) v
    order by v.seq desc limit 1) e on true
  left join lateral (select x.value from player_tags x where x.identity_id = i and x.name = n.name limit 1) p on true
$$;

-- Events from before the board had a player tag get the player's value, once, before they are ranked by it.
create or replace function stamp_player_tags(b uuid, nos integer[], ids uuid[]) returns void language plpgsql volatile as $$
declare
  names text[] := (select r.player_tags from board_rankings r where r.board_id = b);
begin
  if exists (select from board_views v where v.board_id = b and v.view_no = any(nos) and v.by_tags && names) then
    update score_events e set tags = p.present || coalesce(e.tags, '{}')
    from (
      select v.ctid as place, x.present
      from unnest(ids) i(id)
      cross join lateral (select player_tags_on(b, i.id, names) as present offset 0) x
      cross join lateral (select y.ctid, y.tags from score_events y where y.board_id = b and y.is_test in (false, true) and y.identity_id = i.id) v
      where exists (select from unnest(names) n where (v.tags -> n) is null)) p
    where e.ctid = p.place;
  end if;
end $$;

-- The boards that change together with this one, so that no ratio divides values of two groups: boards divided by the same
-- ratio boards.
create or replace function retag_unit(b uuid) returns uuid[] language sql stable as $$
  with recursive unit(id) as (
    select b
    union
    select s.id from unit u join ratio_configs c on u.id in (c.numerator_board_id, c.denominator_board_id)
    cross join lateral unnest(array[c.numerator_board_id, c.denominator_board_id]) s(id))
  select array(select u.id from unit u order by u.id)
$$;

-- Boards with player tags on which a player may have events, deleted ones included, grouped by those that change together. A
-- batch being committed may have seen the former values: see boards_to_settle. One that takes the lock later sees the present
-- ones.
create or replace function boards_to_retag(i uuid) returns table (unit uuid[]) language plpgsql volatile as $$
declare
  game uuid;
  busy uuid[];
begin
  select d.game_id into game from identities d where d.id = i;
  with idle as materialized (
    select r.board_id from board_rankings r
    where r.player_tags is not null and r.board_id in (select b.id from boards b where b.game_id = game)
    for share skip locked)
  select coalesce(array_agg(b.id), '{}') into busy from boards b join board_rankings r on r.board_id = b.id
    where b.game_id = game and r.player_tags is not null and b.id not in (select board_id from idle);
  return query
    select distinct retag_unit(b.id) from boards b join board_rankings r on r.board_id = b.id
    where b.game_id = game and r.player_tags is not null
      and (b.id = any(busy) or exists (
        select from states s where s.board_id = b.id and s.is_test in (false, true) and s.identity_id = i));
end $$;

-- Makes some boards rank all events of a player by its present tags. On each that changes, a ruling that changes nothing takes
-- a number of the sequence: decisions on the former events are made again, and readers of the sequence (builds, ratio boards,
-- exports, live feeds) look at the player again. Returns the boards that changed, ratio boards included.
create or replace function apply_player_tags(unit uuid[], i uuid, at timestamptz) returns uuid[] language plpgsql volatile as $$
declare
  ratios uuid[] := array(select c.board_id from ratio_configs c where c.numerator_board_id = any(unit) or c.denominator_board_id = any(unit) order by c.board_id);
  changed uuid[] := '{}';
  board record; wanted jsonb; derived uuid;
  nos integer[]; left_groups boolean;
begin
  -- No build step that read the former events may be running; before the boards' locks, as in those steps.
  perform pg_advisory_xact_lock(7100002, h.hash) from (select distinct hashtext(u.id::text) as hash from unnest(unit || ratios) u(id) order by 1) h;
  perform from board_rankings r where r.board_id = any(unit) order by r.board_id for update;
  perform from board_rankings r where r.board_id = any(ratios) order by r.board_id for update;
  for board in select r.board_id as id, r.generation, r.player_tags as names from board_rankings r where r.board_id = any(unit) and r.player_tags is not null order by r.board_id loop
    select jsonb_object_agg(n.name, coalesce(to_jsonb(p.value), 'null')) into wanted
      from unnest(board.names) n(name) left join player_tags p on p.identity_id = i and p.name = n.name;
    continue when not exists (select from score_events v
      where v.board_id = board.id and v.is_test in (false, true) and v.identity_id = i and not coalesce(v.tags, '{}') @> wanted);
    -- Nothing else depends on these tags.
    nos := array(select v.view_no from board_views v where v.board_id = board.id and v.by_tags && board.names order by v.view_no);
    left_groups := remove_player_entries(board.id, board.id, i, nos);
    update board_rankings r set version = r.version + 1, derived_version = r.version + 1
      where r.board_id = any(array(select u.id from unnest(ratios) u(id) where remove_player_entries(u.id, board.id, i, nos)));
    update score_events v set tags = coalesce(v.tags, '{}') || wanted
      where v.board_id = board.id and v.is_test in (false, true) and v.identity_id = i and not coalesce(v.tags, '{}') @> wanted;
    update board_rankings r set seq = r.seq + 1 where r.board_id = board.id;
    insert into rulings (board_id, seq, identity_id, effect, ruled_at, reason)
      select board.id, r.seq, i, case when identity_counts(board.id, i) then 'include' else 'exclude' end, at, 'tags of the player changed'
      from board_rankings r where r.board_id = board.id;
    if rederive(board.id, nos, array[i], at) > 0 or left_groups then
      update board_rankings r set version = r.version + 1, derived_version = r.version + 1 where r.board_id = board.id;
    end if;
    changed := changed || board.id;
  end loop;
  if changed <> '{}' then
    foreach derived in array ratios loop
      perform settle_ratio_player(derived, i, at);
      changed := changed || derived;
    end loop;
  end if;
  return changed;
end $$;

-- The last step, when all boards have followed this ticket. Returns whether nothing else has changed in the meantime.
create or replace function finish_retagging(i uuid, by_ticket uuid) returns boolean language sql volatile as $$
  with gone as (delete from player_tags_due d where d.identity_id = i and d.ticket = by_ticket returning 1)
  select exists (select from gone)
$$;

-- Players whose events on a board have different values of a player tag, or not their present one although no change is due,
-- as sentences; the next players from one on. `upto` is null after the last. Erasures remove tags in portions.
create or replace function verify_player_tags(b uuid, after uuid, most integer) returns table (upto uuid, faults text[]) language sql stable as $$
  with ranking as materialized (
    select r.player_tags as names, array(select u.tag from board_views v, unnest(v.by_tags) u(tag) where v.board_id = b and v.status = 'live') as ranked
    from board_rankings r where r.board_id = b and r.player_tags is not null
  ), subject as materialized (
    select next_identities(b, after, most) as ids from ranking
  ), held as materialized (
    -- Events from before the tag was declared lack it until there is a view by it.
    select i.id, n.name, array_agg(distinct v.tags ->> n.name) as held
    from ranking r cross join subject s cross join unnest(s.ids) i(id)
    cross join lateral (select x.tags from score_events x where x.board_id = b and x.is_test in (false, true) and x.identity_id = i.id) v
    cross join unnest(r.names) n(name)
    where n.name = any(r.ranked) or (v.tags -> n.name) is not null
    group by i.id, n.name
  )
  select (select max(i::text)::uuid from subject s, unnest(s.ids) i),
    array(
      select case when cardinality(h.held) > 1 then format('player %s: events have %s', h.id, h.name) || ' ' || array_to_string(h.held, ' and ', 'none')
        else format('player %s: events have %s %s instead of %s', h.id, h.name, coalesce(h.held[1], 'none'), coalesce(p.value, 'none')) end
      from held h
      left join player_tags p on p.identity_id = h.id and p.name = h.name
      where (cardinality(h.held) > 1
          or (h.held[1] is distinct from p.value and not exists (select from player_tags_due d where d.identity_id = h.id)))
        and not exists (select from identity_erasures x where x.identity_id = h.id and x.status = 'running')
      order by h.id, h.name limit 100)
$$;
