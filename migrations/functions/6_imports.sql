-- Imports: rows become events in the order of time, then of lines; then the board is ranked anew in a generation of its own.

-- Turns the next rows into events, in the order of time, then of lines. All that needs no lock comes first, so that the board's submissions
-- wait for two inserts of `most` rows. Readers of the board see no change: the events do not count until `import_seq` has
-- reached them and a generation with them is served.
create or replace function import_write(im score_imports, at timestamptz, most integer) returns void language plpgsql volatile as $$
declare
  ranking board_rankings;
  items import_rows[];
  events import_event[];
  last import_rows;
  stamp timestamptz;
  made bigint; amounts bigint;
begin
  -- A crash may undo the step: it is done again, since the progress is part of it.
  perform set_config('synchronous_commit', 'off', true);
  items := array(select r from import_rows r
    where r.import_id = im.id and (r.at, r.hint, r.chunk, r.line)
        > (coalesce(im.after_at, '-infinity'), coalesce(im.after_hint, 0), coalesce(im.after_chunk, 0), coalesce(im.after_line, 0))
    order by r.at, r.hint, r.chunk, r.line limit most);
  if cardinality(items) = 0 then
    update score_imports x set status = case when im.written = 0 or not im.checked then 'ranking' else 'checking' end, updated_at = import_write.at
      where x.id = im.id;
    return;
  end if;
  last := items[cardinality(items)];

  -- In the order of their key, so that two imports of a game cannot deadlock. Players are looked up, here and below, in the order of the one
  -- index that serves it: to a planner that takes the table for empty, every index that begins with the game is as good.
  insert into identities (id, account_id, game_id, kind, external_key, display_name, created_at, updated_at)
    select uuid7_at(import_write.at), im.account_id, im.game_id, n.kind, n.external_key, n.player_name, import_write.at, import_write.at
    from (
      select distinct on (u.kind, u.external_key) u.kind, u.external_key, u.player_name
      from unnest(items) u
      left join lateral (select d.kind, d.external_key from identities d
        where d.game_id = im.game_id and d.deleted_at is null and (d.kind, d.external_key) >= (u.kind, u.external_key)
        order by d.kind, d.external_key limit 1) p on p.kind = u.kind and p.external_key = u.external_key
      where p.kind is null
      order by u.kind, u.external_key, u.at, u.hint, u.chunk, u.line) n
    on conflict (game_id, kind, external_key) where deleted_at is null do nothing;
  get diagnostics made = row_count;

  select count(*) into amounts from unnest(items) u where u.amount is not null;
  -- The id of an event: the same row of the same chunk has the same one, so importing it twice adds nothing. It sorts by time, or by lines
  -- where there is no time.
  events := array(
    select (x.id, p.id, u.amount, u.player_name, u.value_display, u.metadata, u.is_test, nullif(u.at, 'infinity'))::import_event
    from unnest(items) with ordinality u
    cross join lateral (select md5(concat_ws(chr(31), im.board_id, u.kind, u.external_key, u.is_test, u.amount, extract(epoch from u.at),
      coalesce(u.ref, u.chunk || ':' || u.line))) as hash offset 0) h
    cross join lateral (select (lpad(to_hex(case when u.at < 'infinity' then greatest(0, (extract(epoch from u.at) * 1000)::bigint)
        else u.chunk::bigint * 1048576 + u.line end), 12, '0')
      || '7' || substr(h.hash, 1, 3) || 'a' || substr(h.hash, 4, 15))::uuid as id offset 0) x
    join lateral (select d.id, d.kind, d.external_key from identities d
      where d.game_id = im.game_id and d.deleted_at is null and (d.kind, d.external_key) >= (u.kind, u.external_key)
      order by d.kind, d.external_key limit 1) p on p.kind = u.kind and p.external_key = u.external_key
    where u.amount is not null
    order by u.ordinality);
  -- Only an earlier import can have written some of them.
  if (select r.import_seq > 0 from board_rankings r where r.board_id = im.board_id) then
    events := array(
      select (u.id, u.identity_id, u.amount, u.player_name, u.value_display, u.metadata, u.is_test, u.occurred_at)::import_event
      from unnest(events) with ordinality u
      where not exists (select from score_events v where v.id = u.id)
      order by u.ordinality);
  end if;

  if cardinality(events) > 0 then
    select * into ranking from board_rankings r where r.board_id = im.board_id for update;
    stamp := greatest(import_write.at, ranking.last_event_at);
    insert into score_events (board_id, seq, id, account_id, game_id, identity_id, is_test, amount, player_name, value_display, metadata,
        disposition, source, created_at, occurred_at)
      select im.board_id, ranking.seq + u.ordinality, u.id, im.account_id, im.game_id, u.identity_id, u.is_test, u.amount, u.player_name,
        u.value_display, u.metadata, 'accepted', 'import', stamp, u.occurred_at
      from unnest(events) with ordinality u;
    -- A player of one event is what that makes of it; the others' values follow when the new order is served (refresh_states).
    insert into states as s (board_id, is_test, identity_id, id, account_id, game_id, submission_count, accepted_count, last_event_id,
        last_submission_at, last_value, best_value, selected_event_id, value, created_at, updated_at)
      select im.board_id, g.is_test, g.identity_id, g.ids[1], im.account_id, im.game_id, g.n, g.n, g.ids[g.n], stamp, g.amounts[g.n],
        case when g.n = 1 then g.amounts[1] end, case when g.n = 1 then g.ids[1] end, case when g.n = 1 then g.amounts[1] end, stamp, stamp
      from (
        select u.is_test, u.identity_id, count(*) as n, array_agg(u.id order by u.ordinality) as ids, array_agg(u.amount order by u.ordinality) as amounts
        from unnest(events) with ordinality u group by u.is_test, u.identity_id) g
      on conflict (board_id, is_test, identity_id) do update set
        submission_count = s.submission_count + excluded.submission_count, accepted_count = s.accepted_count + excluded.accepted_count,
        updated_at = excluded.updated_at;
    update board_rankings r set seq = r.seq + cardinality(events), last_event_at = stamp, newest_batch = events[1].id
      where r.board_id = im.board_id;
  end if;
  update score_imports x set after_at = last.at, after_hint = last.hint, after_chunk = last.chunk, after_line = last.line,
      processed = x.processed + cardinality(items), written = x.written + cardinality(events), known = x.known + amounts - cardinality(events),
      players = x.players + made, updated_at = import_write.at,
      first_seq = case when cardinality(events) > 0 then coalesce(x.first_seq, ranking.seq + 1) else x.first_seq end,
      last_seq = case when cardinality(events) > 0 then ranking.seq + cardinality(events) else x.last_seq end
    where x.id = im.id;
end $$;

-- Has the events count in the next generation. Answers whether that is served, with the states that belong to it. Then the board's
-- ratio boards, too, have a generation to be built.
create or replace function import_rank(im score_imports, at timestamptz) returns boolean language plpgsql volatile as $$
declare
  ranking board_rankings;
begin
  if im.written > 0 then
    if im.to_rank is null then
      update score_imports x set to_rank = (select count(*) from states s where s.board_id = im.board_id and s.is_test in (false, true))
        where x.id = im.id;
    end if;
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
  return true;
end $$;

-- The next step of an import, one short transaction. Answers `busy`: another process is at it; `step`: go on; `check`: its events are to
-- be checked; `build`: the board is to be ranked (build_step); `wait`: an import of the board comes first; `done`.
create or replace function import_step(i uuid, at timestamptz, most integer) returns text language plpgsql volatile as $$
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
      perform import_write(im, import_step.at, most);
      return 'step';
    when 'checking' then
      return 'check';
    when 'ranking' then
      return case when import_rank(im, import_step.at) then 'step' else 'build' end;
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
