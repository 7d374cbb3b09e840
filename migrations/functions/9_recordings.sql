-- Recordings of runs (docs/decisions/recordings.md): what a board keeps, storing, leaving.

-- The events whose recordings a board keeps: the first ranks of its settings, podiums of live rankings of views and of closings, held
-- runs, and runs with open flags. None, where it takes no recordings any more.
create or replace function kept_recordings(b uuid) returns table (event_seq bigint) language plpgsql stable as $$
declare
  settings jsonb := (select d.recordings from boards d where d.id = b);
  most integer := case when not (settings ->> 'keepBest')::boolean then greatest((settings ->> 'keepTop')::integer, (settings ->> 'demandTop')::integer) end;
begin
  if settings is null then
    return;
  end if;
  return query
    select x.event_seq from board_rankings r cross join (values (false), (true)) p(is_test)
      cross join lateral (select e.event_seq from entries e
        where e.board_id = r.board_id and e.generation = r.generation and e.is_test = p.is_test and e.ranked order by e.rank_key, e.seq limit most) x
      where r.board_id = b
    union
    select x.event_seq from rankings r cross join (values (false), (true)) p(is_test)
      cross join lateral (select e.event_seq from entries e
        where e.board_id = r.board_id and e.generation = r.generation and e.is_test = p.is_test and e.ranked order by e.rank_key, e.seq limit 3) x
      where r.board_id = b and r.view_no > 0 and r.status = 'live'
    union
    select h.event_seq from held_runs h where h.board_id = b and h.ended_at is null
    union
    select f.event_seq from recordings k join score_flags f on f.board_id = k.board_id and f.event_seq = k.event_seq
      where k.board_id = b and f.status = 'pending' and f.deleted_at is null
    union
    -- Sent to a verifier again, which has not answered.
    select k.event_seq from recordings k join verification_passes p on p.board_id = k.board_id and p.status in ('sending', 'open')
      where k.board_id = b and k.bytes is not null and k.event_seq <= p.upto
        and not exists (select from verdicts v where v.board_id = b and v.event_seq = k.event_seq and v.pass_id = p.id)
    union
    select k.event_seq from recordings k join score_events v on v.board_id = k.board_id and v.seq = k.event_seq
      join closing_places c on c.board_id = k.board_id and c.identity_id in (v.identity_id, v.played_by) and c.value = v.amount
      where k.board_id = b and c.rank <= 3;
end $$;

-- Counts what an account stores. Beyond `most` bytes (null: no limit) nothing is changed. True: it has the room.
create or replace function use_recording_room(account uuid, more_files bigint, more_bytes bigint, most bigint) returns boolean language plpgsql volatile as $$
begin
  insert into recording_usage as u (account_id, files, bytes) values (account, 0, 0) on conflict do nothing;
  update recording_usage u set files = u.files + more_files, bytes = u.bytes + more_bytes
    where u.account_id = account and (most is null or u.bytes + more_bytes <= most);
  return found;
end $$;

-- Stores the file of an announced recording: itself, or the name of its object in the bucket. Returns `stored`, `again` (it is stored already),
-- `late`, `full` (of the account's `most` bytes) or `none`; but for the first nothing is changed.
create or replace function store_recording(b uuid, s bigint, size integer, file bytea, object_name text, most bigint, at timestamptz)
returns text language plpgsql volatile as $$
declare
  known recordings;
begin
  select * into known from recordings r where r.board_id = b and r.event_seq = s for update;
  if known.board_id is null then
    return 'none';
  elsif known.bytes is not null then
    return 'again';
  elsif known.wanted_until <= at then
    return 'late';
  elsif not use_recording_room(known.account_id, 1, size, case when not known.demanded then most end) then
    return 'full';
  end if;
  update recordings r set bytes = size, content = file, object = object_name, stored_at = at where r.board_id = b and r.event_seq = s;
  delete from recording_objects_due o where o.object = object_name;
  return 'stored';
end $$;

-- Deletes recordings; their objects follow (src/scores/recordings/tidy.ts).
create or replace function delete_recordings(b uuid, seqs bigint[], at timestamptz) returns integer language plpgsql volatile as $$
declare
  gone record;
begin
  with deleted as (
    delete from recordings r where r.board_id = b and r.event_seq = any(seqs) returning r.*
  ), objects as (
    insert into recording_objects_due (object, account_id, due_at)
      select d.object, d.account_id, at from deleted d where d.object is not null on conflict do nothing
  )
  select count(*)::integer as rows, count(d.bytes) as files, sum(d.bytes) as bytes, min(d.account_id::text)::uuid as account into gone from deleted d;
  if gone.files > 0 then
    perform use_recording_room(gone.account, -gone.files, -gone.bytes, null);
  end if;
  return gone.rows;
end $$;

-- The next step of a board: what it doesn't keep leaves, what it keeps again stays, at most `most` rows. Returns how many changed.
create or replace function tidy_recordings(b uuid, at timestamptz, grace interval, most integer) returns integer language plpgsql volatile as $$
declare
  changed integer;
begin
  with kept as materialized (select k.event_seq from kept_recordings(b) k),
  due as materialized (
    select r.event_seq, case when k.event_seq is null then at + grace end as leaving_at
    from recordings r left join kept k on k.event_seq = r.event_seq
    where r.board_id = b and r.bytes is not null and (r.leaving_at is null) <> (k.event_seq is not null)
    order by r.event_seq limit most for update of r)
  update recordings r set leaving_at = d.leaving_at from due d where r.board_id = b and r.event_seq = d.event_seq;
  get diagnostics changed = row_count;
  return changed;
end $$;

-- Deletes what left long enough ago, and forgets files that never came, at most `most` rows: once `tidy_recordings` has no more to change.
-- Returns how many.
create or replace function delete_left_recordings(b uuid, at timestamptz, most integer) returns integer language sql volatile as $$
  select delete_recordings(b, array(select r.event_seq from recordings r
    where r.board_id = b and (r.leaving_at <= at or r.bytes is null and r.wanted_until <= at) order by r.event_seq limit most for update), at);
$$;

-- Takes back the flag that waits for a recording, once it is stored. Before the recording's row is locked: an erasure locks the board first.
-- True: there was one.
create or replace function clear_recording_flag(b uuid, s bigint, at timestamptz) returns boolean language plpgsql volatile as $$
declare
  flag uuid;
begin
  if not exists (select from score_flags f where f.board_id = b and f.event_seq = s and f.flag_type = 'recording' and f.status = 'pending') then
    return false;
  end if;
  perform lock_flags(array[b]);
  perform from board_rankings r where r.board_id = b for update;
  select f.id into flag from score_flags f
    where f.board_id = b and f.event_seq = s and f.flag_type = 'recording' and f.status = 'pending' and f.deleted_at is null;
  if flag is null then
    return false;
  end if;
  insert into flag_reviews (board_id, flag_id, status, notes, undone, created_at) values (b, flag, 'dismissed', false, false, at);
  perform update_flags(b, array[flag], at);
  perform apply_effects(b, array[s], null, at);
  return true;
end $$;
