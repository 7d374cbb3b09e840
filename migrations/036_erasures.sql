-- Erasure of a player's personal data. The player stays as a deleted record without a person; `keeps_scores`: its entries stay on
-- the boards, under the name of a deleted player.
alter table identities
  add column erased_at timestamptz(3),
  add column keeps_scores boolean not null default false,
  add constraint identities_erased check (erased_at is null or deleted_at is not null) not valid,
  add constraint identities_keep check (not keeps_scores or erased_at is not null) not valid;

-- Every erasure, by ids alone: a restored older state has to repeat those made since. While it is running, how far it is.
create table identity_erasures (
  identity_id   uuid primary key references identities (id),
  account_id    uuid not null,
  game_id       uuid not null,
  scores        text not null constraint identity_erasures_scores check (scores in ('keep', 'remove')),
  status        text not null constraint identity_erasures_status check (status in ('running', 'done')),
  -- The user who asked; null: the repetition after a restore.
  requested_by  uuid,
  -- Boards that are left, in their order; null: they have yet to be found.
  boards        uuid[],
  boards_total  integer not null default 0,
  -- Events of the first of these boards are overwritten up to this number.
  board_seq     bigint not null default 0,
  -- Idempotency keys of the account are looked through up to this one; null: not begun.
  key_after     text collate "C",
  events        bigint not null default 0,
  -- A process that works on it is left alone until then. After a crash another one goes on.
  leased_until  timestamptz(3) not null,
  created_at    timestamptz(3) not null,
  finished_at   timestamptz(3),
  constraint identity_erasures_finished check ((status = 'done') = (finished_at is not null))
);
create index identity_erasures_due on identity_erasures (leased_until) where status = 'running';
create index identity_erasures_created on identity_erasures (created_at);

create index device_sessions_identity on device_sessions (identity_id);
-- Sessions whose address is to be forgotten.
create index device_sessions_address on device_sessions (created_at) where ip_address is not null or user_agent is not null;
