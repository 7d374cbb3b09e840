-- How the counted tree (003_counted_tree.sql) follows its entries: counts, cuts, what is empty goes. Writers hold the
-- board's lock (its row in board_rankings) and have written the entries before.

-- Into how many pieces something too large is cut: filled to 70 %, else every next insert would cut again.
create function rank_pieces(held bigint, capacity integer) returns integer language sql immutable parallel safe as $$
  select ceil(held::float8 / greatest(1, capacity * 7 / 10))::integer
$$;

-- Whether one of these leaves is to be cut or to go.
create function rank_leaves_unsettled(sums integer[], slots integer[]) returns boolean language plpgsql immutable as $$
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
create function rank_sums_plus(sums integer[], slots integer[], ds integer[]) returns integer[] language plpgsql immutable as $$
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

-- The top at (key, seq) has too many runs, or no entries: it is cut into pieces, or goes with what is left of its runs.
create function settle_rank_top(b uuid, g integer, t boolean, key float8, s bigint) returns void language plpgsql as $$
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

-- In the run at (key, seq) a leaf is overfull or empty. Overfull ones are cut evenly, empty ones but the first go; then a
-- run with too many leaves is cut, and an empty one goes, unless it is the first of its top.
create function settle_rank_run(b uuid, g integer, t boolean, key float8, s bigint) returns void language plpgsql as $$
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

-- Adds `ds` to the leaves at these places (of rank_place, before any of these changes), then cuts what is overfull and
-- drops what is empty. The entries are written already. `ns` and what follows have an element a place, of board boards[n]; their locks are held.
create function change_rank_counts(
  boards uuid[], generations integer[], ns integer[], ts boolean[], top_keys float8[], top_seqs bigint[], runs integer[], run_keys float8[],
  run_seqs bigint[], leaves integer[], ds integer[])
returns void language plpgsql as $$
declare
  unsettled record;
begin
  with changed as (
    update rank_runs r set sums = rank_sums_plus(r.sums, x.slots, x.ds)
    from (
      select l.n, l.t, l.key, l.seq, array_agg(l.leaf order by l.leaf) as slots, array_agg(l.d order by l.leaf) as ds
      from (select u.n, u.t, u.key, u.seq, u.leaf, sum(u.d)::integer as d from unnest(ns, ts, run_keys, run_seqs, leaves, ds) u(n, t, key, seq, leaf, d)
            group by u.n, u.t, u.key, u.seq, u.leaf having sum(u.d) <> 0) l
      group by l.n, l.t, l.key, l.seq) x
    where r.board_id = boards[x.n] and r.generation = generations[x.n] and r.is_test = x.t and r.lo_key = x.key and r.lo_seq = x.seq
    returning x.n, r.is_test, r.lo_key, r.lo_seq, rank_leaves_unsettled(r.sums, x.slots) as unsettled)
  select array_agg(c.n) as ns, array_agg(c.is_test) as ts, array_agg(c.lo_key) as keys, array_agg(c.lo_seq) as seqs
    into unsettled from changed c where c.unsettled;

  with moved as materialized (
    select l.n, l.t, l.key, l.seq, array_agg(l.run order by l.run) as slots, array_agg(l.d order by l.run) as ds, sum(l.d)::integer as d
    from (select u.n, u.t, u.key, u.seq, u.run, sum(u.d)::integer as d from unnest(ns, ts, top_keys, top_seqs, runs, ds) u(n, t, key, seq, run, d)
          group by u.n, u.t, u.key, u.seq, u.run having sum(u.d) <> 0) l
    group by l.n, l.t, l.key, l.seq)
  update rank_tops r set ahead = r.ahead + x.added, sums = case when x.slots is null then r.sums else rank_sums_plus(r.sums, x.slots, x.ds) end
  from (
    select p.board_id, p.generation, p.is_test, p.lo_key, p.lo_seq, m.slots, m.ds,
      coalesce(sum(m.d) over (partition by o.n, o.t order by p.lo_key, p.lo_seq rows between unbounded preceding and 1 preceding), 0) as added
    from (select distinct u.n, u.t from unnest(ns, ts) u(n, t)) o
    join rank_tops p on p.board_id = boards[o.n] and p.generation = generations[o.n] and p.is_test = o.t
    left join moved m on m.n = o.n and m.t = o.t and m.key = p.lo_key and m.seq = p.lo_seq) x
  where r.board_id = x.board_id and r.generation = x.generation and r.is_test = x.is_test and r.lo_key = x.lo_key and r.lo_seq = x.lo_seq
    and (x.added <> 0 or x.slots is not null);

  for i in 1 .. coalesce(cardinality(unsettled.ns), 0) loop
    perform settle_rank_run(boards[unsettled.ns[i]], generations[unsettled.ns[i]], unsettled.ts[i], unsettled.keys[i], unsettled.seqs[i]);
  end loop;
end $$;

-- The tree of a population before its first entry.
create function plant_rank_tree(b uuid, g integer, t boolean) returns void language plpgsql as $$
begin
  if not exists (select from rank_tops r where r.board_id = b and r.generation = g and r.is_test = t and r.lo_key = '-infinity' and r.lo_seq = 0) then
    insert into rank_tops (board_id, generation, is_test, lo_key, lo_seq, ahead, lo_keys, lo_seqs, sums)
      values (b, g, t, '-infinity', 0, 0, '{-infinity}', '{0}', '{0,0}');
    insert into rank_runs (board_id, generation, is_test, lo_key, lo_seq, lo_keys, lo_seqs, sums)
      values (b, g, t, '-infinity', 0, '{-infinity}', '{0}', '{0,0}');
  end if;
end $$;

-- Entries were added (+1) and taken away (-1) at these keys.
create function apply_rank_deltas(b uuid, g integer, t boolean, ks float8[], ss bigint[], ds integer[]) returns void language plpgsql as $$
begin
  perform plant_rank_tree(b, g, t);
  perform change_rank_counts(array[b], array[g], x.ns, x.ts, x.top_keys, x.top_seqs, x.runs, x.run_keys, x.run_seqs, x.leaves, x.ds) from (
    select array_agg(1) as ns, array_agg(t) as ts, array_agg(p.top_key) as top_keys, array_agg(p.top_seq) as top_seqs, array_agg(p.run) as runs,
      array_agg(p.run_key) as run_keys, array_agg(p.run_seq) as run_seqs, array_agg(p.leaf) as leaves, array_agg(u.d) as ds
    from unnest(ks, ss, ds) u(k, s, d) cross join lateral rank_place(b, g, t, u.k, u.s) p) x;
end $$;
