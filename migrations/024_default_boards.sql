-- At its creation a game has no boards: the board to show first may be any board of its account.
alter table boards add constraint boards_account unique (id, account_id);
alter table games drop constraint games_default_board;
alter table games add constraint games_default_board
  foreign key (default_board_id, account_id) references boards (id, account_id);
