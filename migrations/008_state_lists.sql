-- Lists of board states and submission metadata, newest first: of a board, a game, an account, all. A state's row is
-- inserted once for each player and board; what later submissions update is in none of these.
create index states_board_created on states (board_id, created_at desc, id);
create index states_game_created on states (game_id, created_at desc, id);
create index states_account_created on states (account_id, created_at desc, id);
create index states_created on states (created_at desc, id);
