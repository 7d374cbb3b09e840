import { uuidOf } from '../base/ids.js';
import type { Queryable } from '../db/pool.js';
import { isOwn, type RankingAddress } from './address.js';

/** SQL parts that read the ranking named by a row `u`. */
export interface Ranked {
  /** Prefix of statement names. */
  prefix: string;
  /** Columns of `u`, besides the board, that name the ranking. */
  parameters: Record<string, string>;
  /** Their values. */
  valuesOf(address: RankingAddress): unknown[];
  /** Row `b` of the board: `generation` is that of the ranking's entries, or null without any. */
  board: string;
  /**
   * Finds the entry `x` of the board's score `u.score_id` in the ranking of `b`; none for a rejected score, which
   * has no place.
   */
  ofScore: string;
  /** The slot of a player's best entry in the ranking `b`. @param identity, isTest SQL expressions */
  bestSlot(identity: string, isTest: string): string;
  /** Columns of `b` in results, besides those of the board. */
  state: string;
}

/**
 * The slot of an identity's best entry on a board `b`: where every run is an entry, the state holds the best one.
 * @param identity an SQL expression
 * @param isTest the population, an SQL expression
 */
export function bestSlotOf(identity: string, isTest = '$2::boolean'): string {
  return `case b.board_type when 'run_runs' then (select s.selected_event_id from states s
    where s.board_id = b.board_id and s.is_test = ${isTest} and s.identity_id = ${identity}) else ${identity} end`;
}

/** Without the look-ups of a ranking's number, an own rank costs a sixth less. */
export const OF_BOARD: Ranked = {
  prefix: '',
  parameters: {},
  valuesOf: () => [],
  board: 'select * from board_rankings where board_id = u.board_id limit 1',
  ofScore: `select x.rank_key, x.seq from entries x where x.id = u.score_id and x.generation > 0 and x.board_id = b.board_id
      and x.generation = b.generation and x.is_test = u.is_test and x.ranked`,
  bestSlot: bestSlotOf,
  state: '',
};

/**
 * The ranking's number is found by the statement that reads the ranking, so both are from one snapshot. No row for
 * a view that is not live.
 */
export const OF_VIEW: Ranked = {
  prefix: 'view_',
  parameters: { view_no: 'int', period: 'int', group_key: 'text' },
  valuesOf: ({ viewNo, period, group }) => [viewNo, period, group],
  board: `select x.board_id, r.generation, x.version, x.derived_version, x.seq, x.numerator_seq, x.denominator_seq,
    x.sort_direction, x.board_type, x.keep_strategy, v.tie_policy, x.generation as own_generation, r.status as state
    from (select * from board_rankings where board_id = u.board_id limit 1) x
    cross join lateral (select v.tie_policy from board_views v where v.board_id = u.board_id and v.view_no = u.view_no
      and v.status = 'live' limit 1) v
    left join lateral (select y.generation, y.status from rankings y where y.board_id = u.board_id and y.view_no = u.view_no
      and y.period_number = u.period and y.group_key = u.group_key limit 1) r on true`,
  ofScore: `select x.rank_key, x.seq from (select o.slot from entries o where o.id = u.score_id and o.generation > 0
    and o.board_id = b.board_id
        and o.generation = b.own_generation and o.is_test = u.is_test limit 1) o
      cross join lateral (select y.* from entries y where y.board_id = b.board_id and y.generation = b.generation
        and y.is_test = u.is_test and y.slot = o.slot and y.ranked limit 1) x`,
  // The state holds the best run of the board, not that of the view. As there, the first of equal runs.
  bestSlot: (identity, isTest) => `case b.board_type when 'run_runs' then (select y.slot
      from score_events v join entries y on y.board_id = b.board_id and y.generation = b.generation
        and y.is_test = ${isTest} and y.slot = v.id
      where v.board_id = b.board_id and v.is_test = ${isTest} and v.identity_id = ${identity}
      order by y.rank_key, event_number(y.seq) limit 1) else ${identity} end`,
  state: ', b.state',
};

/** A pair: for a board's own ranking and for a view's. */
export interface Both<T> {
  own: T;
  view: T;
}

export function inBoth<T>(make: (ranked: Ranked) => T): Both<T> {
  return { own: make(OF_BOARD), view: make(OF_VIEW) };
}

export interface RankedQuery {
  name: string;
  text: string;
}

/** @param textOf the row `u` of one request: the board, the columns, and those that name the ranking */
export function oneRanking(
  name: string,
  columns: Record<string, string>,
  textOf: (ranked: Ranked, u: string) => string,
): Both<RankedQuery> {
  return inBoth((ranked) => {
    const all = Object.entries({ board_id: 'uuid', ...columns, ...ranked.parameters });
    const u = all.map(([column, type], index) => `$${index + 1}::${type} as ${column}`).join(', ');
    return { name: `${ranked.prefix}${name}`, text: textOf(ranked, `(select ${u}) u`) };
  });
}

/** The statement for an address, with the values of the columns. */
export function ofRanking(query: Both<RankedQuery>, address: RankingAddress, values: readonly unknown[]) {
  const [kind, ranked] = isOwn(address) ? (['own', OF_BOARD] as const) : (['view', OF_VIEW] as const);
  return { ...query[kind], values: [uuidOf(address.boardId), ...values, ...ranked.valuesOf(address)] };
}

/** @param textOf rows `u` of many requests, with their numbers `ord` */
export function manyRankings(
  name: string,
  columns: Record<string, string>,
  textOf: (ranked: Ranked, u: string) => string,
): Both<RankedQuery> {
  return inBoth((ranked) => {
    const text = textOf(ranked, requestRows({ board_id: 'uuid', ...columns, ...ranked.parameters }));
    return { name: `${ranked.prefix}${name}`, text };
  });
}

/** Parameter arrays as rows `u`. */
export function requestRows(columns: Record<string, string>): string {
  const arrays = Object.values(columns).map((type, index) => `$${index + 1}::${type}[]`);
  return `unnest(${arrays.join(', ')}) with ordinality u(${Object.keys(columns).join(', ')}, ord)`;
}

/**
 * One row per request, in order; undefined: none. One statement for boards' own rankings, one for those of views.
 */
export async function readRankings<R extends { ord: number }>(
  db: Queryable,
  query: Both<RankedQuery>,
  requests: readonly { ranking: RankingAddress; values: readonly unknown[] }[],
): Promise<(R | undefined)[]> {
  const results = new Array<R | undefined>(requests.length).fill(undefined);
  for (const isBoards of [true, false]) {
    const indexes = [...requests.keys()].filter((index) => isOwn(requests[index]!.ranking) === isBoards);
    if (indexes.length === 0) continue;
    const all = indexes.map((index) => ofRanking(query, requests[index]!.ranking, requests[index]!.values));
    const { name, text, values: first } = all[0]!;
    const values = first.map((_value, column) => all.map((one) => one.values[column]));
    for (const row of (await db.query<R>({ name, text, values })).rows) results[indexes[row.ord - 1]!] = row;
  }
  return results;
}
