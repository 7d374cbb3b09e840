-- Submissions, flags and players by hour, day and month (docs/decisions/history.md).

-- One row for each hour, day and month in which something was submitted: to a board, and with the board `0…0` to any board of the game. In UTC.
create table history (
  game_id         uuid not null,
  board_id        uuid not null,
  is_test         boolean not null,
  span            text not null constraint history_span check (span in ('hour', 'day', 'month')),
  at              timestamptz(0) not null,
  submissions     bigint not null,
  -- Raised by checks, on these submissions.
  flags           bigint not null,
  -- With their first submission to the board, or to any board of the game.
  new_players     bigint not null,
  active_players  bigint not null,
  primary key (game_id, board_id, is_test, span, at)
) with (fillfactor = 70);

-- Up to which event a board is counted.
create table counted_boards (
  board_id  uuid primary key,
  game_id   uuid not null,
  seq       bigint not null,
  -- Runs from before this migration are not all counted yet.
  filling   boolean not null
) with (fillfactor = 70);
create index counted_boards_filling on counted_boards (game_id) where filling;
insert into counted_boards (board_id, game_id, seq, filling) select b.id, b.game_id, 0, true from boards b;

-- Locked by whoever counts a game.
create table counted_games (
  game_id  uuid primary key,
  -- What active_players knew of earlier months is forgotten.
  since    date not null default '-infinity'
);

-- Who was active in which hours of a month (0 to 743): counts of a day and of a month cannot be added up.
create table active_players (
  game_id      uuid not null,
  board_id     uuid not null,
  is_test      boolean not null,
  month        date not null,
  identity_id  uuid not null,
  hours        smallint[] not null,
  primary key (game_id, board_id, is_test, month, identity_id)
) with (fillfactor = 80);

-- When players submitted to a game for the first time.
create table first_submissions (
  identity_id  uuid not null,
  is_test      boolean not null,
  at           timestamptz(3) not null,
  primary key (identity_id, is_test)
);
