-- Events of a gateway whose clock was ahead lie between others in a player's sequence. The recent past that checks look at begins behind the last
-- of them: where an event's time is more than ten seconds before that of the one before it, the ones before do not count (src/scores/submit/pipeline/recent.ts).
create or replace function derive_states(b uuid, ids uuid[], kind text, direction text, strategy text) returns table (
  is_test boolean, identity_id uuid, accepted_count bigint, best_value float8, recent bytea,
  selected_event_id uuid, value float8)
language sql stable as $$
  with events as materialized (
    select * from counting_events(b, ids)
  ), dated as (
    select c.*, coalesce(c.created_at + interval '10 seconds' < lag(c.created_at) over (partition by c.is_test, c.identity_id order by c.seq), false) as is_back
    from events c where c.live
  ), live as (
    select c.*, first_value(c.created_at) over (partition by c.is_test, c.identity_id order by c.seq desc) as newest_at,
      count(*) filter (where c.is_back) over (partition by c.is_test, c.identity_id order by c.seq desc) as backs,
      row_number() over (partition by c.is_test, c.identity_id order by c.seq desc) as age,
      row_number() over (partition by c.is_test, c.identity_id order by rank_key_of(c.amount, direction), c.seq) as place
    from dated c
  ), summed as (
    select l.is_test, l.identity_id, count(*) as accepted_count,
      max(l.amount) filter (where l.place = 1) as best_value,
      max(l.id::text) filter (where l.place = 1) as best_id,
      array_agg(l.seq order by l.seq) filter (
        where l.age <= 100 and l.backs = l.is_back::integer and l.created_at > l.newest_at - interval '1 hour') as recent_seqs
    from live l group by l.is_test, l.identity_id
  ), entry as (
    select d.is_test, d.identity_id, d.value, e.id as event_id
    from derive_entries(b, ids, kind, direction, strategy) d
    join score_events e on e.board_id = b and e.seq = d.event_seq
    where kind <> 'run_runs' and d.ranked
  ), everyone as (
    select distinct e.is_test, e.identity_id from score_events e where e.board_id = b and e.is_test in (false, true) and e.identity_id = any(ids)
  )
  select i.is_test, i.identity_id, coalesce(s.accepted_count, 0), s.best_value,
    coalesce((select string_agg(float8send((extract(epoch from e.created_at) * 1000)::float8) || float8send(e.amount), '' order by e.seq)
      from unnest(s.recent_seqs) q(seq)
      join score_events e on e.board_id = b and e.seq = q.seq), ''),
    case when kind = 'run_runs' then s.best_id::uuid else entry.event_id end,
    case when kind = 'run_runs' then s.best_value else entry.value end
  from everyone i
  left join summed s on s.is_test = i.is_test and s.identity_id = i.identity_id
  left join entry on entry.is_test = i.is_test and entry.identity_id = i.identity_id
$$;
