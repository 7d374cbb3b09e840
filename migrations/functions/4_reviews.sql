-- Reviews: flags and decisions about events, one by one and for all runs of a player, and their effect on boards.

-- A UUIDv7, as the application makes them.
create or replace function uuid7_at(at timestamptz) returns uuid language sql volatile as $$
  -- A random one is of version 4; 7 is two bits more.
  select encode(set_bit(set_bit(
    overlay(uuid_send(gen_random_uuid()) placing substring(int8send((extract(epoch from at) * 1000)::bigint) from 3) from 1 for 6), 52, 1), 53, 1), 'hex')::uuid
$$;

-- Makes flags match their reviews. What verdicts on stored runs decide (the nil uuid) is weaker than every review that is not taken back,
-- whenever it was written. Each flag is found, and its reviews looked up, by key, even if the planner takes the tables for
-- empty, or for small enough to join as a whole.
create or replace function update_flags(b uuid, flags uuid[], at timestamptz) returns void language plpgsql volatile
  set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off set enable_memoize = off as $$
begin
  update score_flags f set status = x.status, reviewed_at = x.reviewed_at, reviewer_id = x.reviewer_id, reviewer_decision = x.note,
    deleted_at = case when x.gone then coalesce(f.deleted_at, at) else f.deleted_at end, updated_at = at
  from (
    select g.place, coalesce(decided.status, 'pending') as status, decided.created_at as reviewed_at, decided.reviewer_id, noted.note,
      g.added_by_review is not null and decided.number is null and noted.number is null as gone
    from unnest(flags) u(id)
    cross join lateral (select s.ctid as place, s.id, s.added_by_review from score_flags s where s.id = u.id limit 1) g
    -- The last change of status: the first of the newest reviews that agree.
    left join lateral (
      select c.* from (
        select r.number, r.status, r.created_at, r.reviewer_id, x.is_review,
          lag(r.status) over (order by x.is_review, r.number) as before
        from flag_reviews r cross join lateral (select r.pass_id is distinct from '00000000-0000-0000-0000-000000000000' as is_review) x
        where r.board_id = b and r.flag_id = g.id and not r.undone and r.status is not null) c
      where c.status is distinct from c.before order by c.is_review desc, c.number desc limit 1) decided on true
    left join lateral (select r.note, r.number from flag_reviews r
      where r.board_id = b and r.flag_id = g.id and not r.undone and r.notes
      order by r.pass_id is distinct from '00000000-0000-0000-0000-000000000000' desc, r.number desc limit 1) noted on true) x
  where f.ctid = x.place
    and ((f.status, f.reviewed_at, f.reviewer_id, f.reviewer_decision) is distinct from (x.status, x.reviewed_at, x.reviewer_id, x.note)
      or (x.gone and f.deleted_at is null));
end $$;

-- The present rulings on events, and those that follow from their flags. One confirmed flag excludes an event; a pending one
-- keeps it under review, or held while its hold lasts, which only flags of the checks are a reason for; an event rejected on arrival
-- is included once all its flags are cleared. Here and below, flags of an
-- event are looked up whether deleted or not. If asked only for those that are not, the planner may scan a list's index from
-- end to end for each event, as it does while the last statistics know of no flags.
create or replace function event_effects(b uuid, seqs bigint[]) returns table (id uuid, seq bigint, identity_id uuid, present text, wanted text)
language sql stable as $$
  select v.id, v.seq, v.identity_id,
    coalesce((select r.effect from rulings r where r.board_id = b and r.event_id = v.id order by r.seq desc limit 1),
      effect_of(v.disposition)),
    case
      when f.confirmed then 'exclude'
      when v.disposition = 'rejected' and (f.pending or f.cleared is null) then 'exclude'
      when f.pending_check and v.disposition = 'held'
        and exists (select from held_runs h where h.board_id = b and h.event_seq = s.seq and h.ended_at is null) then 'hold'
      when f.pending then 'review'
      else 'include' end
  from unnest(seqs) s(seq)
  cross join lateral (select * from score_events e where e.board_id = b and e.seq = s.seq limit 1) v
  cross join lateral (
    select coalesce(bool_or(g.status = 'confirmed_cheat') filter (where g.deleted_at is null), false) as confirmed,
      coalesce(bool_or(g.status = 'pending') filter (where g.deleted_at is null), false) as pending,
      coalesce(bool_or(g.status = 'pending') filter (where g.deleted_at is null and g.flag_type <> 'manual'), false) as pending_check,
      bool_or(g.status in ('false_positive', 'dismissed')) filter (where g.deleted_at is null) as cleared
    from score_flags g where g.board_id = b and g.event_seq = s.seq) f
$$;

-- Makes a board follow the flags of some events: a ruling for each whose effect changes, and their players derived again.
-- Under the board's lock. Returns for how many.
create or replace function apply_effects(b uuid, seqs bigint[], by_user uuid, at timestamptz) returns bigint language plpgsql volatile as $$
declare
  ranking board_rankings;
  players uuid[];
  settled bigint;
begin
  select * into ranking from board_rankings r where r.board_id = b for update;
  with differing as materialized (
    select e.id, e.identity_id, e.wanted, row_number() over (order by e.seq) as n from event_effects(b, seqs) e where e.present <> e.wanted
  ), written as (
    insert into rulings (board_id, seq, event_id, effect, ruled_by, ruled_at, reason)
      select b, ranking.seq + d.n, d.id, d.wanted, by_user, at, 'flags reviewed' from differing d)
  select array_agg(distinct d.identity_id), count(*) into players, settled from differing d;
  if settled > 0 then
    update board_rankings r set seq = r.seq + settled where r.board_id = b;
    perform rederive(b, players, at);
  end if;
  return settled;
end $$;

-- Ends the holds of a board that are due: those runs are ranked while their flags are pending. Returns how many, at most `most`.
create or replace function end_holds(b uuid, at timestamptz, most integer) returns bigint language plpgsql volatile as $$
declare
  seqs bigint[];
begin
  perform lock_flags(array[b]);
  perform from board_rankings r where r.board_id = b for update;
  with ended as (
    update held_runs h set ended_at = at
      where h.board_id = b and h.event_seq = any(array(
        select d.event_seq from held_runs d where d.board_id = b and d.ended_at is null and d.ends_at <= at order by d.event_seq limit most))
    returning h.event_seq)
  select coalesce(array_agg(e.event_seq), '{}') into seqs from ended e;
  perform apply_effects(b, seqs, null, at);
  return cardinality(seqs);
end $$;

-- Makes a player's tier match what an administrator set and its confirmed flags since. The player's row is locked after the
-- board, as in every write. Returns whether it changed.
create or replace function apply_tier(i uuid, by_user uuid, at timestamptz) returns boolean language plpgsql volatile as $$
declare
  player identities;
  caught record;
  tier text;
  why text;
begin
  select * into player from identities d where d.id = i for no key update;
  select f.id, f.flag_type, f.board_id into caught from score_flags f
    where f.identity_id = i and f.status = 'confirmed_cheat' and f.deleted_at is null
      and f.reviewed_at >= coalesce(player.trust_tier_given_at, '-infinity')
    order by f.reviewed_at, f.id limit 1;
  if found then
    tier := 'c';
    why := format('Confirmed cheating: flag flg_%s (%s) on board brd_%s', caught.id, caught.flag_type, caught.board_id);
  else
    tier := player.trust_tier_given;
  end if;
  if (player.trust_tier, player.trust_tier_reason) is not distinct from (tier, why) then
    return false;
  end if;
  update identities d set trust_tier = tier, trust_tier_reason = why, updated_at = at where d.id = i;
  if player.trust_tier is distinct from tier then
    insert into audit_entries (id, account_id, game_id, user_id, action, subject_id, before, after, reason, created_at)
      values (uuid7_at(at), player.account_id, player.game_id, by_user, 'trust_tier_changed', 'ide_' || i,
        jsonb_build_object('trustTier', player.trust_tier), jsonb_build_object('trustTier', tier),
        coalesce(why, 'No confirmed cheating is left'), at);
  end if;
  return true;
end $$;

-- Players' positions in the served generation.
create or replace function standings_of(b uuid, ids uuid[]) returns setof standing language sql stable as $$
  select e.is_test, e.id, e.rank_key, e.seq
  from board_rankings r
  cross join lateral (
    select t.is_test, i.id as slot from unnest(ids) i(id) cross join (values (false), (true)) t(is_test) where r.board_type <> 'run_runs'
    union all
    select v.is_test, v.id from score_events v
      where r.board_type = 'run_runs' and v.board_id = b and v.is_test in (false, true) and v.identity_id = any(ids)) s
  cross join lateral (select * from entries x
    where x.board_id = b and x.generation = r.generation and x.is_test = s.is_test and x.slot = s.slot limit 1) e
  where r.board_id = b and e.ranked
$$;

create or replace function podium_of(b uuid, g integer) returns jsonb language sql stable as $$
  select coalesce(jsonb_agg(jsonb_build_object('rank', p.rank, 'identityId', 'ide_' || p.identity_id, 'playerName', p.player_name,
      'value', p.value, 'valueDisplay', p.value_display) order by p.rank), '[]')
  from (select e.*, row_number() over (order by e.rank_key, e.seq) as rank from entries e
    where e.board_id = b and e.generation = g and not e.is_test and e.ranked order by e.rank_key, e.seq limit 3) p
$$;

-- How many scores have another rank than before, left or arrived, where `was` are the former positions of some players.
-- Between two positions that were vacated or taken, everybody moves by the same number. So ranks are looked up only where
-- others begin or stop moving, and for scores that moved themselves.
create or replace function moved_scores(b uuid, g integer, was standing[], ids uuid[]) returns bigint language sql stable as $$
  with held as (
    select x.*, (min(x.rank_key) over score, min(x.seq) over score) <> (max(x.rank_key) over score, max(x.seq) over score) as wandered
    from (select o.*, -1 as d from unnest(was) o union all select n.*, 1 from standings_of(b, ids) n) x
    window score as (partition by x.is_test, x.id)
  ), place as (
    select h.is_test, h.rank_key, h.seq, sum(h.d) as d, bool_or(h.wandered) as wandered,
      (array_agg(h.id) filter (where h.d < 0))[1] as left_by, (array_agg(h.id) filter (where h.d > 0))[1] as taken_by
    from held h
    group by h.is_test, h.rank_key, h.seq
  ), shifted as (
    -- How many more scores there are than before: ahead of this position, and ahead of the next one.
    select p.*, coalesce(sum(p.d) over (to_here rows between unbounded preceding and 1 preceding), 0) as shift, sum(p.d) over to_here as next_shift
    from place p
    window to_here as (partition by p.is_test order by p.rank_key, p.seq)
  ), placed as materialized (
    -- `ahead`: scores ahead of this position now.
    select s.*, case when s.wandered or (s.shift = 0) <> (s.next_shift = 0)
      then coalesce((select k.rank - 1 from rank_of(b, g, s.is_test, s.rank_key, s.seq) k), 0) else 0 end as ahead
    from shifted s
  )
  -- From where the others begin to move up to where they stop, without the positions taken in between;
  select (coalesce(sum(case when p.next_shift = 0 then p.ahead else - p.ahead end) filter (where (p.shift = 0) <> (p.next_shift = 0)), 0)
      - count(*) filter (where p.next_shift <> 0 and p.taken_by is not null)
      -- or up to the last score;
      + coalesce((select sum(ranked_count(b, g, t.is_test)) from (select x.is_test from placed x group by x.is_test having sum(x.d) <> 0) t), 0)
      -- and these players' own.
      + (select count(*)
        from (
          select max(x.ahead - x.shift) filter (where o.left_it) as before, max(x.ahead) filter (where not o.left_it) as now
          from placed x cross join lateral (values (x.left_by, true), (x.taken_by, false)) o(id, left_it)
          where o.id is not null
          group by x.is_test, o.id) own
        where own.before is distinct from own.now))::bigint
  from placed p
$$;

-- The players whose runs a review covers. A device has submitted for the players of its sessions.
create or replace function review_players(review identity_reviews) returns uuid[] language sql stable as $$
  select array(
    select review.identity_id where review.identity_id is not null
    union select d.identity_id from devices d where d.id = review.device_id
    union select s.identity_id from device_sessions s where s.device_id = review.device_id)
$$;

-- The boards it may concern, deleted ones included, because those can be restored. Ratio boards follow their sources.
create or replace function review_boards(r uuid) returns uuid[] language sql stable as $$
  with who as materialized (select v.game_id, review_players(v) as ids from identity_reviews v where v.id = r)
  select array(
    select b.id from who join boards b on b.game_id = who.game_id and b.board_type <> 'ratio'
    where exists (select from states s where s.board_id = b.id and s.is_test in (false, true) and s.identity_id = any(who.ids))
    union select x.board_id from identity_review_boards x where x.review_id = r
    order by 1)
$$;

-- A decision about flags of a board, or a manual flag, takes this lock before the board's: then only submissions that bring
-- their own flags change any, and everything in a review that concerns flags alone is done while the board is unlocked.
create or replace function lock_flags(boards uuid[]) returns void language plpgsql volatile as $$
begin
  perform pg_advisory_xact_lock(7100003, x.key)
    from (select distinct hashtext(u.b::text) as key from unnest(boards) u(b) order by 1) x;
end $$;

-- Decides flags of a review's runs with numbers of a range (beyond, up to), or reverts all its decisions. Returns the numbers
-- of the events concerned. A flag the review itself raises is written as decided: what update_flags would make of it.
create or replace function decide_flags(b uuid, review identity_reviews, beyond bigint, newest bigint, at timestamptz) returns bigint[]
language plpgsql volatile as $$
declare
  players uuid[] := review_players(review);
  because jsonb := jsonb_build_object('identity_review_id', 'rev_' || review.id);
  flags uuid[];
  raised uuid[] := '{}';
begin
  if review.status = 'applying' then
    with run as materialized (
      select v.seq, v.id, v.account_id, v.game_id, v.identity_id, v.device_id, v.is_test, v.disposition, held.flags
      from score_events v
      cross join lateral (select array_agg(f.id) filter (where f.deleted_at is null) as flags
        from score_flags f where f.board_id = b and f.event_seq = v.seq) held
      where v.board_id = b and v.is_test in (false, true) and v.identity_id = any(players) and v.seq > beyond and v.seq <= newest
        and (review.device_id is null or v.device_id = review.device_id)
        and v.created_at <= review.upto and (review.since is null or v.created_at >= review.since)
    ), added as (
      insert into score_flags (board_id, event_seq, id, event_id, account_id, game_id, identity_id, device_id, is_test, flag_type, confidence,
          status, reviewed_at, reviewer_id, reviewer_decision, metadata, compared_events, added_by_review, created_at, updated_at)
        select b, n.seq, uuid7_at(at), n.id, n.account_id, n.game_id, n.identity_id, n.device_id, n.is_test, 'manual', 'high',
          review.decision, at, review.requested_by, review.reason, because, '{}', review.id, at, at
        from run n
        where review.decision = 'confirmed_cheat' and n.disposition <> 'rejected' and n.flags is null
        order by n.seq
      returning id)
    select array(select unnest(n.flags) from run n), array(select a.id from added a) into flags, raised;
    insert into flag_reviews (board_id, flag_id, status, note, notes, reviewer_id, identity_review_id, undone, created_at)
      select b, f, review.decision, review.reason, review.reason is not null, review.requested_by, review.id, false, at
      from unnest(flags || raised) f;
  else
    with taken_back as (
      update flag_reviews r set undone = true where r.identity_review_id = review.id and r.board_id = b and not r.undone returning r.flag_id)
    select array_agg(t.flag_id) into flags from taken_back t;
  end if;
  perform update_flags(b, flags, at);
  return array(select distinct f.event_seq from unnest(flags || raised) u(id)
    cross join lateral (select s.event_seq from score_flags s where s.id = u.id limit 1) f);
end $$;

-- Makes one board match a review that is being applied or undone. Returns whether anything had to be done; a second call does
-- nothing.
create or replace function apply_review(b uuid, r uuid, at timestamptz) returns boolean language plpgsql volatile as $$
declare
  review identity_reviews;
  done identity_review_boards;
  seen bigint;
  ranking board_rankings;
  decided bigint[];
  decider uuid;
  players uuid[];
  was standing[];
  podium jsonb;
  settled bigint;
  i uuid;
begin
  perform lock_flags(array[b]);
  select * into review from identity_reviews v where v.id = r for share;
  select * into done from identity_review_boards x where x.review_id = r and x.board_id = b;
  if (review.status = 'applying' and done.board_id is null or review.status = 'undoing' and not done.undone) is not true then
    return false;
  end if;

  select x.seq into seen from board_rankings x where x.board_id = b;
  decided := decide_flags(b, review, 0, seen, at);

  select * into ranking from board_rankings x where x.board_id = b for update;
  if review.status = 'applying' and ranking.seq > seen then
    -- Events submitted before its request, and written since.
    decided := decided || decide_flags(b, review, seen, ranking.seq, at);
  end if;
  players := review_players(review);
  was := array(select s from standings_of(b, players) s);
  podium := podium_of(b, ranking.generation);
  decider := case when review.status = 'applying' then review.requested_by else review.undone_by end;
  settled := apply_effects(b, decided, decider, at);
  -- Runs of a merged player count for another one, whose tier follows its flags.
  foreach i in array array(select u.id from unnest(players || array(
    select d.merged_into from identities d where d.id = any(players) and d.merged_into is not null)) u(id) group by u.id order by u.id) loop
    perform apply_tier(i, decider, at);
  end loop;
  insert into identity_review_boards as x (review_id, board_id, runs, moved, podium_before, podium_after, undone)
    values (r, b, settled, moved_scores(b, ranking.generation, was, players), podium, podium_of(b, ranking.generation), false)
  on conflict (review_id, board_id) do update set undone = true;
  return true;
end $$;

-- The effect of a review on a ratio board, read after applying it to both sources: for a transaction that is rolled back.
create or replace function try_review_on_ratio(b uuid, r uuid, at timestamptz) returns table (moved bigint, podium_before jsonb, podium_after jsonb)
language plpgsql volatile as $$
declare
  ranking board_rankings;
  players uuid[];
  was standing[];
  sources uuid[];
  source uuid;
begin
  select * into ranking from board_rankings x where x.board_id = b;
  if ranking.ratio is null then
    return;
  end if;
  sources := array[ranking.ratio ->> 'numerator', ranking.ratio ->> 'denominator'];
  players := (select review_players(v) from identity_reviews v where v.id = r);
  -- Boards are locked in the order of their ids, sources before the boards derived from them.
  perform lock_flags(sources);
  perform from board_rankings x where x.board_id = any(sources) order by x.board_id for update;
  perform rederive(b, players, at);
  was := array(select s from standings_of(b, players) s);
  podium_before := podium_of(b, ranking.generation);
  foreach source in array sources loop
    perform apply_review(source, r, at);
  end loop;
  perform rederive(b, players, at);
  moved := moved_scores(b, ranking.generation, was, players);
  podium_after := podium_of(b, ranking.generation);
  return next;
end $$;

-- Contradictions between a board's flags, their reviews, and the runs that count on it, as sentences.
create or replace function verify_flags(b uuid) returns text[] language sql stable as $$
  select array(
    select format('event %s of a flag is there for %s, and its flags say %s', e.id, e.present, e.wanted)
    from event_effects(b, array(select distinct f.event_seq from score_flags f where f.board_id = b)) e
    where e.present <> e.wanted
    order by e.seq limit 100)
$$;
