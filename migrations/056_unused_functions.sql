-- contracts: 041_views.sql
-- Functions of the write before `write_submissions` (025), its form from before views (041), and their types: processes that call
-- them do not start on this schema any more.
drop function write_batch, take_boards, boards_named, claim_uses, reject_submissions, change_rank_counts, recent_courses,
  derive_states, counting_events;
-- New installations have never had it.
drop function if exists write_submissions(
  board_write[], player_write[], nonce_write[], event_write[], state_write[], state_write[], entry_write[], entry_write[], key_write[],
  name_write[]);
drop type event_write;
