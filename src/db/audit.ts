import { isDeepStrictEqual } from 'node:util';
import type { Knex } from 'knex';
import { uuid7, uuidOf } from '../base/ids.js';
import { namedTransaction, noteIn, takeNotes } from './names.js';
import type { BareRow } from './row.js';

/** Who makes a change, as audit entries record it. Bare uuids. */
export interface Author {
  by: 'user' | 'superadmin' | 'operator' | 'job' | null;
  /** The account of entries about records of no account. */
  accountId: string | null;
  userId: string | null;
  keyId: string | null;
  /** The job, or the operator's command. */
  agent: string | null;
  ipAddress: string | null;
  at: Date;
}

type Fields = Record<string, unknown>;

/** What an entry is about: a prefixed id, and the bare uuids of its account and game. */
interface Subject {
  subjectId: string;
  accountId: string | null;
  gameId: string | null;
}

/** A change of a record that its transaction has made so far. */
interface NotedChange extends Subject {
  /** The record's name, by which people know it when it's gone. */
  label?: Fields;
  /** Undefined: the record is new. */
  before: Fields | undefined;
  after: Fields;
  reason?: string | undefined;
}

const TABLE = 'audit_entries';

/** Columns that every entry has of its own, or that change with every write. */
const OWN = new Set(['id', 'accountId', 'gameId', 'createdAt', 'updatedAt']);

/**
 * Notes a record's change, if it belongs into the audit trail: with all others of the record in this transaction it
 * becomes one entry.
 * @param before the former values of the changed fields; undefined: the record is new
 * @throws Error, a bug, outside of {@link auditedTransaction} and {@link rolledBack}
 */
export function noteRecord(db: Knex, record: BareRow, before: Fields | undefined, after: Fields): void {
  const { unaudited } = record.constructor as typeof BareRow;
  if (!unaudited) return;
  const shown = (fields: Fields) =>
    Object.fromEntries(
      Object.entries(fields).filter(([name]) => !OWN.has(name) && !unaudited.includes(name)),
    );
  const { name, displayName } = record as unknown as Fields;
  const label = given(shown({ name, displayName }));
  note(db, { ...subjectOf(record), label, before: before && shown(before), after: shown(after) });
}

function subjectOf(record: BareRow): Subject {
  const { tableName } = record.constructor as typeof BareRow;
  const { accountId, gameId } = record as { accountId?: string; gameId?: string };
  const own = uuidOf(record.id);
  return {
    subjectId: record.id,
    accountId: tableName === 'accounts' ? own : accountId ? uuidOf(accountId) : null,
    gameId: tableName === 'games' ? own : gameId ? uuidOf(gameId) : null,
  };
}

/** Notes a change that a statement of its own made. @see noteRecord */
export function note(db: Knex, change: NotedChange): void {
  noteIn(db, change);
}

/** Notes a part of a record that has tables of its own, as one of the record's fields. */
export function notePart(db: Knex, record: BareRow, name: string, before: unknown, after: unknown): void {
  note(db, { ...subjectOf(record), before: { [name]: before }, after: { [name]: after } });
}

/** Says why a record is changed, in the entry of its changes. */
export function noteReason(db: Knex, record: BareRow, reason: string): void {
  note(db, { ...subjectOf(record), before: {}, after: {}, reason });
}

/** Runs a write; what it changes about records is in the audit trail with it, in the same transaction. */
export function auditedTransaction<T>(
  db: Knex,
  author: Author,
  write: (trx: Knex.Transaction) => Promise<T>,
): Promise<T> {
  return namedTransaction(db, async (trx) => {
    const notes = takeNotes<NotedChange>(trx);
    const result = await write(trx);
    const rows = entriesOf(notes).map((entry) => rowOf(entry, author));
    if (rows.length > 0) await trx(TABLE).insert(rows);
    return result;
  });
}

/** An entry to be written. Bare uuids but for the subject. */
interface NewEntry extends Subject {
  action: string;
  before: Fields | null;
  after: Fields | null;
  reason?: string | null | undefined;
}

/** The row of an entry. */
function rowOf({ subjectId, accountId, gameId, action, before, after, reason }: NewEntry, author: Author) {
  return {
    id: uuid7(author.at.getTime()),
    account_id: accountId ?? author.accountId,
    game_id: gameId,
    user_id: author.userId,
    action,
    subject_id: subjectId,
    before: before && JSON.stringify(before),
    after: after && JSON.stringify(after),
    reason: reason ?? null,
    author: author.by,
    api_key_id: author.keyId,
    agent: author.agent,
    ip_address: author.ipAddress,
    created_at: author.at,
  };
}

/** Writes an entry of its own. */
export async function insertEntry(db: Knex, entry: NewEntry, author: Author): Promise<void> {
  await db(TABLE).insert(rowOf(entry, author));
}

/** One entry for each record and kind of change; none for what is as it was in the end. */
function entriesOf(notes: NotedChange[]): NewEntry[] {
  const merged = new Map<string, NotedChange>();
  for (const note of notes) {
    const known = merged.get(note.subjectId);
    if (!known) merged.set(note.subjectId, { ...note });
    else {
      known.before = known.before && { ...note.before, ...known.before };
      known.after = { ...known.after, ...note.after };
      known.reason ??= note.reason;
    }
  }
  return [...merged.values()].flatMap(({ before: was, after: is, label, ...subject }): NewEntry[] => {
    if (!was) return [{ ...subject, action: 'record_created', before: null, after: given(is) }];
    const changed = Object.keys(is).filter((name) => !isDeepStrictEqual(is[name], was[name] ?? null));
    const entries: NewEntry[] = [];
    if (changed.includes('deletedAt')) {
      const deleted = is.deletedAt !== null;
      const action = deleted ? 'record_deleted' : 'record_restored';
      entries.push({ ...subject, action, before: { ...label, deleted: !deleted }, after: { deleted } });
    }
    const names = changed.filter((name) => name !== 'deletedAt');
    if (names.length > 0) {
      const [before, after] = [was, is].map((of) =>
        Object.fromEntries(names.map((name) => [name, of[name] ?? null])),
      );
      entries.push({ ...subject, action: 'record_changed', before: before!, after: after! });
    }
    return entries;
  });
}

/** The fields of a new record that have a value. */
function given(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null && !isEmpty(value)));
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}
