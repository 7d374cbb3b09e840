-- What a ranking would give if it closed now (docs/decisions/prizes.md). Nothing here writes.

-- The closing that a ranking would have, as a record alone: an unknown key of a period is that of no ranking.
create or replace function closing_now(b uuid, of_view text, of_period text, of_group text, test boolean, at timestamptz) returns closings
language plpgsql stable as $$
declare
  c closings;
  ranking record;
begin
  select o.id, closing_id(b, of_view, of_period, of_group, test), o.account_id, o.game_id, of_view, of_period, of_group, test, 'ended', 'settling',
      r.review_top, coalesce(r.places, 10), coalesce(case when of_view = '' then o.ends_at else (select p.ends_at from board_views v
        join view_periods p on p.board_id = b and p.view_no = v.view_no and p.key = of_period
        where v.board_id = b and v.name = of_view and v.status <> 'dropping') end, at)
    into c.board_id, c.id, c.account_id, c.game_id, c.view_name, c.period_key, c.group_key, c.is_test, c.reason, c.status,
      c.review_top, c.places, c.ended_at
    from boards o left join closing_rules r on r.board_id = b and r.view_name = of_view where o.id = b;
  c.prize_number := prize_number(b, of_view, greatest(c.ended_at, at));
  select * into ranking from closing_ranking(c);
  c.generation := ranking.generation;
  c.player_count := ranked_players(b, c.generation, test);
  return c;
end $$;

-- Each line of a prize table with how many rewards it gives, and with the first of those who get them, in the order of ranks. Rewards beyond
-- the limit are not looked at: `is_over`.
create or replace function preview_lines(c closings, prizes jsonb, most_shown integer, most_grants bigint)
returns table (line text, rewards bigint, is_over boolean, ties_over boolean, winners bigint, players jsonb) language plpgsql stable set work_mem = '64MB' as $$
declare
  ranking record;
begin
  select * into ranking from closing_ranking(c);
  return query
    with places as materialized (select * from prize_places(c, prizes, c.generation, ranking.ties)),
    given as materialized (
      select x.p, l.nth, row_number() over (partition by l.nth order by (x.p).rank) as nth_player, l.shared_by
        from places x cross join lateral unnest((x.p).lines, (x.p).shares) l(nth, shared_by)
        order by (x.p).rank, l.nth limit most_grants + 1),
    counted as (select g.nth, count(*) as n from given g group by g.nth),
    whole as (select count(*) > most_grants as over_limit, count(distinct (g.p).rank) as people from given g)
    select l.name, coalesce(n.n, 0), w.over_limit, line_gives_too_many(prizes, l.first_rank, l.last_rank, n.n), w.people,
        coalesce((select jsonb_agg(jsonb_build_object('rank', (g.p).rank, 'displayRank', (g.p).display_rank, 'identityId', 'ide_' || (g.p).identity_id,
            'playerName', (g.p).player_name, 'value', (g.p).value, 'valueDisplay', (g.p).value_display, 'sharedBy', g.shared_by) order by (g.p).rank)
          from given g where g.nth = l.nth and g.nth_player <= most_shown), '[]')
      from counted_lines(prizes, c.player_count, (select max(x.counted) from places x)) l cross join whole w left join counted n on n.nth = l.nth order by l.nth;
end $$;

-- Whom each line of a prize table leaves out, of the players of a ranking, and why: somebody may have too few runs and be too new. Those who are
-- neither have no proof.
create or replace function left_out(c closings, prizes jsonb) returns table (nth bigint, players bigint, too_few_runs bigint, too_new bigint)
language sql stable set work_mem = '64MB' as $$
  select a.nth, count(*) filter (where not meets(p.runs, p.since, p.proven_at, c, a.runs, a.hours, a.proven)),
    count(*) filter (where not meets(p.runs, p.since, p.proven_at, c, a.runs, 0, false)), count(*) filter (where not meets(p.runs, p.since, p.proven_at, c, 0, a.hours, false))
  from line_conditions(prizes) a left join line_players(c, prizes, c.generation, null) p on a.runs + a.hours > 0 or a.proven group by a.nth
$$;

-- Of some ranks of a running ranking, the first line that would give to each if it closed now, by its position in the table. Whether players
-- meet what lines ask for is left to the end: such lines are none of them. Where every run is ranked there are none.
create or replace function prizes_beside(b uuid, of_view text, of_group text, at timestamptz, from_rank bigint, most integer)
returns table (rank bigint, line bigint) language plpgsql stable as $$
declare
  running text := (select p.key from board_views v join view_periods p on p.board_id = b and p.view_no = v.view_no and p.starts_at <= at and p.ends_at > at
    where v.board_id = b and v.name = of_view and v.status <> 'dropping');
  rules board_rankings := (select r from board_rankings r where r.board_id = b);
  c closings;
  prizes jsonb;
  ranking record;
  place record;
begin
  -- Before anything is counted: who played on such a board is known only after all entries were read.
  if rules.keep_strategy = 'all' then
    return;
  end if;
  c := closing_now(b, of_view, coalesce(running, ''), of_group, false, at);
  prizes := prizes_of(c);
  select * into ranking from closing_ranking(c);
  select * into place from locate_rank(b, ranking.generation, false, from_rank);
  if prizes is null or place is null then
    return;
  end if;
  return query
    with shown as (
      select e.rank_key, e.value, e.identity_id, from_rank - 1 + row_number() over (order by e.rank_key, e.seq) as nth from (
        select x.* from entries x where x.board_id = b and x.generation = ranking.generation and not x.is_test and x.ranked
          and (x.rank_key, x.seq) >= (place.lo_key, place.lo_seq)
          order by x.rank_key, x.seq offset place.skip limit most) e
    ), placed as (
      select s.nth, (b, c.id, s.nth, s.nth, s.identity_id, '', s.value, null,
          prize_rank(prizes, ranking.ties, s.nth, k.rank, (select d.rank from rank_of(b, values_generation(ranking.generation), false, s.rank_key, 0) d
            where ranking.ties = 'dense')), case when prizes ->> 'ties' = 'rank' then s.nth else k.rank end, 1, null, null)::closing_places as p
      from shown s cross join lateral rank_of(b, ranking.generation, false, s.rank_key, 0) k
    )
    select s.nth, min(l.nth) from placed s join prize_lines(prizes, c.player_count) l
      on line_gives(s.p, l.is_share, l.first_rank, l.last_rank, l.reached, rules.sort_direction)
      join line_conditions(prizes) a on a.nth = l.nth and a.runs + a.hours = 0 and not a.proven
      group by s.nth;
end $$;
