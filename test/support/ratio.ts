import { uuid7, uuidOf } from '../../src/base/ids.js';
import type { Database } from '../../src/db/pool.js';

/** A ratio board's configuration; `swapped`: the second of its two boards is divided by the first. */
export interface RatioRules {
  swapped: boolean;
  zero: 'null' | 'zero' | 'infinity';
  minNumerator: number;
  minDenominator: number;
  scale: number;
  display: 'raw' | 'percent';
  decimals: number;
}

/** Writes the configuration as a request does, and leaves the work to background processes, as on a large board. */
export async function setRatio(
  db: Database,
  boardId: string,
  left: string,
  right: string,
  rules: RatioRules,
  at: Date,
): Promise<void> {
  const [numerator, denominator] = rules.swapped ? [right, left] : [left, right];
  const board = uuidOf(boardId);
  await db.knex.transaction(async (trx) => {
    await trx('board_rankings').where('board_id', board).forUpdate().first();
    await trx('ratio_configs')
      .insert({
        id: uuid7(),
        board_id: board,
        numerator_board_id: uuidOf(numerator),
        denominator_board_id: uuidOf(denominator),
        zero_denominator_policy: rules.zero,
        min_numerator: rules.minNumerator,
        min_denominator: rules.minDenominator,
        scale: rules.scale,
        display: rules.display,
        decimals: rules.decimals,
        created_at: at,
        updated_at: at,
      })
      .onConflict('board_id')
      .merge();
    await trx.raw('select apply_rules(?, ?, 0)', [board, at]);
  });
}

/** A ratio board's entries without their order among equals, as {@link ratioModel} writes them. */
export async function derivedText(db: Database, boardId: string): Promise<string[]> {
  const { rows } = await db.knex.raw<{
    rows: { is_test: boolean; identity_id: string; value: number; rank_key: number; player_name: string }[];
  }>(
    `select e.is_test, e.identity_id, e.value, e.rank_key, e.player_name from entries e
     join board_rankings b on b.board_id = e.board_id and b.generation = e.generation where e.board_id = ?`,
    [uuidOf(boardId)],
  );
  return rows.map((row) => line(row.is_test, row.identity_id, row.value, row.rank_key)).toSorted();
}

function line(isTest: boolean, identity: string, value: number, key: number): string {
  return `${isTest} ${identity} ${value} ${key}`;
}

const LARGEST = Number.MAX_VALUE;

function inRange(value: number): number {
  return Math.max(-LARGEST, Math.min(LARGEST, value)) + 0;
}

/** Value and rank key of two sums; undefined: not ranked. */
export function quotientOf(
  n: number,
  d: number,
  direction: 'asc' | 'desc',
  rules: RatioRules,
): [number, number] | undefined {
  if (n < rules.minNumerator || d < rules.minDenominator) return undefined;
  const finite = (value: number): [number, number] => {
    const shown = inRange(value);
    return [shown, direction === 'asc' ? shown : 0 - shown];
  };
  if (d !== 0) return finite(inRange(n / d) * rules.scale);
  if (rules.zero === 'zero') return finite(0);
  return rules.zero === 'infinity' && n >= 0 ? [1e15, -Infinity] : undefined;
}

/** A plain model of a ratio board, computed from the sums the two boards show. */
export async function ratioModel(
  db: Database,
  left: string,
  right: string,
  direction: 'asc' | 'desc',
  rules: RatioRules,
): Promise<string[]> {
  const sums = async (boardId: string) => {
    const { rows } = await db.knex.raw<{
      rows: { is_test: boolean; identity_id: string; value: number; off: boolean }[];
    }>(
      `select s.is_test, s.identity_id, s.value,
         (select r.effect from rulings r where r.board_id = s.board_id and r.identity_id = s.identity_id order by r.seq desc limit 1)
           is not distinct from 'exclude' as off
       from states s where s.board_id = ?`,
      [uuidOf(boardId)],
    );
    return new Map(rows.map((row) => [`${row.is_test} ${row.identity_id}`, row]));
  };
  const [numerators, denominators] = await Promise.all(
    (rules.swapped ? [right, left] : [left, right]).map(sums),
  );
  const lines: string[] = [];
  for (const key of new Set([...numerators!.keys(), ...denominators!.keys()])) {
    const [numerator, denominator] = [numerators!.get(key), denominators!.get(key)];
    if (numerator?.off || denominator?.off) continue;
    if (numerator?.value == null && denominator?.value == null) continue;
    const quotient = quotientOf(numerator?.value ?? 0, denominator?.value ?? 0, direction, rules);
    const { is_test, identity_id } = (numerator ?? denominator)!;
    if (quotient) lines.push(line(is_test, identity_id, ...quotient));
  }
  return lines.toSorted();
}
