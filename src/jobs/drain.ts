import { runStatement } from '../db/pool.js';
import type { JobCall } from './job.js';

/**
 * Repeats a statement that processes at most `chunk` rows older than a moment (its only parameter) until none is left:
 * each stays far below a second.
 * @returns the number of rows
 */
export async function drain(
  { db, signal }: JobCall,
  statement: string,
  before: number,
  chunk: number,
): Promise<number> {
  let done = 0;
  for (;;) {
    const { rowCount } = await runStatement(db, statement, [new Date(before)]);
    done += rowCount!;
    if (rowCount! < chunk || signal.aborted) return done;
  }
}
