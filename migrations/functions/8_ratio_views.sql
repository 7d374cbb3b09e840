-- Views of ratio boards: an entry in a ranking is the ratio of the player's entries in both sources' rankings of the same key,
-- which belong to the views of the same name (docs/decisions/views.md). All writers hold the ratio board's lock.

-- The views of a ratio board with the source views they divide; a view whose source views are not both live is left out.
create or replace function ratio_view_sources(b uuid, nos integer[], rules jsonb) returns table (
  view_no integer, ties text, num uuid, den uuid, num_no integer, den_no integer) language sql stable as $$
  select v.view_no, v.tie_policy, n.board_id, d.board_id, n.view_no, d.view_no
  from board_views v
  join board_views n on n.board_id = (rules ->> 'numerator')::uuid and n.name = v.name and n.status = 'live'
  join board_views d on d.board_id = (rules ->> 'denominator')::uuid and d.name = v.name and d.status = 'live'
  where v.board_id = b and v.view_no = any(nos)
$$;

-- The newest period of a view that is no longer kept, null: none. A view of a ratio board keeps what its sources' keep, too, at most.
create or replace function retirable_upto(b uuid, no integer, at timestamptz) returns integer language sql stable as $$
  select max(old.number)
  from (
    select b as board_id, no as view_no
    union all
    select u.board_id, u.view_no from board_rankings r
      cross join lateral ratio_view_sources(b, array[no], r.ratio) s
      cross join lateral (values (s.num, s.num_no), (s.den, s.den_no)) u(board_id, view_no)
      where r.board_id = b and r.ratio is not null) w
  join board_views v on v.board_id = w.board_id and v.view_no = w.view_no and v.keep_periods is not null
  cross join lateral (select p.number from view_periods p
    where p.board_id = v.board_id and p.view_no = v.view_no and p.ends_at <= at order by p.number desc offset v.keep_periods limit 1) old
$$;

-- True if a period's rankings may be dropped: they are closed if they are to be, a ratio board has read all of it from its sources,
-- and the rankings of ratio boards derived from these were dropped before.
create or replace function may_retire(b uuid, no integer, nth integer) returns boolean language sql stable as $$
  select not is_closing(b, no, nth)
    and not exists (
      select from board_rankings r
      cross join lateral (values ((r.ratio ->> 'numerator')::uuid, r.numerator_seq), ((r.ratio ->> 'denominator')::uuid, r.denominator_seq)) s(board_id, seen)
      where r.board_id = b and r.ratio is not null
        and s.seen < events_until(s.board_id, (select p.ends_at from view_periods p where p.board_id = b and p.view_no = no and p.number = nth), false))
    and not exists (
      select from ratio_configs c
      join boards d on d.id = c.board_id and d.deleted_at is null
      join board_rankings r on r.board_id = c.board_id
      join board_views o on o.board_id = b and o.view_no = no
      join board_views v on v.board_id = c.board_id and v.name = o.name and v.status <> 'dropping'
      where b in (c.numerator_board_id, c.denominator_board_id)
        and (v.status = 'building' or r.ratio is null or coalesce(r.build ->> 'phase' <> 'states', false)
          or exists (select from rankings x where x.board_id = v.board_id and x.view_no = v.view_no and x.period_number = nth and x.status <> 'dropped')
          or case b when c.numerator_board_id then r.numerator_seq else r.denominator_seq end
            < events_until(b, (select p.ends_at from view_periods p where p.board_id = b and p.view_no = no and p.number = nth), false)))
$$;

-- Boards with rankings to be dropped at this time.
create or replace function boards_to_retire(at timestamptz) returns setof uuid language sql stable as $$
  select v.board_id
  from board_views v
  cross join lateral (select p.number from view_periods p
    where p.board_id = v.board_id and p.view_no = v.view_no and p.ends_at <= at order by p.number desc offset v.keep_periods limit 1) newest
  where v.status = 'live' and v.keep_periods is not null
    and exists (select from rankings r where r.board_id = v.board_id and r.view_no = v.view_no and r.period_number between 1 and newest.number
      and r.status = 'live' and may_retire(v.board_id, v.view_no, r.period_number))
  union
  select v.board_id
  from ratio_configs c
  join board_views v on v.board_id = c.board_id and v.status = 'live' and v.period is not null
  cross join lateral (select retirable_upto(v.board_id, v.view_no, at) as number offset 0) newest
  where exists (select from rankings r where r.board_id = v.board_id and r.view_no = v.view_no and r.period_number between 1 and newest.number
    and r.status = 'live' and may_retire(v.board_id, v.view_no, r.period_number))
$$;
