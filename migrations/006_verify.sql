-- Looks whether a ranking is what it must be, one level-1 node's range at a time: short statements on a live database.
-- Each call sees one snapshot, and tree and entries change in one transaction, so a fault found is a fault.

-- The range of the first level-1 node at or after (from_key, from_seq): where the next range begins (null: this was the
-- last), entries seen, and what is wrong in this one, as sentences.
create function verify_rank_range(b uuid, g integer, t boolean, from_key float8, from_seq bigint)
returns table (next_key float8, next_seq bigint, entries_seen bigint, faults text[]) language plpgsql stable as $$
declare
  node record;
  upper_key float8 := 'nan'; upper_seq bigint := 0;
begin
  faults := '{}'; entries_seen := 0;
  select lo_key, lo_seq, n into node from rank_nodes
    where board_id = b and generation = g and is_test = t and level = 1 and (lo_key, lo_seq) >= (from_key, from_seq)
    order by lo_key, lo_seq limit 1;
  if not found then
    if from_key = '-infinity' then
      select count(*) into entries_seen from entries where board_id = b and generation = g and is_test = t and ranked;
      if entries_seen > 0 then
        faults := array[format('%s ranked entries and no tree', entries_seen)];
      end if;
    end if;
    return next; return;
  end if;
  select lo_key, lo_seq into next_key, next_seq from rank_nodes
    where board_id = b and generation = g and is_test = t and level = 1 and (lo_key, lo_seq) > (node.lo_key, node.lo_seq)
    order by lo_key, lo_seq limit 1;
  if found then
    upper_key := next_key; upper_seq := next_seq;
  end if;

  with leaves as (
    select lo_key, lo_seq, n, coalesce(lead(lo_key) over w, upper_key) as hi_key, coalesce(lead(lo_seq) over w, upper_seq) as hi_seq
    from rank_nodes
    where board_id = b and generation = g and is_test = t and level = 0
      and (lo_key, lo_seq) >= (node.lo_key, node.lo_seq) and (lo_key, lo_seq) < (upper_key, upper_seq)
    window w as (order by lo_key, lo_seq)
  ), counted as (
    select l.*, (select count(*) from entries e where e.board_id = b and e.generation = g and e.is_test = t and e.ranked
      and (e.rank_key, e.seq) >= (l.lo_key, l.lo_seq) and (e.rank_key, e.seq) < (l.hi_key, l.hi_seq)) as held
    from leaves l
  )
  select coalesce(sum(c.held), 0),
    faults
    || coalesce(array_agg(format('leaf (%s, %s) counts %s of %s entries', c.lo_key, c.lo_seq, c.n, c.held)) filter (where c.n <> c.held), '{}')
    || case when coalesce(sum(c.n), 0) <> node.n
         then array[format('level-1 node (%s, %s) counts %s, its leaves %s', node.lo_key, node.lo_seq, node.n, sum(c.n))] else '{}' end
    || case when count(*) filter (where (c.lo_key, c.lo_seq) = (node.lo_key, node.lo_seq)) = 0
         then array[format('level-1 node (%s, %s) has no first leaf', node.lo_key, node.lo_seq)] else '{}' end
    into entries_seen, faults
  from counted c;

  faults := faults || array(
    select case
        when v.id is null then format('entry %s shows an event that is not there', e.id)
        when v.identity_id <> e.identity_id then format('entry %s shows an event of another identity', e.id)
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
      and (v.id is null or v.identity_id <> e.identity_id or i.id is null or s.id is null
        or (r.generation = g and r.board_type <> 'ratio' and e.rank_key <> rank_key_of(e.value, r.sort_direction)))
    order by e.rank_key, e.seq limit 100);
  return next;
end $$;

-- What is wrong above the leaves: top nodes against the level below, and the first node of each level.
create function verify_rank_top(b uuid, g integer, t boolean) returns text[] language sql stable as $$
  with top as (
    select lo_key, lo_seq, n, coalesce(lead(lo_key) over w, 'nan') as hi_key, coalesce(lead(lo_seq) over w, 0) as hi_seq
    from rank_nodes where board_id = b and generation = g and is_test = t and level = 2
    window w as (order by lo_key, lo_seq)
  ), summed as (
    select top.*, m.n as below, m.linked from top cross join lateral (
      select coalesce(sum(p.n), 0) as n, coalesce(bool_or((p.lo_key, p.lo_seq) = (top.lo_key, top.lo_seq)), false) as linked
      from rank_nodes p where p.board_id = b and p.generation = g and p.is_test = t and p.level = 1
        and (p.lo_key, p.lo_seq) >= (top.lo_key, top.lo_seq) and (p.lo_key, p.lo_seq) < (top.hi_key, top.hi_seq)) m
  ), floors as (
    select l.level from generate_series(0, 2) l(level)
    where exists (select from rank_nodes where board_id = b and generation = g and is_test = t)
      and not exists (select from rank_nodes p where p.board_id = b and p.generation = g and p.is_test = t and p.level = l.level
        and p.lo_key = '-infinity' and p.lo_seq = 0)
  )
  select array(select format('top node (%s, %s) counts %s, the level below %s', lo_key, lo_seq, n, below) from summed where n <> below)
    || array(select format('top node (%s, %s) has no first child', lo_key, lo_seq) from summed where not linked)
    || array(select format('level %s does not begin at the floor', level) from floors)
$$;
