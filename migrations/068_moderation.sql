-- Comments of a studio's people on players and on their flags (docs/decisions/comments.md).
create table comments (
  id             uuid primary key,
  account_id     uuid not null,
  game_id        uuid not null,
  identity_id    uuid not null references identities (id),
  -- Null: on the player.
  score_flag_id  uuid,
  author_id      uuid not null,
  text           text not null constraint comments_text check (char_length(text) between 1 and 2000),
  created_at     timestamptz(3) not null
);
create index comments_identity on comments (identity_id, created_at, id);
create index comments_account on comments (account_id);

-- Held runs are first of all in the queue. Like `podium`, `held` is a fact of the moment in which the run was flagged.
alter table score_flags add column held boolean not null default false;
update score_flags f set held = true from held_runs h
  where h.board_id = f.board_id and h.event_seq = f.event_seq and h.ended_at is null and f.status = 'pending';

drop index score_flags_queue_account, score_flags_queue_game, score_flags_queue_board, score_flags_queue_player;
create index score_flags_queue_account on score_flags
  (account_id, (case when held then 0 when podium then 3 else 6 end + case confidence when 'high' then 0 when 'medium' then 1 else 2 end), created_at, id)
  where deleted_at is null and status = 'pending';
create index score_flags_queue_game on score_flags
  (game_id, (case when held then 0 when podium then 3 else 6 end + case confidence when 'high' then 0 when 'medium' then 1 else 2 end), created_at, id)
  where deleted_at is null and status = 'pending';
create index score_flags_queue_board on score_flags
  (board_id, (case when held then 0 when podium then 3 else 6 end + case confidence when 'high' then 0 when 'medium' then 1 else 2 end), created_at, id)
  where deleted_at is null and status = 'pending';
create index score_flags_queue_player on score_flags
  (identity_id, (case when held then 0 when podium then 3 else 6 end + case confidence when 'high' then 0 when 'medium' then 1 else 2 end), created_at, id)
  where deleted_at is null and status = 'pending';
