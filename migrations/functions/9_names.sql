-- Present names on boards (docs/decisions/names.md). Submissions, imports and administrators change a player's name and note
-- it here in the same transaction; boards follow one by one, in separate transactions that any process may repeat.

-- Notes that these players were renamed. Several renames of one player within eight seconds make one pass over its boards.
create or replace function note_renames(ids uuid[], at timestamptz) returns void language sql volatile as $$
  insert into renames_due as d (identity_id, due_at) select u.id, note_renames.at from (select distinct x.id from unnest(ids) x(id)) u order by u.id
  on conflict (identity_id) do update
    set ticket = d.ticket + 1, due_at = least(d.due_at, greatest(excluded.due_at, d.passed_at + interval '8 seconds'))
$$;

-- The same for an administrator's rename, which also renames runs: those with the former name, or all (null).
create or replace function note_studio_rename(i uuid, was text, name text, at timestamptz) returns void language sql volatile as $$
  select note_renames(array[i], at);
  update renames_due d set due_at = at,
      steps = d.steps || jsonb_build_array(jsonb_build_object('ticket', d.ticket, 'was', was, 'name', name))
    where d.identity_id = i;
$$;

-- The boards on which a player has submissions, before the ratio boards derived from them. `thorough`: also boards being
-- written to by a batch that may have seen the player as it was. With the number of the board's newest event.
create or replace function boards_to_rename(i uuid, thorough boolean) returns table (board_id uuid, board_type text, seq bigint)
language plpgsql volatile as $$
declare
  of_game uuid[] := array(select b.id from identities d join boards b on b.game_id = d.game_id where d.id = i);
  idle uuid[] := of_game;
begin
  if thorough then
    idle := array(select r.board_id from board_rankings r where r.board_id = any(of_game) for share skip locked);
  end if;
  return query
    select r.board_id, r.board_type, r.seq from board_rankings r
    where r.board_id = any(of_game) and (r.board_id <> all(idle) or exists (
      select from states s where s.board_id = r.board_id and s.is_test in (false, true) and s.identity_id = i))
    order by r.board_type = 'ratio', r.board_id;
end $$;

-- The podium of a dropped ranking with a player's new name, for all of its places or those with the former name.
create or replace function renamed_podium(podium jsonb, i uuid, was text, name text) returns jsonb language sql immutable as $$
  select coalesce(jsonb_agg(case
      when p.place ->> 'identityId' = 'ide_' || i and (was is null or p.place ->> 'playerName' = was)
      then p.place || jsonb_build_object('playerName', name) else p.place end order by p.n), '[]')
  from jsonb_array_elements(podium) with ordinality p(place, n)
$$;

-- The player's own entries on a board, in all generations, with the name each must show: the player's present one or, in the
-- test population, that of the event. Found by their ids, which are the same in every ranking.
create or replace function misnamed_entries(b uuid, i uuid) returns table (place tid, name text) language sql stable as $$
  select x.place, x.name
  from (
    select e.place, e.player_name, case when not e.is_test and d.display_name <> '' then d.display_name else (
        select coalesce(v.shown_name, v.player_name) from score_events v
        where v.board_id = coalesce(e.event_board_id, b) and v.seq = e.event_seq limit 1) end as name
    from identities d
    cross join lateral (select s.id from states s where s.board_id = b and s.is_test in (false, true) and s.identity_id = i) s
    cross join lateral (select y.ctid as place, y.* from entries y where y.id = s.id offset 0) e
    where d.id = i and e.board_id = b and e.slot = i) x
  where x.player_name <> x.name
$$;

-- Podiums that show a player by another name.
create or replace function misnamed_podiums(b uuid, i uuid) returns table (ranking_no integer, podium jsonb) language sql stable as $$
  select x.ranking_no, x.renamed
  from (
    select r.ranking_no, r.podium, renamed_podium(r.podium, i, null, d.display_name) as renamed
    from board_rankings b1 join rankings r on r.board_id = b1.board_id join identities d on d.id = i and d.display_name <> ''
    where b1.board_id = b and b1.newest_view > 0 and b1.board_type <> 'run_runs'
      and r.podium @> jsonb_build_array(jsonb_build_object('identityId', 'ide_' || i))) x
  where x.podium <> x.renamed
$$;

-- Makes a board show a player's present name. Returns whether that changed anything. Takes no lock if nothing has to change.
create or replace function show_name(b uuid, i uuid) returns boolean language plpgsql volatile as $$
declare
  renamed bigint; placed bigint;
begin
  if not exists (select from misnamed_entries(b, i)) and not exists (select from misnamed_podiums(b, i)) then
    return false;
  end if;
  -- No build step that read the former name may be running; before the board's lock, as in those steps.
  perform pg_advisory_xact_lock(7100002, hashtext(b::text));
  perform from board_rankings r where r.board_id = b for update;
  update entries e set player_name = m.name from misnamed_entries(b, i) m where e.ctid = m.place;
  get diagnostics renamed = row_count;
  update rankings r set podium = m.podium from misnamed_podiums(b, i) m where r.board_id = b and r.ranking_no = m.ranking_no;
  get diagnostics placed = row_count;
  if renamed + placed = 0 then
    return false;
  end if;
  update board_rankings r set version = r.version + 1, derived_version = r.version + 1 where r.board_id = b;
  return true;
end $$;

-- Makes the next runs of a player follow an administrator's rename: those with the former name, or all (null). Returns the
-- number of the last one checked (null: there are no more) and whether anything changed.
create or replace function apply_rename(b uuid, i uuid, was text, name text, beyond bigint, upto bigint, most integer, out reached bigint, out changed boolean)
language plpgsql volatile as $$
declare
  looked bigint; renamed bigint; placed bigint := 0;
begin
  perform pg_advisory_xact_lock(7100002, hashtext(b::text));
  perform from board_rankings r where r.board_id = b for update;
  changed := false;
  -- An erasure has overwritten the names.
  if not exists (select from identities d where d.id = i and d.erased_at is null) then
    return;
  end if;
  with chunk as materialized (
    select e.seq, e.place from (values (false), (true)) p(is_test)
    cross join lateral (select v.seq, v.ctid as place from score_events v
      where v.board_id = b and v.is_test = p.is_test and v.identity_id = i and v.seq > beyond and v.seq <= upto order by v.seq limit most) e
    order by e.seq limit most
  ), altered as (
    update score_events v set shown_name = nullif(apply_rename.name, v.player_name)
    from chunk c
    where v.ctid = c.place and (was is null or coalesce(v.shown_name, v.player_name) = was) and coalesce(v.shown_name, v.player_name) <> apply_rename.name
    returning v.id
  ), shown as (
    update entries e set player_name = apply_rename.name
    where e.ctid = any(array(
      select x.place from altered a
      cross join lateral (select y.ctid as place, y.board_id, y.slot from entries y where y.id = a.id offset 0) x
      where x.board_id = b and x.slot = a.id))
  )
  select count(*), case when count(*) = most then max(c.seq) end, (select count(*) from altered) into looked, reached, renamed from chunk c;
  if beyond = 0 then
    update rankings r set podium = renamed_podium(r.podium, i, was, apply_rename.name)
      from board_rankings k
      where k.board_id = b and k.newest_view > 0 and k.board_type = 'run_runs' and r.board_id = b
        and r.podium @> jsonb_build_array(jsonb_build_object('identityId', 'ide_' || i))
        and r.podium <> renamed_podium(r.podium, i, was, apply_rename.name);
    get diagnostics placed = row_count;
  end if;
  if renamed + placed > 0 then
    changed := true;
    update board_rankings r set version = r.version + 1, derived_version = r.version + 1 where r.board_id = b;
  end if;
end $$;

-- The end of a pass that began with this ticket. A second look follows; after that, unless the player was renamed again,
-- nothing is due.
create or replace function finish_renaming(i uuid, by_ticket bigint, at timestamptz) returns void language plpgsql volatile as $$
begin
  delete from renames_due d where d.identity_id = i and d.ticket = by_ticket and d.followed = by_ticket;
  update renames_due d set followed = by_ticket,
      steps = (select coalesce(jsonb_agg(s.step order by s.n), '[]') from jsonb_array_elements(d.steps) with ordinality s(step, n)
        where (s.step ->> 'ticket')::bigint > by_ticket),
      due_at = case when d.ticket = by_ticket then at + interval '1 minute' else greatest(at, d.passed_at + interval '8 seconds') end
    where d.identity_id = i;
end $$;

-- The next entries of a board from an earlier version: players whose name it does not show are noted. Returns false after the
-- last.
create or replace function note_misnamed(b uuid, at timestamptz, most integer) returns boolean language plpgsql volatile as $$
declare
  due names_due;
  last uuid; looked bigint; ids uuid[];
begin
  select * into due from names_due d where d.board_id = b for update;
  if not found then
    return false;
  end if;
  select max(e.slot::text)::uuid, count(*), array_agg(e.slot order by e.slot) filter (where d.display_name <> '' and d.display_name <> e.player_name)
    into last, looked, ids
  from board_rankings r
  cross join lateral (select x.slot, x.player_name from entries x
    where x.board_id = b and x.generation = r.generation and not x.is_test and x.slot > due.after_slot order by x.slot limit most) e
  left join identities d on d.id = e.slot
  where r.board_id = b;
  perform note_renames(ids, at);
  if looked < most then
    delete from names_due d where d.board_id = b;
    return false;
  end if;
  update names_due d set after_slot = last where d.board_id = b;
  return true;
end $$;

-- Players whose name is not shown by a board with one entry per player although no rename is due, as sentences; the next ones
-- from one on. `upto` is null after the last.
create or replace function verify_names(b uuid, after uuid, most integer) returns table (upto uuid, faults text[]) language sql stable as $$
  with part as materialized (
    select e.* from board_rankings r
    cross join lateral (select x.slot, x.player_name from entries x
      where x.board_id = b and x.generation = r.generation and not x.is_test and x.slot > after order by x.slot limit most) e
    where r.board_id = b and r.board_type <> 'run_runs' and not exists (select from names_due n where n.board_id = b)
  )
  select (select max(p.slot::text)::uuid from part p),
    array(
      select format('player %s: shown by another name than the present one', p.slot)
      from part p join identities d on d.id = p.slot
      where d.display_name <> '' and p.player_name <> d.display_name
        and not exists (select from renames_due n where n.identity_id = p.slot)
        and not exists (select from identity_erasures x where x.identity_id = p.slot and x.status = 'running')
      order by p.slot limit 100)
$$;

-- Players of game g with a word, or several in turn, or a part in scripts without blanks, that begins with `typed`, in the order of the
-- alphabet: at most `most`. While players from before are being indexed: those whose names begin with one of the spellings in `beginnings`.
create or replace function find_players(g uuid, typed text, beginnings text[], most integer) returns setof uuid language plpgsql stable rows 50 as $$
declare
  key text := left(name_key(typed), 64);
begin
  if exists (select from player_words_due d where d.game_id = g and not d.has_words) then
    return query select f.id from (
      select x.id, min(x.name) as name from unnest(beginnings) b
      cross join lateral (
        select i.id, lower(i.display_name) as name from identities i
        where i.game_id = g and i.deleted_at is null and lower(i.display_name) >= b and lower(i.display_name) < b || chr(1114111)
        order by lower(i.display_name), i.id limit most) x
      group by x.id) f
    order by f.name, f.id limit most;
  else
    -- Several parts of one player's name may match.
    return query select f.identity_id from (
      select x.identity_id, min(x.words) as words from (
        select w.identity_id, w.words from player_words w
        where w.game_id = g and w.words >= key and w.words < key || chr(1114111)
        order by w.words, w.identity_id limit 8 * most) x
      group by x.identity_id) f
    order by f.words, f.identity_id limit most;
  end if;
end $$;

-- Indexes the next `most` players from before of game g; returns how many there were. None: all are indexed.
create or replace function index_players(g uuid, most integer) returns integer language plpgsql volatile as $$
declare
  due player_words_due := (select d from player_words_due d where d.game_id = g for update skip locked);
  ids uuid[];
  reached timestamptz;
begin
  if due.game_id is null then
    return 0;
  end if;
  select array_agg(p.id order by p.created_at desc, p.id), min(p.created_at) into ids, reached from (
    select i.id, i.created_at from identities i
    where i.game_id = g and i.deleted_at is null and i.created_at <= due.until_at and (i.created_at < due.until_at or i.id > due.after_id)
    order by i.created_at desc, i.id limit most) p;
  if ids is null then
    delete from player_words_due d where d.game_id = g;
    return 0;
  end if;
  -- Locked in the order of ids, as renames lock them: a rename before this is seen, and one after it finds what it has to delete.
  insert into player_words (game_id, words, identity_id)
    select g, w, p.id
    from (select i.id, i.display_name from identities i where i.id = any(ids) and i.deleted_at is null
        and (not due.has_words or octet_length(i.display_name) > char_length(i.display_name)) order by i.id for share) p
    cross join unnest(name_words(p.display_name)) w
    on conflict do nothing;
  update player_words_due d set until_at = reached, after_id = ids[cardinality(ids)], players = d.players + cardinality(ids)
    where d.game_id = g;
  return cardinality(ids);
end $$;
