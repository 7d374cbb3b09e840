-- Players who merge themselves (docs/decisions/merges.md): with onConflict MERGE a game client merges its player into the one of a proof or code.
alter table games add column players_merge boolean not null default false;
