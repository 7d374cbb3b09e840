-- Views: which rankings an event is in, their entries derived from events, builds of views, and dropped rankings. Layout and
-- reasons: docs/decisions/views.md. All writers hold the board's lock unless stated otherwise.

-- The value by which an event is ranked; null: it is missing. A platform is free text of a device: separators of values,
-- control characters and the blanks next to them become one blank, and blanks at both ends are removed. Accepted values of
-- declared tags stay as they are. The same as src/boards/views/tag-value.ts.
create or replace function tag_value(tag text, tags jsonb, country text) returns text language sql immutable parallel safe as $$
  select nullif(case tag when 'country' then country else regexp_replace(regexp_replace(tags ->> tag,
      '[,:\u0001-\u0020\u007f-\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]*[,:\u0001-\u001f\u007f-\u009f\u2028\u2029][,:\u0001-\u0020\u007f-\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]*', ' ', 'g'),
      '^[ \u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\ufeff]+|[ \u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\ufeff]+$', '', 'g') end, '')
$$;

-- The group of an event in a view by these tags; null: one of them is missing, and the event is not in the view.
create or replace function group_of(by_tags text[], tags jsonb, country text) returns text language sql immutable parallel safe as $$
  select case cardinality(by_tags) when 0 then '' when 1 then tag_value(by_tags[1], tags, country)
    else tag_value(by_tags[1], tags, country)
      || case when cardinality(by_tags) >= 2 then ',' || tag_value(by_tags[2], tags, country) else '' end
      || case when cardinality(by_tags) >= 3 then ',' || tag_value(by_tags[3], tags, country) else '' end
      || case when cardinality(by_tags) >= 4 then ',' || tag_value(by_tags[4], tags, country) else '' end end
$$;

create or replace function live_views(b uuid) returns integer[] language sql stable as $$
  select array(select v.view_no from board_views v where v.board_id = b and v.status = 'live' order by v.view_no)
$$;

-- Players with runs that were left out of rankings of these views that have begun by now, without these players: they are to be derived. A
-- ruling that changes nothing takes a number for each, so that builds, ratio boards and exports look at them once more. Under the board's lock.
create or replace function take_in(b uuid, nos integer[], known uuid[]) returns uuid[] language plpgsql volatile as $$
declare
  late uuid[];
begin
  if not exists (select from left_out_runs l where l.board_id = b and l.view_no = any(nos)) then
    return '{}';
  end if;
  with begun as (
    delete from left_out_runs l using rankings r
      where l.board_id = b and l.view_no = any(nos)
        and r.board_id = b and r.view_no = l.view_no and r.period_number = l.period_number and r.group_key = l.group_key
    returning l.identity_id)
  select coalesce(array_agg(distinct g.identity_id), '{}') into late from begun g where g.identity_id <> all(known);
  insert into rulings (board_id, seq, identity_id, effect, ruled_at, reason)
    select b, r.seq + i.n, i.id, case when identity_counts(b, i.id) then 'include' else 'exclude' end, coalesce(r.last_event_at, now()), 'a group took in earlier runs'
    from board_rankings r, unnest(late) with ordinality i(id, n) where r.board_id = b and r.board_type <> 'ratio';
  update board_rankings r set seq = r.seq + cardinality(late), version = r.version + 1, derived_version = r.version + 1
    where r.board_id = b and cardinality(late) > 0 and r.board_type <> 'ratio';
  return late;
end $$;

-- Begins the rankings of these groups, as far as there is room, with their left-out runs.
create or replace function open_groups(b uuid, views integer[], periods integer[], groups text[]) returns void language plpgsql volatile as $$
declare
  nos integer[] := array(select distinct u.no from unnest(views) u(no) order by u.no);
begin
  perform number_rankings(b, nos, views, periods, groups, coalesce((select r.build ->> 'phase' = 'follow' from board_rankings r where r.board_id = b), false));
  perform rederive(b, nos, take_in(b, nos, '{}'), now());
end $$;

-- Looks at some rankings by tags that may have no entries, and frees those that have had none for an hour: their groups begin again with the
-- next run. Only rankings of views are touched, and none while anything is being built. Answers how many were looked at, and freed.
create or replace function release_groups(b uuid, at timestamptz, most integer, out seen bigint, out freed bigint) language plpgsql volatile as $$
begin
  perform from board_rankings r where r.board_id = b for update;
  if exists (select from board_rankings r where r.board_id = b and r.build ->> 'phase' <> 'states') then
    seen := 0; freed := 0;
    return;
  end if;
  with looked as materialized (
    select r.ranking_no, r.generation, r.empty_since,
      v.by_tags = '{}' or exists (select from entries e where e.board_id = b and e.generation = r.generation) as kept,
      -- A group of a ratio board is its sources' group, and keeps its room as long as one of them has it.
      exists (select from board_rankings k
        cross join lateral ratio_view_sources(b, array[r.view_no], k.ratio) s
        join rankings o on (o.board_id, o.view_no) in ((s.num, s.num_no), (s.den, s.den_no)) and o.period_number = r.period_number and o.group_key = r.group_key
        where k.board_id = b and k.ratio is not null) as followed
    from rankings r join board_views v on v.board_id = b and v.view_no = r.view_no
    where r.board_id = b and r.status = 'live' and v.status = 'live' and r.next_generation is null
      and (r.empty_since = 'infinity' or r.empty_since <= at - interval '1 hour')
    order by r.empty_since limit most
  ), noted as (
    update rankings r set empty_since = case when not l.kept then at end
      from looked l where r.board_id = b and r.ranking_no = l.ranking_no and (l.kept or l.followed or l.empty_since = 'infinity')
  ), gone as (
    delete from rankings r using looked l
      where r.board_id = b and r.ranking_no = l.ranking_no and not l.kept and not l.followed and l.empty_since < 'infinity'
    returning r.generation
  ), due as (
    insert into generations_due (board_id, generation, due_at) select b, g.generation, at + interval '10 seconds' from gone g)
  select (select count(*) from looked), (select count(*) from gone) into seen, freed;
  if freed > 0 then
    -- Other processes still take the freed ones for served.
    update board_rankings r set version = r.version + 1, derived_version = r.version + 1 where r.board_id = b;
  end if;
end $$;

-- Entries have left this ranking: if none remain, its group may be freed.
create or replace function note_left(b uuid, g integer) returns void language sql volatile as $$
  update rankings r set empty_since = 'infinity'
    where r.board_id = b and r.generation = g and r.ranking_no < 0 and r.empty_since is null
      and not exists (select from entries e where e.board_id = b and e.generation = g)
$$;

-- The platform of a submission is that of its device then: events from before the board had a view by it get the present one, once.
create or replace function stamp_platforms(b uuid, nos integer[], ids uuid[]) returns void language plpgsql volatile as $$
begin
  if exists (select from board_views v where v.board_id = b and v.view_no = any(nos) and 'platform' = any(v.by_tags)) then
    update score_events e set tags = coalesce(e.tags, '{}') || jsonb_build_object('platform', nullif(p.platform, ''))
    from (
      select v.ctid as place, d.platform
      from score_events v left join lateral (select x.platform from devices x where x.id = v.device_id limit 1) d on true
      where v.board_id = b and v.is_test in (false, true) and v.identity_id = any(ids) and (v.tags -> 'platform') is null) p
    where e.ctid = p.place;
  end if;
end $$;

-- The earliest time that a view's periods must cover; null: the board and its sources have no events. Imported events occurred
-- when their file says; the clocks of gateways differ by seconds.
create or replace function earliest_event(b uuid) returns timestamptz language sql stable as $$
  select min(least(
    (select e.created_at - interval '1 minute' from score_events e where e.board_id = s.id order by e.seq limit 1),
    (select min(e.occurred_at) from score_events e
      where e.board_id = s.id and e.source = 'import' and (select r.import_seq > 0 from board_rankings r where r.board_id = s.id)),
    (select min(w.at) from score_imports i join import_rows w on w.import_id = i.id where i.board_id = s.id and i.has_rows and w.at < 'infinity')))
  from (select b as id
    union all select u.id from ratio_configs c, unnest(array[c.numerator_board_id, c.denominator_board_id]) u(id) where c.board_id = b) s
$$;

-- The next players with events beyond `first_seq` and up to `last_seq`, each of them once: at its first event there. `done_seq` is the number that was
-- reached, `upto` the one that these reach: of `most` events at most, of `fewer` players with some thousands of events in all.
create or replace function followers(b uuid, first_seq bigint, done_seq bigint, last_seq bigint, most integer, fewer integer, out ids uuid[], out upto bigint)
language sql stable as $$
  with met as (
    select e.identity_id, min(e.seq) as seq from score_events e
    where e.board_id = b and e.seq > done_seq and e.seq <= least(done_seq + most, last_seq) and e.source <> 'import'
    group by e.identity_id
  ), weighed as materialized (
    select m.identity_id, m.seq, row_number() over (order by m.seq) as n, sum(s.events) over (order by m.seq) as events
    from met m
    cross join lateral (select coalesce(sum(x.accepted_count), 0) as events from states x
      where x.board_id = b and x.is_test in (false, true) and x.identity_id = m.identity_id) s
    where not exists (select from score_events e
      where e.board_id = b and e.is_test in (false, true) and e.identity_id = m.identity_id and e.seq > first_seq and e.seq <= done_seq and e.source <> 'import')
  ), left_over as (
    select min(w.seq) as seq from weighed w where w.n > fewer or w.n > 1 and w.events > 5000
  )
  select array(select w.identity_id from weighed w where l.seq is null or w.seq < l.seq), coalesce(l.seq - 1, least(done_seq + most, last_seq))
  from left_over l
$$;

-- The players on the podium of a ranking, as they are kept when its entries go.
create or replace function ranking_podium(b uuid, g integer, places integer) returns jsonb language sql stable as $$
  select coalesce(jsonb_agg(jsonb_build_object('rank', p.rank, 'identityId', 'ide_' || p.identity_id, 'scoreId', 'scr_' || p.id,
      'playerName', p.player_name, 'value', p.value, 'valueDisplay', p.value_display) order by p.rank), '[]')
  -- Limited first: numbering would read and sort the whole ranking.
  from (select x.*, row_number() over (order by x.rank_key, x.seq) as rank from (
    select e.* from entries e
    where e.board_id = b and e.generation = g and not e.is_test and e.ranked order by e.rank_key, e.seq limit places) x) p
$$;

-- Drops some of the rankings of periods that are no longer kept: podium and total stay, entries are deleted in the background
-- (clear_generation). The row stays, so that nothing begins the ranking again. Returns how many were dropped.
create or replace function drop_rankings(b uuid, at timestamptz, most integer) returns bigint language plpgsql volatile as $$
declare
  old record;
  retired bigint := 0;
begin
  perform from board_rankings r where r.board_id = b for update;
  for old in
    select r.ranking_no, r.generation, r.next_generation, r.group_key, v.keep_podium
    from board_views v
    cross join lateral (select retirable_upto(b, v.view_no, at) as number offset 0) newest
    join rankings r on r.board_id = b and r.view_no = v.view_no and r.period_number between 1 and newest.number and r.status = 'live'
    where v.board_id = b and v.status = 'live' and may_retire(b, v.view_no, r.period_number)
    order by r.period_number, r.ranking_no desc limit most
  loop
    update rankings r set status = 'dropped', dropped_at = at, next_generation = null, podium = ranking_podium(b, old.generation, old.keep_podium),
        total_at_drop = ranked_count(b, old.generation, false)
      where r.board_id = b and r.ranking_no = old.ranking_no;
    insert into generations_due (board_id, generation, due_at)
      select b, g, at + interval '10 seconds' from unnest(array[old.generation, old.next_generation]) u(g) where g is not null;
    retired := retired + 1;
  end loop;
  delete from left_out_runs l where l.ctid = any(array(
    select x.ctid from board_views v
    cross join lateral (select retirable_upto(b, v.view_no, at) as number offset 0) newest
    join left_out_runs x on x.board_id = b and x.view_no = v.view_no and x.period_number between 1 and newest.number
    where v.board_id = b limit 10 * most));
  delete from attempts a where a.ctid = any(array(
    select x.ctid from board_views v
    cross join lateral (select retirable_upto(b, v.view_no, at) as number offset 0) newest
    join attempts x on x.board_id = b and x.view_no = v.view_no and x.period_number between 1 and newest.number
    where v.board_id = b limit 10 * most));
  if retired > 0 then
    update board_rankings r set version = r.version + 1, derived_version = r.version + 1 where r.board_id = b;
  end if;
  return retired;
end $$;

-- Deletes some of the rankings of a view that is being dropped; entries are deleted in the background. Returns how many; 0:
-- the view is gone.
create or replace function clear_view(b uuid, no integer, at timestamptz, most integer) returns bigint language plpgsql volatile as $$
declare
  deleted bigint;
begin
  perform from board_rankings r where r.board_id = b for update;
  if not exists (select from board_views v where v.board_id = b and v.view_no = no and v.status = 'dropping') then
    return 0;
  end if;
  with gone as (
    delete from rankings r where r.ctid = any(array(select x.ctid from rankings x where x.board_id = b and x.view_no = no limit most))
    returning r.generation, r.next_generation, r.status
  ), due as (
    insert into generations_due (board_id, generation, due_at)
      select b, u.g, at + interval '10 seconds' from gone, unnest(array[case when gone.status <> 'dropped' then gone.generation end, gone.next_generation]) u(g)
      where u.g is not null)
  select count(*) into deleted from gone;
  if deleted = 0 then
    delete from left_out_runs l where l.ctid = any(array(select x.ctid from left_out_runs x where x.board_id = b and x.view_no = no limit 10 * most));
    get diagnostics deleted = row_count;
  end if;
  if deleted = 0 then
    delete from attempts a where a.ctid = any(array(select x.ctid from attempts x where x.board_id = b and x.view_no = no limit 10 * most));
    get diagnostics deleted = row_count;
  end if;
  if deleted = 0 then
    delete from board_views v where v.board_id = b and v.view_no = no;
    update board_rankings r set dense_views = false
      where r.board_id = b and r.dense_views and not exists (select from board_views v where v.board_id = b and v.tie_policy = 'dense');
    -- Watchers of a ratio board are told about a view that a source has dropped.
    update board_rankings r set version = r.version + 1, derived_version = r.version + 1 where r.board_id = b and r.board_type = 'ratio';
  end if;
  return deleted;
end $$;

-- Removes deleted entries from the tree and the dense ranks of their ranking.
create or replace function uncount_entries(b uuid, g integer, test boolean, ks double precision[], ss bigint[]) returns void language plpgsql volatile as $$
declare
  dense boolean := (select r.dense_views or r.tie_policy = 'dense' or coalesce(r.build ->> 'ties' = 'dense', false) from board_rankings r where r.board_id = b)
    and has_dense_ranks(b, g);
begin
  perform note_left(b, g);
  -- One that is being built gets its tree from its entries.
  if exists (select from rank_tops t where t.board_id = b and t.generation = g and t.is_test = test) then
    perform apply_rank_deltas(b, g, test, ks, ss, array_fill(-1, array[cardinality(ks)]));
    if dense then
      perform follow_values(b, g, test, ks);
    end if;
  elsif dense then
    perform forget_values(b, g, test, ks);
  end if;
end $$;

-- Removes a player's entries from all rankings by tags, built or served: its events have lost their tags.
create or replace function leave_groups(b uuid, i uuid) returns void language plpgsql volatile as $$
declare
  deltas record;
begin
  delete from left_out_runs l where l.identity_id = i and l.board_id = b;
  for deltas in
    with slot as materialized (
      select p.is_test, i as slot from (values (false), (true)) p(is_test)
      union all
      select v.is_test, v.id from score_events v where v.board_id = b and v.is_test in (false, true) and v.identity_id = i
    ), gone as (
      delete from entries e where e.ctid = any(array(
        select p.place
        from board_views v
        join rankings r on r.board_id = b and r.view_no = v.view_no and r.status <> 'dropped'
        cross join lateral unnest(array[r.generation, r.next_generation]) u(g)
        cross join slot s
        cross join lateral (select x.ctid as place from entries x
          where x.board_id = b and x.generation = u.g and x.is_test = s.is_test and x.slot = s.slot limit 1) p
        where v.board_id = b and v.by_tags <> '{}'))
      returning e.generation, e.is_test, e.rank_key, e.seq)
    select g.generation as g, g.is_test, array_agg(g.rank_key) as ks, array_agg(g.seq) as ss
    from gone g group by g.generation, g.is_test
  loop
    perform uncount_entries(b, deltas.g, deltas.is_test, deltas.ks, deltas.ss);
  end loop;
end $$;

-- Removes a player's entries from rankings of a board, built or served, that its events on `origin` are in: the board itself, or a source of a
-- ratio board, whose views have the same names. Before those events become another player's, or get other tags. `nos`: the views of `origin`;
-- null: all, and the board's own ranking. Returns whether there was an entry.
create or replace function remove_player_entries(b uuid, origin uuid, i uuid, nos integer[]) returns boolean language plpgsql volatile as $$
declare
  deltas record;
  found_some boolean := false;
begin
  for deltas in
    with pair as materialized (
      select 0 as view_no, 0 as own where nos is null
      union all
      select v.view_no, w.view_no from board_views v join board_views w on w.board_id = b and w.name = v.name and w.status <> 'dropping'
      where v.board_id = origin and v.status <> 'dropping' and (nos is null or v.view_no = any(nos))
    ), place as materialized (
      select distinct u.g, v.is_test, s.slot
      from score_events v
      cross join lateral ranking_keys(origin, array(select p.view_no from pair p), v.tags, v.country, coalesce(v.occurred_at, v.created_at)) k
      join pair p on p.view_no = k.view_no
      cross join lateral (select x.generation, x.next_generation, x.status from rankings x
        where x.board_id = b and x.view_no = p.own and x.period_number = k.period_number and x.group_key = k.group_key limit 1) r
      cross join lateral unnest(array[r.generation, r.next_generation]) u(g)
      cross join lateral unnest(array[i, v.id]) s(slot)
      where v.board_id = origin and v.is_test in (false, true) and v.identity_id = i and r.status <> 'dropped' and u.g is not null
    ), gone as (
      delete from entries e where e.ctid = any(array(
        select x.place from place p
        cross join lateral (select y.ctid as place from entries y
          where y.board_id = b and y.generation = p.g and y.is_test = p.is_test and y.slot = p.slot limit 1) x))
      returning e.generation, e.is_test, e.rank_key, e.seq, e.ranked)
    select g.generation as g, g.is_test, coalesce(array_agg(g.rank_key) filter (where g.ranked), '{}') as ks,
      coalesce(array_agg(g.seq) filter (where g.ranked), '{}') as ss
    from gone g group by g.generation, g.is_test
  loop
    found_some := true;
    perform uncount_entries(b, deltas.g, deltas.is_test, deltas.ks, deltas.ss);
  end loop;
  return found_some;
end $$;
