import DataLoader from 'dataloader';
import type { Knex } from 'knex';
import { fromRow, type Row, type RowClass } from '../db/row.js';
import { uuidOf } from '../ids.js';

/** How records of one kind are read by key, many at once. A constant of the module that owns the kind. */
export interface LoaderSpec<V> {
  /** Keys that are missing in the map load as undefined. */
  batch(keys: readonly string[], db: Knex): Promise<Map<string, V>>;
}

/** One operation's DataLoaders, made when first asked for. Never shared between operations. */
export class Loaders {
  readonly #loaders = new Map<LoaderSpec<unknown>, DataLoader<string, unknown>>();

  constructor(private readonly db: Knex) {}

  /** `loaders.of(boardById).load(id)` */
  of<V>(spec: LoaderSpec<V>): DataLoader<string, V | undefined> {
    const known = this.#loaders.get(spec) as DataLoader<string, V | undefined> | undefined;
    if (known) return known;
    const made = new DataLoader<string, V | undefined>(async (keys) => {
      const found = await spec.batch(keys, this.db);
      return keys.map((key) => found.get(key));
    });
    this.#loaders.set(spec, made);
    return made;
  }

  /** After a mutation, and before every event of a subscription: what was read before is old. */
  clear(): void {
    this.#loaders.clear();
  }
}

/**
 * The loader of one kind of record by id.
 * @param live rows a reader may see: not deleted, nor below anything deleted
 */
export function recordsById<R extends Row>(
  type: RowClass<R>,
  live: (db: Knex) => Knex.QueryBuilder,
): LoaderSpec<R> {
  return {
    batch: async (ids, db) => {
      const rows: object[] = await live(db)
        .select(`${type.tableName}.*`)
        .whereIn(`${type.tableName}.id`, ids.map(uuidOf));
      return new Map(rows.map((row) => fromRow(type, row)).map((record) => [record.id, record]));
    },
  };
}
