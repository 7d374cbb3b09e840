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

-- The rankings of these views that an event with these tags and this time is in: a function of the event and of view_periods.
-- The same as src/scores/views/places.ts.
create or replace function ranking_keys(b uuid, nos integer[], tags jsonb, country text, t timestamptz)
returns table (view_no integer, period_number integer, group_key text) language sql stable as $$
  select v.view_no, coalesce(p.number, 0), k.group_key
  from board_views v
  cross join lateral (select group_of(v.by_tags, ranking_keys.tags, ranking_keys.country) offset 0) k(group_key)
  left join lateral (select x.number, x.ends_at from view_periods x
    where v.period is not null and x.board_id = b and x.view_no = v.view_no and x.starts_at <= t
    order by x.starts_at desc limit 1) p on t < p.ends_at
  where v.board_id = b and v.view_no = any(nos) and k.group_key is not null
    and (v.period is null or p.number is not null and (v.since is null or p.ends_at > v.since))
$$;

create or replace function live_views(b uuid) returns integer[] language sql stable as $$
  select array(select v.view_no from board_views v where v.board_id = b and v.status = 'live' order by v.view_no)
$$;

-- True of a view that writers of submissions keep up to date: a served one, or one in the last phase of its build (view_step).
create or replace function is_followed(v board_views) returns boolean language sql immutable parallel safe as $$
  select v.status = 'live' or v.status = 'building' and coalesce(v.build ->> 'phase' = 'follow', false)
$$;

create or replace function followed_views(b uuid) returns integer[] language sql stable as $$
  select array(select v.view_no from board_views v where v.board_id = b and is_followed(v) order by v.view_no)
$$;

-- The facts about a board's views that decisions on submissions need: {platform, list}. Of each followed view the periods that
-- end after `since`, in order, four at most: [number, starts_at, ends_at, key, ranking_no, generation, status]; times are
-- epoch milliseconds, an all-time view has one period without times. `served`: false while a view is being built. Rankings by
-- tags are looked up when needed. `platform`: true if the platform is stored with events.
create or replace function view_facts(b uuid, since timestamptz) returns json language sql stable as $$
  select json_build_object(
    'platform', coalesce(bool_or('platform' = any(v.by_tags)), false),
    'list', coalesce(json_agg(json_build_object('no', v.view_no, 'name', v.name, 'served', v.status = 'live', 'by', v.by_tags, 'kind', v.period, 'ties', v.tie_policy, 'periods', p.periods) order by v.view_no)
      filter (where is_followed(v)), '[]'))
  from board_views v
  cross join lateral (
    select coalesce(json_agg(json_build_array(x.number, extract(epoch from x.starts_at) * 1000, extract(epoch from x.ends_at) * 1000, x.key,
        r.ranking_no, r.generation, r.status) order by x.number), '[]') as periods
    from (
      select 0 as number, null::timestamptz as starts_at, null::timestamptz as ends_at, 'all' as key where v.period is null
      union all
      (select y.number, y.starts_at, y.ends_at, y.key from view_periods y
        where y.board_id = b and y.view_no = v.view_no and y.ends_at > view_facts.since and (v.since is null or y.ends_at > v.since)
        order by y.number limit 4)) x
    left join lateral (select k.ranking_no, k.generation, k.status from rankings k
      where v.by_tags = '{}' and k.board_id = b and k.view_no = v.view_no and k.period_number = x.number and k.group_key = '' limit 1) r on true) p
  where v.board_id = b and v.status <> 'dropping'
$$;

-- These players' counting events, each with its rankings, existing or not.
create or replace function ranked_events(b uuid, nos integer[], ids uuid[], upto bigint) returns table (
  view_no integer, period_number integer, group_key text, is_test boolean, identity_id uuid, seq bigint, place bigint, id uuid, amount float8,
  player_name text, value_display text, metadata jsonb, disposition text, created_at timestamptz, first_id uuid)
language sql stable as $$
  select k.view_no, k.period_number, k.group_key, c.is_test, c.identity_id, c.seq, c.place, c.id, c.amount, c.player_name, c.value_display,
    c.metadata, c.disposition, c.created_at, c.first_id
  from events_upto(b, array(
    select i.id from unnest(ids) i(id)
    where case when (select not exists (select from rulings r where r.board_id = b)) then true else
      coalesce((select r.effect = 'include' from rulings r where r.board_id = b and r.identity_id = i.id order by r.seq desc limit 1), true) end), upto) c
  cross join lateral (select v.tags, v.country from score_events v where v.board_id = b and v.seq = c.seq limit 1) e
  cross join lateral ranking_keys(b, nos, e.tags, e.country, c.created_at) k
  where c.live
$$;

-- These players' entries in these views' rankings, by these rules: as entries_upto, for each ranking separately, and without
-- hidden entries.
create or replace function view_entries(b uuid, nos integer[], ids uuid[], kind text, direction text, strategy text, upto bigint) returns table (
  ranking_no integer, generation integer, next_generation integer, is_test boolean, slot uuid, id uuid, identity_id uuid, event_seq bigint,
  value float8, rank_key float8, seq bigint, status text, player_name text, value_display text, metadata jsonb,
  created_at timestamptz, updated_at timestamptz)
language sql stable as $$
  with events as materialized (
    select r.ranking_no, r.generation, r.next_generation, w.tie_policy as ties, c.*
    from ranked_events(b, nos, ids, upto) c
    join board_views w on w.board_id = b and w.view_no = c.view_no
    cross join lateral (select x.ranking_no, x.generation, x.next_generation, x.status from rankings x
      where x.board_id = b and x.view_no = c.view_no and x.period_number = c.period_number and x.group_key = c.group_key limit 1) r
    where r.status <> 'dropped'
  ), runs as (
    select c.ranking_no, c.generation, c.next_generation, c.is_test, c.id as slot, c.id, c.identity_id, c.seq as event_seq, c.amount as value, c.seq,
      c.disposition = 'flagged' as doubted, c.player_name, c.value_display, c.metadata, c.created_at, c.created_at as updated_at, c.ties
    from events c where kind = 'run_runs'
  ), usable as (
    select c.*, case kind when 'counter' then sum(c.amount) over before_and_this else c.amount end as running,
      case kind when 'counter' then bool_or(c.disposition = 'flagged') over before_and_this else c.disposition = 'flagged' end as doubted,
      first_value(c.created_at) over before_and_this as first_at
    from events c where kind in ('run_identity', 'counter')
    window before_and_this as (partition by c.ranking_no, c.is_test, c.identity_id order by c.place rows unbounded preceding)
  ), stepped as (
    select u.*, u.running is distinct from lag(u.running) over (partition by u.ranking_no, u.is_test, u.identity_id order by u.place) as steps
    from usable u
  ), stretched as (
    select s.*, max(s.place) filter (where s.steps) over (partition by s.ranking_no, s.is_test, s.identity_id order by s.place rows unbounded preceding) as reached
    from stepped s
  ), reached as (
    select s.*, first_value(s.seq) over stretch as reached_seq, first_value(s.created_at) over stretch as reached_at
    from stretched s
    window stretch as (partition by s.ranking_no, s.is_test, s.identity_id, s.reached order by s.place rows unbounded preceding)
  ), kept as (
    select distinct on (s.ranking_no, s.is_test, s.identity_id) s.*
    from reached s
    order by s.ranking_no, s.is_test, s.identity_id,
      case strategy when 'best' then rank_key_of(s.running, direction) end,
      case when strategy in ('best', 'first') and kind = 'run_identity' then s.place else - s.place end
  ), single as (
    select k.ranking_no, k.generation, k.next_generation, k.is_test, k.identity_id as slot, k.first_id as id, k.identity_id, k.seq as event_seq, k.running as value,
      case when strategy in ('best', 'first') and kind = 'run_identity' then k.seq else k.reached_seq end as seq,
      k.doubted, coalesce(d.display_name, k.player_name) as player_name, k.value_display, k.metadata, k.first_at as created_at,
      case when strategy in ('best', 'first') and kind = 'run_identity' then k.created_at else k.reached_at end as updated_at, k.ties
    from kept k
    left join lateral (select nullif(i.display_name, '') as display_name from identities i where i.id = k.identity_id limit 1) d on not k.is_test
  )
  select x.ranking_no, x.generation, x.next_generation, x.is_test, x.slot, x.id, x.identity_id, x.event_seq, x.value, rank_key_of(x.value, direction),
    placed_seq(x.seq, x.ties),
    case when x.doubted then 'under_review' else 'active' end, x.player_name, x.value_display, x.metadata, x.created_at, x.updated_at
  from (select * from runs union all select * from single) x
$$;

-- Numbers the rankings of these players' events that have no number yet and, with `following`, all of these views' rankings in
-- the generation under construction. Returns how many numbers were given. Players whose groups found no room are noted; those
-- whose groups have room now are derived in what is served.
create or replace function begin_rankings(b uuid, nos integer[], ids uuid[], upto bigint, following boolean) returns integer language plpgsql volatile as $$
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
  given := number_rankings(b, nos, missing.views, missing.periods, missing.groups, following);
  if exists (select from unnest(missing.views, missing.periods, missing.groups) m(view_no, period_number, group_key)
      where not exists (select from rankings r
        where r.board_id = b and r.view_no = m.view_no and r.period_number = m.period_number and r.group_key = m.group_key)) then
    insert into left_out_runs (board_id, view_no, period_number, group_key, identity_id)
      select distinct b, e.view_no, e.period_number, e.group_key, e.identity_id from ranked_events(b, nos, ids, upto) e
      where not exists (select from rankings r
        where r.board_id = b and r.view_no = e.view_no and r.period_number = e.period_number and r.group_key = e.group_key)
    on conflict do nothing;
  end if;
  late := take_in(b, nos, case when following then '{}' else ids end);
  if cardinality(late) > 0 then
    perform rederive_views(b, nos, late, false);
  end if;
  return given;
end $$;

-- Players with left-out runs in rankings of these views that have begun since, without these players: they have to be derived.
-- A ruling that changes nothing takes a number for each, so builds, ratio boards and exports look at them again. Under the
-- board's lock.
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
create or replace function begin_groups(b uuid, views integer[], periods integer[], groups text[]) returns void language plpgsql volatile as $$
declare
  nos integer[] := array(select distinct u.no from unnest(views) u(no) order by u.no);
begin
  perform number_rankings(b, nos, views, periods, groups, false);
  perform rederive_views(b, nos, take_in(b, nos, '{}'), false);
end $$;

-- Looks at some rankings by tags that may have no entries, and frees those without any for an hour: their groups begin again
-- with the next run. Only rankings of views, and none while the board or the view is being built. Returns how many were
-- checked, and freed.
create or replace function free_groups(b uuid, at timestamptz, most integer, out seen bigint, out freed bigint) language plpgsql volatile as $$
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
    where r.board_id = b and r.generation = g and r.empty_since is null
      and not exists (select from entries e where e.board_id = b and e.generation = g)
$$;

-- Numbers these rankings, which do not exist yet; as above. Numbers are never reused. Under the board's lock.
create or replace function number_rankings(b uuid, nos integer[], views integer[], periods integer[], groups text[], following boolean)
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
  if following then
    update rankings r set next_generation = newest - n.n
      from (select x.ranking_no, row_number() over (order by x.ranking_no desc)::integer as n from rankings x
        where x.board_id = b and x.view_no = any(nos) and x.next_generation is null and x.status <> 'dropped') n
      where r.board_id = b and r.ranking_no = n.ranking_no;
    get diagnostics begun = row_count;
    newest := newest - begun;
  end if;
  update board_rankings r set newest_ranking = newest where r.board_id = b and r.newest_ranking <> newest;
  return first - newest;
end $$;

-- Makes these players' entries in these views' rankings match events and rulings: in the served ones or, with `following`, in
-- those of the generation under construction, by its rules. Returns how many differed.
create or replace function rederive_views(b uuid, nos integer[], ids uuid[], following boolean) returns bigint language plpgsql volatile as $$
declare
  rules record;
  changed bigint := 0;
  deltas record;
  has_dense boolean;
begin
  select r.board_type, r.sort_direction, r.keep_strategy, r.imported_seq as upto, r.build, r.dense_views into rules from board_rankings r where r.board_id = b for update;
  has_dense := rules.dense_views;
  if following then
    select rules.build ->> 'board_type' as board_type, rules.build ->> 'sort_direction' as sort_direction,
      rules.build ->> 'keep_strategy' as keep_strategy, coalesce((rules.build ->> 'imported')::bigint, rules.upto) as upto into rules;
  end if;
  perform stamp_platforms(b, nos, ids);
  perform stamp_player_tags(b, nos, ids);
  perform begin_rankings(b, nos, ids, rules.upto, following);

  for deltas in
    with target as materialized (
      select t.*, case when following then t.next_generation else t.generation end as g
      from view_entries(b, nos, ids, rules.board_type, rules.sort_direction, rules.keep_strategy, rules.upto) t
    ), candidate as materialized (
      -- Only rankings with the key of one of the player's events can have entries, including an event that does not count.
      select distinct case when following then r.next_generation else r.generation end as g, v.is_test,
        case rules.board_type when 'run_runs' then v.id else v.identity_id end as slot
      from score_events v
      cross join lateral ranking_keys(b, nos, v.tags, v.country, coalesce(v.occurred_at, v.created_at)) k
      cross join lateral (select x.generation, x.next_generation, x.status from rankings x
        where x.board_id = b and x.view_no = k.view_no and x.period_number = k.period_number and x.group_key = k.group_key limit 1) r
      where v.board_id = b and v.is_test in (false, true) and v.identity_id = any(ids) and r.status <> 'dropped'
    ), gone as (
      delete from entries e where e.ctid = any(array(
        select p.place
        from candidate s
        cross join lateral (select e.ctid as place from entries e
          where e.board_id = b and e.generation = s.g and e.is_test = s.is_test and e.slot = s.slot limit 1) p
        where (s.g, s.is_test, s.slot) not in (select t.g, t.is_test, t.slot from target t)))
      returning e.generation, e.is_test, e.rank_key, e.seq
    ), different as materialized (
      select t.*, p.place, p.rank_key as old_key, p.seq as old_seq
      from target t left join lateral (select e.ctid as place, e.* from entries e
        where e.board_id = b and e.generation = t.g and e.is_test = t.is_test and e.slot = t.slot limit 1) p on true
      where p.slot is null or (p.id, p.event_seq, p.value, p.rank_key, p.seq, p.status, p.player_name, p.value_display, p.metadata, p.created_at, p.updated_at)
        is distinct from (t.id, t.event_seq, t.value, t.rank_key, t.seq, t.status, t.player_name, t.value_display, t.metadata, t.created_at, t.updated_at)
    ), came as (
      insert into entries (board_id, generation, is_test, slot, id, identity_id, event_seq, value, rank_key, seq, ranked, status,
          player_name, value_display, metadata, created_at, updated_at)
        select b, d.g, d.is_test, d.slot, d.id, d.identity_id, d.event_seq, d.value, d.rank_key, d.seq, true, d.status,
          d.player_name, d.value_display, d.metadata, d.created_at, d.updated_at
        from different d where d.place is null
      returning 1
    ), altered as (
      update entries e set
        id = d.id, event_seq = d.event_seq, value = d.value, rank_key = d.rank_key, seq = d.seq, ranked = true, status = d.status,
        player_name = d.player_name, value_display = d.value_display, metadata = d.metadata, created_at = d.created_at, updated_at = d.updated_at
      from different d where e.ctid = d.place
      returning 1
    ), moves as (
      select generation as g, is_test, rank_key, seq, -1 as d from gone
      union all select g, is_test, old_key, old_seq, -1 from different where place is not null
      union all select g, is_test, rank_key, seq, 1 from different
    )
    select m.g, m.is_test, array_agg(m.rank_key) as ks, array_agg(m.seq) as ss, array_agg(m.d) as ds,
      -- If counted, all entries are written before the trees follow.
      (select count(*) from gone) + (select count(*) from came) + (select count(*) from altered) as touched,
      (select count(*) from gone) as vanished
    from moves m
    group by m.g, m.is_test
  loop
    changed := greatest(changed, deltas.touched);
    perform apply_rank_deltas(b, deltas.g, deltas.is_test, deltas.ks, deltas.ss, deltas.ds);
    if deltas.vanished > 0 then
      perform note_left(b, deltas.g);
    end if;
    if has_dense then
      perform follow_values(b, deltas.g, deltas.is_test, deltas.ks);
    end if;
  end loop;
  return changed;
end $$;

-- The platform of a submission is its device's at that time: events from before the board had a view by platform get the
-- present one, once.
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

-- The next step of a view that is being built. Returns `idle`: nothing to build; `busy`: another process is at it, or the
-- board is being ranked again, which comes first; `step`; `live`: the view is now served. Steps as those of a generation
-- (build_step): one at a time, a short transaction each, including its progress. From the last phase on (`follow`), writers
-- keep the view up to date as if it were served, so the remaining players are a fixed number, however many submissions arrive.
create or replace function view_step(b uuid, no integer, at timestamptz, most integer, alone boolean) returns text language plpgsql volatile as $$
declare
  ranking board_rankings;
  shown board_views;
  ids uuid[];
  news record;
  numbers integer[]; g integer;
  -- Under the lock: it must not take longer than a tenth of a second.
  fewer integer := greatest(1, most / 20);
  players bigint;
  ratios boolean;
begin
  if not alone and not pg_try_advisory_xact_lock(7100002, hashtext(b::text)) then
    return 'busy';
  end if;
  select * into shown from board_views v where v.board_id = b and v.view_no = no;
  if shown.status is distinct from 'building' then
    return 'idle';
  end if;
  select * into ranking from board_rankings r where r.board_id = b;
  ratios := ranking.board_type = 'ratio';
  if ranking.build ->> 'phase' <> 'states' or ratios and not ratio_views_ready(b, no) then
    return 'busy';
  end if;

  if shown.build is null then
    -- Before the lock: ten million take seconds.
    players := (select count(*) from states s where s.board_id = b and s.is_test in (false, true));
    select * into ranking from board_rankings r where r.board_id = b for update;
    if ranking.build ->> 'phase' <> 'states' then
      return 'busy';
    end if;
    update board_views v set build = jsonb_build_object('phase', 'entries', 'after', '00000000-0000-0000-0000-000000000000', 'done', 0,
        'all', players, 'seq', ranking.seq,
        'numerator_seq', (select n.seq from board_rankings n where n.board_id = (ranking.ratio ->> 'numerator')::uuid),
        'denominator_seq', (select n.seq from board_rankings n where n.board_id = (ranking.ratio ->> 'denominator')::uuid))
      where v.board_id = b and v.view_no = no;
    return 'step';
  end if;

  if shown.build ->> 'phase' = 'entries' then
    ids := next_identities(b, (shown.build ->> 'after')::uuid, most);
    if cardinality(ids) = 0 then
      perform note_view(b, no, '{"phase": "tree", "tree": 0}');
      return 'step';
    end if;
    if ratios then
      -- Positions are numbers of the board's sequence, so under its lock.
      perform from board_rankings r where r.board_id = b for update;
      perform note_view(b, no, '{}');
      perform rederive_ratio_views(b, array[no], ids, at, false, false, 0, 0);
    else
      perform stamp_platforms(b, array[no], ids);
      perform stamp_player_tags(b, array[no], ids);
      if exists (select from ranked_events(b, array[no], ids, ranking.imported_seq) e
          where not exists (select from rankings r
            where r.board_id = b and r.view_no = e.view_no and r.period_number = e.period_number and r.group_key = e.group_key)) then
        -- Under the lock, so in a step of its own.
        perform from board_rankings r where r.board_id = b for update;
        if begin_rankings(b, array[no], ids, ranking.imported_seq, false) > 0 and not alone then
          return 'step';
        end if;
      end if;
      execute format($sql$
        insert into entries (board_id, generation, is_test, slot, id, identity_id, event_seq, value, rank_key, seq, ranked, status,
            player_name, value_display, metadata, created_at, updated_at)
          select $1, d.generation, d.is_test, d.slot, d.id, d.identity_id, d.event_seq, d.value, d.rank_key, d.seq, true, d.status,
            d.player_name, d.value_display, d.metadata, d.created_at, d.updated_at
          from view_entries($1, $2, $3, %L, %L, %L, %L) d $sql$,
          ranking.board_type, ranking.sort_direction, ranking.keep_strategy, ranking.imported_seq) using b, array[no], ids;
    end if;
    perform note_view(b, no, jsonb_build_object('after', ids[cardinality(ids)],
      'done', (select count(*) from states s where s.board_id = b and s.is_test in (false, true) and s.identity_id = any(ids))
        + (shown.build ->> 'done')::bigint));
    return 'step';
  end if;

  if shown.build ->> 'phase' = 'tree' then
    numbers := array(select r.ranking_no from rankings r
      where r.board_id = b and r.view_no = no and r.ranking_no < (shown.build ->> 'tree')::integer and r.status <> 'dropped'
      order by r.ranking_no desc limit 200);
    if cardinality(numbers) = 0 then
      perform note_view(b, no, '{"phase": "news"}');
      return 'step';
    end if;
    if shown.tie_policy = 'dense' and not build_values(b, numbers, most) then
      perform note_view(b, no, '{}');
      return 'step';
    end if;
    foreach g in array numbers loop
      perform build_rank_tree(b, g, false);
      perform build_rank_tree(b, g, true);
    end loop;
    perform note_view(b, no, jsonb_build_object('tree', g));
    return 'step';
  end if;

  if shown.build ->> 'phase' = 'follow' then
    -- Before the lock, because those events no longer change.
    select n.ids, n.upto into news from followers(b, (shown.build ->> 'from')::bigint, (shown.build ->> 'seq')::bigint, (shown.build ->> 'upto')::bigint, most, fewer) n;
  end if;
  select * into ranking from board_rankings r where r.board_id = b for update;
  if ranking.build ->> 'phase' <> 'states' then
    return 'busy';
  end if;
  perform note_view(b, no, '{}');
  if ratios then
    -- A round that leaves nothing is the last.
    select n.ids, n.num_seq, n.den_seq, n.behind into news
      from ratio_news(ranking.ratio, (shown.build ->> 'numerator_seq')::bigint, (shown.build ->> 'denominator_seq')::bigint, most) n;
    perform rederive_ratio_views(b, array[no], news.ids, at, false, true, 0, 0);
    perform note_view(b, no, jsonb_build_object('numerator_seq', news.num_seq, 'denominator_seq', news.den_seq));
    if news.behind then
      return 'step';
    end if;
  elsif shown.build ->> 'phase' = 'news' then
    -- Rulings first. Then the view's entries lack later events at most, and what writers add to them is not lost.
    select array_agg(distinct u.identity_id) as ids, max(u.seq) as upto into news from (
      select r.seq, coalesce(r.identity_id, (select v.identity_id from score_events v where v.id = r.event_id and v.board_id = b limit 1)) as identity_id
      from rulings r where r.board_id = b and r.seq > coalesce((shown.build ->> 'ruled')::bigint, (shown.build ->> 'seq')::bigint) order by r.seq limit fewer) u;
    if news.upto is not null then
      perform rederive_views(b, array[no], news.ids, false);
      perform note_view(b, no, jsonb_build_object('ruled', news.upto));
      return 'step';
    end if;
    if ranking.seq > (shown.build ->> 'seq')::bigint then
      perform note_view(b, no, jsonb_build_object('phase', 'follow', 'from', shown.build -> 'seq', 'upto', ranking.seq));
      update board_rankings r set version = r.version + 1, derived_version = r.version + 1 where r.board_id = b;
      return 'step';
    end if;
  else
    if rederive_views(b, array[no], news.ids, false) > 0 then
      update board_rankings r set version = r.version + 1, derived_version = r.version + 1 where r.board_id = b;
    end if;
    if news.upto < (shown.build ->> 'upto')::bigint then
      perform note_view(b, no, jsonb_build_object('seq', news.upto));
      return 'step';
    end if;
  end if;
  update board_views v set status = 'live', build = null, updated_at = at where v.board_id = b and v.view_no = no;
  update rankings r set status = 'live' where r.board_id = b and r.view_no = no and r.status = 'building';
  update board_rankings r set version = r.version + 1, derived_version = r.version + 1 where r.board_id = b;
  return 'live';
end $$;

-- The next players with events beyond `first_seq` and up to `last_seq`, each once: at its first event there. `done_seq` is the
-- number reached, `upto` the one these reach: at most `most` events, or `fewer` players with some thousands of events
-- altogether.
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

-- Stores the progress of a view's build. A step of a cancelled build is undone.
create or replace function note_view(b uuid, no integer, progress jsonb) returns void language plpgsql volatile as $$
begin
  update board_views v set build = v.build || progress where v.board_id = b and v.view_no = no and v.status = 'building' and v.build is not null;
  if not found then
    raise exception 'view % of board % is not built any more', no, b using errcode = 'LB001';
  end if;
end $$;

-- Builds the views of a small board immediately, in this transaction, under the board's lock. Returns whether anything is left
-- to be done.
create or replace function follow_views(b uuid, at timestamptz, small integer) returns boolean language plpgsql volatile as $$
declare
  no integer;
  size bigint;
  outcome text;
  waits boolean := false;
begin
  perform from board_rankings r where r.board_id = b for update;
  if not exists (select from board_views v where v.board_id = b and v.status = 'building') then
    return false;
  end if;
  select case r.board_type when 'ratio' then 0 else r.seq end + cardinality(next_identities(b, '00000000-0000-0000-0000-000000000000', small + 1))
    into size from board_rankings r where r.board_id = b;
  if size > small or (select r.build ->> 'phase' <> 'states' from board_rankings r where r.board_id = b) then
    return true;
  end if;
  for no in select v.view_no from board_views v where v.board_id = b and v.status = 'building' order by v.view_no loop
    loop
      outcome := view_step(b, no, at, greatest(small, 1), true);
      exit when outcome in ('idle', 'busy');
    end loop;
    -- A view of a ratio board waits for its sources' views.
    waits := waits or outcome = 'busy';
  end loop;
  return waits;
end $$;

-- Restarts the builds of a board's views: its events are read by other rules, or other events count.
create or replace function restart_views(b uuid, at timestamptz) returns void language plpgsql volatile as $$
begin
  with gone as (
    delete from rankings r using board_views v
      where v.board_id = b and v.status = 'building' and r.board_id = b and r.view_no = v.view_no
    returning r.generation)
  insert into generations_due (board_id, generation, due_at) select b, g.generation, at from gone g;
  delete from left_out_runs l using board_views v where v.board_id = b and v.status = 'building' and l.board_id = b and l.view_no = v.view_no;
  update board_views v set build = null where v.board_id = b and v.status = 'building';
end $$;

-- Drops what the rankings have of the generation under construction.
create or replace function forget_next_rankings(b uuid, at timestamptz) returns void language sql volatile as $$
  with given_up as (
    select r.ranking_no, r.next_generation from rankings r where r.board_id = b and r.next_generation is not null
  ), due as (
    insert into generations_due (board_id, generation, due_at) select b, g.next_generation, at from given_up g)
  update rankings r set next_generation = null from given_up g where r.board_id = b and r.ranking_no = g.ranking_no
$$;

-- The rankings of the live views switch to the new generation together with the board.
create or replace function turn_rankings(b uuid, at timestamptz) returns void language plpgsql volatile as $$
begin
  perform begin_rankings(b, live_views(b), '{}', 0, true);
  insert into generations_due (board_id, generation, due_at)
    select b, r.generation, at + interval '10 seconds' from rankings r where r.board_id = b and r.next_generation is not null;
  update rankings r set generation = r.next_generation, next_generation = null where r.board_id = b and r.next_generation is not null;
  perform restart_views(b, at);
end $$;

-- The players on the podium of a ranking, as stored when its entries are deleted.
create or replace function ranking_podium(b uuid, g integer, places integer) returns jsonb language sql stable as $$
  select coalesce(jsonb_agg(jsonb_build_object('rank', p.rank, 'identityId', 'ide_' || p.identity_id, 'scoreId', 'scr_' || p.id,
      'playerName', p.player_name, 'value', p.value, 'valueDisplay', p.value_display) order by p.rank), '[]')
  -- Limited first: numbering would read and sort the whole ranking.
  from (select x.*, row_number() over (order by x.rank_key, x.seq) as rank from (
    select e.* from entries e
    where e.board_id = b and e.generation = g and not e.is_test and e.ranked order by e.rank_key, e.seq limit places) x) p
$$;

-- Drops some of the rankings of periods that are no longer kept: podium and total stay, entries are deleted in the background
-- (forget_generation). The row stays, so that nothing begins the ranking again. Returns how many were dropped.
create or replace function retire_rankings(b uuid, at timestamptz, most integer) returns bigint language plpgsql volatile as $$
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
  if retired > 0 then
    update board_rankings r set version = r.version + 1, derived_version = r.version + 1 where r.board_id = b;
  end if;
  return retired;
end $$;

-- Deletes some of the rankings of a view that is being dropped; entries are deleted in the background. Returns how many; 0:
-- the view is gone.
create or replace function drop_view(b uuid, no integer, at timestamptz, most integer) returns bigint language plpgsql volatile as $$
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
  dense boolean := (select r.dense_views from board_rankings r where r.board_id = b) and has_dense_ranks(b, g);
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

-- The next players' entries in the live views, compared with what their events say: contradictions as sentences.
create or replace function verify_views(b uuid, after uuid, most integer) returns table (upto uuid, faults text[]) language sql stable as $$
  with ranking as materialized (
    select r.* from board_rankings r where r.board_id = b and r.newest_view > 0
  ), subject as materialized (
    select next_identities(b, after, most) as ids from ranking
  ), target as materialized (
    select t.* from ranking r cross join subject s
    cross join lateral view_entries(b, live_views(b), s.ids, r.board_type, r.sort_direction, r.keep_strategy, r.imported_seq) t
  )
  select (select max(i::text)::uuid from subject s, unnest(s.ids) i),
    array(
      select format('ranking %s: player %s has %s instead of %s', t.ranking_no, t.identity_id,
          coalesce(concat_ws('/', p.value, p.seq, p.status, p.event_seq), 'no entry'), concat_ws('/', t.value, t.seq, t.status, t.event_seq))
      from target t
      left join lateral (select e.* from entries e
        where e.board_id = b and e.generation = t.generation and e.is_test = t.is_test and e.slot = t.slot limit 1) p on true
      -- A name may be waiting for the pass that shows it (9_names.sql).
      where (p.id, p.event_seq, p.value, p.rank_key, p.seq, p.status,
          case when exists (select from renames_due n where n.identity_id = t.identity_id)
            or exists (select from names_due n where n.board_id = b) then t.player_name else p.player_name end, p.value_display, p.metadata, p.created_at, p.updated_at)
        is distinct from (t.id, t.event_seq, t.value, t.rank_key, t.seq, t.status, t.player_name, t.value_display, t.metadata, t.created_at, t.updated_at)
      limit 100)
$$;

-- Entries of a ranking that show events of other rankings, or players whose events do not count, as sentences: together with
-- the comparison above, it has exactly the entries it should have.
create or replace function verify_ranking(b uuid, no integer, test boolean, after uuid, most integer) returns table (upto uuid, faults text[]) language sql stable as $$
  with ranking as materialized (
    select r.* from rankings r where r.board_id = b and r.ranking_no = no and r.status = 'live'
  ), part as materialized (
    select e.* from ranking r
    cross join lateral (select x.* from entries x
      where x.board_id = b and x.generation = r.generation and x.is_test = test and x.slot > after order by x.slot limit most) e
  )
  select (select max(p.slot::text)::uuid from part p),
    array(
      select format('ranking %s: entry %s shows event %s, which does not count in it', r.ranking_no, e.id, e.event_seq)
      from ranking r
      cross join part e
      left join score_events v on v.board_id = b and v.seq = e.event_seq
      where not exists (select from ranking_keys(b, array[r.view_no], v.tags, v.country, coalesce(v.occurred_at, v.created_at)) k
          where k.period_number = r.period_number and k.group_key = r.group_key)
        or not event_counts(b, v.id, v.disposition) or not identity_counts(b, e.identity_id)
      limit 100)
$$;
