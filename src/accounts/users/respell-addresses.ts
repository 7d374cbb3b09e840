import type { Knex } from 'knex';
import { canonicalEmail } from '../../base/email-address.js';
import { runStatement } from '../../db/statement.js';
import { type EmailHolder, giveUpEmail } from './address.js';

/** Noted beside the migrations when it is done. */
const NAME = 'canonical-addresses';
const DONE = `select from migration_checksums where name = ? and checksum = '1'`;
const NOTE_DONE = `insert into migration_checksums (name, checksum) values (?, '1')`;

// Waits for what another process writes, a version from before this one among them.
const LOCK = `
  set local lock_timeout = 0; set local statement_timeout = 0; lock table users in share row exclusive mode`;

/** Those that keep their addresses come first: superadmins, whose addresses recover an installation, the proven, the older. */
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

/** Outcome for the addresses from before they had one spelling. */
export interface Respelled {
  respelled: number;
  /** Users whose address is another user's in canonical form, or none at all. */
  gaveWay: number;
}

/** The address that a spelling from before stands for: the mailbox that a mail server would have delivered to. */
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
 * Brings the addresses of all users to canonical form, once for a database. Of those that become equal the superadmin's,
 * else the proven, else the oldest user keeps it; the others give it up.
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
    // First: they have what others are to get.
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

/** Codes are bound to the spelling that they were asked for by. Another one is a minute's work. */
async function forgetCodes(trx: Knex.Transaction): Promise<void> {
  const { rows } = await runStatement<{ id: string; email: string }>(trx, CODES);
  const strange = rows.filter(({ email }) => canonicalEmail(email) !== email).map(({ id }) => id);
  if (strange.length > 0) await runStatement(trx, FORGET, [strange]);
}

/** For the operator. @returns undefined when nothing changed */
export function respelledSentence({ respelled, gaveWay }: Respelled): string | undefined {
  if (respelled + gaveWay === 0) return undefined;
  return `Email addresses have one spelling now: ${respelled} were respelled, and ${gaveWay} gave way to another user's (the audit trail has what they were)`;
}
