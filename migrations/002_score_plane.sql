-- Events, entries, the counted tree. Every key begins with board_id, so that these tables can later be partitioned
-- or distributed by it without changing a key; no foreign keys (they cost more than the write itself; verify-ranks
-- looks for orphans), plain indexes on id for look-ups by id alone.
-- Primary keys come after a table's other indexes: several of them begin with board_id, and while a table is empty the
-- planner takes them for equal and keeps to the newest. A plan made then must walk the primary key. (That of states: 008.)

-- One row a board: its lock, its event numbers, the generation that is served and the rules it was built by.
create table board_rankings (
  board_id         uuid primary key,
  generation       integer not null constraint board_rankings_generation check (generation >= 1),
  board_type       text not null,
  sort_direction   text not null constraint board_rankings_direction check (sort_direction in ('asc', 'desc')),
  keep_strategy    text not null constraint board_rankings_strategy check (keep_strategy in ('all', 'best', 'first', 'last')),
  -- Number of the newest event or ruling: given out under this row's lock, so a gapless log in commit order.
  seq              bigint not null constraint board_rankings_seq check (seq >= 0),
  -- Goes up with every commit that changes what readers see.
  version          bigint not null constraint board_rankings_version check (version >= 0),
  -- The newest version that submissions alone did not make (a ruling, changed rules, the sources of a ratio): versions after it
  -- differ from each other by what their events moved.
  derived_version  bigint not null default 0,
  last_event_at    timestamptz(3),
  -- The first event of the newest batch: with seq and version it tells whether a board is still as somebody has seen it.
  newest_batch     uuid,
  -- A generation under construction: {generation, sort_direction, keep_strategy, board_type, seq}; null: none.
  build            jsonb,
  -- Ratio boards: how far both sources' sequences were read.
  numerator_seq    bigint,
  denominator_seq  bigint
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0);

-- Append-only: what was submitted, never updated, never deleted. Verdicts live in rulings.
create table score_events (
  board_id       uuid not null,
  seq            bigint not null,
  id             uuid not null,
  account_id     uuid not null,
  game_id        uuid not null,
  identity_id    uuid not null,
  device_id      uuid,
  is_test        boolean not null,
  -- The value of a run or the delta of a counter; never -0 (normalised), always finite.
  amount         float8 not null constraint score_events_amount_finite check (amount > '-infinity' and amount < 'infinity'),
  player_name    text not null constraint score_events_player_name_length check (char_length(player_name) <= 64),
  value_display  text constraint score_events_value_display_length check (char_length(value_display) <= 64),
  metadata       jsonb constraint score_events_metadata_object check (jsonb_typeof(metadata) = 'object'),
  disposition    text not null constraint score_events_disposition check (disposition in ('accepted', 'flagged', 'rejected')),
  source         text not null constraint score_events_source check (source in ('client', 'admin')),
  city           text,
  country        text,
  timezone       text,
  -- Of the entry that the event moved, the key it had until then: what is known of a board's order is moved on by it. The number
  -- is 0 where the event brought the entry, null where it moved none. Written once; what rulings made of the entry later is not told here.
  replaced_key   float8,
  replaced_seq   bigint,
  created_at     timestamptz(3) not null
) with (autovacuum_analyze_scale_factor = 0.2, autovacuum_vacuum_cost_delay = 2, autovacuum_vacuum_cost_limit = 100);
create index score_events_id on score_events (id);
create index score_events_identity on score_events (board_id, is_test, identity_id, seq);
create index score_events_account on score_events (account_id, created_at desc, id);
create index score_events_created on score_events (created_at desc, id);
alter table score_events add primary key (board_id, seq);

-- Reviews, deletions and restores take numbers of the same sequence as events. The newest ruling on an event or on an
-- identity holds. Audit trail and input of re-derivation.
create table rulings (
  board_id     uuid not null,
  seq          bigint not null,
  event_id     uuid,
  identity_id  uuid,
  effect       text not null constraint rulings_effect check (effect in ('exclude', 'include')),
  -- Who: a user's id; null for the service itself.
  ruled_by     uuid,
  ruled_at     timestamptz(3) not null,
  reason       text,
  primary key (board_id, seq),
  constraint rulings_subject check ((event_id is null) <> (identity_id is null))
);
create index rulings_event on rulings (board_id, event_id, seq desc) where event_id is not null;
create index rulings_identity on rulings (board_id, identity_id, seq desc) where identity_id is not null;

-- The ranked view. Place and device come from the event; what everybody sees is here, so that windows look no events up for it. slot = the identity where a board keeps one entry
-- for each, the event where every run is an entry. Order: (rank_key, seq) ascending, rank_key = value or -value.
-- Vacuumed often, and always with a tenth of a core: at full speed a large table's indexes take one for a second or more, in which submissions queue
-- up (docs/performance.md). Only the tables that a rank reads past dead versions of, which are small, are vacuumed as fast as it goes.
create table entries (
  board_id       uuid not null,
  generation     integer not null,
  is_test        boolean not null,
  slot           uuid not null,
  -- Shown as scr_…; the id of the identity's first event here (of the run itself where every run counts), so that it
  -- can be derived again from events alone and survives every rebuild.
  id             uuid not null,
  identity_id    uuid not null,
  -- The event whose name, display, metadata and place the entry shows.
  event_seq      bigint not null,
  value          float8 not null,
  rank_key       float8 not null,
  -- Number of the event that reached the value: decides ties, first come first.
  seq            bigint not null,
  ranked         boolean not null,
  status         text not null constraint entries_status check (status in ('active', 'under_review', 'rejected')),
  player_name    text collate "C" not null,
  value_display  text,
  metadata       jsonb,
  created_at     timestamptz(3) not null,
  updated_at     timestamptz(3) not null,
  constraint entries_rejected_hidden check (ranked = (status <> 'rejected'))
) with (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 2, autovacuum_vacuum_cost_limit = 100,
        autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.2);
create unique index entries_order on entries (board_id, generation, is_test, rank_key, seq) where ranked;
create index entries_id on entries (id);
create index entries_created on entries (board_id, generation, is_test, created_at desc, id);
alter table entries add primary key (board_id, generation, is_test, slot);

-- One record for each identity on a board and population: submission metadata (sub_…) and board state (bst_…) are two
-- views of it. Holds what the checks need of the recent past, so that no submission scans events.
create table states (
  board_id            uuid not null,
  is_test             boolean not null,
  identity_id         uuid not null,
  -- The id of the identity's first event here, like entries.id.
  id                  uuid not null,
  account_id          uuid not null,
  game_id             uuid not null,
  device_id           uuid,
  submission_count    bigint not null,
  accepted_count      bigint not null,
  -- Newest submission, whatever became of it.
  last_event_id       uuid not null,
  last_submission_at  timestamptz(3) not null,
  last_value          float8 not null,
  -- Best accepted amount by the board's direction; null while nothing was accepted.
  best_value          float8,
  -- Accepted submissions of the hour before the newest accepted one, oldest first, at most 100: epoch milliseconds and
  -- amount, each as float8send writes it. Packed: as an array of numbers it costs more text than all else of a batch.
  recent              bytea not null,
  -- What the entry is made of: null value: no entry.
  selected_event_id   uuid,
  value               float8,
  numerator           float8,
  denominator         float8,
  created_at          timestamptz(3) not null,
  updated_at          timestamptz(3) not null
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 2,
        autovacuum_vacuum_cost_limit = 100, autovacuum_analyze_scale_factor = 0.2);
create index states_id on states (id);

-- A nonce is bound to device and game, an idempotency key to identity or account, neither to a board: unique by
-- themselves and claimed outside the ingest function.
create table nonce_uses (
  nonce       uuid primary key,
  expires_at  timestamptz(3) not null
);
create index nonce_uses_expiry on nonce_uses (expires_at);

create table idempotency_keys (
  -- The identity's or the account's id: the two kinds of uuid cannot meet.
  scope       uuid not null,
  key         text collate "C" not null,
  body_hash   bytea not null,
  -- The first answer; null only inside the transaction that decides it.
  answer      jsonb,
  created_at  timestamptz(3) not null,
  primary key (scope, key)
);
create index idempotency_keys_created on idempotency_keys (created_at);
