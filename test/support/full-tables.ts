import { readFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';

/** The parts of the SQL text by name. */
const SQL = new Map(
  readFileSync(path.resolve(__dirname, '../fixtures/full-tables.sql'), 'utf8')
    .split(/^-- (?=\w+$)/m)
    .map((part) => [part.split('\n')[0]!, part.slice(part.indexOf('\n'))]),
);
const sqlOf = (name: string) => SQL.get(name)!;
const TABLES = [...(sqlOf('tables') + sqlOf('entries')).matchAll(/^insert into (\w+)/gm)].map(
  ([, name]) => name,
);

/**
 * Fills every table behind lists by set-based statements, with the same kinds of rows at any size: ties everywhere,
 * one account (1) that owns half of everything, one (2) that owns a hundredth, many small ones; one game (1), board
 * (1) and device (1) as large.
 */
export async function fillTables(connectionString: string, rows: number): Promise<void> {
  const clients = [new pg.Client({ connectionString }), new pg.Client({ connectionString })];
  for (const client of clients) {
    await client.connect();
    await client.query(
      `set statement_timeout = 0; set maintenance_work_mem = '128MB'; set max_parallel_maintenance_workers = 0`,
    );
  }
  const [first] = clients as [pg.Client];
  /** For independent tables and indexes: two at a time keep two cores busy. */
  const shared = async (statements: string[]) => {
    const work = async (client: pg.Client) => {
      for (let next = statements.shift(); next; next = statements.shift()) await client.query(next);
    };
    await Promise.all(clients.map(work));
  };
  await first.query(sqlOf('helpers'));
  await first.query(sqlOf('numbers'), [rows]);
  // No plan depends on these constraints, and the statements below satisfy them.
  for (const { away } of (await first.query<{ away: string }>(CHECKS)).rows) await first.query(away);
  // Nothing else may analyze them: the planner only knows the statistics of `analyze` below.
  for (const table of TABLES) {
    await first.query(`alter table ${table} set unlogged, set (autovacuum_enabled = off)`);
  }
  const { rows: indexes } = await first.query<{ away: string; back: string }>(INDEXES, [TABLES]);
  // Created afterwards in one go, which is much faster than maintaining them row by row.
  for (const { away } of indexes) await first.query(away);
  await shared(sqlOf('tables').split(/;$/m));
  // Without the guard of followed pages (follow-guard.ts), which checks each row.
  await first.query(`set session_replication_role = 'replica'`);
  await first.query(sqlOf('entries'));
  await first.query(`set session_replication_role = 'origin'`);
  await shared(indexes.map(({ back }) => back));
  for (const test of [false, true]) {
    await first.query('select build_rank_tree($1, 1, $2)', [filledUuid(1), test]);
  }
  await first.query('drop schema fill cascade');
  await first.query('analyze');
  for (const client of clients) await client.end();
}

/** The uuid of the i-th record of each kind. The first bytes differ, because sorts look at these. */
export function filledUuid(i: number): string {
  return `${i.toString(16).padStart(8, '0')}-0000-7000-8000-000000000000`;
}

/** Foreign keys first, because the constraints they refer to can't be dropped before them. */
const CHECKS = `
  select format('alter table %s drop constraint %I', conrelid::regclass, conname) as away
  from pg_constraint
  where connamespace = 'public'::regnamespace and contype in ('c', 'f')
  order by contype desc`;

const INDEXES = `
  select 'drop index ' || x.indexrelid::regclass as away, pg_get_indexdef(x.indexrelid) as back
  from pg_index x
  where x.indrelid::regclass::text = any($1) and not exists (select from pg_constraint k where k.conindid = x.indexrelid)`;
