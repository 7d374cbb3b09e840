-- A live board's rules change: its entries are derived again in a generation of their own, players after players in short
-- transactions, while the old one is served and takes submissions; then whoever had news meanwhile is derived once more
-- and the board turns to the new generation, in one transaction under its lock. A reader sees the one or the other.
--
-- board_rankings.build tells what is under way: the rules wanted (board_type, sort_direction, keep_strategy, ratio), the
-- generation, what its entries were made with (seq; numerator_seq, denominator_seq), and how far it is:
--   entries  players up to `after` have theirs          tree    all have, the counted tree is next
--   news     events and rulings beyond the numbers      states  the generation is served, states up to `after` follow it
-- Every step stores its progress in its own transaction, so that whoever comes next goes on, after a crash too.
-- Numbers are never used again: a step of a generation that was given up may still be under way.
alter table board_rankings add column newest_generation integer;
create index board_rankings_building on board_rankings (board_id) where build is not null;

-- Generations nobody serves any more. They are kept for a moment: a page may be half read.
create table generations_due (
  board_id    uuid not null,
  generation  integer not null,
  due_at      timestamptz(3) not null,
  primary key (board_id, generation)
);
create index generations_due_at on generations_due (due_at);

-- The rules that a board's record asks for, and those its ranking is served by.
create function wanted_rules(b uuid) returns jsonb language sql stable as $$
  select jsonb_build_object('board_type', d.board_type, 'sort_direction', d.sort_direction, 'keep_strategy', d.keep_strategy, 'ratio', ratio_rules(b))
  from boards d where d.id = b
$$;

create function served_rules(r board_rankings) returns jsonb language sql stable as $$
  select jsonb_build_object('board_type', r.board_type, 'sort_direction', r.sort_direction, 'keep_strategy', r.keep_strategy, 'ratio', r.ratio)
$$;

-- Takes up what the board's record asks for, under the board's lock: sets out to build a generation, turns to another one, or
-- gives up what is being built. Answers whether anything is to be built.
create function begin_build(b uuid, at timestamptz) returns boolean language plpgsql volatile as $$
declare
  ranking board_rankings;
  wanted jsonb;
  building boolean; unsettled boolean;
begin
  select * into ranking from board_rankings r where r.board_id = b for update;
  wanted := wanted_rules(b);
  building := coalesce(ranking.build ->> 'phase' <> 'states', false);
  -- States that have yet to follow the served generation.
  unsettled := coalesce(ranking.build ->> 'phase' = 'states' or (ranking.build -> 'unsettled')::boolean, false);
  if building and ranking.build @> wanted then
    return true;
  end if;
  if building then
    insert into generations_due (board_id, generation, due_at) values (b, (ranking.build ->> 'generation')::integer, at);
  end if;
  if wanted = served_rules(ranking) then
    if building then
      update board_rankings r set build = case when unsettled
          then jsonb_build_object('phase', 'states', 'generation', r.generation, 'after', '00000000-0000-0000-0000-000000000000') end
        where r.board_id = b;
    end if;
    return unsettled;
  end if;
  if ranking.seq = 0 and wanted -> 'ratio' = 'null' then
    update board_rankings r set board_type = wanted ->> 'board_type', sort_direction = wanted ->> 'sort_direction',
        keep_strategy = wanted ->> 'keep_strategy'
      where r.board_id = b;
    return false;
  end if;
  update board_rankings r set build = wanted || jsonb_build_object(
      'phase', 'entries', 'after', '00000000-0000-0000-0000-000000000000', 'unsettled', unsettled, 'seq', ranking.seq,
      'generation', 1 + greatest(ranking.generation, ranking.newest_generation),
      'numerator_seq', (select n.seq from board_rankings n where n.board_id = (wanted -> 'ratio' ->> 'numerator')::uuid),
      'denominator_seq', (select n.seq from board_rankings n where n.board_id = (wanted -> 'ratio' ->> 'denominator')::uuid)),
      newest_generation = 1 + greatest(ranking.generation, ranking.newest_generation)
    where r.board_id = b;
  return true;
end $$;

-- Stores how far a build is. Whoever finds that something else is wanted by now undoes its step.
create function note_build(b uuid, g integer, progress jsonb) returns void language plpgsql volatile as $$
begin
  update board_rankings r set build = r.build || progress
    where r.board_id = b and (r.build ->> 'generation')::integer = g;
  if not found then
    raise exception 'generation % of board % is not wanted any more', g, b using errcode = 'LB001';
  end if;
end $$;

-- Whom events and rulings beyond a number are about, some numbers at a time, and which number that goes up to.
create function build_news(b uuid, from_seq bigint, most integer) returns table (ids uuid[], upto bigint, behind boolean) language sql stable as $$
  select array(
      select e.identity_id from score_events e where e.board_id = b and e.seq > from_seq and e.seq <= from_seq + most
      union
      select coalesce(r.identity_id, (select v.identity_id from score_events v where v.id = r.event_id and v.board_id = b limit 1))
        from rulings r where r.board_id = b and r.seq > from_seq and r.seq <= from_seq + most),
    least(r.seq, from_seq + most), r.seq > from_seq + most
  from board_rankings r where r.board_id = b
$$;

-- Makes what of these players' states depends on a board's rules agree with the served generation. Under the board's lock. Answers
-- how many differed.
create function refresh_states(b uuid, ids uuid[], at timestamptz) returns bigint language sql volatile as $$
  with written as (update states s set best_value = x.best_value, selected_event_id = x.selected_event_id, value = x.value, updated_at = at
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
        and coalesce((select u.effect from rulings u where u.board_id = b and u.event_id = v.id order by u.seq desc limit 1),
          case v.disposition when 'rejected' then 'exclude' else 'include' end) <> 'exclude'
      order by rank_key_of(v.amount, r.sort_direction), v.seq limit 1) best on true
    left join lateral (select v.id from score_events v where v.board_id = b and v.seq = e.event_seq limit 1) shown on true
    where r.board_id = b) x
  where s.board_id = x.board_id and s.is_test = x.is_test and s.identity_id = x.identity_id
    and (x.old_best_value, x.old_selected_event_id, x.old_value) is distinct from (x.best_value, x.selected_event_id, x.value)
  returning 1)
  select count(*) from written
$$;

-- The next step of what a board has under way; `most`: players of one step. Steps that keep submissions waiting take less. Answers `idle`: nothing is under way;
-- `busy`: another process is at it; `step`; `turned`: from now on the new generation is served. One step at a time: the advisory
-- lock sees to it, and who holds the board's lock already (`alone`) needs none.
create function build_step(b uuid, at timestamptz, most integer, alone boolean) returns text language plpgsql volatile as $$
declare
  ranking board_rankings;
  g integer; phase text; ids uuid[]; ratios boolean;
  news record;
  fewer integer := greatest(1, most / 5);
begin
  if not alone and not pg_try_advisory_xact_lock(7100002, hashtext(b::text)) then
    return 'busy';
  end if;
  select * into ranking from board_rankings r where r.board_id = b;
  if ranking.build is null then
    return 'idle';
  end if;
  g := (ranking.build ->> 'generation')::integer;
  phase := ranking.build ->> 'phase';
  ratios := coalesce(ranking.build ->> 'board_type', ranking.board_type) = 'ratio';

  if phase in ('entries', 'states') then
    ids := next_identities(b, (ranking.build ->> 'after')::uuid, case when phase = 'states' and not ratios then 2 * fewer else most end);
    if cardinality(ids) = 0 then
      if phase = 'entries' then
        perform note_build(b, g, '{"phase": "tree"}');
      else
        update board_rankings r set build = null where r.board_id = b and r.build = ranking.build;
      end if;
      return 'step';
    end if;
    if phase = 'entries' and not ratios then
      -- The rules as literals: as values they would be looked at for every event, a third of the time.
      execute format($sql$
        insert into entries (board_id, generation, is_test, slot, id, identity_id, event_seq, value, rank_key, seq, ranked, status,
            player_name, value_display, metadata, created_at, updated_at)
          select $1, $2, d.is_test, d.slot, d.id, d.identity_id, d.event_seq, d.value, d.rank_key, d.seq, d.ranked, d.status,
            d.player_name, d.value_display, d.metadata, d.created_at, d.updated_at
          from derive_entries($1, $3, %L, %L, %L) d $sql$,
          ranking.build ->> 'board_type', ranking.build ->> 'sort_direction', ranking.build ->> 'keep_strategy') using b, g, ids;
    else
      perform from board_rankings r where r.board_id = b for update;
      perform note_build(b, g, '{}');
      if phase = 'states' then
        if ratios then
          perform rederive_ratio(b, g, ids, at);
        else
          if refresh_states(b, ids, at) > 0 then
            -- Which of a player's runs is its best is read from its state.
            update board_rankings r set version = r.version + 1, derived_version = r.version + 1 where r.board_id = b;
          end if;
        end if;
      else
        perform rederive_ratio(b, g, ids, at);
      end if;
    end if;
    perform note_build(b, g, jsonb_build_object('after', ids[cardinality(ids)]));
    return 'step';
  end if;

  if phase = 'tree' then
    perform build_rank_tree(b, g, false);
    perform build_rank_tree(b, g, true);
    perform note_build(b, g, '{"phase": "news"}');
    return 'step';
  end if;

  -- News. Under the lock nothing is added, so a round that leaves nothing behind is the last.
  select * into ranking from board_rankings r where r.board_id = b for update;
  perform note_build(b, g, '{}');
  if ratios then
    select n.ids, n.num_seq, n.den_seq, n.behind into news
      from ratio_news(ranking.build -> 'ratio', (ranking.build ->> 'numerator_seq')::bigint, (ranking.build ->> 'denominator_seq')::bigint, most) n;
    perform rederive_ratio(b, g, news.ids, at);
    perform note_build(b, g, jsonb_build_object('numerator_seq', news.num_seq, 'denominator_seq', news.den_seq));
  else
    select n.ids, n.upto, n.behind into news from build_news(b, (ranking.build ->> 'seq')::bigint, fewer) n;
    perform rederive_events(b, g, news.ids, at);
    perform note_build(b, g, jsonb_build_object('seq', news.upto));
  end if;
  if news.behind then
    return 'step';
  end if;
  insert into generations_due (board_id, generation, due_at) values (b, ranking.generation, at + interval '10 seconds');
  update board_rankings r set generation = g, board_type = r.build ->> 'board_type', sort_direction = r.build ->> 'sort_direction',
      keep_strategy = r.build ->> 'keep_strategy', ratio = nullif(r.build -> 'ratio', 'null'),
      numerator_seq = (r.build ->> 'numerator_seq')::bigint, denominator_seq = (r.build ->> 'denominator_seq')::bigint,
      version = r.version + 1, derived_version = r.version + 1,
      build = jsonb_build_object('phase', 'states', 'generation', g, 'after', '00000000-0000-0000-0000-000000000000')
    where r.board_id = b;
  return 'turned';
end $$;

-- Has the ranking follow the board's record (begin_build): a small board at once, in this transaction. Answers whether
-- anything is left to be done by and by.
create function follow_rules(b uuid, at timestamptz, small integer) returns boolean language plpgsql volatile as $$
declare
  size bigint;
begin
  if not begin_build(b, at) then
    return false;
  end if;
  select case r.board_type when 'ratio' then 0 else r.seq end + cardinality(next_identities(b, '00000000-0000-0000-0000-000000000000', small + 1))
    into size from board_rankings r where r.board_id = b;
  if size > small then
    return true;
  end if;
  while build_step(b, at, small, true) <> 'idle' loop
  end loop;
  return false;
end $$;

-- Deletes rows of a generation that is not served any more. Answers how many; 0: it is gone.
create function forget_generation(b uuid, g integer, most integer) returns bigint language plpgsql volatile as $$
declare
  deleted bigint; more bigint;
begin
  delete from entries e where e.ctid = any(array(
    select x.ctid from entries x where x.board_id = b and x.generation = g and x.is_test in (false, true) limit most for update skip locked));
  get diagnostics deleted = row_count;
  if deleted = 0 then
    delete from rank_runs r where r.ctid = any(array(
      select x.ctid from rank_runs x where x.board_id = b and x.generation = g and x.is_test in (false, true) limit most for update skip locked));
    get diagnostics deleted = row_count;
  end if;
  if deleted = 0 then
    delete from rank_tops r where r.board_id = b and r.generation = g and r.is_test in (false, true);
    get diagnostics deleted = row_count;
    delete from ratio_places r where r.ctid = any(array(
      select x.ctid from ratio_places x where x.board_id = b and x.generation = g and x.is_test in (false, true) limit most for update skip locked));
    get diagnostics more = row_count;
    deleted := deleted + more;
  end if;
  if deleted = 0 and not exists (select from entries e where e.board_id = b and e.generation = g and e.is_test in (false, true))
      and not exists (select from ratio_places r where r.board_id = b and r.generation = g and r.is_test in (false, true)) then
    delete from generations_due d where d.board_id = b and d.generation = g;
  end if;
  return deleted;
end $$;

-- What a board's production ranking would be by other rules, without changing anything: entries now and then, how many of
-- those then would stand at another rank than the same event does now, or do not stand now, and the first places of both.
create function preview_rules(b uuid, kind text, direction text, strategy text, places integer)
returns table (entries_now bigint, entries_then bigint, moved bigint, podium_now jsonb, podium_then jsonb) language sql stable as $$
  with ranking as materialized (
    select r.* from board_rankings r where r.board_id = b
  ), present as materialized (
    select e.event_seq, e.event_board_id, e.identity_id, e.player_name, e.value, e.value_display, e.rank_key, e.seq,
      row_number() over (order by e.rank_key, e.seq) as rank
    from ranking r join entries e on e.board_id = b and e.generation = r.generation and not e.is_test and e.ranked
  ), derived as (
    -- One value of each player stays what it is: only the order is another.
    select p.event_seq, p.event_board_id, p.identity_id, p.player_name, p.value, p.value_display, p.seq,
      case when p.rank_key = '-infinity' then p.rank_key else rank_key_of(p.value, direction) end as rank_key
    from present p, ranking r
    where r.keep_strategy = strategy and strategy <> 'best'
    union all
    select d.event_seq, null, d.identity_id, d.player_name, d.value, d.value_display, d.seq, d.rank_key
    from ranking r
    cross join lateral derive_entries(b, array(select s.identity_id from states s where s.board_id = b and not s.is_test), kind, direction, strategy) d
    where not (r.keep_strategy = strategy and strategy <> 'best') and not d.is_test and d.ranked
  ), future as materialized (
    select d.*, row_number() over (order by d.rank_key, d.seq) as rank from derived d
  )
  select (select count(*) from present), (select count(*) from future),
    (select count(*) from future f
      left join present p on p.event_seq = f.event_seq and p.event_board_id is not distinct from f.event_board_id and p.identity_id = f.identity_id
      where p.rank is distinct from f.rank),
    (select jsonb_agg(jsonb_build_object('rank', p.rank, 'identityId', 'ide_' || p.identity_id, 'playerName', p.player_name,
        'value', p.value, 'valueDisplay', p.value_display) order by p.rank) from present p where p.rank <= places),
    (select jsonb_agg(jsonb_build_object('rank', f.rank, 'identityId', 'ide_' || f.identity_id, 'playerName', f.player_name,
        'value', f.value, 'valueDisplay', f.value_display) order by f.rank) from future f where f.rank <= places)
$$;
