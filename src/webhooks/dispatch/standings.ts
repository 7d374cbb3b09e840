import type { Knex } from 'knex';
import { idOf } from '../../base/ids.js';
import type { Format } from '../../base/value-format.js';
import { runStatement } from '../../db/pool.js';
import { valueTextOf } from '../../scores/value-text.js';

/** A board as events have it, with its version. Bare uuids. */
export interface ToldBoard {
  id: string;
  name: string;
  slug: string;
  unit: string | null;
  format: Format | null;
  is_active: boolean;
  starts_at: Date | null;
  ends_at: Date | null;
  seq: number;
  version: number;
}

const BOARDS = `
  select b.id, b.name, b.slug, b.unit, b.format, b.is_active, b.starts_at, b.ends_at, r.seq, r.version
  from boards b join board_rankings r on r.board_id = b.id
  where b.id = any(?::uuid[]) and b.deleted_at is null`;

/** Boards by id; deleted ones are left out. */
export async function readBoards(trx: Knex, ids: readonly string[]): Promise<Map<string, ToldBoard>> {
  const { rows } = await runStatement<ToldBoard>(trx, BOARDS, [[...new Set(ids)]]);
  return new Map(rows.map((row) => [row.id, row]));
}

export function boardOf({ id, name, slug, seq, version }: ToldBoard) {
  return { id: idOf('board', id), name, slug, seq, version };
}

/** An entry of a ranking. Bare uuids. */
export interface ToldEntry {
  board_id: string;
  is_test: boolean;
  rank: number;
  id: string;
  identity_id: string;
  player_name: string;
  value: number;
  value_display: string | null;
}

const TOP = `
  select x.board_id, x.is_test, e.rank::int, e.id, e.identity_id, e.player_name, e.value, e.value_display
  from unnest(:boards::uuid[], :tests::boolean[], :most::int[]) x(board_id, is_test, most)
  join board_rankings r on r.board_id = x.board_id
  cross join lateral (
    select t.*, row_number() over (order by t.rank_key, t.seq) as rank
    from (select n.id, n.identity_id, n.player_name, n.value, n.value_display, n.rank_key, n.seq from entries n
      where n.board_id = x.board_id and n.generation = r.generation and n.is_test = x.is_test and n.ranked
      order by n.rank_key, n.seq limit x.most) t) e
  order by x.board_id, x.is_test, e.rank`;

/** The first entries of some boards' own rankings, by board and population, in order of rank. */
export async function readTops(
  trx: Knex,
  wanted: readonly { board: string; isTest: boolean; most: number }[],
): Promise<Map<string, ToldEntry[]>> {
  const { rows } = await runStatement<ToldEntry>(trx, TOP, {
    boards: wanted.map(({ board }) => board),
    tests: wanted.map(({ isTest }) => isTest),
    most: wanted.map(({ most }) => most),
  });
  const tops = new Map<string, ToldEntry[]>();
  for (const row of rows) {
    const key = topKey(row.board_id, row.is_test);
    tops.set(key, [...(tops.get(key) ?? []), row]);
  }
  return tops;
}

export const topKey = (board: string, isTest: boolean) => `${board} ${isTest}`;

const TOTALS = `
  select r.board_id, c.n from board_rankings r cross join lateral ranked_counts(r.board_id, r.generation, false) c
  where r.board_id = any(?::uuid[])`;

/** The numbers of entries of production, by board. */
export async function readTotals(trx: Knex, boards: readonly string[]): Promise<Map<string, number>> {
  const { rows } = await runStatement<{ board_id: string; n: number }>(trx, TOTALS, [[...boards]]);
  return new Map(rows.map(({ board_id, n }) => [board_id, Number(n)]));
}

export function playerOf(identity: string, name: string | null) {
  return { id: idOf('identity', identity), name };
}

/** An entry as events have it. */
export function toldEntry(
  board: ToldBoard,
  { rank, id, identity_id, player_name, value, value_display }: ToldEntry,
) {
  return {
    rank,
    score_id: idOf('score', id),
    player: playerOf(identity_id, player_name),
    value,
    value_text: valueTextOf(board, { value, valueDisplay: value_display }),
  };
}

const NAMES = 'select id, display_name from identities where id = any(?::uuid[])';

/** What players are called now, by bare uuid. */
export async function readPlayerNames(trx: Knex, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const { rows } = await runStatement<{ id: string; display_name: string }>(trx, NAMES, [[...new Set(ids)]]);
  return new Map(rows.map(({ id, display_name: name }) => [id, name]));
}
