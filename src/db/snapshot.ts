import type pg from 'pg';
import type { Queryable } from './pool.js';

const BEGIN = 'begin isolation level repeatable read read only';

/**
 * Runs reads in one snapshot, for a statement that needs the result of another one. To be short: while it lasts, rows
 * deleted since cannot be vacuumed.
 */
export async function inSnapshot<T>(pool: pg.Pool, work: (client: Queryable) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let broken = true;
  try {
    // The first statement is pipelined after `begin`.
    const [, result] = await Promise.all([client.query(BEGIN), work(client)]);
    await client.query('commit');
    broken = false;
    return result;
  } finally {
    client.release(broken);
  }
}
