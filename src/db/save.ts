import { isDeepStrictEqual } from 'node:util';
import type { Knex } from 'knex';
import type { PartialModelObject } from 'objection';
import { notFound } from '../base/errors.js';
import { uuidOf } from '../base/ids.js';
import { numberedSlug } from '../base/slug.js';
import { noteRecord } from './audit.js';
import { refuseMoved } from './moved.js';
import {
  changeNames,
  type NameKind,
  type NameOwner,
  namesElsewhere,
  savepoint,
  sharesNames,
} from './names.js';
import type { BareRow, ChangesOf, InsertOf, Row, RowClass, Rows } from './row.js';

/** A write that the audit trail does not have: a game server's, or one with an entry of its own. */
export const UNNOTED = { noted: false };

/** Inserts a record and notes it for the audit trail. @returns the record as stored */
export async function insertRecord<R extends BareRow>(
  db: Knex,
  type: RowClass<R>,
  values: InsertOf<R>,
  { noted } = { noted: true },
): Promise<R> {
  const record = Object.assign(new type(), values);
  if (sharesNames(db)) await changeNames(db, [], record.globalNames(), ownerOf(record), true);
  const rows: Rows<R> = type.query(db);
  const stored = (await rows.insert(record as PartialModelObject<R>).returning('*')) as R;
  if (noted) noteRecord(db, stored, undefined, { ...(stored as object) });
  return stored;
}

/** The account of a name is its record's, or the record itself. */
function ownerOf(record: BareRow): NameOwner {
  const recordId = uuidOf(record.id);
  const { accountId: parent } = record as { accountId?: string };
  const { tableName } = record.constructor as typeof BareRow;
  const accountId = tableName === 'accounts' ? recordId : parent && uuidOf(parent);
  return { recordId, accountId: accountId ?? null };
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
  if (!record) {
    await refuseMoved(reachable.knex(), type.tableName, 't.id = ?', [uuidOf(id)]);
    throw notFound(name);
  }
  return record;
}

/**
 * Returns the change of an update to a record's deletion: `deleted: true` deletes, or keeps
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
 * Writes the fields that differ from the record, also into the record, and notes them for the audit trail. Undefined fields
 * stay unchanged.
 * @returns true if any field differed; if not, nothing is written and `updatedAt` stays, too
 */
export async function saveRecord<R extends Row>(
  trx: Knex.Transaction,
  record: R,
  changes: ChangesOf<R>,
  now: Date,
  { noted } = { noted: true },
): Promise<boolean> {
  const type = record.constructor as RowClass<R>;
  const different = Object.entries(changes).filter(
    ([field, value]) => value !== undefined && !isDeepStrictEqual(value, record[field as keyof R]),
  );
  if (different.length === 0) return false;
  const values = { ...Object.fromEntries(different), updatedAt: now };
  if (sharesNames(trx)) {
    const after = Object.assign(new type(), record, values);
    await changeNames(trx, record.globalNames(), after.globalNames(), ownerOf(record));
  }
  const rows: Rows<R> = type.query(trx);
  await changeRecords(rows.where('id', uuidOf(record.id)), values as Partial<R> as ChangesOf<R>);
  if (noted) {
    const before = Object.fromEntries(different.map(([field]) => [field, record[field as keyof R]]));
    noteRecord(trx, record, before, Object.fromEntries(different));
  }
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

const UNIQUE_VIOLATION = '23505';

/** True if the database refused a row because of this unique index. */
function violates(error: unknown, constraint: string): boolean {
  const fault = ((error as { nativeError?: unknown })?.nativeError ?? error) as Partial<
    Record<string, unknown>
  >;
  return fault?.code === UNIQUE_VIOLATION && fault.constraint === constraint;
}

/** More concurrent conflicts for one value are no coincidence. */
const TRIES = 20;

/**
 * Writes with a generated value that a concurrent write may take first: `next` returns a candidate, `write` runs in a
 * savepoint, and a violation of `constraint` leads to the next candidate.
 */
export async function writeUnique<T>(
  trx: Knex.Transaction,
  constraint: string,
  next: () => string | Promise<string>,
  write: (savepoint: Knex.Transaction, value: string) => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    const value = await next();
    try {
      return await savepoint(trx, (inner) => write(inner, value));
    } catch (error) {
      if (tries >= TRIES || !violates(error, constraint)) throw error;
    }
  }
}

/**
 * Returns the first of `slug`, `slug-2`, `slug-3`, … that no row of `taken` (a query for the column slug) has.
 * @param shared if it has to be unique across all accounts
 */
export async function freeSlug<R extends BareRow & { slug: string }>(
  taken: Rows<R>,
  slug: string,
  shared?: { db: Knex; kind: NameKind },
): Promise<string> {
  // A candidate may be cut before its number, hence the shorter stem.
  const stem = slug.slice(0, 40);
  const rows = await taken.clone().select('slug').where('slug', 'like', `${stem}%`);
  const elsewhere = shared ? await namesElsewhere(shared.db, shared.kind, stem) : [];
  const used = new Set([...rows.map((row) => row.slug), ...elsewhere]);
  let n = 1;
  while (used.has(numberedSlug(slug, n))) n += 1;
  return numberedSlug(slug, n);
}
