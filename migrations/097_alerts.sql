-- Alerts of the moderation queue (docs/decisions/alerts.md): what is unusual about a board or a game, and no flag shows.
create table alerts (
  id          uuid primary key,
  account_id  uuid not null,
  game_id     uuid not null,
  -- Null: about the game.
  board_id    uuid,
  kind        text not null constraint alerts_kind check (kind in ('median_jump', 'new_players')),
  status      text not null constraint alerts_status check (status in ('open', 'dismissed')),
  metadata    jsonb not null,
  -- The transaction, for readers who follow alerts as they do flags.
  added_in    xid8 not null default pg_current_xact_id(),
  created_at  timestamptz(3) not null,
  updated_at  timestamptz(3) not null
);
create index alerts_created on alerts (created_at desc, id);
create index alerts_account_created on alerts (account_id, created_at desc, id);
create index alerts_game_created on alerts (game_id, created_at desc, id);
create index alerts_board_created on alerts (board_id, created_at desc, id);
create index alerts_open on alerts (created_at desc, id) where status = 'open';
create index alerts_added on alerts (added_in, id);

-- The median of each board with play, of an hour ago at most while it is played, by the production entries of then.
create table board_medians (
  board_id     uuid primary key,
  generation   integer not null,
  read_at      timestamptz(3) not null,
  entries      bigint not null,
  median       float8 not null,
  -- Of its robust deviation.
  scale        float8 not null,
  logarithmic  boolean not null
);
