import type { Database } from '../../src/db/pool.js';

/** The tables that an import fills; each with the condition that names the board's rows in them. */
const TABLES = {
  identities: 'id in (select identity_id from states where board_id = $1)',
  score_events: 'board_id = $1',
  states: 'board_id = $1',
  entries: 'board_id = $1 and generation = (select generation from board_rankings where board_id = $1)',
  rank_runs: 'board_id = $1 and generation = (select generation from board_rankings where board_id = $1)',
} as const;

/**
 * The same rows by `insert … select` into empty tables of the same columns and indexes.
 * @param board bare uuid
 * @returns seconds by table
 */
export async function plainInserts({ knex }: Database, board: string): Promise<Map<string, number>> {
  const seconds = new Map<string, number>();
  await knex.raw('drop schema if exists plain cascade; create schema plain');
  for (const [table, condition] of Object.entries(TABLES)) {
    await knex.raw(`create table plain.${table} (like public.${table} including all)`);
    // Read once before, so that both have the rows in memory.
    await knex.raw(`select count(*) from ${table}`);
    const started = performance.now();
    await knex.transaction(async (trx) => {
      await trx.raw('set local statement_timeout = 0');
      await trx.raw(
        `insert into plain.${table} select * from ${table} where ${condition.replaceAll('$1', '?')}`,
        [...condition.matchAll(/\$1/g)].map(() => board) as never,
      );
    });
    seconds.set(table, (performance.now() - started) / 1_000);
  }
  await knex.raw('drop schema plain cascade');
  return seconds;
}
