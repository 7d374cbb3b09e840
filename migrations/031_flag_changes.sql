-- Readers of the queue follow decisions: the transaction that last changed a flag, in the order of which changes are read
-- (src/fairplay/flags/feed.ts). Null: never changed since it was raised.
alter table score_flags add column changed_in xid8;
create index score_flags_changed on score_flags (changed_in, id) where changed_in is not null;

create function note_flag_change() returns trigger language plpgsql as $$
begin
  new.changed_in := pg_current_xact_id();
  return new;
end $$;
create trigger score_flags_change before update on score_flags for each row execute function note_flag_change();

-- Waiting flags of an account, a game and a board: they are few among all flags, and counted up to a thousand.
create index score_flags_pending_account on score_flags (account_id, created_at desc, id) where deleted_at is null and status = 'pending';
create index score_flags_pending_game on score_flags (game_id, created_at desc, id) where deleted_at is null and status = 'pending';
create index score_flags_pending_board on score_flags (board_id, created_at desc, id) where deleted_at is null and status = 'pending';
