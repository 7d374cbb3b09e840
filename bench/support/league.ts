import type pg from 'pg';
import type { LeaguePeriod } from '../../src/closings/leagues/close.js';

const TIERS = 5;
const PROMOTE = 5;
const DEMOTE = 5;

/** A league whose week has just ended, with the board's entries as those of its cohorts, spread over all of the board. */
const VIEW = `with v as (
    insert into board_views (board_id, view_no, name, period, by_tags, status, created_at, updated_at)
    values ($1, 1, 'league', 'week', '{league}', 'live', now(), now()) returning board_id, view_no)
  insert into view_periods (board_id, view_no, number, key, starts_at, ends_at)
  select v.board_id, v.view_no, n, n::text, now() - make_interval(days => 7 * (2 - n)),
    now() - make_interval(days => 7 * (1 - n)) from v, generate_series(1, 3) n`;
const LEAGUE = `with l as (
    insert into leagues (board_id, view_no, tiers, settle_seconds, late_share, idle_periods, equal_values)
    select $1, 1, jsonb_agg(jsonb_build_object('name', n::text, 'size', $2::integer, 'promote', ${PROMOTE}, 'demote',
    ${DEMOTE})), 0, 0.2, 2, 'order'
    from generate_series(1, ${TIERS}) n returning *)
  insert into league_periods (board_id, view_no, period_number, tiers, settle_seconds, late_share, idle_periods,
    equal_values)
  select $1, 1, 1, l.tiers, l.settle_seconds, l.late_share, l.idle_periods, l.equal_values from l`;
/** Player `i` of `n`: 7919 is prime, so that neighbours of a cohort are far apart in the table. */
const SEATS = `insert into league_seats (board_id, view_no, period_number, is_test, identity_id, tier, cohort, idle,
    seated_at)
  select $1, 1, 1, false, x.identity_id, 1 + x.n % ${TIERS}, 1 + x.n / ${TIERS}, 0, now() - interval '3 days'
  from (select e.identity_id, (e.event_seq * 7919 % t.players) / $2 as n
    from entries e, (select count(*) as players
    from entries c where c.board_id = $1 and c.generation = 1) t where e.board_id = $1 and e.generation = 1
    and not e.is_test) x
  order by 6, 7`;
const COHORTS = `insert into league_cohorts (board_id, view_no, period_number, is_test, tier, cohort, is_late, seats,
    is_open)
  select s.board_id, 1, 1, false, s.tier, s.cohort, false, count(*), false
    from league_seats s where s.board_id = $1 group by s.board_id, s.tier, s.cohort
  order by s.tier, s.cohort`;
const RANKINGS = `insert into rankings (board_id, ranking_no, view_no, period_number, group_key, generation, status)
  select $1, -n, 1, 1, x.tier || '.' || x.cohort, -n, 'live'
  from (select c.*, row_number() over (order by c.tier, c.cohort)::integer as n
    from league_cohorts c where c.board_id = $1) x`;
const ENTRIES = `insert into entries (board_id, generation, is_test, slot, id, identity_id, event_seq, value,
    rank_key, seq, ranked, status, player_name, created_at, updated_at)
  select e.board_id, k.generation, false, e.slot, e.id, e.identity_id, e.event_seq, e.value, e.rank_key, e.seq, true,
    e.status, e.player_name, e.created_at, e.updated_at
  from entries e join league_seats s on s.board_id = $1 and s.view_no = 1 and not s.is_test
    and s.identity_id = e.identity_id
  join rankings k on k.board_id = $1 and k.view_no = 1 and k.group_key = s.tier || '.' || s.cohort
  where e.board_id = $1 and e.generation = 1 and not e.is_test order by e.event_seq`;
const NEWEST = `update board_rankings set newest_view = 1, newest_ranking = (select min(ranking_no)
    from rankings where board_id = $1) where board_id = $1`;

/** @param board bare uuid */
export async function fillLeague(client: pg.Client, board: string, size: number): Promise<LeaguePeriod> {
  await client.query(VIEW, [board]);
  await client.query(LEAGUE, [board, size]);
  await client.query(SEATS, [board, size]);
  for (const statement of [COHORTS, RANKINGS]) await client.query(statement, [board]);
  await client.query('analyze league_seats, rankings');
  for (const statement of [ENTRIES, NEWEST]) await client.query(statement, [board]);
  await client.query('vacuum analyze');
  await client.query('checkpoint');
  return { boardId: board, viewNo: 1, periodNumber: 1 };
}

interface Line {
  place: number;
  identity_id: string;
  next_tier: number;
}

const SAMPLE = `select c.tier, c.cohort,
    (select json_agg(json_build_object('place', o.place, 'identity_id', o.identity_id, 'next_tier',
    o.next_tier) order by o.place)
      from league_outcomes o where o.board_id = c.board_id and o.view_no = 1 and o.period_number = 1
    and not o.is_test and o.tier = c.tier and o.cohort = c.cohort) as outcomes,
    (select json_agg(json_build_object('identity_id', e.identity_id, 'value', e.value, 'seq', e.seq))
      from rankings k join entries e on e.board_id = k.board_id and e.generation = k.generation
      where k.board_id = c.board_id and k.view_no = 1 and k.group_key = c.tier || '.' || c.cohort) as entries
  from league_cohorts c where c.board_id = $1 order by hashint4(c.cohort), c.tier limit $2`;

/** Compares the outcomes of some cohorts with plain arithmetic. @returns how many players' are wrong */
export async function wrongOutcomes(
  client: pg.Client,
  { boardId }: LeaguePeriod,
  size: number,
  most: number,
): Promise<number> {
  const { rows } = await client.query<{
    tier: number;
    outcomes: Line[] | null;
    entries: { identity_id: string; value: number; seq: number }[];
  }>(SAMPLE, [boardId, most]);
  let wrong = 0;
  for (const { tier, outcomes, entries } of rows) {
    const places = entries.toSorted((a, b) => b.value - a.value || a.seq - b.seq);
    const share = (full: number) => Math.round((full * places.length) / size);
    const wanted = places.map(({ identity_id }, i): Line => {
      const up = tier < TIERS && i < share(PROMOTE);
      const down = tier > 1 && i >= Math.max(share(PROMOTE), places.length - share(DEMOTE));
      return { place: i + 1, identity_id, next_tier: tier + (up ? 1 : down ? -1 : 0) };
    });
    wrong += wanted.filter((line, i) => JSON.stringify(line) !== JSON.stringify(outcomes?.[i])).length;
  }
  return wrong;
}
