-- Verdicts on runs (docs/decisions/verdicts.md): giving them, what follows from them, taking them back.

-- What the verdicts on a stored run say together: they clear it, confirm cheating, or leave it to a person, as do verdicts that disagree.
-- Null: nothing follows. Each does what the board's mode was when it was given.
create or replace function settled_verdict(b uuid, s bigint) returns text language sql stable as $$
  select case
    when bool_or(v.verdict = 'rejected') and bool_or(v.verdict = 'verified') then 'doubted'
    when bool_or(v.verdict = 'rejected' and v.mode = 'decide') then 'confirmed_cheat'
    when bool_or(v.verdict = 'rejected') then 'doubted'
    when bool_or(v.verdict = 'verified') then 'dismissed'
    when count(*) > 0 then 'unknown' end
  from verdicts v
  where v.board_id = b and v.event_seq = s and v.pass_id = '00000000-0000-0000-0000-000000000000' and v.undone_at is null and v.mode <> 'log'
$$;

-- The flag `verdict` of a run as its verdicts have it: raised if there is none and cheating is confirmed or doubted, but not again if a
-- person has deleted it. What they decide is kept also where a person or a pass decides: those are stronger (`update_flags`), until they are
-- taken back. Without an effect on the board (`apply_effects`). Returns the flag if it may count differently.
create or replace function settle_verdict(b uuid, s bigint, by_user uuid, at timestamptz, out flag_id uuid, out former text)
language plpgsql volatile as $$
declare
  live constant uuid := '00000000-0000-0000-0000-000000000000';
  wanted text := settled_verdict(b, s);
  accuses boolean := coalesce(wanted in ('doubted', 'confirmed_cheat'), false);
  flag score_flags;
  was_gone boolean;
  present record;
  decision text;
  said text;
begin
  select f.* into flag from score_flags f where f.board_id = b and f.event_seq = s and f.flag_type = 'verdict' limit 1;
  if flag.id is null then
    if not accuses then
      return;
    end if;
    insert into score_flags (board_id, event_seq, id, event_id, account_id, game_id, identity_id, device_id, is_test, flag_type, confidence,
        status, metadata, compared_events, added_by_review, created_at, updated_at)
      select b, s, uuid7_at(at), v.id, v.account_id, v.game_id, v.identity_id, v.device_id, v.is_test, 'verdict', 'high',
        'pending', '{}', '{}', live, at, at
      from score_events v where v.board_id = b and v.seq = s
    returning * into flag;
  end if;
  was_gone := flag.deleted_at is not null;
  -- Without a review, a flag that verdicts or a pass raised is gone (`update_flags`), which clears the run, too.
  decision := case when wanted = 'confirmed_cheat' or wanted = 'dismissed' and flag.added_by_review is null then wanted
    when wanted = 'doubted' and flag.added_by_review is not null then 'pending' end;
  if accuses then
    select left(string_agg(v.verifier || coalesce(' ' || v.version, '') || coalesce(': ' || v.reason, ''), '; ' order by v.verifier), 2000)
      into said from verdicts v
      where v.board_id = b and v.event_seq = s and v.pass_id = live and v.undone_at is null and v.verdict = 'rejected' and v.mode <> 'log';
  end if;
  -- What the verifier could not clear is for people at once.
  update score_flags f set people_from = case when wanted is distinct from 'dismissed' and f.people_from > at then at else f.people_from end,
      deleted_at = case when accuses and f.added_by_review is not null then null else f.deleted_at end,
      confidence = case when accuses then 'high' else f.confidence end,
      metadata = case when accuses then f.metadata || '{"verdict": "rejected"}' else f.metadata - 'verdict' end,
      updated_at = at
    where f.board_id = b and f.event_seq = s and f.id = flag.id;
  select r.number, r.status into present from flag_reviews r
    where r.board_id = b and r.flag_id = flag.id and r.pass_id = live and not r.undone order by r.number desc limit 1;
  if present.status is not null and decision is not distinct from present.status then
    -- Since when it is decided so stays, also where other verifiers say so now.
    update flag_reviews r set note = said, notes = said is not null where r.number = present.number and r.note is distinct from said;
  else
    update flag_reviews r set undone = true where r.number = present.number;
    if decision is not null then
      insert into flag_reviews (board_id, flag_id, status, note, notes, reviewer_id, undone, created_at, pass_id)
        values (b, flag.id, decision, said, said is not null, case when decision <> 'dismissed' then by_user end, false, at, live);
    end if;
  end if;
  perform update_flags(b, array[flag.id], at);
  if was_gone and exists (select from score_flags f where f.board_id = b and f.id = flag.id and f.deleted_at is not null) then
    return;
  end if;
  flag_id := flag.id;
  former := flag.status;
end $$;

-- Has the tiers of the players of some events follow their flags, those of merged players' targets, too.
create or replace function apply_tiers(b uuid, seqs bigint[], by_user uuid, at timestamptz) returns void language plpgsql volatile as $$
declare
  i uuid;
begin
  foreach i in array array(
    select u.id from (
      select v.identity_id from score_events v where v.board_id = b and v.seq = any(seqs)) p
    cross join lateral (select p.identity_id union all select d.merged_into from identities d where d.id = p.identity_id) u(id)
    where u.id is not null group by u.id order by u.id) loop
    perform apply_tier(i, by_user, at);
  end loop;
end $$;

-- Stores a verdict on a run whose recording is stored, and has flag and board follow it. A verifier's second one in a pass changes nothing,
-- unless its first one was taken back. Fails with the 21st verifier of a run in a pass. Returns no row without a recording.
create or replace function give_verdict(b uuid, s bigint, given verdicts, out is_new boolean, out flag_id uuid, out former text)
returns setof record language plpgsql volatile as $$
declare
  live constant uuid := '00000000-0000-0000-0000-000000000000';
begin
  given.mode := coalesce((select d.verdicts ->> 'mode' from boards d where d.id = b), 'log');
  -- Before the recording's row: an erasure locks the board first.
  if given.pass_id = live and given.mode <> 'log' then
    perform lock_flags(array[b]);
    perform from board_rankings r where r.board_id = b for update;
  end if;
  perform from recordings r where r.board_id = b and r.event_seq = s and r.bytes is not null for no key update;
  if not found then
    return;
  end if;
  if not exists (select from verdicts v where v.board_id = b and v.event_seq = s and v.pass_id = given.pass_id and v.verifier = given.verifier)
      and (select count(*) from verdicts v where v.board_id = b and v.event_seq = s and v.pass_id = given.pass_id) >= 20 then
    raise exception 'verdicts of 20 verifiers' using errcode = 'check_violation', constraint = 'verdicts_verifiers';
  end if;
  insert into verdicts as v select given.* on conflict (board_id, event_seq, pass_id, verifier) do update
    set id = excluded.id, verdict = excluded.verdict, reason = excluded.reason, version = excluded.version, mode = excluded.mode,
      given_by = excluded.given_by, created_at = excluded.created_at, undone_at = null
    where v.undone_at is not null;
  is_new := found;
  if is_new and given.pass_id = live and given.mode <> 'log' then
    select x.flag_id, x.former into flag_id, former from settle_verdict(b, s, given.given_by, given.created_at) x;
    if flag_id is not null then
      perform apply_effects(b, array[s], given.given_by, given.created_at);
      perform apply_tiers(b, array[s], given.given_by, given.created_at);
    end if;
  end if;
  return next;
end $$;

-- Takes back all verdicts of a verifier on a board since a time, and what followed from them. Applied passes keep their effect: they are
-- undone as a whole. A second call does nothing. Returns what changed, and the players whose runs changed.
create or replace function undo_verdicts(b uuid, who text, since timestamptz, by_user uuid, at timestamptz,
    out taken bigint, out runs bigint, out moved bigint, out podium_before jsonb, out podium_after jsonb, out players uuid[])
language plpgsql volatile as $$
declare
  ranking board_rankings;
  seqs bigint[];
  changed bigint[] := '{}';
  was standing[];
  s bigint;
  settled record;
begin
  perform lock_flags(array[b]);
  select * into ranking from board_rankings r where r.board_id = b for update;
  with gone as (
    update verdicts v set undone_at = at
      where v.board_id = b and v.verifier = who and v.created_at >= since and v.undone_at is null
    returning v.event_seq, v.pass_id)
  select count(*), coalesce(array_agg(g.event_seq) filter (where g.pass_id = '00000000-0000-0000-0000-000000000000'), '{}')
    into taken, seqs from gone g;
  players := array(select distinct v.identity_id from score_events v where v.board_id = b and v.seq = any(seqs));
  was := array(select x from standings_of(b, players) x);
  podium_before := podium_of(b, ranking.generation);
  foreach s in array seqs loop
    select * into settled from settle_verdict(b, s, by_user, at);
    if settled.flag_id is not null then
      changed := changed || s;
    end if;
  end loop;
  runs := apply_effects(b, changed, by_user, at);
  perform apply_tiers(b, changed, by_user, at);
  moved := moved_scores(b, ranking.generation, was, players);
  podium_after := podium_of(b, ranking.generation);
end $$;

-- Sends the next stored recordings of a pass to the verifier, at most `most`. False: all are sent, and the pass is open.
create or replace function send_pass(pass uuid, most integer, at timestamptz) returns boolean language plpgsql volatile as $$
declare
  p verification_passes;
  reached bigint;
  given integer;
begin
  select * into p from verification_passes x where x.id = pass and x.status = 'sending' for update skip locked;
  if not found then
    return false;
  end if;
  with next as materialized (
    select v.seq, v.id, v.identity_id, v.is_test from recordings k join score_events v on v.board_id = k.board_id and v.seq = k.event_seq
    where k.board_id = p.board_id and k.event_seq > p.sent_upto and k.event_seq <= p.upto and k.bytes is not null
      and v.created_at >= coalesce(p.since, '-infinity')
    order by k.event_seq limit most
  ), told as materialized (
    select n.seq, report_event(p.account_id, 'run.verify', p.game_id, p.board_id, n.is_test,
      jsonb_build_object('score_event_id', 'sev_' || n.id, 'player_id', 'ide_' || n.identity_id, 'pass_id', 'vps_' || p.id),
      at, at, uuid7_at(at)) from next n)
  select max(t.seq), count(*) into reached, given from told t;
  update verification_passes x set sent = x.sent + given, sent_upto = coalesce(reached, p.upto), updated_at = at,
      status = case when given < most then 'open' else 'sending' end
    where x.id = pass;
  return given = most;
end $$;

-- What the verdicts of a pass decide: runs that only rejections are about, and runs with a pending flag `verdict` that none is about.
create or replace function decided_by_pass(p verification_passes) returns table (seq bigint, decision text, note text) language sql stable as $$
  select d.seq, d.decision, d.note from (
    select v.event_seq as seq,
      case when not bool_or(v.verdict = 'verified') and bool_or(v.verdict = 'rejected') then 'confirmed_cheat'
        when not bool_or(v.verdict = 'rejected') and bool_or(v.verdict = 'verified') then 'dismissed' end as decision,
      left(string_agg(v.verifier || coalesce(' ' || v.version, '') || coalesce(': ' || v.reason, ''), '; ' order by v.verifier)
        filter (where v.verdict = 'rejected'), 2000) as note
    from verdicts v where v.pass_id = p.id and v.board_id = p.board_id and v.undone_at is null
    group by v.event_seq) d
  where d.decision = 'confirmed_cheat' or d.decision = 'dismissed' and exists (select from score_flags f
    where f.board_id = p.board_id and f.event_seq = d.seq and f.flag_type = 'verdict' and f.status = 'pending' and f.deleted_at is null)
$$;

-- Decides flags as a pass has it, or takes its decisions back. Under the flags' lock. Returns the numbers of the events.
create or replace function decide_by_pass(p verification_passes, at timestamptz) returns bigint[] language plpgsql volatile as $$
declare
  flags uuid[];
  seqs bigint[];
begin
  if p.status = 'applying' then
    -- A flag that undone verdicts had raised is raised again; one that a person deleted stays deleted.
    update score_flags f set deleted_at = null, added_by_review = p.id from decided_by_pass(p) d
      where f.board_id = p.board_id and f.event_seq = d.seq and f.flag_type = 'verdict' and d.decision = 'confirmed_cheat'
        and f.deleted_at is not null and f.added_by_review is not null;
    insert into score_flags (board_id, event_seq, id, event_id, account_id, game_id, identity_id, device_id, is_test, flag_type, confidence,
        status, metadata, compared_events, added_by_review, created_at, updated_at)
      select p.board_id, v.seq, uuid7_at(at), v.id, v.account_id, v.game_id, v.identity_id, v.device_id, v.is_test, 'verdict', 'high',
        'pending', '{"verdict": "rejected"}', '{}', p.id, at, at
      from decided_by_pass(p) d join score_events v on v.board_id = p.board_id and v.seq = d.seq
      where d.decision = 'confirmed_cheat' and v.disposition <> 'rejected'
        and not exists (select from score_flags f where f.board_id = p.board_id and f.event_seq = d.seq and f.flag_type = 'verdict')
      order by v.seq;
    with decided as (
      insert into flag_reviews (board_id, flag_id, status, note, notes, reviewer_id, undone, created_at, pass_id)
        select p.board_id, f.id, d.decision, d.note, d.note is not null, p.applied_by, false, at, p.id
        from decided_by_pass(p) d join score_flags f on f.board_id = p.board_id and f.event_seq = d.seq
        where f.flag_type = 'verdict' and f.deleted_at is null
      returning flag_id)
    select array_agg(d.flag_id) into flags from decided d;
  else
    with taken_back as (
      update flag_reviews r set undone = true where r.pass_id = p.id and r.board_id = p.board_id and not r.undone returning r.flag_id)
    select array_agg(t.flag_id) into flags from taken_back t;
  end if;
  perform update_flags(p.board_id, flags, at);
  select coalesce(array_agg(distinct f.event_seq), '{}') into seqs from score_flags f where f.board_id = p.board_id and f.id = any(flags);
  return seqs;
end $$;

-- Makes a board match a pass that is being applied or undone. A second call does nothing. Returns the players whose runs are concerned.
create or replace function apply_pass(pass uuid, at timestamptz) returns uuid[] language plpgsql volatile as $$
declare
  p verification_passes;
  ranking board_rankings;
  seqs bigint[];
  players uuid[];
  was standing[];
  podium jsonb;
  settled bigint;
  by_user uuid;
begin
  select * into p from verification_passes x where x.id = pass;
  perform lock_flags(array[p.board_id]);
  select * into p from verification_passes x where x.id = pass for update;
  if p.status not in ('applying', 'undoing') then
    return '{}';
  end if;
  by_user := case when p.status = 'applying' then p.applied_by else p.undone_by end;
  seqs := decide_by_pass(p, at);
  players := array(select distinct v.identity_id from score_events v where v.board_id = p.board_id and v.seq = any(seqs));
  select * into ranking from board_rankings r where r.board_id = p.board_id for update;
  was := array(select x from standings_of(p.board_id, players) x);
  podium := podium_of(p.board_id, ranking.generation);
  settled := apply_effects(p.board_id, seqs, by_user, at);
  perform apply_tiers(p.board_id, seqs, by_user, at);
  if p.status = 'applying' then
    update verification_passes x set status = 'applied', runs = settled, moved = moved_scores(p.board_id, ranking.generation, was, players),
        podium_before = podium, podium_after = podium_of(p.board_id, ranking.generation), failure = null, applied_at = at, updated_at = at
      where x.id = pass;
  else
    update verification_passes x set status = 'undone', failure = null, updated_at = at where x.id = pass;
  end if;
  return players;
end $$;
