import pg from 'pg';
import { unhurriedConfig } from '../../src/db/pool.js';

/** The tables an import fills, each with the condition for the board's rows. */
const TABLES = {
  identities: 'id in (select identity_id from states where board_id = $1)',
  score_events: 'board_id = $1',
  states: 'board_id = $1',
  entries: 'board_id = $1 and generation = (select generation from board_rankings where board_id = $1)',
  rank_runs: 'board_id = $1 and generation = (select generation from board_rankings where board_id = $1)',
} as const;

/**
 * The same rows by `insert … select` into empty tables with the same columns and indexes.
 * @param board bare uuid
 * @returns seconds by table
 */
export async function plainInserts(connectionString: string, board: string): Promise<Map<string, number>> {
  const seconds = new Map<string, number>();
  // The service's own sessions cancel statements after half a minute.
  const client = new pg.Client(unhurriedConfig(connectionString, 'leaderboard bench'));
  await client.connect();
  try {
    await client.query('drop schema if exists plain cascade; create schema plain');
    for (const [table, condition] of Object.entries(TABLES)) {
      await client.query(`create table plain.${table} (like public.${table} including all)`);
      // Read once before, so that both have the rows in memory.
      await client.query(`select count(*) from ${table}`);
      const started = performance.now();
      await client.query(`insert into plain.${table} select * from ${table} where ${condition}`, [board]);
      seconds.set(table, (performance.now() - started) / 1_000);
    }
    await client.query('drop schema plain cascade');
  } finally {
    await client.end();
  }
  return seconds;
}
