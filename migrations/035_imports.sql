-- Scores of before: an import collects rows, then appends them to a board's events and has the board ranked anew beside
-- the order that is served (migrations/functions/6_imports.sql).

-- Null: the event was submitted when it was accepted.
alter table score_events add column occurred_at timestamptz(3);
-- Not checked for the rows that are there, which the constraint before allowed: a scan would keep submissions waiting.
alter table score_events drop constraint score_events_source;
alter table score_events add constraint score_events_source check (source in ('client', 'admin', 'import')) not valid;

-- Number of the newest imported event that is to count, and of the newest one that counts in the served generation. On a ratio
-- board: the sums of its sources' served numbers. Events of an import beyond them do not count yet.
alter table board_rankings add column import_seq bigint not null default 0, add column imported_seq bigint not null default 0;

create table score_imports (
  id            uuid primary key,
  account_id    uuid not null,
  game_id       uuid not null,
  board_id      uuid not null references boards (id),
  status        text not null constraint score_imports_status
                check (status in ('open', 'writing', 'checking', 'ranking', 'finished', 'cancelled')),
  -- True: the checks of fair play run on its events.
  checked       boolean not null,
  created_by    uuid references users (id),
  -- Chunks and rows that were accepted, and rows left out because they do not count where they come from.
  chunks        integer not null default 0,
  rows          bigint not null default 0,
  skipped       bigint not null default 0,
  -- Rows that the worker has read; events appended, rows whose event was there from an earlier import, players created, flags.
  processed     bigint not null default 0,
  written       bigint not null default 0,
  known         bigint not null default 0,
  players       bigint not null default 0,
  flags         bigint not null default 0,
  -- The last row that was written, the numbers of its events, the last player whose events were checked.
  after_at      timestamptz(3),
  after_hint    bigint,
  after_chunk   integer,
  after_line    integer,
  first_seq     bigint,
  last_seq      bigint,
  after_player  uuid,
  -- Players to be ranked, known when that begins.
  to_rank       bigint,
  -- True until its rows are deleted.
  has_rows      boolean not null default true,
  -- When no more chunks were taken: imports of a board are written in this order.
  closed_at     timestamptz(3),
  finished_at   timestamptz(3),
  created_at    timestamptz(3) not null,
  updated_at    timestamptz(3) not null,
  deleted_at    timestamptz(3)
);
create index score_imports_board_created on score_imports (board_id, created_at desc, id);
create index score_imports_board_updated on score_imports (board_id, updated_at desc, id);
create index score_imports_due on score_imports (created_at)
  where status in ('open', 'writing', 'checking', 'ranking') or (has_rows and status in ('finished', 'cancelled'));

create table import_chunks (
  import_id  uuid not null references score_imports (id),
  number     integer not null,
  -- Of the content: a chunk that is sent again changes nothing.
  hash       bytea not null,
  primary key (import_id, number)
);

-- In the order in which they become events. Deleted when the import has ended.
create table import_rows (
  import_id      uuid not null,
  -- occurred_at; rows without a time come last.
  at             timestamptz(3) not null,
  hint           bigint not null,
  chunk          integer not null,
  line           integer not null,
  kind           text not null,
  external_key   text collate "C" not null,
  player_name    text not null,
  -- Null: a player alone.
  amount         float8,
  value_display  text,
  metadata       jsonb,
  is_test        boolean not null,
  -- The record of another service that the row is; a later row of the same record replaces it.
  ref            text,
  primary key (import_id, at, hint, chunk, line)
);
create index import_rows_ref on import_rows (import_id, ref) where ref is not null;

-- A row that is ready to become an event.
create type import_event as (
  id uuid, identity_id uuid, amount float8, player_name text, value_display text, metadata jsonb, is_test boolean, occurred_at timestamptz);
