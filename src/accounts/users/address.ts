import type { Knex } from 'knex';
import {
  canonicalEmail,
  EMAIL_SENTENCE,
  isUnprovenAddress,
  unprovenAddress,
} from '../../base/email-address.js';
import { invalidField } from '../../base/errors.js';
import { idOf, uuid7 } from '../../base/ids.js';
import { changeNames } from '../../db/names.js';
import { runStatement } from '../../db/pool.js';
import type { AuditAction } from '../audit/entry.js';

/**
 * An address from a request in the form in which it is stored.
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
export interface EmailHolder {
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
  if (!holder) return;
  await giveUpEmail(trx, holder, 'Someone else verified that they own this address', now);
  const lost = [{ kind: 'email' as const, name: holder.email.toLowerCase() }];
  await changeNames(trx, lost, [], { recordId: holder.id, accountId: holder.account_id });
}

/**
 * Takes an unproven user's address away and records that in the audit trail of its account. Uses SQL statements, not
 * records: records load GraphQL, and migrations run before that (respell-addresses.ts).
 */
export async function giveUpEmail(
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
