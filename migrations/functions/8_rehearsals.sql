-- Rehearsals (docs/decisions/rehearsal.md): a copy of a board plays its ranking to the end. Only functions that close are given the moved
-- time, of the copy alone.

create or replace function is_rehearsal(b uuid) returns boolean language sql stable as $$
  select exists (select from boards o where o.id = b and o.rehearsal_of_id is not null)
$$;

-- Players that a rehearsal plays with where nobody has played yet: the same ones each time.
create or replace function rehearsal_players(b uuid, at timestamptz) returns uuid[] language plpgsql volatile as $$
declare
  keys constant text[] := array(select 'rehearsal-' || n from generate_series(1, 10) n);
begin
  insert into identities (id, account_id, game_id, kind, external_key, display_name, created_at, updated_at)
    select gen_random_uuid(), o.account_id, o.game_id, 'custom', k.external_key, 'Rehearsal ' || k.n, at, at
    from boards o, unnest(keys) with ordinality k(external_key, n) where o.id = b order by k.external_key
  on conflict do nothing;
  return array(select i.id from boards o join identities i on i.game_id = o.game_id and i.kind = 'custom' and i.deleted_at is null
    join unnest(keys) with ordinality k(external_key, n) on k.external_key = i.external_key where o.id = b order by k.n);
end $$;

-- Runs for a copy, of test sessions: those behind the first entries of the board's ranking, or of the current period of its view in each
-- group, in their order; without entries, runs of players of its own, two of them equal.
create or replace function rehearsal_runs(origin uuid, of_view text, at timestamptz, most integer)
returns table (identity_id uuid, amount float8, player_name text, value_display text, country text, tags jsonb, occurred_at timestamptz)
language plpgsql volatile as $$
declare
  generations integer[];
  direction text := (select r.sort_direction from board_rankings r where r.board_id = origin);
  by_tags text[] := (select v.by_tags from board_views v where v.board_id = origin and v.name = of_view and v.status <> 'dropping');
begin
  if of_view = '' then
    generations := array(select r.generation from board_rankings r where r.board_id = origin);
  else
    generations := array(select k.generation from board_views v
      join view_periods p on p.board_id = origin and p.view_no = v.view_no and p.starts_at <= at and p.ends_at > at
      join rankings k on k.board_id = origin and k.view_no = v.view_no and k.period_number = p.number and k.status = 'live'
      where v.board_id = origin and v.name = of_view and v.status = 'live');
  end if;
  return query select e.identity_id, e.value, e.player_name, e.value_display, v.country, v.tags, coalesce(v.occurred_at, v.created_at)
    from (select x.* from entries x where x.board_id = origin and x.generation = any(generations) and not x.is_test and x.ranked
      order by x.rank_key, x.seq limit most) e
    join score_events v on v.board_id = origin and v.seq = e.event_seq order by e.seq;
  if not found then
    return query select p.id, (case direction when 'asc' then 1 else -1 end * greatest(p.n, 2) * 10 + 110)::float8, 'Rehearsal ' || p.n, null::text, 'SE',
        (select jsonb_object_agg(t, 'rehearsal') from unnest(by_tags) t where t <> 'country'), at
      from unnest(rehearsal_players(origin, at)) with ordinality p(id, n);
  end if;
end $$;

-- Plays a copy: its runs come as those of an import, so that they keep their times, and are ranked at once.
create or replace function rehearsal_plays(copy uuid, origin uuid, of_view text, at timestamptz, most integer) returns void language plpgsql volatile as $$
declare
  made bigint;
begin
  insert into score_events (board_id, seq, id, account_id, game_id, identity_id, is_test, amount, player_name, value_display, disposition, source,
      country, created_at, occurred_at, tags)
    select copy, r.nth, gen_random_uuid(), o.account_id, o.game_id, r.identity_id, true, r.amount, r.player_name, r.value_display, 'accepted', 'import',
      r.country, at, r.occurred_at, r.tags
    from boards o, rehearsal_runs(origin, of_view, at, most) with ordinality r(identity_id, amount, player_name, value_display, country, tags,
      occurred_at, nth) where o.id = copy;
  get diagnostics made = row_count;
  insert into states (board_id, is_test, identity_id, id, account_id, game_id, submission_count, accepted_count, last_event_id, last_submission_at,
      last_value, created_at, updated_at)
    select copy, true, e.identity_id, (array_agg(e.id order by e.seq))[1], e.account_id, e.game_id, count(*), count(*),
      (array_agg(e.id order by e.seq desc))[1], at, (array_agg(e.amount order by e.seq desc))[1], at, at
    from score_events e where e.board_id = copy group by e.identity_id, e.account_id, e.game_id;
  update board_rankings r set seq = made, import_seq = made, last_event_at = at,
      newest_batch = (select e.id from score_events e where e.board_id = copy and e.seq = 1)
    where r.board_id = copy;
  -- A copy is small enough to be ranked in this transaction.
  perform apply_rules(copy, at, 1000000);
end $$;

-- Moves a copy to the end of its ranking: it closes, settles, is frozen and grants, each at its time.
create or replace function rehearsal_ends(copy uuid, origin uuid, of_view text, at timestamptz, most_grants bigint) returns void language plpgsql volatile as $$
declare
  moved timestamptz;
  c closings;
begin
  if of_view = '' then
    moved := greatest(at, (select o.ends_at from boards o where o.id = origin));
    perform close_board(copy, 'ended', moved, moved);
  else
    select p.ends_at into moved from board_views v join view_periods p on p.board_id = copy and p.view_no = v.view_no and p.starts_at <= at and p.ends_at > at
      where v.board_id = copy and v.name = of_view;
    perform begin_due_closings(copy, of_view, moved, moved);
  end if;
  for c in select * from closings x where x.board_id = copy order by x.id loop
    if freeze_closing(copy, c.id, c.settles_at) = 'waiting' then
      update closings x set settles_at = c.review_until where x.board_id = copy and x.id = c.id;
      perform freeze_closing(copy, c.id, c.review_until);
    end if;
    while grant_prizes(copy, c.id, 5000, most_grants, greatest(moved, c.settles_at)) = 'granting' loop
    end loop;
  end loop;
  update boards o set is_active = false where o.id = copy;
end $$;

-- Deletes a copy with all rows that have its board, in whatever table, under the locks of its flags and submissions: nothing else refers to
-- them.
create or replace function forget_rehearsal(copy uuid) returns void language plpgsql volatile as $$
declare
  place text;
begin
  if not is_rehearsal(copy) then
    raise exception 'board % is no rehearsal', copy;
  end if;
  for place in
    select a.attrelid::regclass::text from pg_attribute a join pg_class c on c.oid = a.attrelid
    where a.attname = 'board_id' and not a.attisdropped and c.relkind in ('r', 'p') and c.relnamespace = current_schema()::regnamespace
    order by 1
  loop
    execute format('delete from %s where board_id = $1', place) using copy;
  end loop;
  delete from boards b where b.id = copy;
end $$;
