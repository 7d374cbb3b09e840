-- What a check or an administrator holds against a submission, and what became of it. Flags are written in the transaction
-- of the submission, under its board's lock; like the other tables of scores they have no foreign keys to what a
-- submission touches.
create table score_flags (
  board_id           uuid not null,
  -- Number of the flagged event, which may be a rejected one.
  event_seq          bigint not null,
  id                 uuid not null,
  event_id           uuid not null,
  account_id         uuid not null,
  game_id            uuid not null,
  identity_id        uuid not null,
  -- Null: the event came from an administrator.
  device_id          uuid,
  is_test            boolean not null,
  flag_type          text collate "C" not null constraint score_flags_type
                     check (flag_type in ('rate_limit', 'velocity', 'duplicate', 'progression', 'outlier', 'manual')),
  confidence         text collate "C" not null constraint score_flags_confidence check (confidence in ('low', 'medium', 'high')),
  status             text collate "C" not null constraint score_flags_status
                     check (status in ('pending', 'confirmed_cheat', 'false_positive', 'dismissed')),
  -- The numbers that made the check speak and the threshold they were held against; of manual flags whatever was given.
  metadata           jsonb not null constraint score_flags_metadata_object check (jsonb_typeof(metadata) = 'object'),
  -- Earlier events of the same board that this one was compared with.
  compared_events    uuid[] not null constraint score_flags_compared_count check (cardinality(compared_events) <= 100),
  -- The last change of status; null: pending ever since.
  reviewed_at        timestamptz(3),
  reviewer_id        uuid references users (id),
  reviewer_decision  text constraint score_flags_decision_length check (char_length(reviewer_decision) <= 2000),
  -- The transaction that added the flag: whoever follows new flags reads on from here and misses none, in whatever order
  -- transactions commit.
  added_in           xid8 not null default pg_current_xact_id(),
  created_at         timestamptz(3) not null,
  updated_at         timestamptz(3) not null,
  deleted_at         timestamptz(3),
  primary key (board_id, event_seq, id)
);
create index score_flags_id on score_flags (id);
-- A check speaks once on an event.
create unique index score_flags_once on score_flags (board_id, event_seq, flag_type) where flag_type <> 'manual';
create index score_flags_added on score_flags (added_in, id);

-- Lists, newest first: of all, an account, a game, a board; and of those what waits for a moderator, or one check found.
create index score_flags_created on score_flags (created_at desc, id) where deleted_at is null;
create index score_flags_account_created on score_flags (account_id, created_at desc, id) where deleted_at is null;
create index score_flags_game_created on score_flags (game_id, created_at desc, id) where deleted_at is null;
-- The second condition holds for every row; it keeps look-ups by the primary key from taking this index for theirs while the
-- table is nearly empty.
create index score_flags_board_created on score_flags (board_id, created_at desc, id) where deleted_at is null and created_at > '-infinity';
create index score_flags_status_created on score_flags (status, created_at desc, id) where deleted_at is null;
create index score_flags_type_created on score_flags (flag_type, created_at desc, id) where deleted_at is null;
create index score_flags_updated on score_flags (updated_at desc, id) where deleted_at is null;
create index score_flags_status_updated on score_flags (status, updated_at desc, id) where deleted_at is null;
create index score_flags_type_updated on score_flags (flag_type, updated_at desc, id) where deleted_at is null;
-- Of a player, deleted ones too, and whether it has cheated.
create index score_flags_identity on score_flags (identity_id, created_at desc, id);
create index score_flags_confirmed on score_flags (identity_id, reviewed_at) where deleted_at is null and status = 'confirmed_cheat';
