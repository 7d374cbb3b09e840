-- Prize lines may ask for runs and for an age of their players: which lines a place is given is fixed with it. Null: by an earlier version,
-- without such lines.
alter table closing_places add column lines integer[];
-- Of each of them, how many players share it; null: it is one player's.
alter table closing_places add column shares integer[];
-- Of each line that asks for something, the players that meet it; null: all count.
alter table closings add column line_players bigint[];
