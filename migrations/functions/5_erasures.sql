-- Erasure of a player's personal data (docs/decisions/erasure.md): in steps of one short transaction each, which any process
-- may take. A step's result is stored with it, so a killed one is repeated and a finished one is not.

create or replace function erased_name() returns text language sql immutable parallel safe as $$ select 'deleted player' $$;

-- The values of an audit entry that are the service's own words.
create or replace function impersonal(changes jsonb) returns jsonb language sql immutable as $$
  select case when changes is null then null else coalesce((
    select jsonb_object_agg(c.key, c.value) from jsonb_each(changes) c
    where c.key in ('status', 'trustTier', 'flagType', 'confidence', 'decision', 'banDevices', 'scores')), '{}') end
$$;

-- A list of friends in an audit entry without one of them.
create or replace function without_friend(changes jsonb, friend text) returns jsonb language sql immutable as $$
  select case when jsonb_exists(changes, 'friends') then jsonb_set(changes, '{friends}', (changes -> 'friends') - friend) else changes end
$$;

create or replace function without_player(podium jsonb, i uuid) returns jsonb language sql immutable as $$
  select coalesce(jsonb_agg(case p.place ->> 'identityId' when 'ide_' || i
      then p.place || jsonb_build_object('playerName', erased_name(), 'valueDisplay', null) else p.place end order by p.n), '[]')
  from jsonb_array_elements(podium) with ordinality p(place, n)
$$;

-- Overwrites the player and its devices and deletes its sessions. Locks in the order of every write: devices, identity. A
-- session that begins at the same time holds one of the two locks until it is written, so it is found.
create or replace function erase_player(i uuid, at timestamptz) returns void language plpgsql volatile as $$
begin
  perform from devices d where d.identity_id = i or d.linked_identity_id = i order by d.id for update;
  perform from identities d where d.id = i for update;
  -- Rows of running imports: if they are sent again, the player they create is another one.
  delete from import_rows r using identities d, score_imports m
    where d.id = i and m.game_id = d.game_id and m.has_rows and r.import_id = m.id and r.kind = d.kind and r.external_key = d.external_key;
  update identities d set external_key = 'erased-' || d.id, display_name = erased_name(), trust_tier = null, trust_tier_reason = null,
      trust_tier_given = null, trust_tier_given_at = null, proven_at = null, deleted_with = null, deleted_at = coalesce(d.deleted_at, at),
      erased_at = coalesce(d.erased_at, at), updated_at = at
    where d.id = i;
  update devices d set client_fingerprint = 'erased-' || d.id, label = case when d.label is not null then 'erased-' || d.id end, platform = '', metadata = '{}', deleted_at = coalesce(d.deleted_at, at), updated_at = at
    where d.identity_id = i;
  delete from device_sessions s where s.identity_id = i;
  delete from idempotency_keys k where k.scope = i;
  delete from attempts a where a.identity_id = i;
  delete from player_proofs p where p.identity_id = i;
  delete from proven_devices x where x.identity_id = i or x.device_id in (select d.id from devices d where d.identity_id = i);
  delete from link_codes c where c.identity_id = i or c.device_id in (select d.id from devices d where d.identity_id = i);
  -- Its linked devices get their own players back; those of other players stay linked to them no more.
  update devices d set linked_identity_id = null, updated_at = at where d.linked_identity_id = i or (d.identity_id = i and d.linked_identity_id is not null);
  delete from player_tags t where t.identity_id = i;
  delete from player_tags_due d where d.identity_id = i;
  delete from renames_due d where d.identity_id = i;
  -- Its list, and its entry in others': in one order, so that erasures of two friends do not wait for each other.
  delete from friend_lists f where f.ctid = any(array(
    select x.ctid from friend_lists x where x.identity_id = i or x.friend_id = i order by x.identity_id, x.friend_id for update));
  -- A running restoration finds nothing to finish.
  delete from identities_due d where d.identity_id = i;
  perform erase_webhooks(i);
  perform erase_closings(i);
end $$;

-- Everything outside boards. False: a job that names the player is running and has to end first.
create or replace function erase_texts(i uuid, at timestamptz) returns boolean language plpgsql volatile as $$
declare
  device_ids uuid[] := array(select d.id from devices d where d.identity_id = i);
  flag_ids uuid[] := array(select f.id from score_flags f where f.identity_id = i);
  review_ids uuid[] := array(select r.id from identity_reviews r where r.identity_id = i or r.device_id = any(device_ids));
  named text := (select '(' || string_agg(u.id::text, '|') || ')' from unnest(device_ids || i) u(id));
  stands jsonb := jsonb_build_array(jsonb_build_object('identityId', 'ide_' || i));
  calls bigint[];
begin
  perform erase_player(i, at);
  delete from comments c where c.identity_id = i;
  update score_flags f set metadata = '{}', reviewer_decision = null, updated_at = at where f.id = any(flag_ids);
  update flag_reviews r set note = null from score_flags f
    where f.identity_id = i and r.board_id = f.board_id and r.flag_id = f.id and r.note is not null;
  update player_merges m set reason = null where (m.source_id = i or m.target_id = i) and m.reason is not null;
  update identity_reviews r set reason = null where r.id = any(review_ids) and r.reason is not null;
  update identity_review_boards b set podium_before = without_player(b.podium_before, i), podium_after = without_player(b.podium_after, i)
    where b.podium_before @> stands or b.podium_after @> stands;
  update verification_passes p set podium_before = without_player(p.podium_before, i), podium_after = without_player(p.podium_after, i)
    where p.podium_before @> stands or p.podium_after @> stands;
  update audit_entries a set reason = null, before = impersonal(a.before), after = impersonal(a.after)
    where a.subject_id = any(array(
      select 'ide_' || i union all select 'dev_' || d from unnest(device_ids) d
      union all select 'mrg_' || m.id from player_merges m where m.source_id = i or m.target_id = i
      union all select 'flg_' || f from unnest(flag_ids) f union all select 'rev_' || r from unnest(review_ids) r
      union all select 'rwd_' || w.id from rewards w where w.identity_id = i));
  -- Lists of others that it was put on or taken off by hand.
  update audit_entries a set before = without_friend(a.before, 'ide_' || i), after = without_friend(a.after, 'ide_' || i)
    where a.action = 'friends_changed' and a.game_id = (select d.game_id from identities d where d.id = i)
      and (jsonb_exists(a.before -> 'friends', 'ide_' || i) or jsonb_exists(a.after -> 'friends', 'ide_' || i));
  -- Errors of jobs quote their payload.
  update jobs j set last_error = null where j.last_error ~ named;
  calls := array(select c.id from graphile_worker._private_jobs c where c.payload::text ~ named or c.last_error ~ named);
  perform graphile_worker.complete_jobs(calls);
  return not exists (select from graphile_worker._private_jobs c where c.id = any(calls));
end $$;

-- Generations of a board that have entries: those of its rankings, served or built, and old ones.
create or replace function generations_of(b uuid) returns integer[] language sql stable as $$
  select array(
    select d.generation from generations_due d where d.board_id = b
    union select u.g from rankings r, unnest(array[r.generation, r.next_generation]) u(g)
      where r.board_id = b and r.status <> 'dropped' and u.g is not null)
$$;

-- Overwrites the next events of the player on a board, and the entries that show them. Under the board's lock. Returns how
-- many there were and the number of the last one.
create or replace function erase_events(b uuid, i uuid, beyond bigint, most integer, out erased bigint, out upto bigint) language plpgsql volatile as $$
declare
  generations integer[] := generations_of(b);
begin
  with chunk as materialized (
    select e.seq, e.id, e.is_test, e.place from (values (false), (true)) p(is_test)
    cross join lateral (select v.seq, v.id, v.is_test, v.ctid as place from score_events v
      where v.board_id = b and v.is_test = p.is_test and v.identity_id = i and v.seq > beyond order by v.seq limit most) e
    order by e.seq limit most
  ), overwritten as (
    update score_events v set player_name = erased_name(), shown_name = null, value_display = null, metadata = null, city = null, country = null, timezone = null,
        tags = case when v.tags is not null then '{"platform": null}'::jsonb end
    from chunk c where v.ctid = c.place
  ), played as (
    update runs r set game_version = null from chunk c where r.board_id = b and r.event_seq = c.seq and r.game_version is not null
  ), shown as (
    update entries e set player_name = erased_name(), value_display = null, metadata = null
    where e.ctid = any(array(
      select x.place
      from (select c.is_test, c.id as slot from chunk c union all select p.is_test, i from (values (false), (true)) p(is_test)) s
      cross join unnest(generations) g(generation)
      cross join lateral (select v.ctid as place from entries v
        where v.board_id = b and v.generation = g.generation and v.is_test = s.is_test and v.slot = s.slot limit 1) x)))
  select count(*), max(c.seq) into erased, upto from chunk c;
  perform delete_recordings(b, array(
    select r.event_seq from recordings r join score_events v on v.board_id = r.board_id and v.seq = r.event_seq
    where r.board_id = b and r.event_seq > beyond and r.event_seq <= upto and v.identity_id = i), '-infinity');
  -- After the recordings: a verdict that is being given holds its recording's row.
  update verdicts x set reason = null from score_events v
    where x.board_id = b and x.event_seq > beyond and x.event_seq <= upto and v.board_id = b and v.seq = x.event_seq and v.identity_id = i
      and x.reason is not null;
end $$;

-- The last step on a board. Kept entries get a ruling that changes nothing: readers of the sequence (a generation under construction,
-- ratio boards, exports) look at the player once more. What is served or followed is derived again. Viewers follow the version.
create or replace function finish_erased_board(b uuid, i uuid, keeps boolean, at timestamptz) returns void language plpgsql volatile as $$
declare
  ranking board_rankings;
begin
  select * into ranking from board_rankings r where r.board_id = b;
  if ranking.newest_view > 0 then
    perform leave_groups(b, i);
    update rankings r set podium = without_player(r.podium, i)
      where r.board_id = b and r.podium @> jsonb_build_array(jsonb_build_object('identityId', 'ide_' || i));
  end if;
  if ranking.ratio is null and keeps and exists (select from states s where s.board_id = b and s.is_test in (false, true) and s.identity_id = i) then
    update board_rankings r set seq = r.seq + 1 where r.board_id = b;
    insert into rulings (board_id, seq, identity_id, effect, ruled_at, reason)
      values (b, ranking.seq + 1, i, case when identity_counts(b, i) then 'include' else 'exclude' end, at, 'player erased');
  end if;
  perform rederive(b, array[i], at);
  if ranking.ratio is not null then
    update entries e set player_name = erased_name(), metadata = null
      where e.ctid = any(array(
        select x.place from (values (false), (true)) p(is_test)
        cross join unnest(generations_of(b)) g(generation)
        cross join lateral (select v.ctid as place from entries v
          where v.board_id = b and v.generation = g.generation and v.is_test = p.is_test and v.slot = i limit 1) x));
  end if;
  update board_rankings r set version = r.version + 1, derived_version = r.version + 1 where r.board_id = b;
end $$;

-- Searches some of the account's idempotency keys, whose responses name players. Returns the last one; null: none is left.
create or replace function erase_answers(account uuid, i uuid, after_key text, most integer) returns text language plpgsql volatile as $$
declare
  upto text;
begin
  select max(k.key) into upto from (
    select x.key from idempotency_keys x where x.scope = account and x.key > after_key order by x.key limit most) k;
  delete from idempotency_keys k
    where k.scope = account and k.key > after_key and k.key <= upto and k.answer -> 'score' ->> 'identityId' = 'ide_' || i;
  return upto;
end $$;

-- The next step of an erasure. Returns the board that changed (its step), or null; `finished` when nothing is left to be done.
create or replace function advance_erasure(i uuid, at timestamptz, most integer, out board uuid, out finished boolean, out waits boolean)
language plpgsql volatile as $$
declare
  due identity_erasures;
  chunk record;
  last_key text;
begin
  finished := false; waits := false;
  select * into due from identity_erasures e where e.identity_id = i for update;
  if due.status is distinct from 'running' then
    finished := true;
    return;
  end if;
  if due.boards is null then
    update identity_erasures e set boards = x.boards, boards_total = cardinality(x.boards)
      from (select boards_to_settle(i) || ratios_to_settle(i) as boards) x where e.identity_id = i;
    return;
  end if;
  if due.boards <> '{}' then
    board := due.boards[1];
    -- No step of a build is under way that read the events as they were; before the board's lock, as in those steps.
    perform pg_advisory_xact_lock(7100002, hashtext(board::text));
    perform from board_rankings r where r.board_id = board for update;
    if exists (select from boards d where d.id = board and d.board_type = 'ratio') then
      select 0::bigint as erased, null::bigint as upto into chunk;
    else
      if due.board_seq = 0 then
        perform settle_player(board, i, at);
      end if;
      select * into chunk from erase_events(board, i, due.board_seq, most);
    end if;
    if chunk.erased = most then
      update board_rankings r set version = r.version + 1, derived_version = r.version + 1 where r.board_id = board;
      update identity_erasures e set board_seq = chunk.upto, events = e.events + chunk.erased where e.identity_id = i;
    else
      perform finish_erased_board(board, i, due.scores = 'keep', at);
      update identity_erasures e set board_seq = 0, boards = due.boards[2:], events = e.events + chunk.erased where e.identity_id = i;
    end if;
    return;
  end if;
  last_key := erase_answers(due.account_id, i, coalesce(due.key_after, ''), 5 * most);
  if last_key is not null then
    update identity_erasures e set key_after = last_key where e.identity_id = i;
    return;
  end if;
  if erase_texts(i, at) then
    update identity_erasures e set status = 'done', finished_at = at, key_after = null where e.identity_id = i;
    finished := true;
  else
    waits := true;
  end if;
end $$;
