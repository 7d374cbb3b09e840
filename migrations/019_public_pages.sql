-- What the public pages look for.

-- Players by how their names begin. lower() in collation "C" folds ASCII letters, on every system alike.
create index identities_game_display on identities (game_id, lower(display_name), id) where deleted_at is null;

-- The boards of a game that are not over, among any number that are.
create index boards_game_active on boards (game_id, created_at desc, id) where is_active and deleted_at is null;
