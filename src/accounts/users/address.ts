import type { Knex } from 'knex';
import { canonicalEmail, isUnprovenAddress, unprovenAddress } from '../../base/email-address.js';
import { invalidField } from '../../base/errors.js';
import { idOf, uuid7 } from '../../base/ids.js';
import { runStatement } from '../../db/statement.js';
import type { AuditAction } from '../audit/entry.js';

export const EMAIL_SENTENCE =
  'must be an email address in its plain form: one @, at most 64 bytes before it and 254 in all, no quotes, comments or stray dots, no invisible and no full-width characters';

/**
 * An address from a request in the form in which it is stored (decisions.md section 8).
 * @param own address of the user that is changed, which may be given back as it is
 * @throws DomainError VALIDATION_FAILED
 */
export function givenEmail(text: string, own?: string): string {
  const email = canonicalEmail(text);
  if (email === undefined || (isUnprovenAddress(email) && email !== own)) {
    throw invalidField(['email'], EMAIL_SENTENCE, 'email');
  }
  return email;
}

/** The second half of the advisory lock's key is derived from the address. */
const EMAIL_LOCK = 0x6c62_7663;

/**
 * Serialises all work on one address until the transaction ends: codes are counted exactly, and a claim finds the
 * present holder. Taken before any lock of an account or a user.
 * @param email in canonical form
 */
export async function lockEmail(trx: Knex.Transaction, email: string): Promise<void> {
  await runStatement(trx, 'select pg_advisory_xact_lock(?, hashtext(?))', [EMAIL_LOCK, email]);
}

/** The columns of a user's row that concern its address. Bare uuids. */
interface EmailHolder {
  id: string;
  account_id: string;
  email: string;
}

const UNPROVEN_HOLDER = `
  select id, account_id, email from users
  where lower(email) = lower(?) and not super_admin and email_verified_at is null and deleted_at is null
  for update`;

const GIVE_UP = 'update users set email = ?, email_verified_at = null, updated_at = ? where id = ?';

const NOTE = `
  insert into audit_entries (id, account_id, action, subject_id, before, after, reason, created_at)
  values (?, ?, ?, ?, ?, ?, ?, ?)`;

/**
 * Frees an address for the person who has just proved it: a user that holds it unproven keeps its keys and gets another
 * address. A proven user and a superadmin keep theirs; the insert that follows then fails with CONFLICT.
 */
export async function claimEmail(trx: Knex.Transaction, email: string, now: Date): Promise<void> {
  await lockEmail(trx, email);
  const { rows } = await runStatement<EmailHolder>(trx, UNPROVEN_HOLDER, [email]);
  const holder = rows[0];
  if (holder) await giveUpEmail(trx, holder, 'Another person proved that the address is theirs', now);
}

/**
 * Takes an unproven user's address away and records that in the audit trail of its account. Uses SQL statements, not
 * records: records load GraphQL, and migrations run before that (respellAddresses).
 */
async function giveUpEmail(
  trx: Knex.Transaction,
  holder: EmailHolder,
  reason: string,
  now: Date,
): Promise<void> {
  const subject = idOf('user', holder.id);
  const email = unprovenAddress(subject);
  const action: AuditAction = 'address_given_up';
  await runStatement(trx, GIVE_UP, [email, now, holder.id]);
  await runStatement(trx, NOTE, [
    uuid7(now.getTime()),
    holder.account_id,
    action,
    subject,
    JSON.stringify({ email: holder.email }),
    JSON.stringify({ email }),
    reason,
    now,
  ]);
}

/** Name of the row, beside the migrations, that marks this as done. */
const NAME = 'canonical-addresses';
const DONE = `select from migration_checksums where name = ? and checksum = '1'`;
const NOTE_DONE = `insert into migration_checksums (name, checksum) values (?, '1')`;

// Waits for writes of other processes, including those of an earlier version.
const LOCK = `
  set local lock_timeout = 0; set local statement_timeout = 0; lock table users in share row exclusive mode`;

/**
 * Users that keep their addresses come first: superadmins, whose addresses recover an installation, then proven ones,
 * then older ones.
 */
const USERS = `
  select id, account_id, email, super_admin, deleted_at is null as live from users
  order by super_admin desc, email_verified_at is null and not super_admin, created_at, id`;

interface UserRow extends EmailHolder {
  super_admin: boolean;
  live: boolean;
}

const RESPELL = 'update users set email = ?, updated_at = ? where id = ?';

const CODES = 'select id, email from verification_codes';
const FORGET = 'delete from verification_codes where id = any(?::uuid[])';

/** Outcome for addresses stored before they had a canonical form. */
export interface Respelled {
  respelled: number;
  /** Users whose address equals another user's in canonical form, or has no canonical form. */
  gaveWay: number;
}

/** The canonical address of an old spelling: the mailbox to which a mail server would have delivered. */
function meant(email: string): string | undefined {
  const plain = email
    .normalize('NFKC')
    .replace(/[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]|\([^()]*\)/gu, '')
    .replace(/^[^<>]*<([^<>]*)>$/, '$1')
    .replace(/^"(.*)"(?=@)/, '$1')
    .replace(/\.$/, '');
  return canonicalEmail(plain);
}

/**
 * Brings the addresses of all users to canonical form, once for a database. Of users whose addresses become equal the
 * superadmin, else the proven, else the oldest one keeps it; the others lose it.
 * @returns undefined when it was done before
 */
export async function respellAddresses(db: Knex, now: Date): Promise<Respelled | undefined> {
  if (await isDone(db)) return undefined;
  return db.transaction(async (trx) => {
    await runStatement(trx, LOCK);
    if (await isDone(trx)) return undefined;
    const { rows } = await runStatement<UserRow>(trx, USERS);
    const taken = new Set<string>();
    const losers: EmailHolder[] = [];
    const others: { id: string; email: string }[] = [];
    for (const user of rows) {
      const email = meant(user.email);
      if (email === undefined ? !user.super_admin : user.live && taken.has(email)) losers.push(user);
      else if (email !== undefined && email !== user.email) others.push({ id: user.id, email });
      if (email !== undefined && user.live) taken.add(email);
    }
    // First: they hold the addresses that others are to get.
    for (const user of losers)
      await giveUpEmail(trx, user, 'Not the one spelling of an address, or another user has it', now);
    for (const { id, email } of others) await runStatement(trx, RESPELL, [email, now, id]);
    await forgetCodes(trx);
    await runStatement(trx, NOTE_DONE, [NAME]);
    return { respelled: others.length, gaveWay: losers.length };
  });
}

async function isDone(db: Knex): Promise<boolean> {
  return (await runStatement(db, DONE, [NAME])).rows.length > 0;
}

/** Codes are bound to the spelling with which they were requested; a new one can be requested within a minute. */
async function forgetCodes(trx: Knex.Transaction): Promise<void> {
  const { rows } = await runStatement<{ id: string; email: string }>(trx, CODES);
  const strange = rows.filter(({ email }) => canonicalEmail(email) !== email).map(({ id }) => id);
  if (strange.length > 0) await runStatement(trx, FORGET, [strange]);
}

/** A message for the operator. @returns undefined when nothing changed */
export function respelledSentence({ respelled, gaveWay }: Respelled): string | undefined {
  if (respelled + gaveWay === 0) return undefined;
  return `Email addresses have one spelling now: ${respelled} were respelled, and ${gaveWay} gave way to another user's (the audit trail has what they were)`;
}
