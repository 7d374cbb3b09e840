import type { Knex } from 'knex';
import type pg from 'pg';

/** What a statement is filled in with: by place (`?`) or by name (`:name`). */
type Values = readonly unknown[] | Record<string, unknown>;

/** Runs a whole statement in SQL, within a transaction when `db` is one. */
export function runStatement<T extends object = object>(
  db: Knex,
  sql: string,
  values: Values = [],
): Promise<pg.QueryResult<T>> {
  return db.raw(sql, values as Knex.RawBinding[]) as unknown as Promise<pg.QueryResult<T>>;
}
