import type { Knex } from 'knex';
import { lockEmail } from '../../accounts/users/address.js';
import { uuid7 } from '../../base/ids.js';
import { runStatement } from '../../db/pool.js';
import { insertRecord } from '../../db/save.js';
import type { NewMail, Outbox } from '../../mail/outbox.js';
import { codeMail, inviteMail } from '../messages.js';
import { CODE_SECONDS, generateCode, hashCode, INVITE_SECONDS, VerificationCode } from './code.js';

/** Codes that are sent to one address within an hour. */
export const CODES_AN_HOUR = 3;
const HOUR = 3_600_000;

/** Dependencies of issuing codes. */
export interface Issuing {
  outbox: Outbox;
  /** Keys the stored hashes. */
  keySecret: string;
}

/** The state of an address: its user, if it has one, and its codes of the last hour. Bare uuid. */
interface CodeHolder {
  user_id: string | null;
  user_status: string | null;
  /** A registration cannot take its address. */
  stays: boolean | null;
  display_name: string | null;
  account_name: string | null;
}

interface CodeFacts extends CodeHolder {
  sent: number;
  /** When the oldest code of the last hour was sent. */
  oldest: Date | null;
}

const CODE_FACTS = `
  select s.sent, s.oldest, u.id as user_id, u.status as user_status, u.display_name,
    u.super_admin or u.email_verified_at is not null as stays, a.name as account_name
  from (select count(*) as sent, min(c.created_at) as oldest
        from verification_codes c where c.email = ? and c.created_at > ? and not c.withheld) s
  left join users u on lower(u.email) = lower(?) and u.deleted_at is null
  left join accounts a on a.id = u.account_id and a.deleted_at is null`;

/** Over the limit nothing changes: the last code that was sent stays valid. */
const SUPERSEDE = `
  update verification_codes set status = 'expired', updated_at = ?
  where email = ? and status = 'pending' and ?::boolean
  returning id`;

/**
 * Sends a new code to an address and voids the previous one. The work is the same for known addresses, unknown ones and
 * those over the hourly limit, so that neither the answer nor its time distinguishes them.
 * @param email in canonical form
 */
export async function issueCode(
  trx: Knex.Transaction,
  issuing: Issuing,
  email: string,
  now: Date,
): Promise<void> {
  await lockEmail(trx, email);
  const facts = await readCodeFacts(trx, email, now);
  const invited = facts.user_status === 'invited' && facts.account_name !== null;
  const withheld = facts.sent >= CODES_AN_HOUR;
  await writeCode(trx, issuing, { email, now, withheld, holder: facts, invited });
}

/**
 * Sends the code of an invitation to a new user. When the address is over its hourly limit, the mail waits until the
 * hour is over.
 */
export async function issueInvite(
  trx: Knex.Transaction,
  issuing: Issuing,
  email: string,
  now: Date,
): Promise<void> {
  await lockEmail(trx, email);
  const facts = await readCodeFacts(trx, email, now);
  const dueAt = facts.sent >= CODES_AN_HOUR && facts.oldest ? new Date(facts.oldest.getTime() + HOUR) : now;
  await writeCode(trx, issuing, { email, now, withheld: false, holder: facts, invited: true, dueAt });
}

async function readCodeFacts(trx: Knex.Transaction, email: string, now: Date): Promise<CodeFacts> {
  const { rows } = await runStatement<CodeFacts>(trx, CODE_FACTS, [
    email,
    new Date(now.getTime() - HOUR),
    email,
  ]);
  return rows[0]!;
}

interface NewCode {
  email: string;
  now: Date;
  withheld: boolean;
  holder: CodeHolder;
  invited: boolean;
  dueAt?: Date;
}

async function writeCode(
  trx: Knex.Transaction,
  { outbox, keySecret }: Issuing,
  made: NewCode,
): Promise<void> {
  const { email, now, withheld, holder, invited, dueAt } = made;
  const { rows } = await runStatement<{ id: string }>(trx, SUPERSEDE, [now, email, !withheld]);
  const superseded = rows.map(({ id }) => id);
  await outbox.drop(trx, superseded, now);
  const id = uuid7(now.getTime());
  const code = generateCode();
  const seconds = invited ? INVITE_SECONDS : CODE_SECONDS;
  const expiresAt = new Date(now.getTime() + seconds * 1_000);
  await insertRecord(trx, VerificationCode, {
    id,
    email,
    type: invited ? 'invite' : 'registration',
    userId: invited ? holder.user_id : null,
    codeHash: hashCode(keySecret, email, code),
    attempts: 0,
    status: withheld ? 'expired' : 'pending',
    withheld,
    expiresAt,
    usedAt: null,
    tokenHash: null,
    tokenExpiresAt: null,
    completedAt: null,
    createdAt: now,
    updatedAt: now,
  });
  const content = invited
    ? inviteMail({ code, accountName: holder.account_name ?? '', displayName: holder.display_name ?? '' })
    : codeMail({ code, minutes: CODE_SECONDS / 60, known: holder.stays === true });
  const mail: NewMail = {
    ...content,
    kind: invited ? 'invite' : 'code',
    recipient: email,
    about: id,
    expiresAt,
    dueAt,
  };
  await outbox.put(trx, mail, now, withheld);
}
