-- Dense ranks: with the policy `dense` a ranking has a second one, with one entry per value (rank_key the value's, seq 0). It
-- is added with the value's first holder and removed with the last, in the transaction that changes the ranking, so rank_of(…,
-- key, 0) in it is the number of better values + 1. Reasons: docs/decisions/friends-and-ties.md. All writers hold the board's
-- lock unless stated otherwise.

-- The number of the ranking of values that belongs to a ranking. Boards' numbers are below 100 million, views' above -1,000
-- million.
create or replace function values_generation(g integer) returns integer language sql immutable parallel safe as $$
  select case when g > 0 then g - 2100000000 else g - 1000000000 end
$$;

-- True for numbers of rankings of values.
create or replace function is_values_generation(g integer) returns boolean language sql immutable parallel safe as $$
  select g <= -1000000000
$$;

-- The ranking in which (key, 0) has the display rank, by a policy where equal values share a rank.
create or replace function shown_generation(g integer, ties text) returns integer language sql immutable parallel safe as $$
  select case when ties = 'dense' then values_generation(g) else g end
$$;

-- The display rank of an entry's key where equal values share one. A separate function, called only for those: as a part of
-- the statements that read one entry, it cost Postgres a quarter of their time on all other boards.
create or replace function shown_rank(b uuid, g integer, t boolean, k float8, ties text) returns bigint language plpgsql stable strict as $$
begin
  return (select r.rank from rank_of(b, shown_generation(g, ties), t, k, 0) r);
end $$;

-- The primary key of a value: its bytes. + 0: there is one zero.
create or replace function value_slot(key float8) returns uuid language sql immutable parallel safe as $$
  select (encode(float8send(key + 0), 'hex') || '0000000000000000')::uuid
$$;

-- True if the ranking, served or under construction, has dense ranks.
create or replace function has_dense_ranks(b uuid, g integer) returns boolean language sql stable as $$
  select case when g > 0 then exists (
      select from board_rankings r where r.board_id = b and case when r.generation = g then r.tie_policy else r.build ->> 'ties' end = 'dense')
    else exists (select from rankings r join board_views v on v.board_id = b and v.view_no = r.view_no
        where r.board_id = b and r.generation = g and v.tie_policy = 'dense')
      or exists (select from rankings r join board_views v on v.board_id = b and v.view_no = r.view_no
        where r.board_id = b and r.next_generation = g and v.tie_policy = 'dense') end
$$;

-- Entries were added or removed (d <> 0) at these keys, and are written: the rankings of values follow, where there are any.
create or replace function follow_values(keys key_write[]) returns void language plpgsql volatile as $$
declare
  changes key_write[];
begin
  with ranking as materialized (
    -- OFFSET: evaluated once per ranking, not per key.
    select x.board_id, x.generation
    from (select distinct k.board_id, k.generation from unnest(keys) k where k.d <> 0 offset 0) x where has_dense_ranks(x.board_id, x.generation)
  ), value as materialized (
    select distinct k.board_id, k.generation, k.is_test, k.key + 0 as key, values_generation(k.generation) as beside
    from unnest(keys) k join ranking r on r.board_id = k.board_id and r.generation = k.generation where k.d <> 0
  ), compared as materialized (
    -- Both are read from the tables, not counted: a value that already exists, or whose holders changed, changes nothing.
    select v.*, h.rank_key is not distinct from v.key as held, l.place
    from value v
    left join lateral (select x.rank_key from entries x
      where x.board_id = v.board_id and x.generation = v.generation and x.is_test = v.is_test and x.ranked and (x.rank_key, x.seq) >= (v.key, 0)
      order by x.rank_key, x.seq limit 1) h on true
    left join lateral (select x.ctid as place from entries x
      where x.board_id = v.board_id and x.generation = v.beside and x.is_test = v.is_test and x.slot = value_slot(v.key) limit 1) l on true
  ), gone as (
    delete from entries e where e.ctid = any(array(select c.place from compared c where not c.held and c.place is not null))
    returning e.board_id, e.generation, e.is_test, e.rank_key
  ), came as (
    insert into entries (board_id, generation, is_test, slot, id, identity_id, event_seq, value, rank_key, seq, ranked, status, player_name, created_at, updated_at)
      select v.* from compared c
      cross join lateral value_entry(c.board_id, c.beside, c.is_test, c.key) v where c.held and c.place is null
    returning board_id, generation, is_test, rank_key
  )
  select array_agg((0, m.board_id, m.generation, m.is_test, m.rank_key, 0, m.d, false)::key_write) into changes
    from (select g.*, -1 as d from gone g union all select c.*, 1 from came c) m;
  if changes is not null then
    perform plant_rank_tree(x.board_id, x.generation, x.is_test)
      from (select distinct c.board_id, c.generation, c.is_test from unnest(changes) c) x;
    perform change_ranks(x.changes) from (
      select array_agg((0, c.board_id, c.generation, c.is_test, c.d, p.top_key, p.top_seq, p.run, p.run_key, p.run_seq, p.leaf, null)::rank_change) as changes
      from unnest(changes) c cross join lateral rank_place(c.board_id, c.generation, c.is_test, c.key, 0) p) x;
  end if;
end $$;

-- The same for keys of one ranking and population.
create or replace function follow_values(b uuid, g integer, t boolean, ks float8[]) returns void language plpgsql volatile as $$
begin
  perform follow_values(array(select (0, b, g, t, u.k, 0, 1, false)::key_write from unnest(ks) u(k)));
end $$;

-- The entry of a value. It belongs to no player and shows no event.
create or replace function value_entry(b uuid, g integer, t boolean, key float8) returns table (
  board_id uuid, generation integer, is_test boolean, slot uuid, id uuid, identity_id uuid, event_seq bigint, value float8, rank_key float8,
  seq bigint, ranked boolean, status text, player_name text, created_at timestamptz, updated_at timestamptz)
language sql immutable as $$
  select b, g, t, value_slot(key), value_slot(key), '00000000-0000-0000-0000-000000000000'::uuid, 0::bigint, key, key, 0::bigint, true, 'active', '',
    timestamptz 'epoch', timestamptz 'epoch'
$$;

-- The next different values of a ranking beyond one (null: from the first on), one probe each, however many entries have them.
create or replace function next_values(b uuid, g integer, t boolean, after float8, most integer) returns table (key float8) language sql stable as $$
  with recursive v(key, n) as (
    select (select x.rank_key from entries x
      where x.board_id = b and x.generation = g and x.is_test = t and x.ranked
        and (x.rank_key, x.seq) > (coalesce(after, '-infinity'), case when after is null then -1 else 9223372036854775807 end)
      order by x.rank_key, x.seq limit 1), 1
    union all
    select (select x.rank_key from entries x
      where x.board_id = b and x.generation = g and x.is_test = t and x.ranked and (x.rank_key, x.seq) > (v.key, 9223372036854775807)
      order by x.rank_key, x.seq limit 1), v.n + 1
    from v where v.key is not null and v.n < most
  )
  select v.key + 0 from v where v.key is not null
$$;

-- For a ranking under construction whose entries exist: adds the next values beyond those already listed, without a tree.
-- Without the lock. Returns how many; 0: all are listed.
create or replace function fill_values(b uuid, g integer, most integer) returns bigint language sql volatile as $$
  with filled as (
    insert into entries (board_id, generation, is_test, slot, id, identity_id, event_seq, value, rank_key, seq, ranked, status, player_name, created_at, updated_at)
      select v.*
      from (values (false), (true)) p(is_test)
      left join lateral (select x.rank_key from entries x
        where x.board_id = b and x.generation = values_generation(g) and x.is_test = p.is_test and x.ranked
        order by x.rank_key desc, x.seq desc limit 1) l on true
      cross join lateral next_values(b, g, p.is_test, l.rank_key, most) n
      cross join lateral value_entry(b, values_generation(g), p.is_test, n.key) v
    returning 1)
  select count(*) from filled
$$;

-- Prepares the rankings of values of these rankings, whose entries exist: some values per call, then all trees. Returns
-- whether they are ready.
create or replace function build_values(b uuid, gs integer[], most integer) returns boolean language plpgsql volatile as $$
declare
  g integer;
  added bigint := 0;
begin
  foreach g in array gs loop
    added := added + fill_values(b, g, most);
    if added >= greatest(most, 1) then
      return false;
    end if;
  end loop;
  if added > 0 then
    return false;
  end if;
  foreach g in array gs loop
    perform build_rank_tree(b, values_generation(g), false);
    perform build_rank_tree(b, values_generation(g), true);
  end loop;
  return true;
end $$;

-- Removes the values at these keys that no longer have a holder, from a ranking under construction whose trees are not built
-- yet.
create or replace function forget_values(b uuid, g integer, t boolean, ks float8[]) returns void language sql volatile as $$
  delete from entries e where e.ctid = any(array(
    select l.place
    from (select distinct u.k + 0 as key from unnest(ks) u(k)) v
    cross join lateral (select x.ctid as place from entries x
      where x.board_id = b and x.generation = values_generation(g) and x.is_test = t and x.slot = value_slot(v.key) limit 1) l
    left join lateral (select x.rank_key from entries x
      where x.board_id = b and x.generation = g and x.is_test = t and x.ranked and (x.rank_key, x.seq) >= (v.key, 0)
      order by x.rank_key, x.seq limit 1) h on true
    where h.rank_key is distinct from v.key))
$$;

-- Differences between a ranking's values and its ranking of values, as sentences; some values beyond one (null: from the first
-- on), and the last of them (null: there are no more).
create or replace function verify_values(b uuid, g integer, t boolean, after float8, most integer) returns table (upto float8, faults text[])
language sql stable as $$
  with held as materialized (
    select n.key from next_values(b, g, t, after, most) n
  ), span as materialized (
    select case when count(*) = most then max(h.key) end as upto from held h
  ), listed as materialized (
    select e.rank_key as key, e.value, e.slot, e.seq from entries e cross join span s
    where e.board_id = b and e.generation = values_generation(g) and e.is_test = t and e.ranked
      and (after is null or e.rank_key > after) and (s.upto is null or e.rank_key <= s.upto)
  )
  select s.upto, array(
      select case
          when l.key is null then format('value %s has entries and no dense rank', h.key)
          when h.key is null then format('value %s has a dense rank and no entries', l.key)
          else format('the entry of value %s is not its own', l.key) end
      from held h full join listed l on l.key = h.key
      where h.key is null or l.key is null or (l.value, l.slot, l.seq) is distinct from (l.key, value_slot(l.key), 0::bigint)
      limit 100)
  from span s
$$;
