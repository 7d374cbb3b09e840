-- Closings (docs/decisions/closings.md): which rankings are closed, and what was fixed when they were.

alter table boards add column closing_rules jsonb not null default '[]';
alter table board_templates add column closing_rules jsonb not null default '[]';

-- The rules of boards as they are followed. A board without a row closes nothing.
create table closing_rules (
  board_id       uuid not null references boards (id),
  -- Empty: the board's own ranking.
  view_name      text collate "C" not null,
  -- How long reviews may still change a ranking that has ended.
  settle_seconds integer not null constraint closing_rules_settle check (settle_seconds between 0 and 2592000),
  -- Flags on the first places, and held runs that would be among them, delay the freeze; null: they do not.
  review_top     integer constraint closing_rules_top check (review_top between 1 and 100),
  -- At the longest, after settling.
  review_seconds integer not null constraint closing_rules_review check (review_seconds between 0 and 2592000),
  -- How many places a snapshot has.
  places         integer not null constraint closing_rules_places check (places between 1 and 100),
  -- What ended by then is closed already, or never is.
  since          timestamptz(3) not null,
  primary key (board_id, view_name)
);

create table closings (
  board_id       uuid not null,
  -- Made from the names below: a restored backup that closes again gives the same one.
  id             uuid not null,
  account_id     uuid not null references accounts (id),
  game_id        uuid not null,
  view_name      text collate "C" not null,
  -- Empty: without periods.
  period_key     text collate "C" not null,
  group_key      text collate "C" not null,
  is_test        boolean not null,
  reason         text collate "C" not null constraint closings_reason check (reason in ('ended', 'replaced', 'closed')),
  status         text collate "C" not null constraint closings_status check (status in ('settling', 'frozen', 'withdrawn')),
  ended_at       timestamptz(3) not null,
  -- When it is looked at next.
  settles_at     timestamptz(3) not null,
  review_until   timestamptz(3) not null,
  review_top     integer,
  places         integer not null,
  frozen_at      timestamptz(3),
  -- Of the board, when it was frozen.
  seq            bigint,
  version        bigint,
  -- Of the ranking then; null: it was empty.
  generation     integer,
  entry_count    bigint,
  -- Of the first places, without a decision when it was frozen; null: nobody asked.
  open_flags     integer,
  held_runs      integer,
  created_at     timestamptz(3) not null,
  updated_at     timestamptz(3) not null,
  primary key (board_id, id),
  constraint closings_frozen check ((status = 'frozen') = (frozen_at is not null))
);
create unique index closings_id on closings (id);
create unique index closings_key on closings (board_id, view_name, period_key, group_key, is_test);
create index closings_due on closings (settles_at, board_id, id) where status = 'settling';
create index closings_board on closings (board_id, created_at desc, id);
create index closings_status on closings (board_id, status, created_at desc, id);

create table closing_places (
  board_id       uuid not null,
  closing_id     uuid not null,
  -- Among players, who have one place each.
  rank           integer not null,
  display_rank   integer not null,
  identity_id    uuid not null,
  player_name    text not null,
  value          double precision not null,
  value_display  text,
  primary key (board_id, closing_id, rank)
);
create index closing_places_identity on closing_places (identity_id, closing_id);
