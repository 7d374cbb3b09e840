-- Builds of rankings beside what is served: after a change of rules, of imports, and of views that are declared on a board with events. A board has
-- one build at a time (board_rankings.build): the views that it fills (`views`, 0: the board itself), the rules by which, and how far it is:
--   entries  players up to `after` have theirs          tree    all have, the counted trees are next, of rankings below number `tree`
--   news     rulings beyond `ruled` are next             follow  writers keep what is built up to date; events `from` to `upto` are next, up to `seq` they are read
--   states   what was built is served, and states up to `after` follow it
-- It fills the `next_generation` of these views' rankings, and turns all of them in one transaction. `generation` identifies the build.

-- The share of a build that is done, 0 to 1; of the players' entries or states, a share. One that makes the same imports and begins again (`reached`) does not fall back.
create or replace function build_progress(build jsonb) returns float8 language sql immutable as $$
  select greatest((build ->> 'reached')::float8, case build ->> 'phase' when 'entries' then 0.7 * x.share when 'tree' then 0.7 when 'news' then 0.74
    when 'follow' then 0.78 else 0.8 + 0.2 * x.share end)
  from (select least(1, coalesce((build ->> 'done')::float8 / nullif((build ->> 'all')::float8, 0), 0)) as share) x
$$;

-- Stores how far a build is. A caller that finds another one by now undoes its step.
create or replace function note_build(b uuid, g integer, progress jsonb) returns void language plpgsql volatile as $$
begin
  update board_rankings r set build = r.build || progress
    where r.board_id = b and (r.build ->> 'generation')::integer = g;
  if not found then
    raise exception 'build % of board % is not wanted any more', g, b using errcode = 'LB001';
  end if;
  -- Readers of views show it. One that begins again does not fall back.
  update board_views v set build = r.build || jsonb_build_object('done', greatest((r.build ->> 'done')::bigint, (v.build ->> 'done')::bigint)) from board_rankings r
    where r.board_id = b and v.board_id = b and v.status = 'building' and r.build -> 'views' @> to_jsonb(v.view_no);
end $$;

-- Gives up what a board's build has made so far.
create or replace function give_up_build(b uuid, at timestamptz) returns void language sql volatile as $$
  with given_up as (
    select r.ranking_no, r.next_generation from rankings r where r.board_id = b and r.next_generation is not null
  ), due as (
    insert into generations_due (board_id, generation, due_at) select b, g.next_generation, at from given_up g on conflict do nothing
  )
  update rankings r set next_generation = null from given_up g where r.board_id = b and r.ranking_no = g.ranking_no
$$;

-- Takes up what the board's record and its views ask for, under the board's lock: sets out to build, turns to another build, or
-- gives up what is being built. Answers whether anything is to be built.
create or replace function begin_build(b uuid, at timestamptz) returns boolean language plpgsql volatile as $$
declare
  ranking board_rankings;
  wanted jsonb;
  building boolean; unsettled boolean; turns boolean;
  fresh integer[];
  g integer;
begin
  select * into ranking from board_rankings r where r.board_id = b for update;
  wanted := wanted_rules(b);
  if wanted -> 'ties' = served_rules(ranking) -> 'ties' then
    update board_rankings r set tie_policy = d.tie_policy from boards d where r.board_id = b and d.id = b and r.tie_policy <> d.tie_policy;
  end if;
  building := coalesce(ranking.build ->> 'phase' <> 'states', false);
  -- States that have yet to follow what is served.
  unsettled := coalesce(ranking.build ->> 'phase' = 'states' or (ranking.build -> 'unsettled')::boolean, false);
  if building and ranking.build @> wanted then
    return true;
  end if;
  if building then
    perform give_up_build(b, at);
  end if;
  turns := wanted <> served_rules(ranking);
  fresh := array(select v.view_no from board_views v where v.board_id = b and v.status = 'building'
    and (wanted -> 'ratio' = 'null' or exists (select from ratio_view_sources(b, array[v.view_no], wanted -> 'ratio'))) order by v.view_no);
  if turns and ranking.seq = 0 and wanted -> 'ratio' = 'null' then
    update board_rankings r set board_type = wanted ->> 'board_type', sort_direction = wanted ->> 'sort_direction',
        keep_strategy = wanted ->> 'keep_strategy', tie_policy = (select d.tie_policy from boards d where d.id = b)
      where r.board_id = b;
    return false;
  end if;
  -- Views wait for states, and views of a ratio board for its first order.
  if not turns and (unsettled or fresh = '{}' or wanted ->> 'board_type' = 'ratio' and ranking.ratio is null) then
    if building then
      update board_rankings r set build = case when unsettled
          then jsonb_build_object('phase', 'states', 'generation', r.generation, 'after', '00000000-0000-0000-0000-000000000000') end
        where r.board_id = b;
    end if;
    return unsettled;
  end if;
  g := 1 + greatest(ranking.generation, ranking.newest_generation);
  update board_rankings r set newest_generation = g, build = wanted || jsonb_build_object(
      'phase', 'entries', 'after', '00000000-0000-0000-0000-000000000000', 'unsettled', unsettled, 'seq', ranking.seq, 'generation', g, 'done', 0,
      'reached', case when ranking.build -> 'imported' = wanted -> 'imported' then build_progress(ranking.build) else 0 end,
      'all', (select count(*) from states s where s.board_id = b and s.is_test in (false, true)),
      'views', case when turns then served_views(b) else '{}' end || fresh,
      'numerator_seq', (select n.seq from board_rankings n where n.board_id = (wanted -> 'ratio' ->> 'numerator')::uuid),
      'denominator_seq', (select n.seq from board_rankings n where n.board_id = (wanted -> 'ratio' ->> 'denominator')::uuid))
    where r.board_id = b;
  update rankings r set next_generation = g where turns and r.board_id = b and r.ranking_no = 0;
  perform number_rankings(b, built_views(b), null, null, null, true);
  perform note_build(b, g, '{}');
  return true;
end $$;

-- Entries of the next players.
create or replace function build_entries(b uuid, nos integer[], at timestamptz, most integer, alone boolean) returns void language plpgsql volatile as $$
declare
  made jsonb := (select r.build from board_rankings r where r.board_id = b);
  g integer := (made ->> 'generation')::integer;
  ids uuid[] := next_identities(b, (made ->> 'after')::uuid, most);
begin
  if cardinality(ids) = 0 then
    perform note_build(b, g, '{"phase": "tree", "tree": 1}');
    return;
  end if;
  if made ->> 'board_type' = 'ratio' then
    perform from board_rankings r where r.board_id = b for update;
    perform note_build(b, g, '{}');
    perform rederive_rankings(b, nos, ids, at, true, 0, 0);
  else
    perform stamp_platforms(b, nos, ids);
    perform stamp_player_tags(b, nos, ids);
    if nos <> '{0}' and exists (select from ranked_events(b, nos, ids, (made ->> 'imported')::bigint) e
        where not exists (select from rankings r where r.board_id = b and r.view_no = e.view_no and r.period_number = e.period_number
          and r.group_key = e.group_key and (r.next_generation is not null or r.status = 'dropped'))) then
      -- Numbers are given under the lock, so in a step of its own.
      perform from board_rankings r where r.board_id = b for update;
      perform note_build(b, g, '{}');
      if begin_rankings(b, nos, ids, (made ->> 'imported')::bigint, true) > 0 and not alone then
        return;
      end if;
    end if;
    -- The rules as literals: as values they would be looked at for every event, a third of the time.
    execute format($sql$
      insert into entries (board_id, generation, is_test, slot, id, identity_id, event_seq, value, rank_key, seq, ranked, status,
          player_name, value_display, metadata, created_at, updated_at)
        select $1, d.generation, d.is_test, d.slot, d.id, d.identity_id, d.event_seq, d.value, d.rank_key, d.seq, d.ranked, d.status,
          d.player_name, d.value_display, d.metadata, d.created_at, d.updated_at
        from derive_events($1, $2, $3, %L, %L, %L, %L, %L, true) d $sql$,
        made ->> 'board_type', made ->> 'sort_direction', made ->> 'keep_strategy', made ->> 'ties', made ->> 'imported') using b, nos, ids;
  end if;
  perform note_build(b, g, jsonb_build_object('after', ids[cardinality(ids)], 'done', (made ->> 'done')::bigint
    + (select count(*) from states s where s.board_id = b and s.is_test in (false, true) and s.identity_id = any(ids))));
end $$;

-- Numbers of equal ratios, counted trees and dense ranks of the next rankings.
create or replace function build_trees(b uuid, nos integer[], most integer) returns void language plpgsql volatile as $$
declare
  made jsonb := (select r.build from board_rankings r where r.board_id = b);
  g integer := (made ->> 'generation')::integer;
  numbers integer[] := array(select r.ranking_no from rankings r
    where r.board_id = b and r.view_no = any(nos) and r.ranking_no < (made ->> 'tree')::integer and r.next_generation is not null
    order by r.ranking_no desc limit 200);
begin
  if cardinality(numbers) = 0 then
    perform note_build(b, g, '{"phase": "news"}');
  elsif made ->> 'board_type' = 'ratio' and (made ->> 'numbered')::integer is distinct from numbers[cardinality(numbers)] then
    perform number_built_ratios(b, made, array(select r.next_generation from rankings r where r.board_id = b and r.ranking_no = any(numbers)));
    perform note_build(b, g, jsonb_build_object('numbered', numbers[cardinality(numbers)]));
  elsif build_values(b, array(
      select r.next_generation from rankings r left join board_views v on v.board_id = b and v.view_no = r.view_no
      where r.board_id = b and r.ranking_no = any(numbers) and coalesce(v.tie_policy, made ->> 'ties') = 'dense' order by r.ranking_no desc), most) then
    perform build_rank_tree(b, r.next_generation, t.is_test) from rankings r, (values (false), (true)) t(is_test)
      where r.board_id = b and r.ranking_no = any(numbers);
    perform note_build(b, g, jsonb_build_object('tree', numbers[cardinality(numbers)]));
  else
    perform note_build(b, g, '{}');
  end if;
end $$;

-- What has happened since the build began. Answers true if nothing is left.
create or replace function build_news(b uuid, nos integer[], at timestamptz, most integer) returns boolean language plpgsql volatile as $$
declare
  made jsonb := (select r.build from board_rankings r where r.board_id = b);
  g integer := (made ->> 'generation')::integer;
  newest bigint;
  news record;
  fewer integer := greatest(1, most / 20);
begin
  if made ->> 'phase' = 'follow' then
    -- Before the lock: those events do not change any more.
    select n.ids, n.upto into news from followers(b, (made ->> 'from')::bigint, (made ->> 'seq')::bigint, (made ->> 'upto')::bigint, most, fewer) n;
  end if;
  select r.seq into newest from board_rankings r where r.board_id = b for update;
  perform note_build(b, g, '{}');
  if made ->> 'board_type' = 'ratio' then
    -- Nobody but rounds writes here: a round that leaves nothing behind is the last.
    select n.ids, n.num_seq, n.den_seq, n.behind into news
      from ratio_news(made -> 'ratio', (made ->> 'numerator_seq')::bigint, (made ->> 'denominator_seq')::bigint, most) n;
    perform rederive_rankings(b, nos, news.ids, at, true, 0, 0);
    perform note_build(b, g, jsonb_build_object('numerator_seq', news.num_seq, 'denominator_seq', news.den_seq));
    return not news.behind;
  end if;
  if made ->> 'phase' = 'follow' then
    perform rederive_rankings(b, nos, news.ids, at, true, 0, 0);
    perform note_build(b, g, jsonb_build_object('seq', news.upto));
    return news.upto >= (made ->> 'upto')::bigint;
  end if;
  -- Rulings first. Then what is built lacks later events at most, and what writers add to it is not lost.
  select array_agg(distinct u.identity_id) as ids, max(u.seq) as upto into news from (
    select r.seq, coalesce(r.identity_id, (select v.identity_id from score_events v where v.id = r.event_id and v.board_id = b limit 1)) as identity_id
    from rulings r where r.board_id = b and r.seq > coalesce((made ->> 'ruled')::bigint, (made ->> 'seq')::bigint) order by r.seq limit fewer) u;
  if news.upto is not null then
    perform rederive_rankings(b, nos, news.ids, at, true, 0, 0);
    perform note_build(b, g, jsonb_build_object('ruled', news.upto));
    return false;
  end if;
  -- Rankings that have begun meanwhile.
  perform number_rankings(b, nos, null, null, null, true);
  if newest > (made ->> 'seq')::bigint then
    perform note_build(b, g, jsonb_build_object('phase', 'follow', 'from', made -> 'seq', 'upto', newest));
    update board_rankings r set version = r.version + 1, derived_version = r.version + 1 where r.board_id = b;
    return false;
  end if;
  return true;
end $$;

-- States of the next players follow what is served.
create or replace function build_states(b uuid, at timestamptz, most integer) returns void language plpgsql volatile as $$
declare
  ranking board_rankings := (select r from board_rankings r where r.board_id = b);
  g integer := (ranking.build ->> 'generation')::integer;
  ratios boolean := ranking.board_type = 'ratio';
  ids uuid[] := next_identities(b, (ranking.build ->> 'after')::uuid, case when ratios then most else 8 * greatest(1, most / 20) end);
begin
  if cardinality(ids) = 0 then
    update board_rankings r set build = null where r.board_id = b and r.build = ranking.build;
    if ratios then
      -- Boards from before 060 have to be built with the order of equals.
      perform begin_build(b, at);
    end if;
    return;
  end if;
  -- Where nothing is to be written, submissions need not wait.
  if ratios or exists (select from states_behind(b, ids)) then
    perform from board_rankings r where r.board_id = b for update;
    perform note_build(b, g, '{}');
    if ratios then
      perform rederive_rankings(b, '{0}', ids, at, false, 0, 0);
    elsif refresh_states(b, ids, at) > 0 then
      -- Which of a player's runs is its best is read from its state.
      update board_rankings r set version = r.version + 1, derived_version = r.version + 1 where r.board_id = b;
    end if;
  end if;
  perform note_build(b, g, jsonb_build_object('after', ids[cardinality(ids)], 'done', coalesce((ranking.build ->> 'done')::bigint, 0) + cardinality(ids)));
end $$;

-- The next step of what a board has under way, or waits for; `most`: players of one step. Steps that keep submissions waiting take less: a tenth
-- of a second. Answers `idle`: there is nothing, or nothing yet; `busy`: another process is at it; `step`; `turned`: from now on what was built is served. One step at a
-- time: the advisory lock sees to it, and who holds the board's lock already (`alone`) needs none. Each step is a short transaction with its progress in it.
create or replace function advance_build(b uuid, at timestamptz, most integer, alone boolean) returns text language plpgsql volatile as $$
declare
  made jsonb;
  nos integer[];
begin
  if not alone and not pg_try_advisory_xact_lock(7100002, hashtext(b::text)) then
    return 'busy';
  end if;
  select r.build into made from board_rankings r where r.board_id = b;
  if made is null then
    return case when begin_build(b, at) then 'step' else 'idle' end;
  end if;
  nos := built_views(b);
  case
    when made ->> 'phase' = 'states' then
      perform build_states(b, at, most);
    when nos = '{}' then
      -- All its views were dropped.
      perform from board_rankings r where r.board_id = b for update;
      perform give_up_build(b, at);
      update board_rankings r set build = null where r.board_id = b and r.build = made;
    when made ->> 'phase' = 'entries' then
      perform build_entries(b, nos, at, most, alone);
    when made ->> 'phase' = 'tree' then
      perform build_trees(b, nos, most);
    else
      if build_news(b, nos, at, most) then
        perform turn_build(b, nos, at);
        return 'turned';
      end if;
  end case;
  return 'step';
end $$;

-- From now on what was built is served, and its rules.
create or replace function turn_build(b uuid, nos integer[], at timestamptz) returns void language plpgsql volatile as $$
begin
  perform number_rankings(b, nos, null, null, null, true);
  insert into generations_due (board_id, generation, due_at)
    select b, r.generation, at + interval '10 seconds' from rankings r where r.board_id = b and r.next_generation is not null;
  update rankings r set generation = r.next_generation, next_generation = null, status = 'live' where r.board_id = b and r.next_generation is not null;
  update board_views v set status = 'live', build = null, updated_at = at where v.board_id = b and v.status = 'building' and v.view_no = any(nos);
  update board_rankings r set version = r.version + 1, derived_version = r.version + 1, build = null where r.board_id = b and not 0 = any(nos);
  update board_rankings r set generation = (r.build ->> 'generation')::integer, board_type = r.build ->> 'board_type', sort_direction = r.build ->> 'sort_direction',
      keep_strategy = r.build ->> 'keep_strategy', tie_policy = (select d.tie_policy from boards d where d.id = b), ratio = nullif(r.build -> 'ratio', 'null'),
      imported_seq = coalesce((r.build ->> 'imported')::bigint, r.imported_seq), numerator_seq = (r.build ->> 'numerator_seq')::bigint, denominator_seq = (r.build ->> 'denominator_seq')::bigint,
      version = r.version + 1, derived_version = r.version + 1,
      -- Who waits for imports that were served before waits for nothing more.
      build = jsonb_build_object('phase', 'states', 'generation', r.build -> 'generation', 'after', '00000000-0000-0000-0000-000000000000',
        'imported', r.build -> 'imported', 'all', r.build -> 'all', 'reached', case when r.imported_seq >= (r.build ->> 'imported')::bigint then 1 else (r.build ->> 'reached')::float8 end)
    where r.board_id = b and 0 = any(nos);
end $$;

-- Has the rankings follow the board's record and its declared views (begin_build): on a small board at once, in this transaction. Answers whether
-- anything is left to be done by and by.
create or replace function apply_rules(b uuid, at timestamptz, small integer) returns boolean language plpgsql volatile as $$
declare
  size bigint;
begin
  while begin_build(b, at) loop
    select case r.board_type when 'ratio' then 0 else r.seq end + cardinality(next_identities(b, '00000000-0000-0000-0000-000000000000', small + 1))
      into size from board_rankings r where r.board_id = b;
    if size > small then
      return true;
    end if;
    while advance_build(b, at, greatest(small, 1), true) <> 'idle' loop
    end loop;
  end loop;
  -- A view of a ratio board waits for its sources'.
  return exists (select from board_views v where v.board_id = b and v.status = 'building');
end $$;

-- The facts about a board's rankings beside its own that decisions on submissions need: {platform, list}. Of each view that is served, or that the build
-- under way has writers follow, the periods that end after `since`, in
-- their order, four at most: [number, starts_at, ends_at, key, ranking_no, generation, status]; times are epoch milliseconds, a view of all
-- time has one without. `rules`: of one that is being built; the board's own (number 0) may be among those. `generation` is the served one or, with rules, that of the
-- build. Rankings by tags are found when they are needed. `platform`: true if the platform is kept with events.
create or replace function view_facts(b uuid, since timestamptz) returns json language sql stable as $$
  select json_build_object(
    'platform', exists (select from board_views v where v.board_id = b and v.status <> 'dropping' and 'platform' = any(v.by_tags)),
    'list', coalesce(json_agg(json_build_object('no', v.view_no, 'name', v.name, 'rules', v.rules, 'by', v.by_tags, 'kind', v.period, 'ties', v.ties, 'periods', p.periods) order by v.rules is not null, v.view_no), '[]'))
  from (
    select v.view_no, v.name, v.by_tags, v.period, v.since, v.tie_policy as ties, null::jsonb as rules
      from board_views v where v.board_id = b and v.status = 'live'
    union all
    select n.no, coalesce(v.name, ''), coalesce(v.by_tags, '{}'), v.period, v.since, coalesce(v.tie_policy, r.build ->> 'ties'),
        jsonb_build_object('board_type', r.build -> 'board_type', 'sort_direction', r.build -> 'sort_direction', 'keep_strategy', r.build -> 'keep_strategy')
      from board_rankings r cross join unnest(built_views(b)) n(no)
      left join board_views v on v.board_id = b and v.view_no = n.no
      where r.board_id = b and r.build ->> 'phase' = 'follow') v
  cross join lateral (
    select coalesce(json_agg(json_build_array(x.number, extract(epoch from x.starts_at) * 1000, extract(epoch from x.ends_at) * 1000, x.key,
        r.ranking_no, r.generation, r.status) order by x.number), '[]') as periods
    from (
      select 0 as number, null::timestamptz as starts_at, null::timestamptz as ends_at, 'all' as key where v.period is null
      union all
      (select y.number, y.starts_at, y.ends_at, y.key from view_periods y
        where y.board_id = b and y.view_no = v.view_no and y.ends_at > view_facts.since and (v.since is null or y.ends_at > v.since)
        order by y.number limit 4)) x
    left join lateral (select k.ranking_no, case when v.rules is null then k.generation else k.next_generation end as generation, k.status from rankings k
      where v.by_tags = '{}' and k.board_id = b and k.view_no = v.view_no and k.period_number = x.number and k.group_key = '' limit 1) r on true) p
$$;

-- The next players' entries in the served rankings, compared with what their events say: contradictions as sentences.
create or replace function verify_views(b uuid, after uuid, most integer) returns table (upto uuid, faults text[]) language plpgsql stable as $$
declare
  ranking board_rankings;
  ids uuid[];
begin
  select * into ranking from board_rankings r where r.board_id = b and r.board_type <> 'ratio';
  ids := case when found then next_identities(b, after, most) end;
  upto := ids[cardinality(ids)];
  faults := '{}';
  if upto is not null then
    -- The rules as literals, as in builds.
    execute format($sql$
      select array(
        select format('ranking %%s: player %%s has %%s instead of %%s', (select x.ranking_no from rankings x where x.board_id = $1 and x.generation = t.generation),
            t.identity_id, coalesce(concat_ws('/', p.value, p.seq, p.status, p.event_seq), 'no entry'), concat_ws('/', t.value, t.seq, t.status, t.event_seq))
        from derive_events($1, served_views($1), $2, %L, %L, %L, %L, %L, false) t
        left join lateral (select e.* from entries e
          where e.board_id = $1 and e.generation = t.generation and e.is_test = t.is_test and e.slot = t.slot limit 1) p on true
        where (p.id, p.event_seq, p.value, p.rank_key, p.seq, p.ranked, p.status, p.player_name, p.value_display, p.metadata, p.created_at, p.updated_at)
            is distinct from (t.id, t.event_seq, t.value, t.rank_key, t.seq, t.ranked, t.status, t.player_name, t.value_display, t.metadata, t.created_at, t.updated_at)
          -- A name may wait for the pass that shows it (9_names.sql).
          and ((p.id, p.event_seq, p.value, p.rank_key, p.seq, p.ranked, p.status, p.value_display, p.metadata, p.created_at, p.updated_at)
              is distinct from (t.id, t.event_seq, t.value, t.rank_key, t.seq, t.ranked, t.status, t.value_display, t.metadata, t.created_at, t.updated_at)
            or not exists (select from renames_due n where n.identity_id = t.identity_id) and not exists (select from names_due n where n.board_id = $1))
        limit 100) $sql$, ranking.board_type, ranking.sort_direction, ranking.keep_strategy, ranking.tie_policy, ranking.imported_seq) into faults using b, ids;
  end if;
  return next;
end $$;

-- Entries of a ranking that show events of other rankings, or players whose events do not count, as sentences: with the comparison
-- above, it has those that it should have and no others. The board's own may hide an entry of an event that does not count.
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
      select format('entry %s shows event %s, which does not count in it', e.id, e.event_seq)
      from ranking r
      cross join part e
      left join score_events v on v.board_id = b and v.seq = e.event_seq
      -- Every event is in the board's own.
      where case when no < 0 then not exists (
          select from ranking_keys(b, array[r.view_no], v.tags, v.country, coalesce(v.occurred_at, v.created_at)) k
          where k.period_number = r.period_number and k.group_key = r.group_key) else v.seq is null end
        or case when (select exists (select from rulings x where x.board_id = b))
          then event_counts(b, v.id, v.disposition) <> e.ranked or not identity_counts(b, e.identity_id)
          else effect_counts(effect_of(v.disposition)) <> e.ranked end
      limit 100)
$$;

-- The contradictions between the served rankings of a ratio board and those of its sources, of the next players after one, except
-- players whose news the board has yet to take.
create or replace function verify_ratios(b uuid, after uuid, most integer) returns table (upto uuid, faults text[]) language sql stable as $$
  with ranking as materialized (
    select r.*, served_rules(r) || r.ratio as rules from board_rankings r where r.board_id = b and r.ratio is not null
  ), subject as materialized (
    select next_identities(b, after, most) as ids from ranking
  ), pending as materialized (
    select n.ids from ranking r cross join lateral ratio_news(r.ratio, r.numerator_seq, r.denominator_seq, 2147483647) n
  ), target as materialized (
    select t.* from ranking r cross join subject s cross join lateral derive_ratios(b, served_views(b), r.rules, s.ids, 0, 0) t
    where not t.identity_id = any(coalesce((select p.ids from pending p), '{}'))
  )
  select (select max(i::text)::uuid from subject s, unnest(s.ids) i),
    array(
      select format('view %s, period %s %s: player %s has the ratio %s instead of %s', t.view_no, t.period_number, t.group_key, t.identity_id,
          coalesce(concat_ws('/', e.value, e.status, e.event_seq), 'none'), coalesce(concat_ws('/', t.value, t.status, t.event_seq), 'none'))
      from target t
      left join lateral (select x.generation, x.status from rankings x
        where x.board_id = b and x.view_no = t.view_no and x.period_number = t.period_number and x.group_key = t.group_key limit 1) n on true
      left join lateral (select x.* from entries x
        where x.board_id = b and x.generation = n.generation and x.is_test = t.is_test and x.slot = t.identity_id limit 1) e on true
      where n.status is distinct from 'dropped'
        and (e.value, e.rank_key, e.value_display, e.status, e.event_seq) is distinct from
          (t.value, case when t.value is not null then t.rank_key end, case when t.value is not null then t.value_display end, case when t.value is not null then t.status end, case when t.value is not null then t.event_seq end)
      limit 100)
    || array(
      select format('the state of player %s does not agree with the boards it is derived from', t.identity_id)
      from target t left join states s on s.board_id = b and s.is_test = t.is_test and s.identity_id = t.identity_id
      where t.view_no = 0 and (s.id is not null or t.lives) and (s.value, s.numerator, s.denominator) is distinct from (t.value, t.numerator, t.denominator)
        and exists (select from ranking r where r.build is null or r.build ->> 'phase' <> 'states' and not (r.build -> 'unsettled')::boolean)
      limit 100)
$$;

-- Entries of a ranking of a ratio board whose players have none in either source's ranking, or are kept off a source.
create or replace function verify_ratio_ranking(b uuid, no integer, test boolean, after uuid, most integer) returns table (upto uuid, faults text[]) language sql stable as $$
  with ranking as materialized (
    select r.*, served_rules(r) || r.ratio as rules from board_rankings r where r.board_id = b and r.ratio is not null
  ), pending as materialized (
    select n.ids from ranking r cross join lateral ratio_news(r.ratio, r.numerator_seq, r.denominator_seq, 2147483647) n
  ), part as materialized (
    select e.* from rankings x
    cross join lateral (select y.* from entries y
      where y.board_id = b and y.generation = x.generation and y.is_test = test and y.slot > after order by y.slot limit most) e
    where x.board_id = b and x.ranking_no = no and x.status = 'live'
  )
  select (select max(p.slot::text)::uuid from part p),
    array(
      select format('player %s has an entry and nothing on the boards it is derived from', e.slot)
      from part e
      where (e.slot, e.is_test) not in (
          select t.identity_id, t.is_test from ranking r join rankings x on x.board_id = b and x.ranking_no = no
          cross join lateral derive_ratios(b, array[x.view_no], r.rules, array(select p.slot from part p), 0, 0) t
          where t.period_number = x.period_number and t.group_key = x.group_key and t.lives)
        and not e.slot = any(coalesce((select p.ids from pending p), '{}'))
      limit 100)
    || array(
      select format('entry %s does not stand in the order of equal ratios', e.id)
      from part e
      join ranking r on r.ratio -> 'equals' is not null
      cross join lateral (select y.* from entries y
        where y.board_id = b and y.generation = e.generation and y.is_test = e.is_test and y.ranked and y.rank_key = e.rank_key and y.seq > e.seq
        order by y.rank_key, y.seq limit 1) n
      where ((e.updated_at, e.event_board_id <> (r.rules ->> 'numerator')::uuid, e.event_seq)
          < (n.updated_at, n.event_board_id <> (r.rules ->> 'numerator')::uuid, n.event_seq)) <> (event_number(e.seq) = e.seq)
      limit 100)
$$;
