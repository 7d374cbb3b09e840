-- contracts: 102_names.sql
-- Functions that other functions called, none of which does any more. No process of any release has called them, so old ones go on.
drop function if exists leave_player_groups(uuid, uuid, uuid), leave_rankings(uuid, uuid, uuid), copy_answers(uuid, uuid, uuid[]),
  merged_player(uuid, text, text);
