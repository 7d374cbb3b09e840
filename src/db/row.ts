import { Model, type Pojo, snakeCaseMappers } from 'objection';
import { type IdKind, idOf, uuidOf } from '../base/ids.js';

const mappers = snakeCaseMappers();

/**
 * Base of every record that is a GraphQL type and a table's row at once. In JavaScript ids carry their prefix
 * (`brd_<uuid>`), in the table they are uuids; times are Dates. Models are bound to no database: every query names
 * its own (`Board.query(db)`), so that several services can live in one process. Conditions in queries are SQL:
 * snake_case columns and bare uuids (`uuidOf`).
 */
export abstract class Row extends Model {
  /** Properties that hold ids, with their kind. */
  static ids: Record<string, IdKind> = {};

  id!: string;
  createdAt!: Date;
  updatedAt!: Date;
  /** Never a GraphQL field: a deleted record is not shown. */
  deletedAt!: Date | null;

  static override get columnNameMappers() {
    return mappers;
  }

  override $parseDatabaseJson(json: Pojo): Pojo {
    const parsed = super.$parseDatabaseJson(json);
    for (const [property, kind] of Object.entries((this.constructor as typeof Row).ids)) {
      const value: unknown = parsed[property];
      if (typeof value === 'string') parsed[property] = idOf(kind, value);
    }
    return parsed;
  }

  override $formatDatabaseJson(json: Pojo): Pojo {
    const bare = { ...json };
    for (const property of Object.keys((this.constructor as typeof Row).ids)) {
      const value: unknown = bare[property];
      if (typeof value === 'string') bare[property] = uuidOf(value);
    }
    return super.$formatDatabaseJson(bare);
  }
}

/** A concrete record class. */
export type RowClass<R extends Row> = (new () => R) &
  Pick<typeof Row, 'tableName' | 'ids' | 'fromDatabaseJson'>;

/** The record of a raw row of its table. */
export function fromRow<R extends Row>(type: RowClass<R>, row: object): R {
  return type.fromDatabaseJson(row) as R;
}
