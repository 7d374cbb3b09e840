-- Values that rankings by tags derive from, in the rows of imports: a copy of a board has the groups of its source.

-- Country; tags as score_events has them, with the platform among them; tags of the player.
alter table import_rows add column country text, add column tags jsonb, add column player_tags jsonb;
alter type import_event add attribute country text, add attribute tags jsonb, add attribute player_tags jsonb;
