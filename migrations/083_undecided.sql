-- Closings: which runs had no decision when the places were fixed.
create table closing_undecided (
  board_id    uuid not null,
  closing_id  uuid not null,
  event_seq   bigint not null,
  -- A held run, which did not count; otherwise one with an open flag, which did.
  is_held     boolean not null,
  primary key (board_id, closing_id, event_seq, is_held)
);
