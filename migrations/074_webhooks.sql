-- Webhooks (docs/decisions/webhooks.md): endpoints, the events reported to them, and one delivery for each event and endpoint.
create table webhook_endpoints (
  id               uuid primary key,
  account_id       uuid not null references accounts (id),
  name             text not null,
  url              text not null,
  events           text[] collate "C" not null,
  -- Empty: all games; all boards.
  game_ids         uuid[] not null default '{}',
  board_ids        uuid[] not null default '{}',
  population       text collate "C" not null constraint webhook_endpoints_population check (population in ('production', 'test', 'all')),
  format           text collate "C" not null constraint webhook_endpoints_format check (format in ('json', 'discord', 'slack')),
  ordered          boolean not null,
  -- How long before its end a board is reported as closing.
  closing_minutes  integer not null constraint webhook_endpoints_closing check (closing_minutes between 1 and 43200),
  -- A new leader of a board is reported once in this span at most.
  leader_seconds   integer not null constraint webhook_endpoints_leader check (leader_seconds between 10 and 86400),
  -- Players among these ranks are reported as overtaken.
  overtaken_top    integer not null constraint webhook_endpoints_overtaken check (overtaken_top between 1 and 100),
  status           text collate "C" not null constraint webhook_endpoints_status check (status in ('active', 'paused', 'disabled')),
  -- Why the service paused or disabled it; null: a person did.
  status_reason    text,
  -- Encrypted; the previous one signs, too, until its time.
  sealed_secret    bytea not null,
  previous_secret  bytea,
  previous_secret_until timestamptz(3),
  -- Another one after a restore: then numbers are used again.
  epoch            uuid not null,
  -- Boards that are older than this begin with the leader they have.
  watching_since   timestamptz(3) not null,
  -- Attempts in a row that failed, since when, and until when none is made.
  failures         integer not null default 0,
  failing_since    timestamptz(3),
  open_until       timestamptz(3),
  created_at       timestamptz(3) not null,
  updated_at       timestamptz(3) not null,
  deleted_at       timestamptz(3)
);
create index webhook_endpoints_live on webhook_endpoints (account_id, created_at desc, id) where deleted_at is null;
create index webhook_endpoints_gone on webhook_endpoints (account_id, created_at desc, id) where deleted_at is not null;
create index webhook_endpoints_created on webhook_endpoints (created_at desc, id);

-- What happened, written in the transaction of what it reports. The dispatcher adds the state to report and the deliveries.
create table webhook_events (
  id             uuid primary key,
  account_id     uuid not null references accounts (id),
  type           text collate "C" not null,
  game_id        uuid,
  board_id       uuid,
  -- Null: it is about no population.
  is_test        boolean,
  -- Only for this endpoint; null: for all that ask for it.
  endpoint_id    uuid,
  -- Ids and words of the service, from which the data is made.
  subject        jsonb not null,
  occurred_at    timestamptz(3) not null,
  due_at         timestamptz(3) not null,
  dispatched_at  timestamptz(3),
  -- Null until it is dispatched.
  data           jsonb,
  -- Players named in it, for their erasure.
  players        uuid[] not null default '{}',
  created_at     timestamptz(3) not null
);
create index webhook_events_due on webhook_events (due_at, id) where dispatched_at is null;
create index webhook_events_account on webhook_events (account_id);
create index webhook_events_players on webhook_events using gin (players);
create index webhook_events_created on webhook_events (created_at);

create table webhook_deliveries (
  id               uuid primary key,
  account_id       uuid not null references accounts (id),
  endpoint_id      uuid not null references webhook_endpoints (id),
  event_id         uuid not null,
  type             text collate "C" not null,
  board_id         uuid,
  -- 1, 2, 3 … for the endpoint and the board, in one epoch; null: the endpoint asks for no order, or there is no board.
  number           bigint,
  epoch            uuid not null,
  -- `blocked`: an earlier one of its board is not delivered yet.
  status           text collate "C" not null
    constraint webhook_deliveries_status check (status in ('queued', 'sending', 'blocked', 'delivered', 'failed')),
  attempts         integer not null default 0,
  -- Queued: when it is tried next. Sending: the end of its sender's lease.
  due_at           timestamptz(3) not null,
  first_attempt_at timestamptz(3),
  last_attempt_at  timestamptz(3),
  settled_at       timestamptz(3),
  response_status  integer,
  response_bytes   bigint,
  response_millis  integer,
  response_head    text,
  last_error       text,
  created_at       timestamptz(3) not null
);
create unique index webhook_deliveries_event on webhook_deliveries (event_id, endpoint_id);
create index webhook_deliveries_due on webhook_deliveries (endpoint_id, due_at, id) where status in ('queued', 'sending');
create index webhook_deliveries_sending on webhook_deliveries (account_id, endpoint_id) where status = 'sending';
create index webhook_deliveries_order on webhook_deliveries (endpoint_id, board_id, number)
  where number is not null and status in ('queued', 'sending', 'blocked');
create index webhook_deliveries_log on webhook_deliveries (endpoint_id, created_at desc, id);
create index webhook_deliveries_log_status on webhook_deliveries (endpoint_id, status, created_at desc, id);
create index webhook_deliveries_account on webhook_deliveries (account_id);
create index webhook_deliveries_created on webhook_deliveries (created_at);

-- What an endpoint was told of a board: the newest number, and the end it was told of in advance.
create table webhook_boards (
  endpoint_id  uuid not null references webhook_endpoints (id),
  board_id     uuid not null,
  number       bigint not null default 0,
  closing_for  timestamptz(3),
  primary key (endpoint_id, board_id)
);

-- The state of a board's population that an endpoint was told of last.
create table webhook_leaders (
  endpoint_id  uuid not null references webhook_endpoints (id),
  board_id     uuid not null,
  is_test      boolean not null,
  -- The board's version that it was compared with.
  version      bigint not null,
  -- Players from the first on: one, or as many as the endpoint watches.
  top          uuid[] not null,
  reported_at  timestamptz(3),
  primary key (endpoint_id, board_id, is_test)
);

-- How far flags are reported, in this database.
create table webhook_state (
  one        boolean primary key default true constraint webhook_state_one check (one),
  flags_in   xid8 not null,
  flags_id   uuid not null
);
insert into webhook_state (flags_in, flags_id) values (pg_snapshot_xmin(pg_current_snapshot()), '00000000-0000-0000-0000-000000000000');
