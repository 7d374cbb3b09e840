-- The moderation queue (docs/decisions/flags-and-reviews.md): pending flags by player, those of runs that reached or would reach the podium first, then by
-- confidence, then the oldest. `podium` is a fact of the moment in which the run was flagged, so that positions in the queue stay where they are.
alter table score_flags add column podium boolean not null default false;
update score_flags f set podium = true from held_runs h
  where h.board_id = f.board_id and h.event_seq = f.event_seq and h.ended_at is null and f.status = 'pending';

create index score_flags_queue_account on score_flags
  (account_id, (case when podium then 0 else 3 end + case confidence when 'high' then 0 when 'medium' then 1 else 2 end), created_at, id)
  where deleted_at is null and status = 'pending';
create index score_flags_queue_game on score_flags
  (game_id, (case when podium then 0 else 3 end + case confidence when 'high' then 0 when 'medium' then 1 else 2 end), created_at, id)
  where deleted_at is null and status = 'pending';
create index score_flags_queue_board on score_flags
  (board_id, (case when podium then 0 else 3 end + case confidence when 'high' then 0 when 'medium' then 1 else 2 end), created_at, id)
  where deleted_at is null and status = 'pending';
create index score_flags_queue_player on score_flags
  (identity_id, (case when podium then 0 else 3 end + case confidence when 'high' then 0 when 'medium' then 1 else 2 end), created_at, id)
  where deleted_at is null and status = 'pending';
