-- Tickets (docs/decisions/tickets.md): texts that a game gets at the start of a run, and sends as the nonce of its submission. Issuing one writes
-- nothing, unless attempts are limited. Null: no tickets. Members: src/boards/tickets/settings.ts. The first ones that are set keep processes that
-- do not know this migration from starting (`open_tickets`).
alter table boards add column tickets jsonb constraint boards_tickets check (jsonb_typeof(tickets) = 'object');
alter table board_templates add column tickets jsonb constraint board_templates_tickets check (jsonb_typeof(tickets) = 'object');

-- The attempts of a player in a period of a view, or on a board (view 0), oldest first. One row, so that its lock makes the limit exact.
create table attempts (
  board_id      uuid not null,
  view_no       integer not null,
  -- 0: without periods.
  period_number integer not null,
  identity_id   uuid not null,
  is_test       boolean not null,
  -- What each ticket says (src/players/tickets/ticket.ts): a repeated request gets the same ones, whatever the settings are by then.
  tickets       bytea[] not null,
  -- Hashes of 16 bytes: of the request's idempotency key (its own id, where it had none), and of the whole request.
  keys          bytea[] not null,
  requests      bytea[] not null,
  issued_at     timestamptz(3)[] not null,
  primary key (board_id, view_no, period_number, identity_id, is_test)
);
-- For exports and erasures.
create index attempts_identity on attempts (identity_id);

-- The run behind an event that was submitted with a ticket. Beside `score_events`, because boards without tickets have none.
create table runs (
  board_id      uuid not null,
  event_seq     bigint not null,
  ticket        uuid not null,
  started_at    timestamptz(3) not null,
  -- From the ticket's issue to the submission's arrival, by the database's clock.
  elapsed_ms    bigint not null,
  -- As the client says: time in which nothing was played, and the length of the run.
  idle_ms       bigint not null,
  run_ms        bigint,
  advance       boolean not null,
  -- 0: not limited.
  attempt       smallint not null,
  seed          integer,
  game_version  text,
  -- What contradicts the clock (src/submissions/decide/clock.ts).
  fault         text collate "C" constraint runs_fault check (fault in ('short', 'rate', 'fast', 'slow')),
  primary key (board_id, event_seq)
);
create type run_write as (
  board_id uuid, event_seq bigint, ticket uuid, started_at timestamptz, elapsed_ms bigint, idle_ms bigint, run_ms bigint, advance boolean,
  attempt smallint, seed integer, game_version text, fault text);

-- It allows more than its predecessor. Not checked for the rows that are there, which may be many.
alter table score_flags drop constraint score_flags_type,
  add constraint score_flags_type
    check (flag_type in ('rate_limit', 'velocity', 'duplicate', 'progression', 'outlier', 'clock', 'manual')) not valid;
