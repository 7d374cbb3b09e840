import type { Knex } from 'knex';
import { Model, type Pojo, type QueryBuilder, snakeCaseMappers } from 'objection';
import { type IdKind, idOf, uuidOf } from '../base/ids.js';
import type { GlobalName } from './names.js';

const mappers = snakeCaseMappers();

/**
 * Base of every record of the control plane: a table's row, and mostly a GraphQL type as well. In JavaScript ids have
 * their prefix (`brd_<uuid>`), in the table they are uuids; times are Dates. Models are bound to no database: every
 * query names its own (`Board.query(db)`), so that several services can run in one process. Conditions in queries are
 * SQL: snake_case columns and bare uuids (`uuidOf`). Writes go through save.ts.
 */
export abstract class BareRow extends Model {
  /** Properties that hold ids or lists of ids, with their kind. */
  static ids: Record<string, IdKind> = {};
  /**
   * Fields that the audit trail does not show: secrets, what the service counts, what has an action of its own.
   * Undefined: the record's changes are not in it.
   */
  static unaudited: readonly string[] | undefined;
  static override useLimitInFirst = true;

  id!: string;

  static override get columnNameMappers() {
    return mappers;
  }

  /** The names it has, now that it is as it is, that no other record of any account may have. */
  globalNames(): GlobalName[] {
    return [];
  }

  override $parseDatabaseJson(json: Pojo): Pojo {
    const parsed = super.$parseDatabaseJson(json);
    for (const [property, kind] of Object.entries((this.constructor as typeof BareRow).ids)) {
      const value: unknown = parsed[property];
      if (typeof value === 'string') parsed[property] = idOf(kind, value);
      if (Array.isArray(value)) parsed[property] = value.map((id: string) => idOf(kind, id));
    }
    return parsed;
  }

  override $formatDatabaseJson(json: Pojo): Pojo {
    const bare = { ...json };
    for (const property of Object.keys((this.constructor as typeof BareRow).ids)) {
      const value: unknown = bare[property];
      if (typeof value === 'string') bare[property] = uuidOf(value);
      if (Array.isArray(value)) bare[property] = value.map(uuidOf);
    }
    return super.$formatDatabaseJson(bare);
  }
}

/** A record that can be changed and deleted. */
export abstract class Row extends BareRow {
  createdAt!: Date;
  updatedAt!: Date;
  /** Never a GraphQL field: deleted records are not shown. */
  deletedAt!: Date | null;
}

/** A concrete record class. */
export type RowClass<R extends BareRow> = (new () => R) &
  Pick<typeof BareRow, 'tableName' | 'ids' | 'fromDatabaseJson'> & {
    query(this: new () => NoInfer<R>, db: Knex): Rows<NoInfer<R>>;
  };

/** Records of a table that a query selects. */
export type Rows<R extends BareRow> = QueryBuilder<R>;

/** The record of a raw row of its table. */
export function fromRow<R extends BareRow>(type: RowClass<R>, row: object): R {
  return type.fromDatabaseJson(row) as R;
}

/** True for identical types, `readonly` included. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** Properties of a record that are columns: no methods, getters or optional properties. */
type ColumnOf<R extends BareRow> = {
  [K in Exclude<keyof R, keyof Model>]-?: R[K] extends (...args: never[]) => unknown
    ? never
    : object extends Pick<R, K>
      ? never
      : Same<Pick<R, K>, Readonly<Pick<R, K>>> extends true
        ? never
        : K;
}[Exclude<keyof R, keyof Model>];

/** A new record: every column of its table; not deleted. */
export type InsertOf<R extends BareRow> = Pick<R, Exclude<ColumnOf<R>, 'deletedAt'>>;

/** Changes of a record; absent and undefined members stay unchanged. */
export type ChangesOf<R extends BareRow> = Partial<Pick<R, ColumnOf<R>>>;

/**
 * The changes that an update's input makes to a record: one entry for each field of the input, so that none is
 * forgotten.
 * @typeParam Elsewhere fields that the caller handles otherwise; `deleted` is always one of them
 */
export type PatchOf<R extends BareRow, Input, Elsewhere extends keyof Input = never> = ChangesOf<R> & {
  [K in Exclude<keyof Input, 'deleted' | Elsewhere>]: (K extends keyof R ? R[K] : never) | undefined;
};
