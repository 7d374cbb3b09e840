import pg from 'pg';
import type { ScratchDatabase } from './scratch.js';

/** A database by its address. */
export type Connected = Pick<ScratchDatabase, 'connectionString'>;

/** A session for statements that take minutes: nothing of value is lost if the server dies. */
export async function bulkSession({ connectionString }: Connected): Promise<pg.Client> {
  const client = new pg.Client({ connectionString, application_name: 'leaderboard bench bulk' });
  client.on('error', () => undefined); // what it is doing is rejected
  await client.connect();
  await client.query(`set synchronous_commit = off; set statement_timeout = 0; set lock_timeout = 0; set jit = off;
    set maintenance_work_mem = '512MB'; set work_mem = '256MB'; set timezone = 'UTC'`);
  return client;
}

/** Runs work in its own session of this kind. */
export async function inSession<T>(made: Connected, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = await bulkSession(made);
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
