-- Reviews of all runs of a player, where these are thousands: everything at once instead of run by run (019_review.sql).

-- Makes flags what their reviews say. Each is found and its reviews looked up by key, also where the planner takes the tables for
-- empty, or for small enough to join as a whole.
create or replace function restate_flags(b uuid, flags uuid[], at timestamptz) returns void language plpgsql volatile
  set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off as $$
begin
  update score_flags f set status = x.status, reviewed_at = x.reviewed_at, reviewer_id = x.reviewer_id, reviewer_decision = x.note,
    deleted_at = case when x.gone then coalesce(f.deleted_at, at) else f.deleted_at end, updated_at = at
  from (
    select g.event_seq, g.id, coalesce(decided.status, 'pending') as status, first.created_at as reviewed_at, first.reviewer_id, noted.note,
      g.added_by_review is not null and decided.number is null and noted.number is null as gone
    from unnest(flags) u(id)
    cross join lateral (select * from score_flags s where s.id = u.id limit 1) g
    left join lateral (select r.status, r.number from flag_reviews r
      where r.board_id = b and r.flag_id = g.id and not r.undone and r.status is not null order by r.number desc limit 1) decided on true
    -- The last change of status: the first of the reviews at the end that agree.
    left join lateral (select r.created_at, r.reviewer_id from flag_reviews r
      where r.board_id = b and r.flag_id = g.id and not r.undone and r.status = decided.status and r.number > coalesce((
        select max(o.number) from flag_reviews o where o.board_id = b and o.flag_id = g.id and not o.undone and o.status <> decided.status), 0)
      order by r.number limit 1) first on true
    left join lateral (select r.note, r.number from flag_reviews r
      where r.board_id = b and r.flag_id = g.id and not r.undone and r.notes order by r.number desc limit 1) noted on true) x
  where f.board_id = b and f.event_seq = x.event_seq and f.id = x.id
    and ((f.status, f.reviewed_at, f.reviewer_id, f.reviewer_decision) is distinct from (x.status, x.reviewed_at, x.reviewer_id, x.note)
      or (x.gone and f.deleted_at is null));
end $$;

-- Decides flags for a review, or takes its decisions back; then whatever follows from that. Under the board's lock. A flag that the
-- review itself raises is written as it is decided: what restate_flags would make of it.
create or replace function decide_flags(b uuid, review identity_reviews, players uuid[], at timestamptz) returns bigint
language plpgsql volatile as $$
declare
  decider uuid := case when review.status = 'applying' then review.requested_by else review.undone_by end;
  flags uuid[];
  raised uuid[] := '{}';
  seqs bigint[];
  settled bigint;
  i uuid;
begin
  if review.status = 'applying' then
    seqs := array(
      select v.seq from score_events v
      where v.board_id = b and v.is_test in (false, true) and v.identity_id = any(players)
        and (review.device_id is null or v.device_id = review.device_id)
        and v.created_at <= review.upto and (review.since is null or v.created_at >= review.since));
    flags := array(select f.id from unnest(seqs) s(seq)
      cross join lateral (select g.id from score_flags g where g.board_id = b and g.event_seq = s.seq and g.deleted_at is null offset 0) f);
    if review.decision = 'confirmed_cheat' then
      with added as (
        insert into score_flags (board_id, event_seq, id, event_id, account_id, game_id, identity_id, device_id, is_test, flag_type, confidence,
            status, reviewed_at, reviewer_id, reviewer_decision, metadata, compared_events, added_by_review, created_at, updated_at)
          select b, v.seq, uuid7_at(at), v.id, v.account_id, v.game_id, v.identity_id, v.device_id, v.is_test, 'manual', 'high',
            review.decision, at, review.requested_by, review.reason, jsonb_build_object('identity_review_id', 'rev_' || review.id), '{}', review.id, at, at
          from unnest(seqs) s(seq)
          cross join lateral (select * from score_events e where e.board_id = b and e.seq = s.seq limit 1) v
          cross join lateral (select count(*) as flags from score_flags f where f.board_id = b and f.event_seq = s.seq and f.deleted_at is null) held
          where v.disposition <> 'rejected' and held.flags = 0
          order by v.seq
        returning id)
      select coalesce(array_agg(a.id), '{}') into raised from added a;
    end if;
    insert into flag_reviews (board_id, flag_id, status, note, notes, reviewer_id, identity_review_id, undone, created_at)
      select b, f, review.decision, review.reason, review.reason is not null, review.requested_by, review.id, false, at
      from unnest(flags || raised) f;
  else
    with taken_back as (
      update flag_reviews r set undone = true where r.identity_review_id = review.id and r.board_id = b and not r.undone returning r.flag_id)
    select array_agg(t.flag_id) into flags from taken_back t;
  end if;
  perform restate_flags(b, flags, at);
  seqs := array(select distinct f.event_seq from unnest(flags || raised) u(id)
    cross join lateral (select s.event_seq from score_flags s where s.id = u.id limit 1) f);
  settled := settle_events(b, seqs, decider, at);
  foreach i in array array(select p from unnest(players) p order by p) loop
    perform settle_tier(i, decider, at);
  end loop;
  return settled;
end $$;
