import DataLoader from 'dataloader';
import type { Knex } from 'knex';
import type { Clock } from '../base/clock.js';
import { uuidOf } from '../base/ids.js';
import type { Changes } from '../db/changes.js';
import { refuseMovedRecords } from '../db/moved.js';
import type { BareRow, RowClass, Rows } from '../db/row.js';
import { TtlCache } from '../db/shared-reads.js';

/** Reads records of one kind by key, many at once. A constant of the module that owns the kind. */
export interface LoaderSpec<V> {
  /** Keys that are missing in the map load as undefined. */
  batch(keys: readonly string[], db: Knex): Promise<Map<string, V | undefined>>;
  /**
   * Kinds of records that the values depend on besides their own. Given for records that almost every request reads:
   * their values may be cached for one second.
   */
  remembered?: ReadonlySet<string> | undefined;
}

/** The process-wide caches behind the loaders of all operations. */
export class Memories {
  readonly #memories = new Map<LoaderSpec<unknown>, TtlCache<unknown>>();

  constructor(
    private readonly clock: Clock,
    private readonly changes: Changes,
  ) {}

  of<V>(spec: LoaderSpec<V>, dependsOn: ReadonlySet<string>): TtlCache<V> {
    const memory = this.#memories.get(spec) as TtlCache<V> | undefined;
    if (memory) return memory;
    const made = new TtlCache<V>(this.clock, this.changes, dependsOn);
    this.#memories.set(spec, made as TtlCache<unknown>);
    return made;
  }

  close(): void {
    for (const memory of this.#memories.values()) memory.close();
  }
}

/** One operation's DataLoaders, made at their first use. Never shared between operations. */
export class Loaders {
  readonly #loaders = new Map<object, DataLoader<string, unknown>>();

  constructor(
    private readonly db: Knex,
    private readonly memories: Memories,
  ) {}

  /** `loaders.of(boardById).load(id)` */
  of<V>(spec: LoaderSpec<V>): DataLoader<string, V | undefined> {
    return this.by(spec, () =>
      spec.remembered ? this.#remembering(spec, spec.remembered) : this.#reading(spec),
    );
  }

  /** Returns the operation's loader of a key, or makes it. */
  by<V>(key: object, make: () => DataLoader<string, V>): DataLoader<string, V> {
    const loader = this.#loaders.get(key) as DataLoader<string, V> | undefined;
    if (loader) return loader;
    const made = make();
    this.#loaders.set(key, made);
    return made;
  }

  #reading<V>(spec: LoaderSpec<V>): DataLoader<string, V | undefined> {
    return new DataLoader<string, V | undefined>(async (keys) => {
      const values = await spec.batch(keys, this.db);
      return keys.map((key) => values.get(key));
    });
  }

  #remembering<V>(spec: LoaderSpec<V>, dependsOn: ReadonlySet<string>): DataLoader<string, V | undefined> {
    const memory = this.memories.of(spec, dependsOn);
    const unknown = this.#reading(spec);
    return new DataLoader((keys) =>
      Promise.all(keys.map((key) => memory.read(key, (id) => unknown.load(id)))),
    );
  }

  /** Called after a mutation and before every event of a subscription: records read before are outdated. */
  clear(): void {
    this.#loaders.clear();
  }
}

/**
 * Returns the loader of one kind of record by id.
 * @param live rows that a reader may see: not deleted, nor below anything deleted
 * @param remembered see {@link LoaderSpec.remembered}
 */
export function recordsById<R extends BareRow>(
  type: RowClass<R>,
  live: (db: Knex) => Rows<R>,
  remembered?: ReadonlySet<string>,
): LoaderSpec<R> {
  return {
    remembered,
    batch: async (ids, db) => {
      const records = await live(db).whereIn(`${type.tableName}.id`, ids.map(uuidOf));
      const byId = new Map(records.map((record) => [record.id, record]));
      await refuseMovedRecords(db, type.tableName, ids, byId, uuidOf);
      return byId;
    },
  };
}
