-- Merged players (docs/decisions/merges.md): all runs of one player, the source, count for another, the target, until the merge is undone.

-- Who played a run that counts for another player now. Null: the player it belongs to.
alter table score_events add column played_by uuid;

-- The player that the runs of a merged player count for; a merged player is deleted as well, so whatever looks for players leaves it out.
alter table identities add column merged_into uuid;
create index identities_merged on identities (merged_into) where merged_into is not null;
-- Its key stays its own: whoever looks for it finds the target (`merged_player`).
create unique index identities_merged_key on identities (game_id, kind, external_key) where merged_into is not null;

-- The player that a device or session belonged to before a merge. Null: the present one.
alter table devices add column merged_from uuid;
create index devices_merged on devices (merged_from) where merged_from is not null;
alter table device_sessions add column merged_from uuid;
create index device_sessions_merged on device_sessions (merged_from) where merged_from is not null;

create table player_merges (
  id             uuid primary key,
  account_id     uuid not null references accounts (id),
  game_id        uuid not null references games (id),
  source_id      uuid not null references identities (id),
  target_id      uuid not null references identities (id),
  status         text collate "C" not null constraint player_merges_status check (status in ('applying', 'applied', 'undoing', 'undone')),
  reason         text constraint player_merges_reason_length check (char_length(reason) between 1 and 1000),
  -- Users; null: the players' own clients.
  requested_by   uuid,
  undone_by      uuid,
  -- The process that works on it has it for so long; after that any may continue.
  leased_until   timestamptz(3) not null,
  created_at     timestamptz(3) not null,
  updated_at     timestamptz(3) not null,
  undone_at      timestamptz(3),
  constraint player_merges_two check (source_id <> target_id)
);
create unique index player_merges_source on player_merges (source_id) where status <> 'undone';
create index player_merges_sources on player_merges (source_id, created_at desc, id);
create index player_merges_targets on player_merges (target_id, created_at desc, id);
create index player_merges_created on player_merges (created_at desc, id);
create index player_merges_account_created on player_merges (account_id, created_at desc, id);
create index player_merges_game_created on player_merges (game_id, created_at desc, id);
create index player_merges_status_created on player_merges (status, created_at desc, id) where status <> 'applied';
create index player_merges_due on player_merges (leased_until) where status in ('applying', 'undoing');

-- What a player's own submissions left on a board, while its runs, or others' with them, count for another player: the part of `states` that
-- does not follow from events.
create table merged_states (
  board_id           uuid not null,
  is_test            boolean not null,
  identity_id        uuid not null,
  -- The player that the runs count for on this board.
  holder_id          uuid not null,
  -- The board's number at that time: later runs are not among `submission_count`.
  seq                bigint not null,
  -- Null: it had no runs of its own.
  score_id           uuid,
  submission_count   bigint not null,
  device_id          uuid,
  last_event_id      uuid,
  last_submission_at timestamptz(3) not null,
  last_value         float8 not null,
  rejected_at        timestamptz(3),
  created_at         timestamptz(3) not null,
  primary key (board_id, is_test, identity_id)
);
create index merged_states_holder on merged_states (board_id, is_test, holder_id);
