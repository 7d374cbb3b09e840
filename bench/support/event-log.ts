import type pg from 'pg';
import { idOf, uuidOf } from '../../src/base/ids.js';
import type { OrderKey } from '../../src/rankings/order.js';

/** An entry at a key it has or had. */
export interface Placing {
  /** Bare uuid. */
  board: string;
  /** Of the entry, prefixed. */
  id: string;
  key: OrderKey;
  /** How many of the board's entries without a submission in the meantime are before the key. */
  ahead: number;
}

/** An event: where it puts its player's entry, if that is an improvement. */
export interface Run extends Placing {
  amount: number;
  /** The same for all that were committed together. */
  batch: string;
}

/** The number of each board's newest event, by bare uuid. */
export type Newest = ReadonlyMap<string, number>;

export interface EventLog {
  /** In the order of the boards' events. */
  runs: Run[];
  /** Entries before the runs: those of the players who submitted, and requested ones. */
  before: Placing[];
}

/** Parameters: boards, numbers of their newest events before. */
const SINCE = `
  since as (select * from unnest($1::uuid[], $2::bigint[]) u(board_id, newest)),
  events as (
    select e.board_id, e.identity_id, e.seq, e.amount, e.xmin
    from since s join score_events e on e.board_id = s.board_id and e.seq > s.newest
    where not e.is_test and e.disposition <> 'rejected'),
  players as (
    select distinct e.board_id, e.identity_id, s.newest, t.id
    from events e join since s using (board_id)
    join states t on t.board_id = e.board_id and not t.is_test and t.identity_id = e.identity_id)`;

const RUNS = `
  with ${SINCE}
  select e.board_id, p.id, 0 - e.amount as rank_key, e.seq::float8, e.amount, e.xmin::text as batch
  from events e join players p using (board_id, identity_id)
  order by e.board_id, e.seq`;

/** From the events alone: each player's best, among equal ones the first. */
const BESTS = `
  with ${SINCE}
  select p.board_id, p.id, 0 - e.amount as rank_key, e.seq::float8
  from players p cross join lateral (
    select x.amount, x.seq from score_events x
    where x.board_id = p.board_id and not x.is_test and x.identity_id = p.identity_id and x.seq <= p.newest
      and x.disposition <> 'rejected'
    order by x.amount desc, x.seq limit 1) e`;

const ENTRIES = `
  select e.board_id, e.id, e.rank_key, e.seq::float8
  from entries e join board_rankings b on b.board_id = e.board_id and b.generation = e.generation
  where e.id = any($1::uuid[]) and not e.is_test and e.ranked`;

/** Parameters as for SINCE, then boards, keys and numbers. Among equal keys, the requested one comes first. */
const AHEAD = `
  with ${SINCE}, keys as (
    select u.board_id, u.rank_key, u.seq, 0 as counted, u.n
    from unnest($3::uuid[], $4::float8[], $5::bigint[]) with ordinality u(board_id, rank_key, seq, n)
    union all
    select e.board_id, e.rank_key, e.seq, 1, null
    from entries e join board_rankings b on b.board_id = e.board_id and b.generation = e.generation
    where e.board_id = any($3::uuid[]) and not e.is_test and e.ranked
      and not exists (select from players p where p.board_id = e.board_id and p.identity_id = e.identity_id))
  select k.n::integer, k.ahead::float8 from (
    select n, sum(counted) over (partition by board_id order by rank_key, seq, counted rows unbounded preceding) as ahead
    from keys) k
  where k.n is not null`;

interface PlacingRow {
  board_id: string;
  id: string;
  rank_key: number;
  seq: number;
}

export async function newestEvents(client: pg.ClientBase): Promise<Newest> {
  const { rows } = await client.query<{ board_id: string; seq: number }>(
    'select board_id, seq::float8 from board_rankings',
  );
  return new Map(rows.map(({ board_id, seq }) => [board_id, seq]));
}

/**
 * The events since then of boards that rank the best run of each, highest first, once writing has ended. From the
 * service it only uses the entries of those who did not submit, and no ranks.
 * @param seen requested entries, prefixed
 */
export async function readLog(
  client: pg.ClientBase,
  newest: Newest,
  seen: Iterable<string>,
): Promise<EventLog> {
  const since = [[...newest.keys()], [...newest.values()]];
  const placings = async <T>(text: string, values: unknown[]) => {
    const { rows } = await client.query<PlacingRow>(text, values);
    return rows.map(({ board_id: board, id, rank_key: rankKey, seq, ...more }) => {
      return { board, id: idOf('score', id), key: { rankKey, seq }, ahead: 0, ...more } as T;
    });
  };
  const runs = await placings<Run>(RUNS, since);
  const bests = await placings<Placing>(BESTS, since);
  const players = new Set(runs.map(({ id }) => id));
  const others = [...new Set(seen)].filter((id) => !players.has(id));
  const before = [...bests, ...(await placings<Placing>(ENTRIES, [others.map(uuidOf)]))];
  const all = [...runs, ...before];
  const { rows } = await client.query<{ n: number; ahead: number }>(AHEAD, [
    ...since,
    all.map(({ board }) => board),
    all.map(({ key }) => key.rankKey),
    all.map(({ key }) => key.seq),
  ]);
  for (const { n, ahead } of rows) all[n - 1]!.ahead = ahead;
  return { runs, before };
}
