-- Imports: rows become events in the order of an export's numbers, then of time and lines; then the board is ranked in a
-- generation of its own.

-- How many of some events belong to a period that a view of the board has dropped: they count only in its other rankings. An
-- event without a time belongs to the present period.
create or replace function dropped_events(b uuid, events import_event[]) returns bigint language plpgsql stable as $$
declare
  names text[] := (select r.player_tags from board_rankings r where r.board_id = b);
  nos integer[] := array(select v.view_no from board_views v where v.board_id = b and v.status = 'live' and v.period is not null
    and exists (select from rankings r where r.board_id = b and r.view_no = v.view_no and r.status = 'dropped'));
begin
  if nos = '{}' then
    return 0;
  end if;
  return (
    select count(*) from unnest(events) u
    cross join lateral (select case when names is not null then jsonb_strip_nulls(player_tags_on(b, u.identity_id, names)) end as tags offset 0) t
    where u.occurred_at is not null and exists (
      select from ranking_keys(b, nos, coalesce(u.player_tags, '{}') || coalesce(u.tags, '{}') || coalesce(t.tags, '{}'), u.country, u.occurred_at) k
      join rankings r on r.board_id = b and r.view_no = k.view_no and r.period_number = k.period_number and r.group_key = k.group_key
      where r.status = 'dropped'));
end $$;

-- True if the import gives the player this name.
create or replace function import_names(im score_imports, i uuid, name text) returns boolean language sql stable as $$
  select exists (select from identities d where d.id = i and d.display_name <> import_names.name and (im.rename
    or (not d.name_locked and (d.display_name in ('', left(d.external_key, 64)) or (d.made_by = im.id and d.updated_at = d.created_at)))))
$$;

-- Gives players the tags of these rows for which they have no value; the first row that has one decides. Boards with earlier
-- events of such a player follow in the background. An erased player gets none.
create or replace function import_player_tags(items import_rows[], players uuid[], are_new boolean[], at timestamptz) returns void language sql volatile as $$
  with given as materialized (
    select distinct on (u.player, t.key) u.player, u.is_new, t.key as name, t.value
    from rows from (unnest(items), unnest(players), unnest(are_new)) with ordinality u(import_id, at, hint, chunk, line, kind, external_key,
      player_name, amount, value_display, metadata, is_test, ref, shown_name, present_name, country, tags, player_tags, player, is_new, n)
    cross join lateral jsonb_each_text(u.player_tags) t
    order by u.player, t.key, u.n
  ), added as (
    insert into player_tags (identity_id, name, value, updated_at)
      select g.player, g.name, g.value, import_player_tags.at from given g join identities d on d.id = g.player and d.deleted_at is null
      order by g.player, g.name for key share of d
    on conflict do nothing
    returning identity_id
  )
  insert into player_tags_due as d (identity_id, ticket, leased_until)
    select g.player, gen_random_uuid(), import_player_tags.at from given g
    where not g.is_new and g.player in (select a.identity_id from added a)
    group by g.player order by g.player
  on conflict (identity_id) do update set ticket = excluded.ticket
$$;

-- Turns the next rows into events, in that order. Everything that needs no lock comes first, so the board's submissions wait
-- for two inserts of `most` rows. Readers of the board see no change: the events do not count until `import_seq` has reached
-- them and a generation with them is served.
create or replace function import_write(im score_imports, at timestamptz, most integer) returns void language plpgsql volatile as $$
declare
  ranking board_rankings;
  items import_rows[];
  players uuid[]; are_new boolean[]; makers uuid[];
  events import_event[];
  last import_rows;
  born constant text := substr(uuid7_at(import_write.at)::text, 1, 15);
  salt constant text := gen_random_uuid()::text;
  ids uuid[]; amounts float8[];
  stamp timestamptz;
  made bigint; valued bigint; dropped bigint := 0;
  shown jsonb; made_by jsonb;
  renamed uuid[]; names text[];
begin
  -- A crash may undo the step, which is then repeated, since its progress is part of it.
  perform set_config('synchronous_commit', 'off', true);
  items := case when im.by_seq then array(select r from import_rows r
    where r.import_id = im.id and (r.hint, r.at, r.chunk, r.line)
        > (coalesce(im.after_hint, -9223372036854775808), coalesce(im.after_at, '-infinity'), coalesce(im.after_chunk, 0), coalesce(im.after_line, 0))
    order by r.hint, r.at, r.chunk, r.line limit most)
  else array(select r from import_rows r
    where r.import_id = im.id and (r.at, r.hint, r.chunk, r.line)
        > (coalesce(im.after_at, '-infinity'), coalesce(im.after_hint, 0), coalesce(im.after_chunk, 0), coalesce(im.after_line, 0))
    order by r.at, r.hint, r.chunk, r.line limit most) end;
  if cardinality(items) = 0 then
    update score_imports x set status = case when im.written = 0 or not im.checked then 'ranking' else 'checking' end, updated_at = import_write.at
      where x.id = im.id;
    return;
  end if;
  last := items[cardinality(items)];

  -- Players are looked up in the order of the one index that serves it: a planner that takes the table for empty considers
  -- every index that begins with the game as good. Other players get an id, the same in each of their rows.
  -- The runs of a merged player count for the one that it was merged into.
  select array_agg(coalesce(w.known_id, (born || substr(w.hash, 1, 3) || 'a' || substr(w.hash, 4, 15))::uuid)), array_agg(w.known_id is null), array_agg(w.merged_id)
    into players, are_new, makers
  from (
    select case when d.kind = i.kind and d.external_key = i.external_key then d.id else g.merged_into end as known_id, g.id as merged_id,
      md5(concat_ws(chr(31), salt, i.kind, i.external_key)) as hash
    from unnest(items) with ordinality i
    left join lateral (select d.id, d.kind, d.external_key from identities d
      where d.game_id = im.game_id and d.deleted_at is null and (d.kind, d.external_key) >= (i.kind, i.external_key)
      order by d.kind, d.external_key limit 1) d on true
    left join lateral (select m.id, m.merged_into from identities m
      where (d.kind, d.external_key) is distinct from (i.kind, i.external_key)
        and m.game_id = im.game_id and m.kind = i.kind and m.external_key = i.external_key and m.merged_into is not null limit 1) g on true
    order by i.ordinality offset 0) w;
  begin
    -- In the order of their key, so that two imports of a game cannot deadlock.
    insert into identities (id, account_id, game_id, kind, external_key, display_name, created_at, updated_at, made_by)
      select distinct on (u.kind, u.external_key)
        u.player, im.account_id, im.game_id, u.kind, u.external_key, coalesce(u.present_name, left(u.external_key, 64)), import_write.at, import_write.at, im.id
      from rows from (unnest(items), unnest(players), unnest(are_new)) with ordinality u(import_id, at, hint, chunk, line, kind, external_key,
        player_name, amount, value_display, metadata, is_test, ref, shown_name, present_name, country, tags, player_tags, player, is_new, n)
      where u.is_new
      order by u.kind, u.external_key, u.present_name is null, u.present_name = '', u.n desc;
    get diagnostics made = row_count;
  exception when unique_violation then
    -- Another writer has created one of them since, so the step is repeated.
    return;
  end;

  -- The id of an event: the same row of the same chunk always has the same one, so importing it twice adds nothing. It sorts
  -- by time, or by line where there is no time.
  events := array(
    select (x.id, u.player, u.amount, u.player_name, u.value_display, u.metadata, u.is_test, nullif(u.at, 'infinity'),
      u.country, u.tags, u.player_tags)::import_event
    from rows from (unnest(items), unnest(players)) with ordinality u(import_id, at, hint, chunk, line, kind, external_key,
      player_name, amount, value_display, metadata, is_test, ref, shown_name, present_name, country, tags, player_tags, player, n)
    cross join lateral (select md5(concat_ws(chr(31), im.board_id, u.kind, u.external_key, u.is_test, u.amount, extract(epoch from u.at),
      coalesce(u.ref, u.chunk || ':' || u.line))) as hash offset 0) h
    cross join lateral (select (lpad(to_hex(case when u.at < 'infinity' then greatest(0, (extract(epoch from u.at) * 1000)::bigint)
        else u.chunk::bigint * 1048576 + u.line end), 12, '0')
      || '7' || substr(h.hash, 1, 3) || 'a' || substr(h.hash, 4, 15))::uuid as id offset 0) x
    where u.amount is not null
    order by u.n);
  valued := cardinality(events);
  shown := (
    select jsonb_object_agg(e.id, r.shown_name)
    from (select i.shown_name, row_number() over (order by i.ordinality) as n from unnest(items) with ordinality i where i.amount is not null) r
    join unnest(events) with ordinality e on e.ordinality = r.n
    where r.shown_name is not null);
  if array_remove(makers, null) <> '{}' then
    made_by := (
      select jsonb_object_agg(e.id, r.maker)
      from (select u.maker, row_number() over (order by u.n) as n from rows from (unnest(items), unnest(makers)) with ordinality u(import_id, at, hint, chunk, line, kind,
          external_key, player_name, amount, value_display, metadata, is_test, ref, shown_name, present_name, country, tags, player_tags, maker, n)
        where u.amount is not null) r
      join unnest(events) with ordinality e on e.ordinality = r.n
      where r.maker is not null);
  end if;
  -- Only an earlier import can have written some of them.
  if (select r.import_seq > 0 from board_rankings r where r.board_id = im.board_id) then
    events := array(
      select (u.id, u.identity_id, u.amount, u.player_name, u.value_display, u.metadata, u.is_test, u.occurred_at,
        u.country, u.tags, u.player_tags)::import_event
      from unnest(events) with ordinality u
      where not exists (select from score_events v where v.id = u.id)
      order by u.ordinality);
  end if;

  if cardinality(events) > 0 then
    dropped := dropped_events(im.board_id, events);
    select * into ranking from board_rankings r where r.board_id = im.board_id for update;
    stamp := greatest(import_write.at, ranking.last_event_at);
  end if;
  -- Below the board's lock: a writer of a player's tags holds the player's lock, which submissions take below the board's.
  perform import_player_tags(items, players, are_new, import_write.at);
  if cardinality(events) > 0 then
    insert into score_events (board_id, seq, id, account_id, game_id, identity_id, is_test, amount, player_name, value_display, metadata,
        disposition, source, country, created_at, occurred_at, tags)
      select im.board_id, ranking.seq + u.ordinality, u.id, im.account_id, im.game_id, u.identity_id, u.is_test, u.amount, u.player_name,
        u.value_display, u.metadata, 'accepted', 'import', u.country, stamp, u.occurred_at,
        case when ranking.player_tags is null then u.tags
          else coalesce(u.tags, '{}') || player_tags_on(im.board_id, u.identity_id, ranking.player_tags) end
      from unnest(events) with ordinality u;
    if shown is not null then
      update score_events v set shown_name = nullif(n.value, v.player_name) from jsonb_each_text(shown) n
        where v.board_id = im.board_id and v.seq > ranking.seq and v.id = n.key::uuid;
    end if;
    if made_by is not null then
      update score_events v set played_by = n.value::uuid from jsonb_each_text(made_by) n
        where v.board_id = im.board_id and v.seq > ranking.seq and v.id = n.key::uuid;
    end if;
    if not im.rename and exists (select from identities d where d.id = any(players) and d.name_locked) then
      update score_events v set shown_name = d.display_name from identities d
        where v.board_id = im.board_id and v.seq > ranking.seq and d.id = v.identity_id and d.id = any(players)
          and d.name_locked and d.display_name not in ('', v.player_name);
    end if;
    -- For a player of one event the state follows from it; the others' states follow when the new order is served
    -- (refresh_states).
    select array_agg(u.id), array_agg(u.amount) into ids, amounts from unnest(events) u;
    with played as materialized (
      select g.*, p.place, p.place is not null and exists (select from score_events e
        where e.id = p.last_event_id and e.board_id = im.board_id and e.source = 'import') as is_newest
      from (
        select u.is_test, u.identity_id, count(*) as n, min(u.ordinality) as first, max(u.ordinality) as last
        from unnest(events) with ordinality u group by u.is_test, u.identity_id) g
      left join lateral (select s.ctid as place, s.last_event_id from states s
        where s.board_id = im.board_id and s.is_test = g.is_test and s.identity_id = g.identity_id limit 1) p on true
    ), altered as (
      -- An imported run is a player's newest submission only where it has no other, however the import is divided.
      update states s set submission_count = s.submission_count + g.n, accepted_count = s.accepted_count + g.n, updated_at = stamp,
        last_event_id = case when g.is_newest then ids[g.last] else s.last_event_id end,
        last_submission_at = case when g.is_newest then stamp else s.last_submission_at end,
        last_value = case when g.is_newest then amounts[g.last] else s.last_value end
      from played g where s.ctid = g.place
    )
    insert into states (board_id, is_test, identity_id, id, account_id, game_id, submission_count, accepted_count, last_event_id,
        last_submission_at, last_value, best_value, selected_event_id, value, created_at, updated_at)
      select im.board_id, g.is_test, g.identity_id, ids[g.first], im.account_id, im.game_id, g.n, g.n, ids[g.last], stamp, amounts[g.last],
        case when g.n = 1 then amounts[g.first] end, case when g.n = 1 then ids[g.first] end, case when g.n = 1 then amounts[g.first] end, stamp, stamp
      from played g where g.place is null;
    update board_rankings r set seq = r.seq + cardinality(events), last_event_at = stamp, newest_batch = events[1].id
      where r.board_id = im.board_id;
  end if;
  -- The newest row names its player, if its name is still its key or this import created it. Below the board's lock, as
  -- submissions do.
  select array_agg(n.id order by n.id), array_agg(n.name order by n.id) into renamed, names
    from (
      select distinct on (u.player) u.player as id, u.present_name as name
      from rows from (unnest(items), unnest(players), unnest(are_new), unnest(makers)) with ordinality u(import_id, at, hint, chunk, line, kind, external_key,
        player_name, amount, value_display, metadata, is_test, ref, shown_name, present_name, country, tags, player_tags, player, is_new, maker, n)
      where not u.is_new and u.maker is null and u.present_name <> ''
      order by u.player, u.n desc) n
    where import_names(im, n.id, n.name);
  if renamed is not null then
    perform from identities d where d.id = any(renamed) order by d.id for no key update;
    -- The time of the last change distinguishes this import's changes from all others.
    update identities d set display_name = u.name, updated_at = case when d.made_by = im.id and d.updated_at = d.created_at then d.updated_at else import_write.at end
      from unnest(renamed, names) u(id, name) where d.id = u.id and import_names(im, u.id, u.name);
    perform note_renames(renamed, import_write.at);
  end if;
  update score_imports x set after_at = last.at, after_hint = last.hint, after_chunk = last.chunk, after_line = last.line,
      processed = x.processed + cardinality(items), written = x.written + cardinality(events), known = x.known + valued - cardinality(events),
      in_dropped_periods = x.in_dropped_periods + dropped, players = x.players + made, updated_at = import_write.at,
      first_seq = case when cardinality(events) > 0 then coalesce(x.first_seq, ranking.seq + 1) else x.first_seq end,
      last_seq = case when cardinality(events) > 0 then ranking.seq + cardinality(events) else x.last_seq end
    where x.id = im.id;
end $$;

-- Makes the events count in the next generation. Returns whether that is served, with its states. Then the board's ratio
-- boards have a generation to build, too.
create or replace function import_rank(im score_imports, at timestamptz) returns boolean language plpgsql volatile as $$
declare
  ranking board_rankings;
begin
  if im.written > 0 then
    select * into ranking from board_rankings r where r.board_id = im.board_id;
    if ranking.imported_seq < im.last_seq then
      update board_rankings r set import_seq = greatest(r.import_seq, im.last_seq) where r.board_id = im.board_id;
      perform begin_build(im.board_id, import_rank.at);
      return false;
    elsif ranking.build ->> 'phase' = 'states' then
      return false;
    end if;
    perform begin_build(c.board_id, import_rank.at) from ratio_configs c
      where im.board_id in (c.numerator_board_id, c.denominator_board_id) order by c.board_id;
  end if;
  update score_imports x set status = 'finished', finished_at = import_rank.at, updated_at = import_rank.at where x.id = im.id;
  perform report_event(im.account_id, 'import.finished', im.game_id, im.board_id, null::boolean,
    jsonb_build_object('import_id', 'imp_' || im.id, 'rows', im.rows, 'written', im.written, 'skipped', im.skipped, 'refused', im.refused),
    import_rank.at, import_rank.at, null::uuid);
  return true;
end $$;

-- The next step of an import, one short transaction. Returns `busy`: another process is at it; `step`: continue; `check`: its
-- events have to be checked; `build`: the board has to be ranked (advance_build); `wait`: an earlier import of the board comes
-- first; `done`.
create or replace function advance_import(i uuid, at timestamptz, most integer) returns text language plpgsql volatile as $$
declare
  im score_imports;
begin
  select * into im from score_imports x where x.id = i for update skip locked;
  if not found then
    return 'busy';
  end if;
  if im.status in ('writing', 'ranking') and exists (select from score_imports o
      where o.board_id = im.board_id and o.status in ('writing', 'checking', 'ranking') and (o.closed_at, o.id) < (im.closed_at, im.id)) then
    return 'wait';
  end if;
  case im.status
    when 'writing' then
      perform import_write(im, advance_import.at, most);
      return 'step';
    when 'checking' then
      return 'check';
    when 'ranking' then
      return case when import_rank(im, advance_import.at) then 'step' else 'build' end;
    else
      if not im.has_rows or im.status = 'open' then
        return 'done';
      end if;
      delete from import_rows r where r.ctid = any(array(select d.ctid from import_rows d where d.import_id = i limit 4 * most));
      if not found then
        delete from import_chunks c where c.import_id = i;
        update score_imports x set has_rows = false where x.id = i;
      end if;
      return 'step';
  end case;
end $$;
