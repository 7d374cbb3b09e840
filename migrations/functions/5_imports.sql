-- Imports: rows become events in the order of time, then of lines; then the board is ranked anew in a generation of its own.

-- The id of a row's event. The same row of the same file has the same id, so importing it twice adds nothing.
create or replace function import_event_id(b uuid, r import_rows) returns uuid language sql stable as $$
  select md5(concat_ws(chr(31), b, r.kind, r.external_key, r.is_test, r.amount, extract(epoch from r.at),
    coalesce(r.ref, r.chunk || ':' || r.line)))::uuid
$$;

-- The next step of an import, one short transaction. Answers `busy`: another process is at it; `step`: go on; `build`: the board is to be
-- ranked (build_step); `wait`: the board is being ranked for another reason; `done`.
-- `most`: rows of one step, during which the board's submissions wait.
create or replace function import_step(i uuid, at timestamptz, most integer) returns text language plpgsql volatile as $$
declare
  im score_imports;
  ranking board_rankings;
  items import_rows[];
  last import_rows;
  stamp timestamptz;
  made bigint; events bigint; first_id uuid;
begin
  select * into im from score_imports x where x.id = i for update skip locked;
  if not found then
    return 'busy';
  end if;

  if im.status = 'writing' then
    items := array(select r from import_rows r
      where r.import_id = i and (r.at, r.hint, r.chunk, r.line)
          > (coalesce(im.after_at, '-infinity'), coalesce(im.after_hint, 0), coalesce(im.after_chunk, 0), coalesce(im.after_line, 0))
      order by r.at, r.hint, r.chunk, r.line limit most);
    if cardinality(items) = 0 then
      update score_imports x set status = 'ranking', updated_at = import_step.at where x.id = i;
      return 'step';
    end if;
    last := items[cardinality(items)];

    -- In the order of their key, so that two imports of a game cannot deadlock.
    insert into identities (id, account_id, game_id, kind, external_key, display_name, created_at, updated_at)
      select distinct on (u.kind, u.external_key) uuid7_at(import_step.at), im.account_id, im.game_id, u.kind, u.external_key, u.player_name,
        import_step.at, import_step.at
      from unnest(items) u
      where not exists (select from identities p
        where p.game_id = im.game_id and p.kind = u.kind and p.external_key = u.external_key and p.deleted_at is null)
      order by u.kind, u.external_key, u.at, u.hint, u.chunk, u.line
      on conflict (game_id, kind, external_key) where deleted_at is null do nothing;
    get diagnostics made = row_count;

    select * into ranking from board_rankings r where r.board_id = im.board_id for update;
    stamp := greatest(import_step.at, ranking.last_event_at);
    with fresh as materialized (
      select u.at, u.hint, u.chunk, u.line, u.amount, u.player_name, u.value_display, u.metadata, u.is_test, p.id as identity_id, x.id
      from unnest(items) u
      cross join lateral (select import_event_id(im.board_id, u) as id) x
      cross join lateral (select d.id from identities d
        where d.game_id = im.game_id and d.kind = u.kind and d.external_key = u.external_key and d.deleted_at is null limit 1) p
      where u.amount is not null and not exists (select from score_events v where v.id = x.id)
    ), added as (
      insert into score_events (board_id, seq, id, account_id, game_id, identity_id, is_test, amount, player_name, value_display, metadata,
          disposition, source, created_at, occurred_at)
        select im.board_id, ranking.seq + row_number() over (order by f.at, f.hint, f.chunk, f.line), f.id, im.account_id, im.game_id,
          f.identity_id, f.is_test, f.amount, f.player_name, f.value_display, f.metadata, 'accepted', 'import', stamp, nullif(f.at, 'infinity')
        from fresh f order by f.at, f.hint, f.chunk, f.line
        returning seq, id, identity_id, is_test, amount
    ), stated as (
      -- The states' values follow when the new order is served.
      insert into states as s (board_id, is_test, identity_id, id, account_id, game_id, submission_count, accepted_count, last_event_id,
          last_submission_at, last_value, created_at, updated_at)
        select im.board_id, a.is_test, a.identity_id, (array_agg(a.id order by a.seq))[1], im.account_id, im.game_id, count(*), count(*),
          (array_agg(a.id order by a.seq desc))[1], stamp, (array_agg(a.amount order by a.seq desc))[1], stamp, stamp
        from added a group by a.is_test, a.identity_id order by a.is_test, a.identity_id
        on conflict (board_id, is_test, identity_id) do update set
          submission_count = s.submission_count + excluded.submission_count, accepted_count = s.accepted_count + excluded.accepted_count,
          updated_at = excluded.updated_at
        returning 1
    )
    select count(*), (array_agg(a.id order by a.seq))[1] into events, first_id from added a;
    if events > 0 then
      update board_rankings r set seq = r.seq + events, version = r.version + 1, last_event_at = stamp, newest_batch = first_id
        where r.board_id = im.board_id;
    end if;
    update score_imports x set after_at = last.at, after_hint = last.hint, after_chunk = last.chunk, after_line = last.line,
        written = x.written + events, players = x.players + made,
        known = x.known + (select count(*) from unnest(items) u where u.amount is not null) - events, updated_at = import_step.at
      where x.id = i;
    return 'step';
  end if;

  if im.status = 'ranking' then
    select * into ranking from board_rankings r where r.board_id = im.board_id for update;
    if im.written = 0 or (im.generation is not null and ranking.generation >= im.generation and ranking.build is null) then
      update score_imports x set status = 'finished', finished_at = import_step.at, updated_at = import_step.at where x.id = i;
      return 'step';
    end if;
    if ranking.build is not null then
      return case when (ranking.build ->> 'generation')::integer >= im.generation then 'build' else 'wait' end;
    end if;
    -- Also when it was given up meanwhile because other rules were requested and taken back.
    update board_rankings r set newest_generation = 1 + greatest(r.generation, r.newest_generation),
        build = wanted_rules(im.board_id) || jsonb_build_object('phase', 'entries', 'after', '00000000-0000-0000-0000-000000000000',
          'unsettled', false, 'seq', r.seq, 'generation', 1 + greatest(r.generation, r.newest_generation),
          'numerator_seq', null, 'denominator_seq', null)
      where r.board_id = im.board_id returning r.newest_generation into im.generation;
    update score_imports x set generation = im.generation, updated_at = import_step.at where x.id = i;
    return 'build';
  end if;

  if im.has_rows and im.status in ('finished', 'cancelled') then
    delete from import_rows r where r.ctid = any(array(select d.ctid from import_rows d where d.import_id = i limit 4 * most));
    if not found then
      delete from import_chunks c where c.import_id = i;
      update score_imports x set has_rows = false where x.id = i;
    end if;
    return 'step';
  end if;
  return 'done';
end $$;
