import type pg from 'pg';
import type { Queryable } from './pool.js';

const BEGIN = 'begin isolation level repeatable read read only';

/**
 * Reads of one instant, where a statement needs to know what another one answered. To be short: as long as it lasts, nothing
 * that was deleted since can be cleaned away.
 */
export async function inSnapshot<T>(pool: pg.Pool, work: (client: Queryable) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let broken = true;
  try {
    // The first statement does not wait for the answer.
    const [, result] = await Promise.all([client.query(BEGIN), work(client)]);
    await client.query('commit');
    broken = false;
    return result;
  } finally {
    client.release(broken);
  }
}
