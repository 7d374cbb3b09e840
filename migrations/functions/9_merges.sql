-- Merged players (docs/decisions/merges.md): the runs of one player count for another until that is undone. The runs move, and say who played them,
-- so nothing that derives, lists or verifies asks for merges. Both directions are one step per board, which any process may repeat.

-- The players whose runs a player holds once all merges but those under way are done: itself, and those merged into it.
create or replace function merged_players(i uuid) returns uuid[] language sql stable as $$
  with recursive held(id) as (
    select i union select x.source_id from held h join player_merges x on x.target_id = h.id and x.status = 'applied')
  select array_agg(h.id order by h.id) from held h
$$;

-- The player that another one's runs count for.
create or replace function surviving_player(i uuid) returns uuid language sql stable as $$
  with recursive up(id, n) as (
    select i, 0 union all select x.target_id, u.n + 1 from up u join player_merges x on x.source_id = u.id and x.status = 'applied')
  select u.id from up u order by u.n desc limit 1
$$;

-- The id of the scores of a player, whose runs `holder` has, on a board: that of its first run, or, if a merge brought runs before, that of the merged player's.
create or replace function merged_score_id(b uuid, t boolean, i uuid, holder uuid, out seq bigint, out id uuid) language plpgsql stable as $$
declare
  brought record;
begin
  select v.seq, coalesce(k.score_id, v.id) into seq, id
    from (select 1) one
    left join merged_states k on k.board_id = b and k.is_test = t and k.identity_id = i
    left join lateral (select e.seq, e.id from score_events e
      where e.board_id = b and e.is_test = t and e.identity_id = holder and coalesce(e.played_by, e.identity_id) = i
      order by e.seq limit 1) v on true;
  for brought in
    -- Runs from before a merge come with it, later ones at their turn.
    select greatest(k.seq, r.seq) as seq, r.id from player_merges x
    left join merged_states k on k.board_id = b and k.is_test = t and k.identity_id = x.source_id
    cross join lateral merged_score_id(b, t, x.source_id, holder) r
    where x.target_id = i and x.status in ('applying', 'applied') and r.id is not null and (k.identity_id is null or k.holder_id <> k.identity_id)
  loop
    if id is null or seq is null or brought.seq < seq then
      seq := brought.seq; id := brought.id;
    end if;
  end loop;
end $$;

-- Names the merged players of whom a player holds runs that their devices have submitted since.
create or replace function name_makers(b uuid, holder uuid, makers uuid[]) returns void language sql volatile as $$
  update score_events e set played_by = m.maker
  from (
    -- What it has played as linked to another player that counts for the holder is none of its own.
    select x.source_id as maker, d.id as device_id, null::timestamptz as until,
      greatest(x.created_at, case when surviving_player(d.unlinked_from) = holder then d.unlinked_at end) as since
    from player_merges x
    -- A device that is linked to somebody else now was its own before.
    join devices d on d.linked_identity_id = x.source_id or ((d.linked_identity_id is null or surviving_player(d.linked_identity_id) <> holder)
      and (d.merged_from = x.source_id or (x.source_id in (d.identity_id, d.removed_from) and d.merged_from is null)))
    where x.source_id = any(makers) and x.source_id <> holder and x.status <> 'undone'
    union all
    select x.source_id, d.id, d.unlinked_at, x.created_at from player_merges x join devices d on d.unlinked_from = x.source_id
    where x.source_id = any(makers) and x.source_id <> holder and x.status <> 'undone') m
  where e.board_id = b and e.is_test in (false, true) and e.identity_id = holder and e.played_by is null
    and e.device_id = m.device_id and e.created_at >= m.since and (m.until is null or e.created_at < m.until)
$$;

-- Notes what these players' own submissions have left, unless another player holds their runs. Without a `score_id`: nothing.
create or replace function note_own_states(b uuid, players uuid[], upto bigint) returns void language sql volatile as $$
  insert into merged_states as n (board_id, is_test, identity_id, holder_id, seq, score_id, submission_count, device_id, last_event_id,
      last_submission_at, last_value, rejected_at, created_at)
    select b, s.is_test, s.identity_id, s.identity_id, upto,
      case when o.others = 0 then s.id else coalesce(k.score_id, f.id) end, s.submission_count - o.submissions,
      case when o.others = 0 then s.device_id else coalesce(v.device_id, k.device_id) end,
      case when o.others = 0 then s.last_event_id else coalesce(v.id, k.last_event_id, s.last_event_id) end,
      case when o.others = 0 then s.last_submission_at else coalesce(v.created_at, k.last_submission_at, s.last_submission_at) end,
      case when o.others = 0 then s.last_value else coalesce(v.amount, k.last_value, s.last_value) end,
      case when o.others = 0 then s.rejected_at else coalesce(j.created_at, k.rejected_at) end,
      case when o.others = 0 then s.created_at else coalesce(k.created_at, f.created_at, s.created_at) end
    from states s
    left join merged_states k on k.board_id = b and k.is_test = s.is_test and k.identity_id = s.identity_id and k.score_id is not null
    cross join lateral (
      select x.n + e.n as others, x.submissions + e.n as submissions
      from (select count(*) as n, coalesce(sum(m.submission_count), 0) as submissions from merged_states m
        where m.board_id = b and m.is_test = s.is_test and m.holder_id = s.identity_id and m.identity_id <> s.identity_id) x
      cross join (select count(*) as n from score_events e
        left join merged_states m on m.board_id = b and m.is_test = s.is_test and m.identity_id = e.played_by
        where e.board_id = b and e.is_test = s.is_test and e.identity_id = s.identity_id and e.played_by is not null and e.seq > coalesce(m.seq, 0)) e) o
    left join lateral (select e.id, e.created_at from score_events e
      where o.others > 0 and e.board_id = b and e.is_test = s.is_test and e.identity_id = s.identity_id and e.played_by is null
      order by e.seq limit 1) f on true
    left join lateral (select e.* from score_events e
      where o.others > 0 and e.board_id = b and e.is_test = s.is_test and e.identity_id = s.identity_id and e.played_by is null
        and e.seq > coalesce(k.seq, 0) and e.source <> 'import'
      order by e.seq desc limit 1) v on true
    left join lateral (select e.created_at from score_events e
      where o.others > 0 and e.board_id = b and e.is_test = s.is_test and e.identity_id = s.identity_id and e.played_by is null
        and e.seq > coalesce(k.seq, 0) and e.disposition = 'rejected'
      order by e.seq desc limit 1) j on true
    where s.board_id = b and s.is_test in (false, true) and s.identity_id = any(players)
      and not exists (select from merged_states m where m.board_id = b and m.is_test = s.is_test and m.identity_id = s.identity_id and m.holder_id <> s.identity_id)
  on conflict (board_id, is_test, identity_id) do update set seq = excluded.seq, score_id = excluded.score_id,
    submission_count = excluded.submission_count, device_id = excluded.device_id, last_event_id = excluded.last_event_id,
    last_submission_at = excluded.last_submission_at, last_value = excluded.last_value, rejected_at = excluded.rejected_at,
    created_at = excluded.created_at
$$;

-- Moves what submissions have left with the runs of `moving`, which have moved, from one player's states to another's: the parts that do not
-- follow from events. The rest follows with `rederive`.
create or replace function move_states(b uuid, moving uuid[], giver uuid, taker uuid, moved uuid[], at timestamptz) returns void language plpgsql volatile as $$
declare
  test boolean;
  given bigint;
  had states; row_of states;
  own record;
  i uuid;
begin
  foreach test in array array[false, true] loop
    select * into had from states s where s.board_id = b and s.is_test = test and s.identity_id = giver;
    select coalesce((select sum(k.submission_count) from merged_states k
        where k.board_id = b and k.is_test = test and k.holder_id = giver and k.identity_id = any(moving)), 0)
      + (select count(*) from score_events e
        left join merged_states k on k.board_id = b and k.is_test = test and k.identity_id = coalesce(e.played_by, e.identity_id)
        where e.id = any(moved) and e.board_id = b and e.is_test = test and e.seq > coalesce(k.seq, 0)) into given;
    update merged_states k set holder_id = taker
      where k.board_id = b and k.is_test = test and k.holder_id = giver and k.identity_id = any(moving);
    foreach i in array case when had.board_id is null and given = 0 then '{}' else array[giver, taker] end loop
      select * into row_of from states s where s.board_id = b and s.is_test = test and s.identity_id = i;
      -- What the players whose runs it holds have left, and the newest of the runs.
      select (array_agg(u.last_event_id order by u.nth >= 9, u.last_submission_at desc, u.nth))[1] as last_event_id,
          (array_agg(u.last_value order by u.nth >= 9, u.last_submission_at desc, u.nth))[1] as last_value,
          (array_agg(u.last_submission_at order by u.nth >= 9, u.last_submission_at desc, u.nth))[1] as last_at,
          (array_agg(u.device_id order by u.nth <> 2, u.last_submission_at desc) filter (where u.device_id is not null))[1] as device_id,
          max(u.rejected_at) as rejected_at, min(u.created_at) as created_at
        into own
        from (
          select 1 as nth, k.last_submission_at, k.last_event_id, k.last_value, k.device_id, k.rejected_at, k.created_at from merged_states k
            where k.board_id = b and k.is_test = test and k.holder_id = i and k.score_id is not null
          union all
          (select 0, e.created_at, e.id, e.amount, e.device_id, null, e.created_at from score_events e
            where e.board_id = b and e.is_test = test and e.identity_id = i and e.source <> 'import' order by e.seq desc limit 1)
          union all
          (select 2, e.created_at, e.id, e.amount, e.device_id, null, e.created_at from score_events e
            where e.board_id = b and e.is_test = test and e.identity_id = i and e.device_id is not null order by e.seq desc limit 1)
          union all
          (select 3, e.created_at, e.id, e.amount, null, e.created_at, e.created_at from score_events e
            where e.board_id = b and e.is_test = test and e.identity_id = i and e.disposition = 'rejected' order by e.seq desc limit 1)
          union all
          (select 4, e.created_at, e.id, e.amount, null, null, e.created_at from score_events e
            where e.board_id = b and e.is_test = test and e.identity_id = i and e.source <> 'import' order by e.seq limit 1)
          union all
          -- An imported run is a player's newest submission only where it has no other.
          (select 9, e.created_at, e.id, e.amount, null, null, e.created_at from score_events e
            where e.board_id = b and e.is_test = test and e.identity_id = i and e.source = 'import' order by e.seq desc limit 1)
          union all
          (select 10, e.created_at, e.id, e.amount, null, null, e.created_at from score_events e
            where e.board_id = b and e.is_test = test and e.identity_id = i and e.source = 'import' order by e.seq limit 1)) u;
      if i = giver and own.created_at is null then
        delete from states s where s.board_id = b and s.is_test = test and s.identity_id = i;
      elsif row_of.board_id is null and own.created_at is not null then
        insert into states (board_id, is_test, identity_id, id, account_id, game_id, device_id, submission_count, accepted_count, last_event_id,
            last_submission_at, last_value, rejected_at, created_at, updated_at)
          select b, test, i, s.id, had.account_id, had.game_id, own.device_id, given, 0, own.last_event_id, own.last_at, own.last_value,
            own.rejected_at, own.created_at, at
          from merged_score_id(b, test, i, i) s;
      elsif row_of.board_id is not null then
        update states s set id = coalesce((merged_score_id(b, test, i, i)).id, s.id),
            submission_count = s.submission_count + case when i = giver then -given else given end,
            device_id = own.device_id, last_event_id = own.last_event_id, last_submission_at = own.last_at, last_value = own.last_value,
            rejected_at = own.rejected_at, created_at = own.created_at, updated_at = at
          where s.board_id = b and s.is_test = test and s.identity_id = i;
      end if;
    end loop;
    -- A player that holds nobody else's runs needs no note.
    delete from merged_states k where k.board_id = b and k.is_test = test and k.identity_id in (giver, taker) and k.holder_id = k.identity_id
      and (k.score_id is null or not exists (select from merged_states o where o.board_id = b and o.is_test = test and o.holder_id = k.identity_id and o.identity_id <> k.identity_id));
  end loop;
end $$;

-- The boards that may have runs of a player, deleted ones included, or a note of one merged into it, whose runs may all have gone back before:
-- those that a ratio divides together.
create or replace function boards_to_merge(i uuid) returns table (unit uuid[]) language plpgsql volatile as $$
begin
  return query select distinct retag_unit(b.id) from (
    select u.id from unnest(boards_to_settle(i)) u(id)
    union
    select o.id from identities d join boards o on o.game_id = d.game_id
    where d.id = i and exists (select from merged_states k where k.board_id = o.id and k.is_test in (false, true) and k.holder_id = i)) b(id);
end $$;

-- Answers to the requests of one player count for another one's: a client that repeats a submission gets the answer of the first time. Those of
-- these players' runs; null: all. Those since a moment; null: all.
create or replace function copy_answers_since(giver uuid, taker uuid, makers uuid[], since timestamptz) returns void language sql volatile as $$
  insert into idempotency_keys (scope, key, body_hash, answer, created_at)
    select taker, k.key, k.body_hash, k.answer, k.created_at from idempotency_keys k
    where k.scope = giver and (since is null or k.created_at >= since) and (makers is null or exists (select from score_events e
      where e.id = substr(k.answer ->> 'eventId', 5)::uuid and e.identity_id = taker and coalesce(e.played_by, taker) = any(makers)))
    order by k.key collate "C"
  on conflict do nothing
$$;

-- Takes a merge or its undo to some boards. On each that changes, a ruling on either player that changes nothing takes a number of the
-- sequence: decisions on the former events are made again, and readers of the sequence (builds, ratio boards, exports, live feeds) look at
-- both again. Returns the boards that changed, ratio boards included; a second call changes nothing.
create or replace function apply_merge(unit uuid[], m uuid, at timestamptz) returns uuid[] language plpgsql volatile as $$
declare
  ratios uuid[] := array(select c.board_id from ratio_configs c where c.numerator_board_id = any(unit) or c.denominator_board_id = any(unit) order by c.board_id);
  changed uuid[] := '{}';
  merge player_merges;
  giver uuid; taker uuid; i uuid; derived uuid;
  moving uuid[]; moved uuid[];
  board record;
begin
  perform lock_flags(unit);
  -- No build step that read the former events may be running; before the boards' locks, as in those steps.
  perform pg_advisory_xact_lock(7100002, h.hash) from (select distinct hashtext(u.id::text) as hash from unnest(unit || ratios) u(id) order by 1) h;
  perform from board_rankings r where r.board_id = any(unit) order by r.board_id for update;
  perform from board_rankings r where r.board_id = any(ratios) order by r.board_id for update;
  select * into merge from player_merges x where x.id = m for share;
  if merge.status is null or merge.status not in ('applying', 'undoing') then
    return changed;
  end if;
  giver := case merge.status when 'applying' then merge.source_id else surviving_player(merge.target_id) end;
  taker := case merge.status when 'applying' then merge.target_id else merge.source_id end;
  moving := merged_players(merge.source_id);
  for board in select r.board_id as id, r.player_tags as names, r.seq from board_rankings r
    where r.board_id = any(unit) and r.board_type <> 'ratio' order by r.board_id
  loop
    perform name_makers(board.id, u.id, merged_players(u.id) || moving) from unnest(array[giver, taker]) u(id);
    continue when not exists (select from score_events e where e.board_id = board.id and e.is_test in (false, true) and e.identity_id = giver
        and coalesce(e.played_by, giver) = any(moving))
      and not exists (select from merged_states k where k.board_id = board.id and k.is_test in (false, true) and k.holder_id = giver and k.identity_id = any(moving))
      and not (giver = any(moving) and exists (select from states s where s.board_id = board.id and s.is_test in (false, true) and s.identity_id = giver));
    -- Of an undo's taker it is noted since its merge.
    perform note_own_states(board.id, array[giver] || case merge.status when 'applying' then array[taker] else '{}' end, board.seq + 2);
    perform remove_player_entries(board.id, board.id, giver, null);
    perform remove_player_entries(d.id, board.id, giver, null) from unnest(ratios) d(id);
    delete from left_out_runs l where l.board_id = board.id and l.identity_id in (giver, taker);
    with gone as (
      update score_events e set identity_id = taker,
          played_by = case when coalesce(e.played_by, giver) <> taker then coalesce(e.played_by, giver) end,
          -- Tags of players are the present ones of whom the runs count for.
          tags = case when board.names is null then e.tags else coalesce(e.tags, '{}') || (
            select jsonb_object_agg(n.name, coalesce(to_jsonb(p.value), 'null'))
            from unnest(board.names) n(name) left join player_tags p on p.identity_id = taker and p.name = n.name) end
        where e.board_id = board.id and e.is_test in (false, true) and e.identity_id = giver and coalesce(e.played_by, giver) = any(moving)
        returning e.id, e.seq
    ), flagged as (
      update score_flags f set identity_id = taker from gone g where f.board_id = board.id and f.event_seq = g.seq)
    select coalesce(array_agg(g.id), '{}') into moved from gone g;
    perform move_states(board.id, moving, giver, taker, moved, at);
    if merge.status = 'applying' then
      -- Those of runs that were being committed when the merge began.
      perform copy_answers_since(giver, taker, null, merge.created_at - interval '1 minute');
      -- Its devices have submitted for the other since the merge began.
      update merged_states k set submission_count = k.submission_count + (
          select count(*) from score_events e where e.board_id = board.id and e.is_test = k.is_test and e.identity_id = taker and e.played_by = giver
            and e.id <> all(moved) and e.seq <= k.seq)
        where k.board_id = board.id and k.is_test in (false, true) and k.identity_id = giver;
    end if;
    update board_rankings r set seq = r.seq + 2, version = r.version + 1, derived_version = r.version + 1 where r.board_id = board.id;
    insert into rulings (board_id, seq, identity_id, effect, ruled_by, ruled_at, reason)
      select board.id, board.seq + n, u.id, case when identity_counts(board.id, u.id) then 'include' else 'exclude' end,
        case merge.status when 'applying' then merge.requested_by else merge.undone_by end, at,
        case merge.status when 'applying' then 'players merged' else 'merge undone' end
      from unnest(array[giver, taker]) with ordinality u(id, n);
    perform rederive(board.id, array[giver, taker], at);
    if merge.status = 'applying' then
      -- It may have been deleted since.
      perform settle_player(board.id, taker, at);
    end if;
    changed := changed || board.id;
  end loop;
  if changed <> '{}' then
    update board_rankings r set version = r.version + 1, derived_version = r.version + 1 where r.board_id = any(ratios);
    foreach derived in array ratios loop
      foreach i in array array[giver, taker] loop
        perform settle_ratio_player(derived, i, at);
      end loop;
      changed := changed || derived;
    end loop;
  end if;
  return changed;
end $$;

-- The first step of a merge: from now on sessions and devices of the source are the target's, and the source is nobody's. The devices and both
-- players are locked.
create or replace function begin_merge(m uuid, at timestamptz) returns void language plpgsql volatile as $$
declare
  merge player_merges := (select x from player_merges x where x.id = m);
begin
  update identities d set merged_into = merge.target_id where d.merged_into = merge.source_id;
  update identities d set merged_into = merge.target_id, deleted_at = at, updated_at = at where d.id = merge.source_id;
  -- Names that game servers have for devices are unique in a player: the source keeps a device whose name the target has, and its sessions are
  -- the target's nevertheless.
  update devices d set identity_id = merge.target_id, merged_from = coalesce(d.merged_from, merge.source_id), updated_at = at
    where d.identity_id = merge.source_id and not (d.label is not null and d.deleted_at is null and exists (
      select from devices o where o.identity_id = merge.target_id and o.label = d.label and o.deleted_at is null));
  -- What a session has proven was the source.
  update device_sessions s set identity_id = merge.target_id, merged_from = coalesce(s.merged_from, merge.source_id), proven_at = null, updated_at = at
    where s.identity_id = merge.source_id;
  -- Whoever proved the source proves the target.
  update identities d set proven_at = s.proven_at from identities s
    where d.id = merge.target_id and s.id = merge.source_id and d.proven_at is null and s.proven_at is not null;
  perform copy_answers_since(merge.source_id, merge.target_id, null, null);
end $$;

-- The last but one step of an undo, after all boards: the source is a player again, with its devices and sessions.
create or replace function return_player(m uuid, at timestamptz) returns void language plpgsql volatile as $$
declare
  merge player_merges := (select x from player_merges x where x.id = m);
  holder uuid := surviving_player(merge.target_id);
  players uuid[] := merged_players(merge.source_id);
begin
  perform from devices d where (d.identity_id = holder and d.merged_from = any(players)) or d.removed_from = any(players) order by d.id for update;
  perform from identities d where d.id = any(players || holder) order by d.id for update;
  if not exists (select from identities d where d.id = merge.source_id and d.merged_into is not null) then
    return;
  end if;
  update identities d set merged_into = null, deleted_at = null, updated_at = at where d.id = merge.source_id;
  update identities d set merged_into = merge.source_id where d.id = any(players) and d.id <> merge.source_id;
  update identities d set proven_at = (select min(p.proven_at) from player_proofs p where p.identity_id = any(merged_players(d.id)))
    where d.id in (holder, merge.source_id);
  update devices d set identity_id = merge.source_id, merged_from = nullif(d.merged_from, merge.source_id), updated_at = at
    where d.identity_id = holder and d.merged_from = any(players) and not (d.label is not null and d.deleted_at is null and exists (
      select from devices o where o.identity_id = merge.source_id and o.label = d.label and o.deleted_at is null));
  -- Also those that were removed from the holder, unless they have merged with another since.
  update devices d set identity_id = merge.source_id, merged_from = nullif(d.removed_from, merge.source_id), removed_from = null, updated_at = at
    where d.removed_from = any(players) and d.merged_from is null;
  update device_sessions s set identity_id = merge.source_id, proven_at = null, updated_at = at,
      merged_from = nullif(coalesce(s.merged_from, d.merged_from), merge.source_id)
    from devices d
    where d.id = s.device_id and s.identity_id = holder and (s.merged_from = any(players)
      or coalesce(d.linked_identity_id, d.identity_id) = merge.source_id);
  perform copy_answers_since(holder, merge.source_id, players, null);
  delete from idempotency_keys k where k.scope = holder and k.answer -> 'score' ->> 'identityId' = 'ide_' || merge.source_id;
end $$;

-- The last step: the merge is applied or undone, which webhooks hear of. Both players' tiers follow the flags that they have now. Returns
-- whether it was not before.
create or replace function finish_merge(m uuid, at timestamptz) returns boolean language plpgsql volatile as $$
declare
  merge player_merges;
  i uuid;
begin
  update player_merges x set status = case x.status when 'applying' then 'applied' else 'undone' end,
      undone_at = case x.status when 'undoing' then at end, updated_at = at
    where x.id = m and x.status in ('applying', 'undoing') returning * into merge;
  if not found then
    return false;
  end if;
  foreach i in array array(select u.id from unnest(array[merge.source_id, surviving_player(merge.target_id)]) u(id) order by u.id) loop
    perform apply_tier(i, case merge.status when 'applied' then merge.requested_by else merge.undone_by end, at);
  end loop;
  perform report_event(merge.account_id, case merge.status when 'applied' then 'player.merged' else 'player.unmerged' end, merge.game_id, null::uuid,
    null::boolean, jsonb_build_object('merge_id', 'mrg_' || m, 'source_id', 'ide_' || merge.source_id, 'target_id', 'ide_' || merge.target_id),
    at, at, null::uuid);
  return true;
end $$;

-- Contradictions between a board and the merges of its game, as sentences: runs that a player holds whose maker is not merged into it, and runs
-- that a merged player still has. None while a merge is under way.
create or replace function verify_merges(b uuid) returns text[] language sql stable as $$
  select array(
    select format('run %s: player %s has it, and %s', e.id, e.identity_id,
        case when d.merged_into is not null then 'is merged into ' || d.merged_into else 'its player ' || e.played_by || ' is not merged into it' end)
    from boards o
    join identities d on d.game_id = o.game_id and (d.merged_into is not null or exists (select from identities s where s.merged_into = d.id))
    join score_events e on e.board_id = b and e.is_test in (false, true) and e.identity_id = d.id
    where o.id = b and not exists (select from player_merges x where x.game_id = o.game_id and x.status in ('applying', 'undoing'))
      and (d.merged_into is not null or not (coalesce(e.played_by, d.id) = any(merged_players(d.id))))
    order by e.seq limit 100)
$$;

-- The effect of a merge on some boards that are ranked together, for a transaction that is rolled back.
create or replace function try_merge(unit uuid[], m uuid, at timestamptz)
returns table (board_id uuid, runs bigint, flags bigint, moved bigint, podium_before jsonb, podium_after jsonb) language plpgsql volatile as $$
declare
  merge player_merges := (select x from player_merges x where x.id = m);
  players uuid[] := array[merge.source_id, merge.target_id];
  boards uuid[] := unit || array(select c.board_id from ratio_configs c where c.numerator_board_id = any(unit) or c.denominator_board_id = any(unit) order by c.board_id);
  -- In pairs of a board's number in `boards` and a position.
  numbers integer[]; was standing[];
  podiums jsonb; counts jsonb;
begin
  perform lock_flags(unit);
  perform pg_advisory_xact_lock(7100002, h.hash) from (select distinct hashtext(u.id::text) as hash from unnest(boards) u(id) order by 1) h;
  perform from board_rankings r where r.board_id = any(unit) order by r.board_id for update;
  perform rederive(u.id, players, at) from unnest(boards) u(id) where u.id <> all(unit);
  select coalesce(array_agg(u.n), '{}'), coalesce(array_agg(s), '{}') into numbers, was
    from unnest(boards) with ordinality u(id, n) cross join lateral standings_of(u.id, players) s;
  select jsonb_object_agg(u.id, podium_of(u.id, r.generation)), jsonb_object_agg(u.id, jsonb_build_array(
      (select count(*) from score_events e where e.board_id = u.id and e.is_test in (false, true) and e.identity_id = merge.source_id),
      (select count(*) from score_flags f where f.board_id = u.id and f.identity_id = merge.source_id and f.deleted_at is null)))
    into podiums, counts
    from unnest(boards) u(id) join board_rankings r on r.board_id = u.id;
  perform apply_merge(unit, m, at);
  return query
    select u.id, (counts -> u.id::text ->> 0)::bigint, (counts -> u.id::text ->> 1)::bigint,
      moved_scores(u.id, r.generation, array(select (w.is_test, w.id, w.rank_key, w.seq)::standing from unnest(was) with ordinality w(is_test, id, rank_key, seq, n)
        where numbers[w.n] = u.n), players),
      podiums -> u.id::text, podium_of(u.id, r.generation)
    from unnest(boards) with ordinality u(id, n) join board_rankings r on r.board_id = u.id;
end $$;
