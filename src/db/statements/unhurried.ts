import type pg from 'pg';
import { UNHURRIED } from '../pool.js';

// A timeout half-way would repeat the work again and again, and hold the board each time.
const TEN_MINUTES = "set local statement_timeout = '10min'";

/**
 * Runs one statement in a transaction of its own that may take ten minutes: a player may have hundreds of thousands of runs on a
 * board, and the tree of ten million entries is built in one step.
 */
export async function queryUnhurried<R extends pg.QueryResultRow>(
  pool: pg.Pool,
  statement: { name: string; text: string },
  values: unknown[],
): Promise<R[]> {
  const client = await pool.connect();
  let broken = true;
  try {
    await client.query('begin isolation level read committed');
    await client.query(TEN_MINUTES);
    const { rows } = await client.query<R>({ ...statement, ...UNHURRIED, values });
    await client.query('commit');
    broken = false;
    return rows;
  } finally {
    // A failed statement ends its connection.
    client.release(broken);
  }
}
