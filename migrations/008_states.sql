-- Lists of board states and submission metadata, newest first: of a board, a player, a game, an account, all. A state's
-- row is inserted once for each player and board; what later submissions update is in none of these.

-- The condition holds for every row. It keeps look-ups by the primary key from taking this index for theirs: while the
-- table is nearly empty the planner cannot tell one index that begins with board_id from another.
create index states_board_created on states (board_id, created_at desc, id) where created_at > '-infinity';
create index states_identity_created on states (identity_id, created_at desc, id);
create index states_game_created on states (game_id, created_at desc, id);
create index states_account_created on states (account_id, created_at desc, id);
create index states_created on states (created_at desc, id);

-- The derivations of 005_rederive.sql again, with one condition more: both populations are named wherever an index has
-- is_test before the player. Without it, every Postgres before 18 reads the whole board to find one player's events.

create or replace function counting_events(b uuid, ids uuid[]) returns table (
  is_test boolean, identity_id uuid, seq bigint, id uuid, amount float8, player_name text, value_display text,
  disposition text, created_at timestamptz, live boolean, any_live boolean, first_id uuid)
language sql stable as $$
  select x.is_test, x.identity_id, x.seq, x.id, x.amount, x.player_name, x.value_display, x.disposition, x.created_at, x.live,
    bool_or(x.live) over (partition by x.is_test, x.identity_id), x.first_id
  from (
    select e.*, event_counts(b, e.id) as live, first_value(e.id) over (partition by e.is_test, e.identity_id order by e.seq) as first_id
    from score_events e where e.board_id = b and e.is_test in (false, true) and e.identity_id = any(ids)) x
  where x.disposition <> 'rejected'
$$;

create or replace function derive_states(b uuid, ids uuid[], kind text, direction text, strategy text) returns table (
  is_test boolean, identity_id uuid, accepted_count bigint, best_value float8, recent bytea,
  selected_event_id uuid, value float8)
language sql stable as $$
  with events as materialized (
    select * from counting_events(b, ids)
  ), live as (
    select c.*, max(c.created_at) over (partition by c.is_test, c.identity_id) as newest_at,
      row_number() over (partition by c.is_test, c.identity_id order by c.seq desc) as age,
      row_number() over (partition by c.is_test, c.identity_id order by rank_key_of(c.amount, direction), c.seq) as place
    from events c where c.live
  ), summed as (
    select l.is_test, l.identity_id, count(*) as accepted_count,
      max(l.amount) filter (where l.place = 1) as best_value,
      max(l.id::text) filter (where l.place = 1) as best_id,
      array_agg(l.seq order by l.seq) filter (where l.age <= 100 and l.created_at > l.newest_at - interval '1 hour') as recent_seqs
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

create or replace function rederive(b uuid, g integer, ids uuid[], at timestamptz) returns bigint language plpgsql volatile as $$
declare
  rules record;
  changed bigint := 0;
  states_changed bigint;
  deltas record;
begin
  select r.generation, r.board_type, r.sort_direction, r.keep_strategy, r.build into rules
    from board_rankings r where r.board_id = b for update;
  if rules.generation <> g then
    -- The generation under construction is built by its own rules.
    select g, rules.build ->> 'board_type', rules.build ->> 'sort_direction', rules.build ->> 'keep_strategy', rules.build into rules;
  end if;

  for deltas in
    with target as materialized (
      select * from derive_entries(b, ids, rules.board_type, rules.sort_direction, rules.keep_strategy)
    ), present as materialized (
      select e.* from entries e where e.board_id = b and e.generation = g and e.is_test in (false, true) and e.identity_id = any(ids)
        and e.slot in (select i from unnest(ids) i
          union select v.id from score_events v where v.board_id = b and v.is_test in (false, true) and v.identity_id = any(ids))
    ), gone as (
      delete from entries e using present p
      where e.board_id = b and e.generation = g and e.is_test = p.is_test and e.slot = p.slot
        and not exists (select from target t where t.is_test = p.is_test and t.slot = p.slot)
      returning e.is_test, e.rank_key, e.seq, e.ranked
    ), different as materialized (
      select t.*, p.rank_key as old_key, p.seq as old_seq, p.ranked as old_ranked
      from target t left join present p on p.is_test = t.is_test and p.slot = t.slot
      where p.slot is null or (p.id, p.event_seq, p.value, p.rank_key, p.seq, p.ranked, p.status, p.player_name, p.value_display, p.created_at, p.updated_at)
        is distinct from (t.id, t.event_seq, t.value, t.rank_key, t.seq, t.ranked, t.status, t.player_name, t.value_display, t.created_at, t.updated_at)
    ), written as (
      insert into entries as e (board_id, generation, is_test, slot, id, identity_id, event_seq, value, rank_key, seq, ranked, status,
          player_name, value_display, created_at, updated_at)
        select b, g, d.is_test, d.slot, d.id, d.identity_id, d.event_seq, d.value, d.rank_key, d.seq, d.ranked, d.status,
          d.player_name, d.value_display, d.created_at, d.updated_at
        from different d
      on conflict (board_id, generation, is_test, slot) do update set
        id = excluded.id, event_seq = excluded.event_seq, value = excluded.value, rank_key = excluded.rank_key, seq = excluded.seq,
        ranked = excluded.ranked, status = excluded.status, player_name = excluded.player_name,
        value_display = excluded.value_display, created_at = excluded.created_at, updated_at = excluded.updated_at
      returning 1
    ), moves as (
      select is_test, rank_key, seq, -1 as d from gone where ranked
      union all select is_test, old_key, old_seq, -1 from different where old_ranked
      union all select is_test, rank_key, seq, 1 from different where ranked
    )
    select m.is_test, array_agg(m.rank_key) as ks, array_agg(m.seq) as ss, array_agg(m.d) as ds,
      (select count(*) from gone) + (select count(*) from different) + 0 * (select count(*) from written) as touched
    from (select * from moves union all select p, null, null, null from (values (true), (false)) v(p)) m
    group by m.is_test
  loop
    changed := greatest(changed, deltas.touched);
    select array_agg(u.k), array_agg(u.s), array_agg(u.d) into deltas.ks, deltas.ss, deltas.ds
      from unnest(deltas.ks, deltas.ss, deltas.ds) u(k, s, d) where u.d is not null;
    if deltas.ks is not null then
      perform apply_rank_deltas(b, g, deltas.is_test, deltas.ks, deltas.ss, deltas.ds);
    end if;
  end loop;

  if g = (select r.generation from board_rankings r where r.board_id = b) then
    with target as materialized (
      select * from derive_states(b, ids, rules.board_type, rules.sort_direction, rules.keep_strategy)
    ), written as (
      update states s set accepted_count = t.accepted_count, best_value = t.best_value, recent = t.recent,
        selected_event_id = t.selected_event_id, value = t.value, updated_at = at
      from target t
      where s.board_id = b and s.is_test = t.is_test and s.identity_id = t.identity_id
        and (s.accepted_count, s.best_value, s.recent, s.selected_event_id, s.value)
          is distinct from (t.accepted_count, t.best_value, t.recent, t.selected_event_id, t.value)
      returning 1)
    select count(*) into states_changed from written;
    if changed + states_changed > 0 then
      update board_rankings r set version = r.version + 1 where r.board_id = b;
    end if;
  end if;
  return changed + coalesce(states_changed, 0);
end $$;
