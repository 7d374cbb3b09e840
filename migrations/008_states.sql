-- Lists of board states and submission metadata, newest first: of a board, a player, a game, an account, all. A state's
-- row is inserted once for each player and board; what later submissions update is in none of these.

-- The condition holds for every row. It keeps look-ups by the primary key from taking this index for theirs: while the
-- table is nearly empty the planner cannot tell one index that begins with board_id from another.
create index states_board_created on states (board_id, created_at desc, id) where created_at > '-infinity';
create index states_identity_created on states (identity_id, created_at desc, id);
create index states_game_created on states (game_id, created_at desc, id);
create index states_account_created on states (account_id, created_at desc, id);
create index states_created on states (created_at desc, id);
-- Behind its other indexes (002_score_plane.sql).
alter table states add primary key (board_id, is_test, identity_id);
