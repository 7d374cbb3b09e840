import type { Database } from '../../src/db/pool.js';

const TABLES = `
  select format('%I.%I', table_schema, table_name) as name from information_schema.tables
  where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema') order by 1`;

/** The rows of every table as text, by table, as COPY writes them. */
export async function dump(db: Database): Promise<Map<string, string[]>> {
  const { rows } = await db.pool.query<{ name: string }>(TABLES);
  const tables = new Map<string, string[]>();
  for (const { name } of rows) {
    const found = await db.pool.query<{ line: string }>(`select x::text as line from ${name} x`);
    tables.set(
      name.replace(/^public\./, ''),
      found.rows.map(({ line }) => line),
    );
  }
  return tables;
}

/** Rows that contain a text, each prefixed with its table. */
export async function rowsWith(db: Database, text: string | RegExp): Promise<string[]> {
  const tables = await dump(db);
  const holds = (line: string) => (typeof text === 'string' ? line.includes(text) : text.test(line));
  return [...tables].flatMap(([name, lines]) => lines.filter(holds).map((line) => `${name}: ${line}`));
}
