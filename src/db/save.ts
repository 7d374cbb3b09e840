import { isDeepStrictEqual } from 'node:util';
import type { Knex } from 'knex';
import type { PartialModelObject } from 'objection';
import { notFound } from '../base/errors.js';
import { uuidOf } from '../base/ids.js';
import type { BareRow, ChangesOf, InsertOf, Row, RowClass, Rows } from './row.js';

/** Inserts a record. @returns the record as stored */
export async function insertRecord<R extends BareRow>(
  db: Knex,
  type: RowClass<R>,
  values: InsertOf<R>,
): Promise<R> {
  const record = Object.assign(new type(), values);
  const rows: Rows<R> = type.query(db);
  return (await rows.insert(record as PartialModelObject<R>).returning('*')) as R;
}

/**
 * Returns a record for update, locked, deleted or not.
 * @param reachable rows whose parents are not deleted
 * @param name the kind's name for the sentence, e.g. "Board"
 * @throws DomainError NOT_FOUND
 */
export async function lockRecord<R extends Row>(
  type: RowClass<R>,
  reachable: Rows<R>,
  id: string,
  name: string,
): Promise<R> {
  const record = await reachable.where(`${type.tableName}.id`, uuidOf(id)).forUpdate().first();
  if (!record) throw notFound(name);
  return record;
}

/**
 * Returns the change of an update to a record's deletion (decisions.md section 1): `deleted: true` deletes, or keeps
 * the time of the first deletion; `deleted: false` restores.
 * @throws DomainError NOT_FOUND for any other update of a deleted record
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
 * Writes the fields that differ from the record, also into the record. Undefined fields stay unchanged.
 * @returns true if any field differed; if not, nothing is written and `updatedAt` stays, too
 */
export async function saveRecord<R extends Row>(
  trx: Knex.Transaction,
  record: R,
  changes: ChangesOf<R>,
  now: Date,
): Promise<boolean> {
  const type = record.constructor as RowClass<R>;
  const different = Object.entries(changes).filter(
    ([field, value]) => value !== undefined && !isDeepStrictEqual(value, record[field as keyof R]),
  );
  if (different.length === 0) return false;
  const values = { ...Object.fromEntries(different), updatedAt: now };
  const rows: Rows<R> = type.query(trx);
  await changeRecords(rows.where('id', uuidOf(record.id)), values as Partial<R> as ChangesOf<R>);
  Object.assign(record, values);
  return true;
}

/** Writes changes to all records that a query selects. @returns their number */
export async function changeRecords<R extends BareRow>(
  rows: Rows<R>,
  changes: ChangesOf<R>,
): Promise<number> {
  return rows.patch(changes as Partial<R> as PartialModelObject<R>);
}
