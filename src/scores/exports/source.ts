import type pg from 'pg';
import type { Measure } from '../../base/value-format.js';
import type { ShownKey } from '../../players/session-text.js';
import type { RankingAddress } from '../../rankings/address.js';

/** Values of one line, in the order of the source's columns. */
export type ExportRow = unknown[];

/**
 * One kind of record of a board, read in chunks of about a thousand rows, none of which holds a connection or a
 * snapshot.
 */
export interface ExportSource {
  columns: readonly string[];
  /**
   * @param ranking of the board; only standings depend on it
   * @param measure in which the board shows its values
   * @param keyFor shows a player's key as the caller may see it
   * @returns the number of the board's sequence that the rows belong to
   */
  rows(
    pool: pg.Pool,
    ranking: RankingAddress,
    measure: Measure,
    keyFor: ShownKey,
  ): AsyncGenerator<ExportRow[], number>;
}

/**
 * Rows of one statement, which wait together for a slow peer: a chunk takes well under a second, even when first
 * read from disk, and is a few hundred kilobytes of text.
 */
export const CHUNK_ROWS = 1_000;

/** Newest number of a board's sequence; 0 without a ranking. */
export async function seqOf(pool: Pick<pg.Pool, 'query'>, boardId: string): Promise<number> {
  const { rows } = await pool.query<{ seq: number }>({
    name: 'export_seq',
    text: 'select seq from board_rankings where board_id = $1::uuid',
    values: [boardId],
  });
  return rows[0]?.seq ?? 0;
}
