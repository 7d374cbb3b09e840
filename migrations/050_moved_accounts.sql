-- Moves of accounts between cells (docs/decisions/cells.md). Unused without a directory.

-- moved: another database has the account, or is about to get it. Not checked for the rows that are there.
alter table accounts drop constraint accounts_status;
alter table accounts add constraint accounts_status check (status in ('active', 'suspended', 'moved')) not valid;

-- Null: of before, or of a batch of several accounts. Such a nonce travels with each of them.
alter table nonce_uses add column account_id uuid;

-- Accounts that this database gives to another one or gets from it. Triggers that exist while there are rows look here
-- (src/cells/move/capture.ts).
create table account_moves (
  account_id  uuid primary key,
  -- capturing: changed rows are noted; frozen: given away, nothing is written any more; incoming: written by the mover alone.
  state       text not null constraint account_moves_state check (state in ('capturing', 'frozen', 'incoming')),
  -- Of the move: rows of an earlier attempt are not taken for this one's.
  epoch       bigint not null,
  -- Incoming: the copy is complete.
  copied_at   timestamptz(3),
  created_at  timestamptz(3) not null default now()
);

-- Keys of rows that changed since the move began. The rows themselves are read when they are copied.
create table account_changes (
  number      bigint generated always as identity primary key,
  account_id  uuid not null,
  relation    text not null,
  key         jsonb not null
);
