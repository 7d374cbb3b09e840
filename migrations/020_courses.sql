-- What the players of a board usually do: the last hours of those who submitted lately, as their states keep them, at most so
-- many players out of at most so many of the newest events. Whoever plays much counts once, as everybody.
create function recent_courses(b uuid, t boolean, most integer, newest integer) returns table (board_type text, recents bytea[])
language plpgsql stable as $$
declare
  upto bigint;
begin
  select r.board_type, r.seq into recent_courses.board_type, upto from board_rankings r where r.board_id = b;
  recents := array(
    select s.recent
    from (select distinct e.identity_id from score_events e
      where e.board_id = b and e.seq > upto - newest and e.seq <= upto and e.is_test = t limit most) p
    cross join lateral (select x.recent from states x where x.board_id = b and x.is_test = t and x.identity_id = p.identity_id limit 1) s
    where octet_length(s.recent) > 0);
  return next;
end $$;
