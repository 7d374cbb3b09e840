import pg from 'pg';
import type { TestApp } from './app.js';
import { patience } from './wait.js';

/** Another transaction, in which a statement was run. @returns a function that ends it */
export async function holding({ database }: TestApp, statement: string, id: string) {
  const client = new pg.Client({ connectionString: database.connectionString });
  await client.connect();
  await client.query('begin');
  await client.query(statement, [id]);
  return async () => {
    await client.query('rollback');
    await client.end();
  };
}

/** Resolves once this many backends of this database are waiting for locks. */
export async function waiting({ database }: TestApp, wanted: number, isOver = () => false): Promise<void> {
  const inTime = patience(`${wanted} backends that wait for locks`);
  while (!isOver()) {
    inTime();
    const { rowCount } = await database.pool.query(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    if (rowCount! >= wanted) return;
  }
}

/**
 * Resolves once all transactions of the server that are open now have ended, those of other test files, too: flags are
 * found up to the oldest one.
 */
export async function openOnesEnded({ database: { pool } }: Pick<TestApp, 'database'>): Promise<void> {
  const inTime = patience('the end of all open transactions');
  const { rows } = await pool.query('select pg_snapshot_xmax(pg_current_snapshot())::text as next');
  const open = 'select pg_sleep(0.02) where pg_snapshot_xmin(pg_current_snapshot()) < $1::text::xid8';
  while ((await pool.query(open, [rows[0].next])).rowCount) inTime();
}
