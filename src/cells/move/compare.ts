import type { Queryable } from '../../db/pool.js';
import type { Ends } from './follow.js';
import { accountRows, movedValues, type Shape } from './shapes.js';

/** Shown of the differences. */
const SHOWN = 5;

/** The target does not have what the source has. Nothing is lost: the account stays where it is. */
export class Difference extends Error {
  override readonly name = 'Difference';
}

interface Sum {
  /** The table, and the board. */
  what: string;
  rows: string;
  hash: string;
}

/** Number of rows and sum of their hashes of each table, for each board where the table has boards. */
async function sums(database: Queryable, shapes: Shape[], account: string): Promise<Map<string, Sum>> {
  const parts = shapes.map((shape) => {
    const board = shape.columns.includes('board_id') ? `' of board ' || t.board_id` : `''`;
    return `select '${shape.name}' || ${board} as what, count(*)::text as rows,
      sum(hashtextextended(row(${movedValues(shape, account)})::text, 0))::text as hash
      from ${accountRows(shape, account)} group by 1`;
  });
  const { rows } = await database.query<Sum>(parts.join(' union all '));
  return new Map(rows.map((sum) => [sum.what, sum]));
}

/** @throws Difference */
async function compareTables({ source, target, account }: Ends, shapes: Shape[]): Promise<void> {
  const [here, there] = await Promise.all([sums(source, shapes, account), sums(target, shapes, account)]);
  const found: string[] = [];
  for (const what of new Set([...here.keys(), ...there.keys()])) {
    const [mine, other] = [here.get(what), there.get(what)];
    if (mine?.rows === other?.rows && mine?.hash === other?.hash) continue;
    found.push(`${what}: ${mine?.rows ?? 0} rows here, ${other?.rows ?? 0} on the other cell`);
  }
  if (found.length > 0) {
    throw new Difference(`${found.length} differences (${found.slice(0, SHOWN).join('; ')})`);
  }
}

/** Every row of what does not expire by itself. Reads all of the account's rows on both cells. @throws Difference */
export async function compareAll(ends: Ends): Promise<void> {
  for (const shape of ends.shapes.filter(({ expires }) => !expires)) {
    ends.signal.throwIfAborted();
    await compareTables(ends, [shape]);
  }
}

/** Small tables, and the newest event of each board: for the time in which the account is frozen. @throws Difference */
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
