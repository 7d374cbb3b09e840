import type pg from 'pg';
import type { Queryable } from '../../db/pool.js';
import type { Ends } from './follow.js';
import { rowsOf, type Shape, valuesOf } from './shapes.js';

/** Shown of the differences. */
const SHOWN = 5;

/** The target does not have what the source has. Nothing is lost: the account stays where it is. */
export class Difference extends Error {
  override readonly name = 'Difference';
}

interface Sum {
  board: string | null;
  rows: string;
  hash: string;
}

/** Number of rows and sum of their hashes, for each board where the table has boards. */
function sums(database: Queryable, shape: Shape, account: string): Promise<pg.QueryResult<Sum>> {
  const board = shape.columns.includes('board_id') ? 't.board_id::text' : 'null';
  return database.query<Sum>(`
    select ${board} as board, count(*)::text as rows,
      sum(hashtextextended(row(${valuesOf(shape, account)})::text, 0))::text as hash
    from ${rowsOf(shape, account)} group by 1 order by 1`);
}

/** @throws Difference */
async function compareTables({ source, target, account }: Ends, shapes: Shape[]): Promise<void> {
  const found: string[] = [];
  for (const shape of shapes) {
    const [here, there] = await Promise.all(
      [source, target].map(async (end) => (await sums(end, shape, account)).rows),
    );
    const others = new Map(there!.map((sum) => [sum.board, sum]));
    for (const { board, rows, hash } of here!) {
      const other = others.get(board);
      others.delete(board);
      if (other?.rows === rows && other.hash === hash) continue;
      found.push(
        `${shape.name}${board ? ` of board ${board}` : ''}: ${rows} rows, and ${other?.rows ?? 0} on the other cell`,
      );
    }
    for (const { board, rows } of others.values()) {
      found.push(`${shape.name}${board ? ` of board ${board}` : ''}: no rows, and ${rows} on the other cell`);
    }
  }
  if (found.length > 0) {
    throw new Difference(`${found.length} differences (${found.slice(0, SHOWN).join('; ')})`);
  }
}

/** Every row of what does not expire by itself. Reads all of the account's rows on both cells. @throws Difference */
export function compareAll(ends: Ends): Promise<void> {
  return compareTables(
    ends,
    ends.shapes.filter(({ expires }) => !expires),
  );
}

/** What is small, and the newest event of each board: for the time in which the account is frozen. @throws Difference */
export async function compareHeads(ends: Ends): Promise<void> {
  const small = new Set([
    'accounts',
    'games',
    'boards',
    'board_rankings',
    'rankings',
    'rank_tops',
    'game_standings',
  ]);
  await compareTables(
    ends,
    ends.shapes.filter(({ name }) => small.has(name)),
  );
  const newest = `
    select b.id, e.seq, e.id as event from boards b
    cross join lateral (select x.seq, x.id from score_events x where x.board_id = b.id order by x.seq desc limit 1) e
    where b.account_id = $1 order by 1`;
  const [here, there] = await Promise.all(
    [ends.source, ends.target].map(async (end) => (await end.query(newest, [ends.account])).rows),
  );
  if (JSON.stringify(here) !== JSON.stringify(there)) {
    throw new Difference('the newest events of some boards differ');
  }
}
