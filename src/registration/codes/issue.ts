import type { Knex } from 'knex';
import { lockEmail } from '../../accounts/users/address.js';
import { uuid7 } from '../../base/ids.js';
import { runStatement } from '../../db/pool.js';
import { insertRecord } from '../../db/save.js';
import type { MailContent, NewMail, Outbox } from '../../mail/outbox.js';
import { codeMail, inviteMail, signInMail } from '../messages.js';
import {
  CODE_SECONDS,
  type CodeType,
  generateCode,
  hashCode,
  INVITE_SECONDS,
  VerificationCode,
} from './code.js';

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
  /** An active user of an active account, without superadmin rights. */
  may_sign_in: boolean | null;
}

interface CodeFacts extends CodeHolder {
  sent: number;
  /** When the oldest code of the last hour was sent. */
  oldest: Date | null;
}

const CODE_FACTS = `
  select s.sent, s.oldest, u.id as user_id, u.status as user_status, u.display_name,
    u.super_admin or u.email_verified_at is not null as stays, a.name as account_name,
    u.status = 'active' and not u.super_admin and a.status = 'active' as may_sign_in
  from (select count(*) as sent, min(c.created_at) as oldest
        from verification_codes c where c.email = ? and c.created_at > ? and not c.withheld) s
  left join users u on lower(u.email) = lower(?) and u.deleted_at is null
  left join accounts a on a.id = u.account_id and a.deleted_at is null`;

/** Over the limit nothing changes: the last code that was sent stays valid. */
const SUPERSEDE = `
  update verification_codes set status = 'expired', updated_at = ?
  where email = ? and status = 'pending' and (type = 'sign_in') = ?::boolean and ?::boolean
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
  await writeCode(trx, issuing, {
    email,
    now,
    withheld,
    holder: facts,
    type: invited ? 'invite' : 'registration',
  });
}

/**
 * Sends a code for the console to an address. Only active users of active accounts get one, and no superadmin; for all
 * other addresses the same is written and nothing is sent.
 * @param email in canonical form
 */
export async function issueSignInCode(
  trx: Knex.Transaction,
  issuing: Issuing,
  email: string,
  now: Date,
): Promise<void> {
  await lockEmail(trx, email);
  const facts = await readCodeFacts(trx, email, now);
  const withheld = facts.sent >= CODES_AN_HOUR || facts.may_sign_in !== true;
  await writeCode(trx, issuing, { email, now, withheld, holder: facts, type: 'sign_in' });
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
  await writeCode(trx, issuing, { email, now, withheld: false, holder: facts, type: 'invite', dueAt });
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
  type: CodeType;
  dueAt?: Date;
}

async function writeCode(
  trx: Knex.Transaction,
  { outbox, keySecret }: Issuing,
  made: NewCode,
): Promise<void> {
  const { email, now, withheld, holder, type, dueAt } = made;
  const { rows } = await runStatement<{ id: string }>(trx, SUPERSEDE, [
    now,
    email,
    type === 'sign_in',
    !withheld,
  ]);
  const superseded = rows.map(({ id }) => id);
  await outbox.drop(trx, superseded, now);
  const id = uuid7(now.getTime());
  const code = generateCode();
  const seconds = type === 'invite' ? INVITE_SECONDS : CODE_SECONDS;
  const expiresAt = new Date(now.getTime() + seconds * 1_000);
  await insertRecord(trx, VerificationCode, {
    id,
    email,
    type,
    userId: type === 'registration' ? null : holder.user_id,
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
  const mail: NewMail = {
    ...mailOf(type, code, holder),
    kind: MAIL_KINDS[type],
    recipient: email,
    about: id,
    expiresAt,
    dueAt,
  };
  await outbox.put(trx, mail, now, withheld);
}

/** Kinds of mails, for logs and file names. */
const MAIL_KINDS: Record<CodeType, string> = { registration: 'code', invite: 'invite', sign_in: 'sign-in' };

function mailOf(type: CodeType, code: string, holder: CodeHolder): MailContent {
  const minutes = CODE_SECONDS / 60;
  if (type === 'sign_in') return signInMail({ code, minutes });
  if (type === 'registration') return codeMail({ code, minutes, known: holder.stays === true });
  return inviteMail({ code, accountName: holder.account_name ?? '', displayName: holder.display_name ?? '' });
}
