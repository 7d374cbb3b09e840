-- Decisions after a closing (docs/decisions/prizes.md): what its prizes would be by the ranking as it is now. Its fixed places stay.

-- Whether the ranking of a closing can be compared with its places: `live`; `wait`: it is being built; `gone`: it is no longer kept; `later`: the
-- board was opened again, and has runs that came after the end.
create or replace function ranking_since(c closings) returns text language sql stable as $$
  select case when r.state <> 'live' then r.state
    -- A group whose runs were all excluded is freed while others of its period stay.
    when r.generation is null and (k.dropped or (c.entry_count > 0 and not k.kept)) then 'gone'
    when c.view_name = '' and exists (select from score_events e where e.board_id = c.board_id and e.seq > c.seq and e.created_at >= c.ended_at) then 'later'
    else 'live' end
  from closing_ranking(c) r cross join lateral (
    select coalesce(bool_or(x.status = 'dropped' and x.group_key = c.group_key), false) as dropped, coalesce(bool_or(x.status <> 'dropped'), false) as kept
    from board_views v join view_periods p on p.board_id = v.board_id and p.view_no = v.view_no and p.key = c.period_key
    join rankings x on x.board_id = v.board_id and x.view_no = v.view_no and x.period_number = p.number
    where v.board_id = c.board_id and v.name = c.view_name and v.status <> 'dropping') k
$$;

-- Who would be given what by the ranking as it is now.
create or replace function prizes_now(c closings) returns table (rank integer, nth bigint, line text, identity_id uuid, shared_by integer)
language plpgsql stable set work_mem = '64MB' as $$
declare
  prizes jsonb := prizes_of(c);
  ranking record;
begin
  select * into ranking from closing_ranking(c);
  c.player_count := ranked_players(c.board_id, ranking.generation, c.is_test);
  if prizes_begun_by(c, prizes) then
    return query select (x.p).rank, l.nth, l.name, (x.p).identity_id, d.shared_by
      from prize_places(c, prizes, ranking.generation, ranking.ties) x cross join lateral unnest((x.p).lines, (x.p).shares) d(nth, shared_by)
      join prize_lines(prizes, c.player_count) l on l.nth = d.nth;
  end if;
end $$;

-- What the decisions since have changed. `wrong`: was given, and would not be now; `missing`: was not, and would be; `shared`: as many players
-- share it no longer. What nobody can claim any more is not wrong, and what was revoked is not missing.
create or replace function prize_differences(c closings)
returns table (kind text, rank integer, nth bigint, line text, identity_id uuid, shared_by integer, reward_id uuid) language sql stable as $$
  select case when w.id is null then 'missing' when d.line is null then 'wrong' else 'shared' end, coalesce(d.rank, w.rank), d.nth,
    coalesce(d.line, w.line), coalesce(w.identity_id, d.identity_id), d.shared_by, w.id
  from prizes_now(c) d
  -- A merged player's reward is the other's; of two for one line the other's own is right.
  full join (
    select x.*, h.id as holder_id, row_number() over (partition by x.line, h.id order by x.identity_id <> h.id, x.id) as nth_held
    from rewards x
    left join identities i on i.id = x.identity_id
    cross join lateral (select coalesce(i.merged_into, x.identity_id) as id) h
    where x.board_id = c.board_id and x.closing_id = c.id) w on w.line = d.line and w.holder_id = d.identity_id and w.nth_held = 1
  where w.id is null or (w.status not in ('expired', 'revoked') and (d.line is null or d.shared_by is distinct from w.shared_by))
$$;

-- The differences of each kind: how many, and the first.
create or replace function list_differences(c closings, most integer) returns table (kind text, n bigint, first jsonb) language sql stable as $$
  select d.kind, count(*), jsonb_agg(jsonb_build_object('kind', d.kind, 'line', d.line, 'rank', d.rank, 'identityId', 'ide_' || d.identity_id,
      'sharedBy', d.shared_by, 'rewardId', 'rwd_' || d.reward_id) order by d.place) filter (where d.place <= most)
  from (select x.*, row_number() over (partition by x.kind order by x.rank, x.line, x.identity_id) as place from prize_differences(c) x) d group by d.kind
$$;

-- Grants what is missing, at most so many in one transaction, and at most so many in all. Returns how many were granted.
create or replace function reissue_prizes(b uuid, i uuid, most_now integer, most_grants bigint, at timestamptz) returns integer language plpgsql volatile as $$
declare
  c closings;
  names text;
  expires timestamptz;
  made uuid[];
begin
  select * into c from closings x where x.board_id = b and x.id = i for update;
  names := reward_names(c);
  expires := at + (prizes_of(c) ->> 'expiresDays')::integer * interval '1 day';
  with granted as (
    insert into rewards (board_id, id, account_id, game_id, closing_id, line, identity_id, is_test, rank, shared_by, status, expires_at, reissued_at, created_at, updated_at)
      select b, uuid_of_hash(encode(sha256(convert_to(names || d.line || E'\n' || d.identity_id, 'UTF8')), 'hex')), c.account_id, c.game_id, i, d.line,
        d.identity_id, c.is_test, d.rank, d.shared_by, 'open', expires, at, at, at
      from (select x.* from prize_differences(c) x where x.kind = 'missing' order by x.rank, x.nth
        limit least(most_now, greatest(0, most_grants - c.granted_count))) d
    on conflict do nothing returning id, rank, line)
  select coalesce(array_agg(g.id order by g.rank, g.line), '{}') into made from granted g;
  if cardinality(made) > 0 then
    perform report_rewards('reward.granted', made, at, c.frozen_at);
    update closings x set granted_count = x.granted_count + cardinality(made), prizes_status = 'granted', updated_at = at where x.board_id = b and x.id = i;
  end if;
  return cardinality(made);
end $$;
