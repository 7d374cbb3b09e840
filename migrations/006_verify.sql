-- Looks whether a ranking is what it must be, one run's range at a time: short statements on a live database.
-- Each call sees one snapshot, and tree and entries change in one transaction, so a fault found is a fault.

-- The range of the first run at or after (from_key, from_seq): where the next range begins (null: this was the last),
-- entries seen, and what is wrong in this one, as sentences.
create function verify_rank_range(b uuid, g integer, t boolean, from_key float8, from_seq bigint)
returns table (next_key float8, next_seq bigint, entries_seen bigint, faults text[]) language plpgsql stable as $$
declare
  node rank_runs;
  upper_key float8 := 'nan'; upper_seq bigint := 0;
begin
  faults := '{}'; entries_seen := 0;
  select * into node from rank_runs r
    where r.board_id = b and r.generation = g and r.is_test = t and (r.lo_key, r.lo_seq) >= (from_key, from_seq)
    order by r.lo_key, r.lo_seq limit 1;
  if not found then
    if from_key = '-infinity' then
      select count(*) into entries_seen from entries where board_id = b and generation = g and is_test = t and ranked;
      if entries_seen > 0 then
        faults := array[format('%s ranked entries and no tree', entries_seen)];
      end if;
    end if;
    return next; return;
  end if;
  select r.lo_key, r.lo_seq into next_key, next_seq from rank_runs r
    where r.board_id = b and r.generation = g and r.is_test = t and (r.lo_key, r.lo_seq) > (node.lo_key, node.lo_seq)
    order by r.lo_key, r.lo_seq limit 1;
  if found then
    upper_key := next_key; upper_seq := next_seq;
  end if;

  with leaves as (
    select u.i, u.lo_key, u.lo_seq, node.sums[u.i + 1] - node.sums[u.i] as n,
      coalesce(lead(u.lo_key) over w, upper_key) as hi_key, coalesce(lead(u.lo_seq) over w, upper_seq) as hi_seq
    from unnest(node.lo_keys, node.lo_seqs) with ordinality u(lo_key, lo_seq, i)
    window w as (order by u.i)
  ), counted as (
    select l.*, (select count(*) from entries e where e.board_id = b and e.generation = g and e.is_test = t and e.ranked
      and (e.rank_key, e.seq) >= (l.lo_key, l.lo_seq) and (e.rank_key, e.seq) < (l.hi_key, l.hi_seq)) as held
    from leaves l
  )
  select coalesce(sum(c.held), 0),
    faults
    || coalesce(array_agg(format('leaf (%s, %s) counts %s of %s entries', c.lo_key, c.lo_seq, c.n, c.held)) filter (where c.n is distinct from c.held), '{}')
    || coalesce(array_agg(format('leaf (%s, %s) is out of order', c.lo_key, c.lo_seq)) filter (where (c.lo_key, c.lo_seq) >= (c.hi_key, c.hi_seq)), '{}')
    into entries_seen, faults
  from counted c;
  if (node.lo_keys[1], node.lo_seqs[1]) is distinct from (node.lo_key, node.lo_seq) then
    faults := faults || format('run (%s, %s) does not begin with its first leaf', node.lo_key, node.lo_seq);
  end if;
  if node.sums[1] <> 0 or cardinality(node.sums) <> cardinality(node.lo_keys) + 1 or cardinality(node.lo_seqs) <> cardinality(node.lo_keys) then
    faults := faults || format('run (%s, %s) has arrays that do not fit together', node.lo_key, node.lo_seq);
  end if;

  faults := faults || array(
    select case
        when v.id is null then format('entry %s shows an event that is not there', e.id)
        when v.identity_id <> e.identity_id then format('entry %s shows an event of another identity', e.id)
        when v.metadata is distinct from e.metadata then format('entry %s shows metadata that its event does not have', e.id)
        when e.rank_key <> rank_key_of(e.value, r.sort_direction) then format('entry %s has value %s and rank key %s', e.id, e.value, e.rank_key)
        when i.id is null then format('entry %s belongs to an identity that is not there', e.id)
        else format('entry %s has no state', e.id) end
    from entries e
    join board_rankings r on r.board_id = b
    left join score_events v on v.board_id = b and v.seq = e.event_seq
    left join identities i on i.id = e.identity_id
    left join states s on s.board_id = b and s.is_test = e.is_test and s.identity_id = e.identity_id
    where e.board_id = b and e.generation = g and e.is_test = t and e.ranked
      and (e.rank_key, e.seq) >= (node.lo_key, node.lo_seq) and (e.rank_key, e.seq) < (upper_key, upper_seq)
      and (v.id is null or v.identity_id <> e.identity_id or v.metadata is distinct from e.metadata or i.id is null or s.id is null
        or (r.generation = g and r.board_type <> 'ratio' and e.rank_key <> rank_key_of(e.value, r.sort_direction)))
    order by e.rank_key, e.seq limit 100);
  return next;
end $$;

-- What is wrong above the runs: tops against each other, their sums against the runs, and where both levels begin.
create function verify_rank_top(b uuid, g integer, t boolean) returns text[] language sql stable as $$
  with top as (
    select r.*, r.sums[cardinality(r.sums)] as n,
      coalesce(sum(r.sums[cardinality(r.sums)]) over (order by r.lo_key, r.lo_seq rows between unbounded preceding and 1 preceding), 0) as before
    from rank_tops r where r.board_id = b and r.generation = g and r.is_test = t
  ), listed as (
    select u.lo_key, u.lo_seq, top.sums[u.i + 1] - top.sums[u.i] as n
    from top cross join lateral unnest(top.lo_keys, top.lo_seqs) with ordinality u(lo_key, lo_seq, i)
  ), run as (
    select r.lo_key, r.lo_seq, r.sums[cardinality(r.sums)] as n
    from rank_runs r where r.board_id = b and r.generation = g and r.is_test = t
  )
  select array(select format('top (%s, %s) has %s entries ahead instead of %s', lo_key, lo_seq, ahead, before) from top where ahead <> before)
    || array(select format('top (%s, %s) does not begin with its first run', lo_key, lo_seq) from top
      where (lo_keys[1], lo_seqs[1]) is distinct from (lo_key, lo_seq))
    || array(select format('top (%s, %s) has arrays that do not fit together', lo_key, lo_seq) from top
      where sums[1] <> 0 or cardinality(sums) <> cardinality(lo_keys) + 1 or cardinality(lo_seqs) <> cardinality(lo_keys))
    || array(select format('run (%s, %s) counts %s entries, its top %s', r.lo_key, r.lo_seq, coalesce(r.n::text, 'none'), coalesce(l.n::text, 'none'))
      from run r full join listed l on l.lo_key = r.lo_key and l.lo_seq = r.lo_seq where r.n is distinct from l.n)
    || array(select format('the %s do not begin at the floor', f.what) from (
        select 'tops' as what, (select min(lo_key) from top) as lo_key, exists (select from run) as needed
        union all select 'runs', (select min(lo_key) from run), exists (select from top)) f
      where f.needed and f.lo_key is distinct from '-infinity')
$$;
