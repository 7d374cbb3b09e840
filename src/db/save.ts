import { isDeepStrictEqual } from 'node:util';
import type { Knex } from 'knex';
import { notFound } from '../base/errors.js';
import { uuidOf } from '../base/ids.js';
import { fromRow, type Row, type RowClass } from './row.js';

/** Writes a new record. @returns it as the table holds it */
export async function insertRecord<R extends Row>(
  db: Knex,
  type: RowClass<R>,
  values: Partial<R>,
): Promise<R> {
  const record = Object.assign(new type(), values);
  const [row] = await db(type.tableName).insert(record.$toDatabaseJson()).returning('*');
  return fromRow(type, row);
}

/**
 * A record for update, locked, deleted or not.
 * @param reachable rows whose parents are not deleted
 * @param name the kind's name for the sentence, e.g. "Board"
 * @throws DomainError NOT_FOUND
 */
export async function lockRecord<R extends Row>(
  type: RowClass<R>,
  reachable: Knex.QueryBuilder,
  id: string,
  name: string,
): Promise<R> {
  const table = type.tableName;
  const row: object | undefined = await reachable
    .clone()
    .select(`${table}.*`)
    .where(`${table}.id`, uuidOf(id))
    .forUpdate(table)
    .first();
  if (!row) throw notFound(name);
  return fromRow(type, row);
}

/**
 * What an update does to the deletion of a record (decisions.md section 1): `deleted: true` deletes, or keeps the time
 * of the first deletion; `deleted: false` restores; anything else on a deleted record is
 * @throws DomainError NOT_FOUND
 */
export function deletionOf(
  record: Pick<Row, 'deletedAt'>,
  input: { deleted?: boolean },
  now: Date,
  name: string,
): { deletedAt?: Date | null } {
  if (!record.deletedAt) return input.deleted ? { deletedAt: now } : {};
  if (input.deleted === false) return { deletedAt: null };
  const others = Object.entries(input).some(([field, value]) => field !== 'deleted' && value !== undefined);
  if (input.deleted && !others) return {};
  throw notFound(name);
}

/**
 * Writes what differs from the record, and into the record. Fields that are undefined stay.
 * @returns whether anything differed; if not, nothing is written and `updatedAt` stays, too
 */
export async function saveRecord<R extends Row>(
  trx: Knex.Transaction,
  record: R,
  changes: Partial<R>,
  now: Date,
): Promise<boolean> {
  const type = record.constructor as RowClass<R>;
  const different = Object.entries(changes).filter(
    ([field, value]) => value !== undefined && !isDeepStrictEqual(value, record[field as keyof R]),
  );
  if (different.length === 0) return false;
  const values = { ...Object.fromEntries(different), updatedAt: now };
  const json = Object.assign(new type(), values).$toDatabaseJson();
  await trx(type.tableName).where('id', uuidOf(record.id)).update(json);
  Object.assign(record, values);
  return true;
}
