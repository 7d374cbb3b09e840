import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { SetupError } from '../../base/errors.js';

/** A table, view or sequence outside Postgres' own schemas. */
interface Relation {
  /** Quoted, with its schema. */
  name: string;
  kind: 'table' | 'sequence' | 'other';
  /** Quoted; those that can be written. */
  columns: string[];
}

const RELATIONS = `
  select format('%I.%I', n.nspname, c.relname) as name,
    case c.relkind when 'r' then 'table' when 'S' then 'sequence' else 'other' end as kind,
    coalesce((select array_agg(quote_ident(a.attname) order by a.attnum) from pg_attribute a
      where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''), '{}') as columns
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'p', 'v', 'm', 'f', 'S') and n.nspname !~ '^(pg_|information_schema$)' order by 1`;

/** A session without time limits, which runs one statement after the other. */
async function openSession(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString, application_name: 'leaderboard upgrade' });
  client.on('error', () => undefined); // the next statement fails
  await client.connect();
  await client.query(
    'set statement_timeout = 0; set lock_timeout = 0; set idle_in_transaction_session_timeout = 0',
  );
  return client;
}

/**
 * Copies all rows of a database into another one with the same tables, whose own rows go. Both are written by no other
 * process.
 * @param copied is called after each table with its number of rows, which both databases have
 * @throws SetupError when the old one holds what the new one does not, which is the operator's own
 * @throws Error when a table has another number of rows afterwards
 */
export async function copyTables(
  oldServer: string,
  newServer: string,
  signal: AbortSignal,
  copied: (table: string, rows: number) => void,
): Promise<void> {
  const source = await openSession(oldServer);
  const target = await openSession(newServer);
  try {
    const relations = (await source.query<Relation>(RELATIONS)).rows;
    refuseForeign(relations, (await target.query<Relation>(RELATIONS)).rows);
    const tables = relations.filter(({ kind }) => kind === 'table');
    await source.query('begin isolation level repeatable read read only');
    // Foreign keys and triggers hold already, and would be checked row by row.
    await target.query('begin; set local session_replication_role = replica');
    await target.query(`truncate ${tables.map(({ name }) => name).join(', ')}`);
    for (const { name, columns } of tables) {
      const list = columns.join(', ');
      await pipeline(
        source.query(copyTo(`copy ${name} (${list}) to stdout`)),
        target.query(copyFrom(`copy ${name} (${list}) from stdin`)),
        { signal },
      );
    }
    for (const { name } of relations.filter(({ kind }) => kind === 'sequence')) {
      const { rows } = await source.query(`select last_value, is_called from ${name}`);
      await target.query('select setval($1, $2, $3)', [name, rows[0].last_value, rows[0].is_called]);
    }
    await target.query('commit');
    for (const { name } of tables) {
      signal.throwIfAborted();
      const [before, after] = [await count(source, name), await count(target, name)];
      if (before !== after) throw new Error(`${name} has ${before} rows, and its copy ${after}`);
      // Statistics of an empty table would make the planner assume that it stays empty.
      if (after > 0) await target.query(`vacuum (analyze) ${name}`);
      copied(name, after);
    }
  } finally {
    await Promise.all([source, target].map((client) => client.end().catch(() => undefined)));
  }
}

function refuseForeign(old: Relation[], made: Relation[]): void {
  const known = new Map(made.map((relation) => [relation.name, relation]));
  const foreign = old.flatMap(({ name, columns }) => {
    const same = known.get(name);
    if (!same) return [name];
    return columns.filter((column) => !same.columns.includes(column)).map((column) => `${name}.${column}`);
  });
  if (foreign.length === 0) return;
  throw new SetupError(
    `The database contains objects that do not belong to the service and would be left behind ` +
      `(${foreign.join(', ')}). Move them with pg_dump and drop them there, or keep the old Postgres with POSTGRES_BIN_DIR.`,
  );
}

async function count(client: pg.Client, table: string): Promise<number> {
  const { rows } = await client.query<{ n: string }>(`select count(*) as n from ${table}`);
  return Number(rows[0]!.n);
}
