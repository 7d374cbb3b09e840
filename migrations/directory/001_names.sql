-- The directory: which cell has an account, and the names that are unique across all of them.
create table cells (
  id          text primary key constraint cells_id check (id ~ '^[a-z0-9][a-z0-9-]{0,31}$'),
  -- When the names that its database had before were registered; null: not yet.
  adopted_at  timestamptz,
  created_at  timestamptz not null default now()
);

create table accounts (
  id    uuid primary key,
  cell  text not null references cells (id)
);

-- Ids that come in requests without a credential.
create table records (
  id          uuid primary key,
  kind        text not null constraint records_kind check (kind in ('game', 'board')),
  account_id  uuid not null
);

create table names (
  kind         text not null,
  name         text collate "C" not null,
  record_id    uuid not null,
  -- Null for records of no account: jam codes.
  account_id   uuid,
  cell         text not null references cells (id),
  claim_id     uuid not null constraint names_claim unique,
  -- reserved: claimed by a write whose outcome is not known; leaving: given up by such a write.
  state        text not null constraint names_state check (state in ('reserved', 'held', 'leaving')),
  -- The claim comes with a new record, whose id is forgotten with it.
  creates      boolean not null,
  -- The record that gets a name that another gives up in the same write.
  heir_record_id   uuid,
  heir_account_id  uuid,
  reserved_at  timestamptz not null,
  constraint names_key primary key (kind, name)
);
create index names_open on names (cell, reserved_at) where state <> 'held';
