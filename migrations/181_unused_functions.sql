-- contracts: 060_equal_ratios.sql
-- Functions that only other functions called, none of which does any more: no process calls them, so the bound of 060 stays.
drop function if exists leave_player_groups(uuid, uuid, uuid), leave_rankings(uuid, uuid, uuid), copy_answers(uuid, uuid, uuid[]),
  merged_player(uuid, text, text);
