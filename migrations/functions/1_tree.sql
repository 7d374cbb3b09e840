-- The counted tree: how many entries of a board come before a key, in a few index pages. Layout and reasons:
-- docs/decisions/counted-tree.md.

-- Entries in a leaf, leaves in a run and runs in a top before it is split. Found by bench/tree: a change costs half a run's
-- width, and two rows of tops must fit on a page.
create or replace function rank_leaf_capacity() returns integer language sql immutable parallel safe as 'select 64';
create or replace function rank_run_width() returns integer language sql immutable parallel safe as 'select 32';
create or replace function rank_top_width() returns integer language sql immutable parallel safe as 'select 192';

-- The number that orders an entry among equal values, from the number of the event that reached its value: the earlier event
-- first or, with `ties` `latest`, the later one. Positive and exact in a double either way, because the tree begins at 0 and
-- gateways compute with it.
create or replace function placed_seq(seq bigint, ties text) returns bigint language sql immutable parallel safe as $$
  select case ties when 'latest' then 9007199254740991 - seq else seq end
$$;

-- The event number of an entry's `seq`.
create or replace function event_number(seq bigint) returns bigint language sql immutable parallel safe as $$
  select case when seq > 4503599627370496 then 9007199254740991 - seq else seq end
$$;

-- Which of these ranges contains the key (bounds ascending, the first not above the key). Only where a bound has the same key
-- does seq decide, because that costs as much as all the rest. C functions that search in place.
create or replace function rank_slot(lo_keys float8[], lo_seqs bigint[], k float8, s bigint) returns integer language sql immutable parallel safe as $$
  select case when lo_keys[width_bucket(k, lo_keys)] < k then width_bucket(k, lo_keys)
    else array_position(lo_keys, k) - 1 + width_bucket(s, lo_seqs[array_position(lo_keys, k) : width_bucket(k, lo_keys)]) end
$$;

-- Where a key belongs: its top's bounds, the run's slot in it, the run's bounds, the leaf's slot in it, its bounds, and how
-- many entries come before the leaf. No row on a board without entries. LIMIT 1 computes each slot once.
create or replace function rank_place(b uuid, g integer, t boolean, k float8, s bigint) returns table (
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

-- Rank of a key: 1 + the entries before it. The key itself need not be on the board. No row on a board without entries: there
-- every rank is 1.
create or replace function rank_of(b uuid, g integer, t boolean, k float8, s bigint) returns table (rank bigint) language sql stable as $$
  select 1 + p.ahead + (select count(*) from entries e
    where e.board_id = b and e.generation = g and e.is_test = t and e.ranked
      and (e.rank_key, e.seq) >= (p.leaf_key, p.leaf_seq) and (e.rank_key, e.seq) < (k, s))
  from rank_place(b, g, t, k, s) p
$$;

-- Ranked entries of a board's population, to be inlined into statements about many boards or windows: the function below is a
-- query of its own on each call.
create or replace function ranked_counts(b uuid, g integer, t boolean) returns table (n bigint) language sql stable rows 1 as $$
  select coalesce((
    select r.ahead + r.sums[cardinality(r.sums)] from rank_tops r
    where r.board_id = b and r.generation = g and r.is_test = t
    order by r.lo_key desc, r.lo_seq desc limit 1), 0)
$$;

create or replace function ranked_count(b uuid, g integer, t boolean) returns bigint language sql stable as $$
  select c.n from ranked_counts(b, g, t) c
$$;

-- Whether a page in memory may differ from what is there, at number `upto` of its board and with `n` entries of its ranking. A page: the policy of
-- ties, the number of the board's last event and of entries, and its first key and the one after its last, each with its rank (null: there
-- is no limit). It is as it was if all that has changed since is submissions, none has put an entry on it, and as many entries as before are
-- before it and up to its end: where none falls, fewer up to the end are fewer before it. Where values share ranks, no entry may have come
-- before it either. An event has moved the entry that shows it. Reading a page costs as much as some hundred events. These are found by number
-- alone: by a plan made for an empty table, the population would be a reason to walk all events of the board.
create or replace function page_moved(b uuid, g integer, kind text, direction text, strategy text, ties text, upto bigint, n bigint, t boolean, page text[])
returns boolean language plpgsql stable as $$
declare
  since bigint := page[2];
  low_key float8 := page[4]; low_seq bigint := page[5]; low_rank bigint := page[6];
  high_key float8 := page[7]; high_seq bigint := page[8]; high_rank bigint := page[9];
  falls boolean := kind = 'counter' or strategy = 'last';
  moved bigint; is_changed boolean;
begin
  if page[1] <> ties or page[3]::bigint <> n or upto - since > 200 then
    return true;
  end if;
  select count(*), bool_or(not x.is_before and not x.is_behind or x.is_before and ties in ('competition', 'dense')) into moved, is_changed
  from (select v.* from score_events v where v.board_id = b and v.seq > since and v.seq <= upto offset 0) v
  cross join lateral (
    select coalesce((e.rank_key, e.seq) < (low_key, low_seq), false) as is_before, coalesce((e.rank_key, e.seq) >= (high_key, high_seq), false) as is_behind
    from entries e where e.board_id = b and e.generation = g and e.is_test = t
      and e.slot = case kind when 'run_runs' then v.id else v.identity_id end and e.ranked and e.event_seq = v.seq
    limit 1) x
  -- Events that have moved nothing in the board's own ranking, or to where it is behind, need no look at the entry.
  where v.is_test = t and (g < 0 or v.replaced_seq is not null) and (falls or high_key is null or rank_key_of(v.amount, direction) <= high_key);
  if moved = 0 or is_changed then
    return moved > 0;
  end if;
  return low_rank is not null and (select r.rank <> low_rank from rank_of(b, g, t, low_key, low_seq) r)
    or high_rank is not null and falls and (select r.rank <> high_rank from rank_of(b, g, t, high_key, high_seq) r);
end $$;

-- Where rank r is: the leaf's lower bound and how many of its entries to skip. No row when r is beyond the last rank.
create or replace function locate_rank(b uuid, g integer, t boolean, r bigint) returns table (lo_key float8, lo_seq bigint, skip bigint)
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
  -- The last one that begins at or before it; empty ones are skipped.
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
create or replace function build_rank_tree(b uuid, g integer, t boolean) returns void language plpgsql as $$
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

-- Into how many pieces an oversized node is split: filled to 70 %, or every next insert would split again.
create or replace function rank_pieces(held bigint, capacity integer) returns integer language sql immutable parallel safe as $$
  select ceil(held::float8 / greatest(1, capacity * 7 / 10))::integer
$$;

-- True if one of these leaves must be split or removed.
create or replace function rank_leaves_unsettled(sums integer[], slots integer[]) returns boolean language plpgsql immutable as $$
declare
  held integer;
begin
  foreach held in array slots loop
    held := sums[held + 1] - sums[held];
    if held > rank_leaf_capacity() or held = 0 then
      return true;
    end if;
  end loop;
  return false;
end $$;

-- Sums after `ds` were added in these slots, ascending.
create or replace function rank_sums_plus(sums integer[], slots integer[], ds integer[]) returns integer[] language plpgsql immutable as $$
declare
  added integer := 0;
  next integer := 1;
begin
  for i in slots[1] + 1 .. cardinality(sums) loop
    if slots[next] < i then
      added := added + ds[next]; next := next + 1;
    end if;
    sums[i] := sums[i] + added;
  end loop;
  return sums;
end $$;

-- The top at (key, seq) has too many runs or no entries: it is split, or removed with its remaining runs.
create or replace function settle_rank_top(b uuid, g integer, t boolean, key float8, s bigint) returns void language plpgsql as $$
declare
  top rank_tops;
  width integer; pieces integer; at integer; upto integer;
begin
  select * into top from rank_tops r where r.board_id = b and r.generation = g and r.is_test = t and r.lo_key = key and r.lo_seq = s;
  width := cardinality(top.lo_keys);
  if top.sums[width + 1] = 0 and key > '-infinity' then
    delete from rank_runs r using unnest(top.lo_keys, top.lo_seqs) u(k, s)
      where r.board_id = b and r.generation = g and r.is_test = t and r.lo_key = u.k and r.lo_seq = u.s;
    delete from rank_tops r where r.board_id = b and r.generation = g and r.is_test = t and r.lo_key = key and r.lo_seq = s;
  elsif width > rank_top_width() then
    pieces := rank_pieces(width, rank_top_width());
    for p in 0 .. pieces - 1 loop
      at := p * width / pieces + 1; upto := (p + 1) * width / pieces;
      insert into rank_tops as r (board_id, generation, is_test, lo_key, lo_seq, ahead, lo_keys, lo_seqs, sums)
        values (b, g, t, top.lo_keys[at], top.lo_seqs[at], top.ahead + top.sums[at], top.lo_keys[at : upto], top.lo_seqs[at : upto],
          array(select x - top.sums[at] from unnest(top.sums[at : upto + 1]) x))
        on conflict (board_id, generation, is_test, lo_key, lo_seq) do update
          set lo_keys = excluded.lo_keys, lo_seqs = excluded.lo_seqs, sums = excluded.sums;
    end loop;
  end if;
end $$;

-- In the run at (key, seq) a leaf is too large or empty. Large ones are split evenly, empty ones but the first removed; then a
-- run with too many leaves is split, and an empty one removed unless it is the first of its top.
create or replace function settle_rank_run(b uuid, g integer, t boolean, key float8, s bigint) returns void language plpgsql as $$
declare
  run rank_runs; top rank_tops;
  lo_keys float8[] := '{}'; lo_seqs bigint[] := '{}'; sums integer[] := '{0}';
  cut_keys float8[]; cut_seqs bigint[];
  held integer; width integer; pieces integer; at integer; upto integer; slot integer;
  run_keys float8[] := '{}'; run_seqs bigint[] := '{}'; run_sums integer[] := '{}';
begin
  select * into run from rank_runs r where r.board_id = b and r.generation = g and r.is_test = t and r.lo_key = key and r.lo_seq = s;
  if not found then
    return;  -- it went with its top
  end if;
  for i in 1..cardinality(run.lo_keys) loop
    held := run.sums[i + 1] - run.sums[i];
    if held <= rank_leaf_capacity() then
      if held > 0 or i = 1 then
        lo_keys := lo_keys || run.lo_keys[i]; lo_seqs := lo_seqs || run.lo_seqs[i]; sums := sums || run.sums[i + 1];
      end if;
      continue;
    end if;
    pieces := rank_pieces(held, rank_leaf_capacity());
    select array_agg(x.rank_key order by x.i), array_agg(x.seq order by x.i) into cut_keys, cut_seqs
      from (select e.rank_key, e.seq, row_number() over (order by e.rank_key, e.seq) - 1 as i from entries e
        where e.board_id = b and e.generation = g and e.is_test = t and e.ranked
          and (e.rank_key, e.seq) >= (run.lo_keys[i], run.lo_seqs[i])
        order by e.rank_key, e.seq limit held) x
      where x.i > 0 and x.i in (select p * held / pieces from generate_series(1, pieces - 1) p);
    lo_keys := lo_keys || run.lo_keys[i] || cut_keys; lo_seqs := lo_seqs || run.lo_seqs[i] || cut_seqs;
    sums := sums || array(select run.sums[i] + p * held / pieces from generate_series(1, pieces) p);
  end loop;

  select * into strict top from rank_tops r
    where r.board_id = b and r.generation = g and r.is_test = t and (r.lo_key, r.lo_seq) <= (key, s)
    order by r.lo_key desc, r.lo_seq desc limit 1;
  slot := rank_slot(top.lo_keys, top.lo_seqs, key, s);
  width := cardinality(lo_keys);
  if sums[width + 1] = 0 and slot > 1 then
    delete from rank_runs r where r.board_id = b and r.generation = g and r.is_test = t and r.lo_key = key and r.lo_seq = s;
  else
    pieces := case when width > rank_run_width() then rank_pieces(width, rank_run_width()) else 1 end;
    for p in 0 .. pieces - 1 loop
      at := p * width / pieces + 1; upto := (p + 1) * width / pieces;
      insert into rank_runs as r (board_id, generation, is_test, lo_key, lo_seq, lo_keys, lo_seqs, sums)
        values (b, g, t, lo_keys[at], lo_seqs[at], lo_keys[at : upto], lo_seqs[at : upto],
          array(select x - sums[at] from unnest(sums[at : upto + 1]) x))
        on conflict (board_id, generation, is_test, lo_key, lo_seq) do update
          set lo_keys = excluded.lo_keys, lo_seqs = excluded.lo_seqs, sums = excluded.sums;
      run_keys := run_keys || lo_keys[at]; run_seqs := run_seqs || lo_seqs[at]; run_sums := run_sums || top.sums[slot] + sums[at];
    end loop;
  end if;
  if cardinality(run_keys) <> 1 then
    update rank_tops r set
        lo_keys = r.lo_keys[: slot - 1] || run_keys || r.lo_keys[slot + 1 :],
        lo_seqs = r.lo_seqs[: slot - 1] || run_seqs || r.lo_seqs[slot + 1 :],
        sums = r.sums[: slot - 1] || run_sums || r.sums[slot + 1 :]
      where r.board_id = b and r.generation = g and r.is_test = t and r.lo_key = top.lo_key and r.lo_seq = top.lo_seq;
  end if;
  if sums[width + 1] = 0 or cardinality(run_keys) > 1 then
    perform settle_rank_top(b, g, t, top.lo_key, top.lo_seq);
  end if;
end $$;

-- Adds each change to its leaf, then splits what is too large and removes what is empty. Positions are those before any of
-- these changes, the entries are already written, and the boards are locked.
create or replace function change_ranks(changes rank_change[]) returns void language plpgsql as $$
declare
  unsettled record;
begin
  with changed as (
    update rank_runs r set sums = rank_sums_plus(r.sums, x.slots, x.ds)
    from (
      select l.board_id, l.generation, l.is_test, l.run_key, l.run_seq, array_agg(l.leaf order by l.leaf) as slots, array_agg(l.d order by l.leaf) as ds
      from (select c.board_id, c.generation, c.is_test, c.run_key, c.run_seq, c.leaf, sum(c.d)::integer as d from unnest(changes) c
            group by c.board_id, c.generation, c.is_test, c.run_key, c.run_seq, c.leaf having sum(c.d) <> 0) l
      group by l.board_id, l.generation, l.is_test, l.run_key, l.run_seq) x
    where r.board_id = x.board_id and r.generation = x.generation and r.is_test = x.is_test and r.lo_key = x.run_key and r.lo_seq = x.run_seq
    returning r.board_id, r.generation, r.is_test, r.lo_key, r.lo_seq, rank_leaves_unsettled(r.sums, x.slots) as unsettled)
  select array_agg(c.board_id) as boards, array_agg(c.generation) as generations, array_agg(c.is_test) as ts, array_agg(c.lo_key) as keys,
      array_agg(c.lo_seq) as seqs
    into unsettled from changed c where c.unsettled;

  with moved as materialized (
    select l.board_id, l.generation, l.is_test, l.top_key, l.top_seq, array_agg(l.run order by l.run) as slots, array_agg(l.d order by l.run) as ds,
      sum(l.d)::integer as d
    from (select c.board_id, c.generation, c.is_test, c.top_key, c.top_seq, c.run, sum(c.d)::integer as d from unnest(changes) c
          group by c.board_id, c.generation, c.is_test, c.top_key, c.top_seq, c.run having sum(c.d) <> 0) l
    group by l.board_id, l.generation, l.is_test, l.top_key, l.top_seq)
  update rank_tops r set ahead = r.ahead + x.added, sums = case when x.slots is null then r.sums else rank_sums_plus(r.sums, x.slots, x.ds) end
  from (
    select p.board_id, p.generation, p.is_test, p.lo_key, p.lo_seq, m.slots, m.ds,
      coalesce(sum(m.d) over (partition by p.board_id, p.generation, p.is_test order by p.lo_key, p.lo_seq
        rows between unbounded preceding and 1 preceding), 0) as added
    from (select distinct v.board_id, v.generation, v.is_test from moved v) o
    join rank_tops p on p.board_id = o.board_id and p.generation = o.generation and p.is_test = o.is_test
    left join moved m on m.board_id = o.board_id and m.generation = o.generation and m.is_test = o.is_test
      and m.top_key = p.lo_key and m.top_seq = p.lo_seq) x
  where r.board_id = x.board_id and r.generation = x.generation and r.is_test = x.is_test and r.lo_key = x.lo_key and r.lo_seq = x.lo_seq
    and (x.added <> 0 or x.slots is not null);

  for i in 1 .. coalesce(cardinality(unsettled.boards), 0) loop
    perform settle_rank_run(unsettled.boards[i], unsettled.generations[i], unsettled.ts[i], unsettled.keys[i], unsettled.seqs[i]);
  end loop;
end $$;

-- The tree of a population before its first entry.
create or replace function plant_rank_tree(b uuid, g integer, t boolean) returns void language plpgsql as $$
begin
  if not exists (select from rank_tops r where r.board_id = b and r.generation = g and r.is_test = t and r.lo_key = '-infinity' and r.lo_seq = 0) then
    insert into rank_tops (board_id, generation, is_test, lo_key, lo_seq, ahead, lo_keys, lo_seqs, sums)
      values (b, g, t, '-infinity', 0, 0, '{-infinity}', '{0}', '{0,0}');
    insert into rank_runs (board_id, generation, is_test, lo_key, lo_seq, lo_keys, lo_seqs, sums)
      values (b, g, t, '-infinity', 0, '{-infinity}', '{0}', '{0,0}');
  end if;
end $$;

-- Entries were added (+1) and removed (-1) at these keys.
create or replace function apply_rank_deltas(b uuid, g integer, t boolean, ks float8[], ss bigint[], ds integer[]) returns void language plpgsql as $$
begin
  perform plant_rank_tree(b, g, t);
  perform change_ranks(x.changes) from (
    select array_agg((0, b, g, t, u.d, p.top_key, p.top_seq, p.run, p.run_key, p.run_seq, p.leaf, null)::rank_change) as changes
    from unnest(ks, ss, ds) u(k, s, d) cross join lateral rank_place(b, g, t, u.k, u.s) p) x;
end $$;

-- As in 006_verify.sql; the event an entry shows may be another board's.
create or replace function verify_rank_range(b uuid, g integer, t boolean, from_key float8, from_seq bigint)
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
    left join score_events v on v.board_id = coalesce(e.event_board_id, b) and v.seq = e.event_seq
    left join identities i on i.id = e.identity_id
    left join states s on s.board_id = b and s.is_test = e.is_test and s.identity_id = e.identity_id
    -- Values have neither events nor players.
    where not is_values_generation(g) and e.board_id = b and e.generation = g and e.is_test = t and e.ranked
      and (e.rank_key, e.seq) >= (node.lo_key, node.lo_seq) and (e.rank_key, e.seq) < (upper_key, upper_seq)
      and (v.id is null or v.identity_id <> e.identity_id or v.metadata is distinct from e.metadata or i.id is null
        -- A ratio board stays readable while its states are being written.
        or s.id is null and not coalesce(r.build ->> 'phase' = 'states' or (r.build -> 'unsettled')::boolean, false)
        or ((r.generation = g or g < 0) and r.board_type <> 'ratio' and e.rank_key <> rank_key_of(e.value, r.sort_direction)))
    order by e.rank_key, e.seq limit 100);
  return next;
end $$;

-- Faults above the runs: tops compared with each other, their sums with the runs, and where both levels begin.
create or replace function verify_rank_top(b uuid, g integer, t boolean) returns text[] language sql stable as $$
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
