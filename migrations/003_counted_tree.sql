-- The counted tree: ranks without counting rows. The order (rank_key, seq) of a population is cut into leaves of some
-- dozen entries, runs of leaves, and tops of runs. A leaf is no row: a run's row holds the lower bounds and sums of its
-- leaves in arrays, a top's row those of its runs, so that a rank is two rows, a binary search in each, and a count over
-- one leaf's entries. A range goes from its lower bound (inclusive) to the next one's; the first begins at
-- (-infinity, 0). How it follows its entries: 003_counted_tree_changes.sql.

create table rank_runs (
  board_id    uuid not null,
  generation  integer not null,
  is_test     boolean not null,
  lo_key      float8 not null,
  lo_seq      bigint not null,
  -- Of each leaf: its lower bound (the first one's is the run's own) and the entries of this run before it; `sums` ends
  -- with the entries of all its leaves.
  lo_keys     float8[] not null,
  lo_seqs     bigint[] not null,
  sums        integer[] not null,
  primary key (board_id, generation, is_test, lo_key, lo_seq)
) with (fillfactor = 50, toast_tuple_target = 8160,
        autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0);

create table rank_tops (
  board_id    uuid not null,
  generation  integer not null,
  is_test     boolean not null,
  lo_key      float8 not null,
  lo_seq      bigint not null,
  -- Entries before this top.
  ahead       bigint not null,
  -- Of each run as in a run of each leaf.
  lo_keys     float8[] not null,
  lo_seqs     bigint[] not null,
  sums        integer[] not null,
  primary key (board_id, generation, is_test, lo_key, lo_seq)
) with (fillfactor = 50, toast_tuple_target = 8160,
        autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0);

-- Arrays are searched in place: never compressed, and in the row up to a page.
alter table rank_runs alter lo_keys set storage external, alter lo_seqs set storage external, alter sums set storage external;
alter table rank_tops alter lo_keys set storage external, alter lo_seqs set storage external, alter sums set storage external;

-- Entries of a leaf, leaves of a run, runs of a top before it is cut. Found by bench/tree: a change costs half a run's
-- width, and a top's row has to fit twice on a page.
create function rank_leaf_capacity() returns integer language sql immutable parallel safe as 'select 64';
create function rank_run_width() returns integer language sql immutable parallel safe as 'select 32';
create function rank_top_width() returns integer language sql immutable parallel safe as 'select 192';

-- Which of these ranges (bounds ascending, the first not beyond the key) the key lies in. Where a bound has the same key,
-- seq decides; that costs as much as all the rest, so it is only looked at then. C functions that search in place.
create function rank_slot(lo_keys float8[], lo_seqs bigint[], k float8, s bigint) returns integer language sql immutable parallel safe as $$
  select case when lo_keys[width_bucket(k, lo_keys)] < k then width_bucket(k, lo_keys)
    else array_position(lo_keys, k) - 1 + width_bucket(s, lo_seqs[array_position(lo_keys, k) : width_bucket(k, lo_keys)]) end
$$;

-- Where a key lies: its top's bounds, the run's slot in it, the run's bounds, the leaf's slot in it, its bounds, and how
-- many entries stand before the leaf. No row on a board without entries. LIMIT 1 keeps each slot from being computed
-- wherever it is used.
create function rank_place(b uuid, g integer, t boolean, k float8, s bigint) returns table (
  top_key float8, top_seq bigint, run integer, run_key float8, run_seq bigint, leaf integer, leaf_key float8, leaf_seq bigint, ahead bigint)
language sql stable as $$
  select top.lo_key, top.lo_seq, top.slot, run.lo_key, run.lo_seq, run.slot, run.lo_keys[run.slot], run.lo_seqs[run.slot],
    top.ahead + top.sums[top.slot] + run.sums[run.slot]
  from (select r.lo_key, r.lo_seq, r.ahead, r.lo_keys, r.lo_seqs, r.sums, rank_slot(r.lo_keys, r.lo_seqs, k, s) as slot from rank_tops r
    where r.board_id = b and r.generation = g and r.is_test = t and (r.lo_key, r.lo_seq) <= (k, s)
    order by r.lo_key desc, r.lo_seq desc limit 1) top
  cross join lateral (select r.lo_key, r.lo_seq, r.lo_keys, r.lo_seqs, r.sums, rank_slot(r.lo_keys, r.lo_seqs, k, s) as slot from rank_runs r
    where r.board_id = b and r.generation = g and r.is_test = t
      and r.lo_key = top.lo_keys[top.slot] and r.lo_seq = top.lo_seqs[top.slot] limit 1) run
$$;

-- Rank of a key: 1 + what stands before it. The key itself need not be on the board. No row on a board without entries:
-- there every rank is 1.
create function rank_of(b uuid, g integer, t boolean, k float8, s bigint) returns table (rank bigint) language sql stable as $$
  select 1 + p.ahead + (select count(*) from entries e
    where e.board_id = b and e.generation = g and e.is_test = t and e.ranked
      and (e.rank_key, e.seq) >= (p.leaf_key, p.leaf_seq) and (e.rank_key, e.seq) < (k, s))
  from rank_place(b, g, t, k, s) p
$$;

-- Ranked entries of a board's population, as a part of the statement that asks for many boards or windows: the function
-- below is a query of its own each time it is called.
create function ranked_counts(b uuid, g integer, t boolean) returns table (n bigint) language sql stable rows 1 as $$
  select coalesce((
    select r.ahead + r.sums[cardinality(r.sums)] from rank_tops r
    where r.board_id = b and r.generation = g and r.is_test = t
    order by r.lo_key desc, r.lo_seq desc limit 1), 0)
$$;

create function ranked_count(b uuid, g integer, t boolean) returns bigint language sql stable as $$
  select c.n from ranked_counts(b, g, t) c
$$;

-- Where rank r lies: the leaf's lower bound and how many of its entries to skip. No row when r is beyond the last rank.
create function locate_rank(b uuid, g integer, t boolean, r bigint) returns table (lo_key float8, lo_seq bigint, skip bigint)
language plpgsql stable as $$
declare
  top rank_tops; run rank_runs;
  slot integer;
begin
  select * into top from rank_tops x
    where x.board_id = b and x.generation = g and x.is_test = t and x.ahead < r
    order by x.lo_key desc, x.lo_seq desc limit 1;
  skip := r - 1 - top.ahead;
  if not found or skip >= top.sums[cardinality(top.sums)] then
    return;
  end if;
  -- The last one that begins at or before it: empty ones are passed over.
  slot := width_bucket(skip::integer, top.sums);
  skip := skip - top.sums[slot];
  select * into run from rank_runs x
    where x.board_id = b and x.generation = g and x.is_test = t and x.lo_key = top.lo_keys[slot] and x.lo_seq = top.lo_seqs[slot];
  slot := width_bucket(skip::integer, run.sums);
  skip := skip - run.sums[slot];
  lo_key := run.lo_keys[slot]; lo_seq := run.lo_seqs[slot];
  return next;
end $$;

-- Builds the tree of a population bottom-up from its entries, everything filled to 70 %.
create function build_rank_tree(b uuid, g integer, t boolean) returns void language plpgsql as $$
declare
  leaf integer := greatest(1, rank_leaf_capacity() * 7 / 10);
  width integer := greatest(2, rank_run_width() * 7 / 10);
  top_width integer := greatest(2, rank_top_width() * 7 / 10);
begin
  delete from rank_tops where board_id = b and generation = g and is_test = t;
  delete from rank_runs where board_id = b and generation = g and is_test = t;
  insert into rank_runs (board_id, generation, is_test, lo_key, lo_seq, lo_keys, lo_seqs, sums)
    select b, g, t, (array_agg(l.key order by l.i))[1], (array_agg(l.seq order by l.i))[1],
      array_agg(l.key order by l.i), array_agg(l.seq order by l.i),
      array_agg((l.i - l.first)::integer order by l.i) || least(leaf * width, l.total - l.first)::integer
    from (select case when x.i = 0 then '-infinity' else x.rank_key end as key, case when x.i = 0 then 0 else x.seq end as seq,
            x.i, x.i / (leaf * width) * (leaf * width) as first, x.total
          from (select rank_key, seq, row_number() over (order by rank_key, seq) - 1 as i, count(*) over () as total
                from entries where board_id = b and generation = g and is_test = t and ranked) x
          where x.i % leaf = 0) l
    group by l.first, l.total;
  insert into rank_tops (board_id, generation, is_test, lo_key, lo_seq, ahead, lo_keys, lo_seqs, sums)
    select b, g, t, (array_agg(r.lo_key order by r.i))[1], (array_agg(r.lo_seq order by r.i))[1], r.first,
      array_agg(r.lo_key order by r.i), array_agg(r.lo_seq order by r.i),
      array_agg((r.ahead - r.first)::integer order by r.i) || (max(r.ahead + r.n) - r.first)::integer
    from (select c.*, min(c.ahead) over (partition by c.i / top_width) as first
          from (select x.lo_key, x.lo_seq, x.n, x.i, sum(x.n) over (order by x.i) - x.n as ahead
                from (select lo_key, lo_seq, sums[cardinality(sums)]::bigint as n, row_number() over (order by lo_key, lo_seq) - 1 as i
                      from rank_runs where board_id = b and generation = g and is_test = t) x) c) r
    group by r.first;
end $$;
