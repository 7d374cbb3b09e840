-- Deleted players leave all boards, restored ones come back: a ruling on every board they stand on, one transaction a
-- board. What has yet to be done lies in identities_due, so that any process can go on with it.

-- A player of kind device that was deleted because its device was, by that device: they come back together.
alter table identities
  add column deleted_with uuid references devices (id),
  add constraint identities_deleted_with check (deleted_with is null or deleted_at is not null);

-- All boards of a game, deleted ones too: those come back one day, and must not bring a deleted player along.
create index boards_game on boards (game_id);
create index devices_identity on devices (identity_id);
create index identities_deleted on identities (game_id) where deleted_at is not null;

-- Players whose boards have yet to follow. While a player is being restored it is still deleted, so that nothing is
-- submitted for it before every board has its history back; the last step makes it live.
create table identities_due (
  identity_id   uuid primary key references identities (id),
  effect        text not null constraint identities_due_effect check (effect in ('exclude', 'include')),
  -- A device that is restored together with the player.
  device_id     uuid references devices (id),
  -- Another one with every request: who finishes deletes the row only if nobody has asked for anything since.
  ticket        uuid not null,
  -- The user who asked; null: nobody with a key.
  requested_by  uuid,
  -- Until then the process that has taken it on is left alone with it. After a crash another one goes on.
  leased_until  timestamptz(3) not null,
  constraint identities_due_device check (device_id is null or effect = 'include')
);
create index identities_due_lease on identities_due (leased_until);

-- Boards that a player may have to leave or return to, deleted ones too. Ratio boards follow their sources by themselves.
-- A batch that is being committed may have found the player as it was, and its rows cannot be seen yet. It holds
-- the board's lock, so every board whose lock is taken counts; one that takes the lock later finds game_standings raised. First the locks, then the rows: whoever let go in between
-- is seen by the second statement.
create function boards_to_settle(i uuid) returns uuid[] language plpgsql volatile as $$
declare
  game uuid;
  busy uuid[];
begin
  select d.game_id into game from identities d where d.id = i;
  with idle as materialized (
    select r.board_id from board_rankings r
    where r.board_id in (select b.id from boards b where b.game_id = game and b.board_type <> 'ratio')
    for share skip locked)
  select coalesce(array_agg(b.id), '{}') into busy
    from boards b where b.game_id = game and b.board_type <> 'ratio' and b.id not in (select board_id from idle);
  return array(
    select b.id from boards b
    where b.game_id = game and b.board_type <> 'ratio'
      and (b.id = any(busy) or exists (
        select from states s where s.board_id = b.id and s.is_test in (false, true) and s.identity_id = i))
    order by b.id);
end $$;

-- Makes one board agree with what is wanted of a player now: a ruling, a number of the board's sequence with it, and the
-- player's entries derived again. Answers whether anything was to be done; a second call does nothing.
create function settle_identity(b uuid, i uuid, at timestamptz) returns boolean language plpgsql volatile as $$
declare
  board record;
  due record;
  wanted boolean;
begin
  perform from board_rankings r where r.board_id = b for update;
  if not exists (select from states s where s.board_id = b and s.is_test in (false, true) and s.identity_id = i) then
    -- It was in other hands, but not for this player.
    return false;
  end if;
  select d.effect, d.requested_by into due from identities_due d where d.identity_id = i;
  if found then
    wanted := due.effect = 'include';
  else
    select d.deleted_at is null into wanted from identities d where d.id = i;
  end if;
  if wanted is null or wanted = identity_counts(b, i) then
    return false;
  end if;
  update board_rankings r set seq = r.seq + 1 where r.board_id = b returning r.generation, r.seq into board;
  insert into rulings (board_id, seq, identity_id, effect, ruled_by, ruled_at, reason)
    values (b, board.seq, i, case when wanted then 'include' else 'exclude' end, due.requested_by, at,
      case when wanted then 'player restored' else 'player deleted' end);
  perform rederive(b, board.generation, array[i], at);
  return true;
end $$;

-- The last step, when all boards have been settled for this ticket. Answers `done`; `superseded`: something else was
-- asked for meanwhile; `conflict`: somebody took the player's key or the device's fingerprint, so it stays deleted, and
-- its boards are due again. Locks in the order of every write: device, identity, due.
create function finish_settling(i uuid, by_ticket uuid, at timestamptz) returns text language plpgsql volatile as $$
declare
  due identities_due;
begin
  select * into due from identities_due d where d.identity_id = i;
  perform from devices d where d.id = due.device_id for update;
  perform from identities d where d.id = i for update;
  delete from identities_due d where d.identity_id = i and d.ticket = by_ticket returning * into due;
  if not found then
    return 'superseded';
  end if;
  if due.effect = 'include' then
    update devices set deleted_at = null, updated_at = at where id = due.device_id;
    update identities set deleted_at = null, deleted_with = null, updated_at = at where id = i;
  end if;
  return 'done';
exception when unique_violation then
  -- The block's own changes are undone by now, the deletion of the row among them.
  update identities_due d set effect = 'exclude', device_id = null, ticket = gen_random_uuid()
    where d.identity_id = i and d.ticket = by_ticket;
  return 'conflict';
end $$;

-- What is wrong between a board and the deletions of its players, as sentences. Looks at deleted players of the game and at
-- those that were ever ruled on here: few, however large the board is.
create function verify_identities(b uuid) returns text[] language sql stable as $$
  with subjects as (
    select i.id, i.deleted_at is null as lives
    from boards d join identities i on i.game_id = d.game_id and i.deleted_at is not null
    where d.id = b and d.board_type <> 'ratio'
      and exists (select from states s where s.board_id = b and s.is_test in (false, true) and s.identity_id = i.id)
    union
    select i.id, i.deleted_at is null
    from rulings r join identities i on i.id = r.identity_id
    where r.board_id = b and r.identity_id is not null
  )
  select array(
    select format(case when x.lives then 'player %s is not deleted and is kept off the board' else 'player %s is deleted and stands on the board' end, x.id)
    from subjects x
    where x.lives <> identity_counts(b, x.id) and not exists (select from identities_due d where d.identity_id = x.id)
    order by x.id limit 100)
$$;
