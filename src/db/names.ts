import type { Knex } from 'knex';
import type { Database } from './pool.js';

/** The unique index that each kind of name has in a database: a name taken elsewhere is refused as one taken there. */
const CONSTRAINTS = {
  account_name: 'accounts_name_key',
  account_slug: 'accounts_slug_key',
  email: 'users_email_key',
  key_prefix: 'api_keys_prefix_key',
  game_slug: 'games_slug_key',
  short_code: 'boards_short_code_key',
  jam_code: 'jam_codes_code_key',
  provider_domain: 'identity_providers_domains_key',
  provider_subject: 'provider_links_subject_key',
} as const;

export type NameKind = keyof typeof CONSTRAINTS;

/** A name that is unique across all accounts. */
export interface GlobalName {
  kind: NameKind;
  name: string;
}

/** The record that has a name. Bare uuids. */
export interface NameOwner {
  recordId: string;
  /** Null for records of no account. */
  accountId: string | null;
}

/** Claims of one transaction. */
export interface NameClaims {
  /**
   * Claims names for a record, within the transaction that writes it.
   * @param creates the record is new
   * @throws NameTaken
   */
  claim(trx: Knex.Transaction, names: GlobalName[], owner: NameOwner, creates: boolean): Promise<void>;
  /** Gives names up, within the transaction in which the record loses them. */
  release(trx: Knex.Transaction, names: GlobalName[], owner: NameOwner): Promise<void>;
  /** To be called when the transaction has ended, committed or not. Never rejects. */
  settle(): Promise<void>;
}

/** The port by which several databases share names (cells/). Without it names are unique in the database alone. */
export interface Names {
  begin(): NameClaims;
  /** All names of a kind that begin with these characters. */
  startingWith(kind: NameKind, start: string): Promise<string[]>;
  /** Returns a token in which this database can be recognised. */
  mark(token: string): string;
}

/** A name that a record on another database has. Has the form of the database's own error. */
export class NameTaken extends Error {
  override readonly name = 'NameTaken';
  readonly code = '23505';
  readonly constraint: string;

  constructor(kind: NameKind) {
    super(`another cell has this ${kind}`);
    this.constraint = CONSTRAINTS[kind];
  }
}

interface NamedWork {
  names?: Names;
  claims?: NameClaims;
  /** Changes of records for the audit trail (audit.ts). */
  notes?: unknown[];
}

/** The database with a port for names. The pools stay the same, and closing either closes both. */
export function withNames(database: Database, names: Names): Database {
  return { ...database, knex: database.knex.withUserParams({ names } satisfies NamedWork) };
}

/** True if other databases serve the same address. */
export function isCell(db: Knex): boolean {
  return (db.userParams as NamedWork).names !== undefined;
}

/** A transaction that may claim or release names. */
export async function namedTransaction<T>(
  db: Knex,
  write: (trx: Knex.Transaction) => Promise<T>,
): Promise<T> {
  const { names } = db.userParams as NamedWork;
  if (!names) return db.transaction(write);
  const claims = names.begin();
  try {
    return await db.transaction((trx) => {
      trx.userParams = { names, claims } satisfies NamedWork;
      return write(trx);
    });
  } finally {
    await claims.settle();
  }
}

/** The same for a trial: it is rolled back, and its names are free again when this resolves. */
export async function rolledBack<T>(db: Knex, write: (trx: Knex.Transaction) => Promise<T>): Promise<T> {
  const { names } = db.userParams as NamedWork;
  const claims = names?.begin();
  const trial = await db.transaction();
  trial.userParams = { ...(names && { names, claims }), notes: [] } satisfies NamedWork;
  return write(trial).finally(async () => {
    await trial.rollback();
    await claims?.settle();
  });
}

/** A savepoint; its claims belong to the transaction. */
export async function savepoint<T>(
  trx: Knex.Transaction,
  write: (savepoint: Knex.Transaction) => Promise<T>,
): Promise<T> {
  const { notes } = trx.userParams as NamedWork;
  const noted = notes?.length ?? 0;
  try {
    return await trx.transaction(write, { userParams: trx.userParams });
  } catch (error) {
    notes?.splice(noted);
    throw error;
  }
}

/** Collects the notes of a transaction from now on. */
export function takeNotes<N>(trx: Knex.Transaction): N[] {
  const notes: N[] = [];
  trx.userParams = { ...trx.userParams, notes } satisfies NamedWork;
  return notes;
}

/** @throws Error, a bug, when nothing collects notes */
export function noteIn(db: Knex, note: unknown): void {
  const { notes } = db.userParams as NamedWork;
  if (!notes) throw new Error('a write of an audited record outside of auditedTransaction');
  notes.push(note);
}

/** True if names are shared with other databases. */
export function sharesNames(db: Knex): boolean {
  return (db.userParams as NamedWork).names !== undefined;
}

/** @throws Error, a bug, when the transaction was not begun by {@link namedTransaction} */
function claimsOf(db: Knex): NameClaims {
  const { claims } = db.userParams as NamedWork;
  if (!claims) throw new Error('a write of a name outside of namedTransaction');
  return claims;
}

/** Claims the names that a record gains, and gives up those that it loses. */
export async function changeNames(
  db: Knex,
  before: GlobalName[],
  after: GlobalName[],
  owner: NameOwner,
  creates = false,
): Promise<void> {
  if (!sharesNames(db)) return;
  const has = (names: GlobalName[], { kind, name }: GlobalName) =>
    names.some((one) => one.kind === kind && one.name === name);
  const gained = after.filter((name) => !has(before, name));
  const lost = before.filter((name) => !has(after, name));
  const trx = db as Knex.Transaction;
  if (gained.length > 0) await claimsOf(db).claim(trx, gained, owner, creates);
  if (lost.length > 0) await claimsOf(db).release(trx, lost, owner);
}

/** A token for a request that names nothing else, in which this database can be recognised. */
export function markedToken(db: Knex, token: string): string {
  return (db.userParams as NamedWork).names?.mark(token) ?? token;
}

/** Names like this one that records on other databases have. */
export async function namesElsewhere(db: Knex, kind: NameKind, start: string): Promise<string[]> {
  const { names } = db.userParams as NamedWork;
  return names ? names.startingWith(kind, start) : [];
}
