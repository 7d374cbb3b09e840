import type { Knex } from 'knex';
import type pg from 'pg';

/** Parameters of a statement: by position (`?`) or by name (`:name`). */
type Values = readonly unknown[] | Record<string, unknown>;

/** Runs a complete SQL statement, within a transaction when `db` is one. */
export function runStatement<T extends object = object>(
  db: Knex,
  sql: string,
  values: Values = [],
): Promise<pg.QueryResult<T>> {
  return db.raw(sql, values as Knex.RawBinding[]) as unknown as Promise<pg.QueryResult<T>>;
}
