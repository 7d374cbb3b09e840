import type { Knex } from 'knex';
import { canonicalEmail } from '../../base/email-address.js';
import { runStatement } from '../../db/pool.js';
import { type EmailHolder, giveUpEmail } from './address.js';

/** Name of the row, stored with the migrations, that marks this as done. */
const TASK_NAME = 'canonical-addresses';
const DONE = `select from migration_checksums where name = ? and checksum = '1'`;
const NOTE_DONE = `insert into migration_checksums (name, checksum) values (?, '1')`;

// Waits for writes of other processes, including those of an earlier version.
const LOCK_USERS = `
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

const ALL_CODES = 'select id, email from verification_codes';
const DELETE_CODES = 'delete from verification_codes where id = any(?::uuid[])';

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
    await runStatement(trx, LOCK_USERS);
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
      await giveUpEmail(
        trx,
        user,
        'The address is not spelled in its standard form, or belongs to another user',
        now,
      );
    for (const { id, email } of others) await runStatement(trx, RESPELL, [email, now, id]);
    await forgetCodes(trx);
    await runStatement(trx, NOTE_DONE, [TASK_NAME]);
    return { respelled: others.length, gaveWay: losers.length };
  });
}

async function isDone(db: Knex): Promise<boolean> {
  return (await runStatement(db, DONE, [TASK_NAME])).rows.length > 0;
}

/** Codes are bound to the spelling with which they were requested; a new one can be requested within a minute. */
async function forgetCodes(trx: Knex.Transaction): Promise<void> {
  const { rows } = await runStatement<{ id: string; email: string }>(trx, ALL_CODES);
  const strange = rows.filter(({ email }) => canonicalEmail(email) !== email).map(({ id }) => id);
  if (strange.length > 0) await runStatement(trx, DELETE_CODES, [strange]);
}

/** A message for the operator. @returns undefined when nothing changed */
export function respelledSentence({ respelled, gaveWay }: Respelled): string | undefined {
  if (respelled + gaveWay === 0) return undefined;
  return (
    `Email addresses are now stored in one standard form: ${respelled} were rewritten, and ${gaveWay} were ` +
    `removed because another user has the same address (see the audit log for the originals)`
  );
}
