-- The counted tree: ranks without counting rows. Three fixed levels; the top one is as wide as it gets.
-- Writers hold the board's lock (its row in board_rankings) and have written the entries before.
-- NaN stands for "beyond every key": Postgres sorts it after infinity.

-- Entries a leaf holds before it splits, and children an inner node holds. Found by bench/tree.
create function rank_leaf_capacity() returns integer language sql immutable parallel safe as 'select 64';
create function rank_fan_out() returns integer language sql immutable parallel safe as 'select 64';

-- Cuts the node at (key, seq): `moved` of what it counts lies at or beyond the cut.
create function cut_rank_node(b uuid, g integer, t boolean, l integer, key float8, s bigint, cut_key float8, cut_seq bigint, moved bigint)
returns void language sql as $$
  update rank_nodes set n = n - moved
    where board_id = b and generation = g and is_test = t and level = l and lo_key = key and lo_seq = s;
  insert into rank_nodes (board_id, generation, is_test, level, lo_key, lo_seq, n) values (b, g, t, l, cut_key, cut_seq, moved);
$$;

-- A node at (key, seq) was added on level l - 1: its parent, if now too wide, is cut at its middle child, and so on up.
create function widen_rank_parents(b uuid, g integer, t boolean, key float8, s bigint) returns void language plpgsql as $$
declare
  parent_key float8; parent_seq bigint;
  upper_key float8; upper_seq bigint;
  cut_key float8 := key; cut_seq bigint := s;
  children bigint;
  moved bigint;
begin
  for l in 1..2 loop
    select lo_key, lo_seq into parent_key, parent_seq from rank_nodes
      where board_id = b and generation = g and is_test = t and level = l and (lo_key, lo_seq) <= (cut_key, cut_seq)
      order by lo_key desc, lo_seq desc limit 1;
    select lo_key, lo_seq into upper_key, upper_seq from rank_nodes
      where board_id = b and generation = g and is_test = t and level = l and (lo_key, lo_seq) > (parent_key, parent_seq)
      order by lo_key, lo_seq limit 1;
    if not found then
      upper_key := 'nan'; upper_seq := 0;
    end if;
    select count(*) into children from rank_nodes
      where board_id = b and generation = g and is_test = t and level = l - 1
        and (lo_key, lo_seq) >= (parent_key, parent_seq) and (lo_key, lo_seq) < (upper_key, upper_seq);
    exit when children <= rank_fan_out();
    select lo_key, lo_seq into cut_key, cut_seq from rank_nodes
      where board_id = b and generation = g and is_test = t and level = l - 1 and (lo_key, lo_seq) >= (parent_key, parent_seq)
      order by lo_key, lo_seq offset children / 2 limit 1;
    select sum(n) into moved from rank_nodes
      where board_id = b and generation = g and is_test = t and level = l - 1
        and (lo_key, lo_seq) >= (cut_key, cut_seq) and (lo_key, lo_seq) < (upper_key, upper_seq);
    perform cut_rank_node(b, g, t, l, parent_key, parent_seq, cut_key, cut_seq, moved);
  end loop;
end $$;

-- Cuts a leaf of `held` entries at its median, and the halves again, until none is overfull.
create function split_rank_leaf(b uuid, g integer, t boolean, key float8, s bigint, held bigint) returns void language plpgsql as $$
declare
  cut_key float8; cut_seq bigint;
  moved bigint := held - held / 2;
begin
  if held <= rank_leaf_capacity() then
    return;
  end if;
  select rank_key, seq into cut_key, cut_seq from entries
    where board_id = b and generation = g and is_test = t and ranked and (rank_key, seq) >= (key, s)
    order by rank_key, seq offset held / 2 limit 1;
  perform cut_rank_node(b, g, t, 0, key, s, cut_key, cut_seq, moved);
  perform widen_rank_parents(b, g, t, cut_key, cut_seq);
  perform split_rank_leaf(b, g, t, key, s, held / 2);
  perform split_rank_leaf(b, g, t, cut_key, cut_seq, moved);
end $$;

-- Drops the empty node at (key, seq) of level l, and with it its first descendants, which are empty too. Stays: the
-- first child of a node (every upper bound must exist one level below) and what is no longer there or not empty.
create function drop_empty_rank_node(b uuid, g integer, t boolean, l integer, key float8, s bigint) returns void language plpgsql as $$
begin
  if key = '-infinity'
    or not exists (select from rank_nodes where board_id = b and generation = g and is_test = t and level = l and lo_key = key and lo_seq = s and n = 0)
    or exists (select from rank_nodes where board_id = b and generation = g and is_test = t and level = l + 1 and lo_key = key and lo_seq = s)
  then
    return;
  end if;
  delete from rank_nodes where board_id = b and generation = g and is_test = t and level <= l and lo_key = key and lo_seq = s;
end $$;

-- Entries were added (+1) and taken away (-1) at these keys: counts, splits, empty nodes.
create function apply_rank_deltas(b uuid, g integer, t boolean, ks float8[], ss bigint[], ds integer[]) returns void language plpgsql as $$
declare
  full_keys float8[]; full_seqs bigint[]; full_counts bigint[];
  empty_levels smallint[]; empty_keys float8[]; empty_seqs bigint[];
begin
  if not exists (select from rank_nodes where board_id = b and generation = g and is_test = t and level = 2 and lo_key = '-infinity' and lo_seq = 0) then
    insert into rank_nodes (board_id, generation, is_test, level, lo_key, lo_seq, n)
      select b, g, t, l, '-infinity', 0, 0 from generate_series(0, 2) l;
  end if;
  with touched as (
    select u.d, l2.lo_key as key2, l2.lo_seq as seq2, l1.lo_key as key1, l1.lo_seq as seq1, l0.lo_key as key0, l0.lo_seq as seq0
    from unnest(ks, ss, ds) u(k, s, d)
    cross join lateral (select r.lo_key, r.lo_seq from rank_nodes r
      where r.board_id = b and r.generation = g and r.is_test = t and r.level = 2 and (r.lo_key, r.lo_seq) <= (u.k, u.s)
      order by r.lo_key desc, r.lo_seq desc limit 1) l2
    cross join lateral (select r.lo_key, r.lo_seq from rank_nodes r
      where r.board_id = b and r.generation = g and r.is_test = t and r.level = 1
        and (r.lo_key, r.lo_seq) <= (u.k, u.s) and (r.lo_key, r.lo_seq) >= (l2.lo_key, l2.lo_seq)
      order by r.lo_key desc, r.lo_seq desc limit 1) l1
    cross join lateral (select r.lo_key, r.lo_seq from rank_nodes r
      where r.board_id = b and r.generation = g and r.is_test = t and r.level = 0
        and (r.lo_key, r.lo_seq) <= (u.k, u.s) and (r.lo_key, r.lo_seq) >= (l1.lo_key, l1.lo_seq)
      order by r.lo_key desc, r.lo_seq desc limit 1) l0
  ), changed as (
    update rank_nodes r set n = r.n + x.d
    from (select 0::smallint as level, key0 as lo_key, seq0 as lo_seq, sum(d) as d from touched group by key0, seq0 having sum(d) <> 0
          union all select 1::smallint, key1, seq1, sum(d) from touched group by key1, seq1 having sum(d) <> 0
          union all select 2::smallint, key2, seq2, sum(d) from touched group by key2, seq2 having sum(d) <> 0) x
    where r.board_id = b and r.generation = g and r.is_test = t and r.level = x.level and r.lo_key = x.lo_key and r.lo_seq = x.lo_seq
    returning r.level, r.lo_key, r.lo_seq, r.n
  )
  select
    array_agg(lo_key) filter (where level = 0 and n > rank_leaf_capacity()),
    array_agg(lo_seq) filter (where level = 0 and n > rank_leaf_capacity()),
    array_agg(n) filter (where level = 0 and n > rank_leaf_capacity()),
    array_agg(level order by level desc) filter (where n = 0),
    array_agg(lo_key order by level desc) filter (where n = 0),
    array_agg(lo_seq order by level desc) filter (where n = 0)
    into full_keys, full_seqs, full_counts, empty_levels, empty_keys, empty_seqs
  from changed;
  if empty_levels is not null then
    -- From the top, so that a parent that goes takes its first child along.
    for i in 1..cardinality(empty_levels) loop
      perform drop_empty_rank_node(b, g, t, empty_levels[i], empty_keys[i], empty_seqs[i]);
    end loop;
  end if;
  if full_keys is not null then
    for i in 1..cardinality(full_keys) loop
      perform split_rank_leaf(b, g, t, full_keys[i], full_seqs[i], full_counts[i]);
    end loop;
  end if;
end $$;

-- Ranks of keys, in the order asked (ord from 1): 1 + what stands before each. The key itself need not be on the board;
-- a board without entries has no nodes and every rank on it is 1.
create function ranks_of(bs uuid[], gs integer[], ts boolean[], ks float8[], ss bigint[]) returns table (ord bigint, rank bigint)
language sql stable as $$
  select u.ord, 1
    + (select coalesce(sum(p.n), 0) from rank_nodes p
        where p.board_id = u.b and p.generation = u.g and p.is_test = u.t and p.level = 2
          and (p.lo_key, p.lo_seq) < (l2.lo_key, l2.lo_seq))
    + (select coalesce(sum(p.n), 0) from rank_nodes p
        where p.board_id = u.b and p.generation = u.g and p.is_test = u.t and p.level = 1
          and (p.lo_key, p.lo_seq) >= (l2.lo_key, l2.lo_seq) and (p.lo_key, p.lo_seq) < (l1.lo_key, l1.lo_seq))
    + (select coalesce(sum(p.n), 0) from rank_nodes p
        where p.board_id = u.b and p.generation = u.g and p.is_test = u.t and p.level = 0
          and (p.lo_key, p.lo_seq) >= (l1.lo_key, l1.lo_seq) and (p.lo_key, p.lo_seq) < (l0.lo_key, l0.lo_seq))
    + (select count(*) from entries e
        where e.board_id = u.b and e.generation = u.g and e.is_test = u.t and e.ranked
          and (e.rank_key, e.seq) >= (l0.lo_key, l0.lo_seq) and (e.rank_key, e.seq) < (u.k, u.s))
  from unnest(bs, gs, ts, ks, ss) with ordinality u(b, g, t, k, s, ord)
  -- Top down, each probe bounded by its parent: a backward scan reads all of an index page that its bounds let it.
  left join lateral (select r.lo_key, r.lo_seq from rank_nodes r
    where r.board_id = u.b and r.generation = u.g and r.is_test = u.t and r.level = 2 and (r.lo_key, r.lo_seq) <= (u.k, u.s)
    order by r.lo_key desc, r.lo_seq desc limit 1) l2 on true
  left join lateral (select r.lo_key, r.lo_seq from rank_nodes r
    where r.board_id = u.b and r.generation = u.g and r.is_test = u.t and r.level = 1
      and (r.lo_key, r.lo_seq) <= (u.k, u.s) and (r.lo_key, r.lo_seq) >= (l2.lo_key, l2.lo_seq)
    order by r.lo_key desc, r.lo_seq desc limit 1) l1 on true
  left join lateral (select r.lo_key, r.lo_seq from rank_nodes r
    where r.board_id = u.b and r.generation = u.g and r.is_test = u.t and r.level = 0
      and (r.lo_key, r.lo_seq) <= (u.k, u.s) and (r.lo_key, r.lo_seq) >= (l1.lo_key, l1.lo_seq)
    order by r.lo_key desc, r.lo_seq desc limit 1) l0 on true
$$;

-- Where rank r lies: the leaf's lower bound and how many of its entries to skip. No row when r is beyond the last rank.
create function locate_rank(b uuid, g integer, t boolean, r bigint) returns table (lo_key float8, lo_seq bigint, skip bigint)
language plpgsql stable as $$
declare
  before bigint := 0;
  step record;
  from_key float8 := '-infinity'; from_seq bigint := 0;
  upper_key float8 := 'nan'; upper_seq bigint := 0;
begin
  for l in reverse 2..0 loop
    select x.lo_key, x.lo_seq, x.n, x.ahead, x.next_key, x.next_seq into step from (
      select p.lo_key, p.lo_seq, p.n,
        sum(p.n) over (order by p.lo_key, p.lo_seq) - p.n as ahead,
        lead(p.lo_key) over (order by p.lo_key, p.lo_seq) as next_key,
        lead(p.lo_seq) over (order by p.lo_key, p.lo_seq) as next_seq
      from rank_nodes p
      where p.board_id = b and p.generation = g and p.is_test = t and p.level = l
        and (p.lo_key, p.lo_seq) >= (from_key, from_seq) and (p.lo_key, p.lo_seq) < (upper_key, upper_seq)) x
      where before + x.ahead < r and x.n > 0
      order by x.lo_key desc, x.lo_seq desc limit 1;
    if not found or r > before + step.ahead + step.n then
      return;
    end if;
    before := before + step.ahead;
    from_key := step.lo_key; from_seq := step.lo_seq;
    if step.next_key is not null then
      upper_key := step.next_key; upper_seq := step.next_seq;
    end if;
  end loop;
  return query select from_key, from_seq, r - 1 - before;
end $$;

-- Ranked entries of a board's population: a sum over the top level.
create function ranked_count(b uuid, g integer, t boolean) returns bigint language sql stable as $$
  select coalesce(sum(n), 0)::bigint from rank_nodes where board_id = b and generation = g and is_test = t and level = 2
$$;

-- Builds the tree of a population bottom-up from its entries, nodes filled to 70 % (else every first insert splits).
create function build_rank_tree(b uuid, g integer, t boolean) returns void language plpgsql as $$
declare
  leaf integer := greatest(1, rank_leaf_capacity() * 7 / 10);
  width integer := greatest(2, rank_fan_out() * 7 / 10);
begin
  delete from rank_nodes where board_id = b and generation = g and is_test = t;
  insert into rank_nodes (board_id, generation, is_test, level, lo_key, lo_seq, n)
    select b, g, t, 0,
      case when lead.i = 1 then '-infinity' else lead.rank_key end,
      case when lead.i = 1 then 0 else lead.seq end,
      least(leaf, lead.total - lead.i + 1)
    from (select rank_key, seq, row_number() over (order by rank_key, seq) as i, count(*) over () as total
          from entries where board_id = b and generation = g and is_test = t and ranked) lead
    where (lead.i - 1) % leaf = 0;
  for l in 1..2 loop
    insert into rank_nodes (board_id, generation, is_test, level, lo_key, lo_seq, n)
      select b, g, t, l, (array_agg(x.lo_key order by x.i))[1], (array_agg(x.lo_seq order by x.i))[1], sum(x.n)
      from (select lo_key, lo_seq, n, row_number() over (order by lo_key, lo_seq) as i
            from rank_nodes where board_id = b and generation = g and is_test = t and level = l - 1) x
      group by (x.i - 1) / width;
  end loop;
end $$;
