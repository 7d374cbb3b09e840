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
  hashNetwork,
  INVITE_SECONDS,
  requestToken,
  VerificationCode,
} from './code.js';

/** Codes that are sent to one address within an hour: of registrations, and of sign-ins for one network. */
const CODES_AN_HOUR = 3;
/** Codes of sign-ins for all networks: a stranger's requests leave room for the person's own. */
const SIGN_INS_AN_HOUR = 12;
const HOUR = 3_600_000;

/** The requester of a code. */
interface Requester {
  /** The network that limits count, see subscriberOf; empty where the address is not known. */
  network: string;
  /** The token of the last request of the same browser, whose code the new one replaces. */
  token: string | undefined;
}

/** Dependencies of issuing codes. */
export interface Issuing {
  outbox: Outbox;
  /** Keys the stored hashes. */
  keySecret: string;
  /** Addresses without an invitation get no code for a registration. */
  invitedOnly: boolean;
  /** Of the page to register; undefined: not known. */
  registerUrl: string | undefined;
}

/** The state of an address: its user, if it has one, and its codes of the last hour. Bare uuid. */
interface CodeHolder {
  user_id: string | null;
  user_status: string | null;
  /** A registration cannot take its address. */
  stays: boolean | null;
  display_name: string | null;
  account_id: string | null;
  account_name: string | null;
  /** An active user of an active account, without superadmin rights. */
  may_sign_in: boolean | null;
}

interface CodeFacts extends CodeHolder {
  /** Codes of the purpose in the last hour, and those of them that the network requested. */
  sent: number;
  sent_there: number;
  /** When the oldest code of the last hour was sent. */
  oldest: Date | null;
}

const CODE_FACTS = `
  select s.sent, s.sent_there, s.oldest, u.id as user_id, u.status as user_status, u.display_name,
    u.super_admin or u.email_verified_at is not null as stays, a.id as account_id, a.name as account_name,
    u.status = 'active' and not u.super_admin and a.status = 'active' and not a.provider_only as may_sign_in
  from (select count(*) as sent, count(*) filter (where c.network = ?) as sent_there, min(c.created_at) as oldest
        from verification_codes c
        where c.email = ? and c.created_at > ? and not c.withheld and (c.type = 'sign_in') = ?::boolean) s
  left join users u on lower(u.email) = lower(?) and u.deleted_at is null
  left join accounts a on a.id = u.account_id and a.deleted_at is null`;

const LIVE = `
  select id, expires_at from verification_codes
  where email = ? and status = 'pending' and (type = 'sign_in') = ?::boolean for update`;

const END = `update verification_codes set status = 'expired', updated_at = ? where id = any(?::uuid[])`;

/**
 * Sends a new code to an address and voids the previous one. The work is the same for known addresses, unknown ones,
 * those that nobody invited and those over the hourly limit, so that neither the answer nor its time distinguishes them.
 * @param email in canonical form
 * @returns the token of the request
 */
export async function issueCode(
  trx: Knex.Transaction,
  issuing: Issuing,
  email: string,
  requester: Requester,
  now: Date,
): Promise<string> {
  await lockEmail(trx, email);
  const network = hashNetwork(issuing.keySecret, email, requester.network);
  const facts = await readCodeFacts(trx, email, network, false, now);
  const invited = facts.user_status === 'invited' && facts.account_name !== null;
  const withheld = facts.sent >= CODES_AN_HOUR || (issuing.invitedOnly && !invited);
  return writeCode(trx, issuing, {
    email,
    now,
    withheld,
    network,
    holder: facts,
    type: invited ? 'invite' : 'registration',
  });
}

/**
 * Sends a code for the console to an address. Only active users of active accounts get one, and no superadmin; for all
 * other addresses the same is written and nothing is sent. It replaces the code that the same browser requested before,
 * and no other: a stranger who requests codes ends none.
 * @param email in canonical form
 * @returns the token of the request
 */
export async function issueSignInCode(
  trx: Knex.Transaction,
  issuing: Issuing,
  email: string,
  requester: Requester,
  now: Date,
): Promise<string> {
  await lockEmail(trx, email);
  const network = hashNetwork(issuing.keySecret, email, requester.network);
  const facts = await readCodeFacts(trx, email, network, true, now);
  const over = facts.sent >= SIGN_INS_AN_HOUR || facts.sent_there >= CODES_AN_HOUR;
  const withheld = over || facts.may_sign_in !== true;
  const made = {
    email,
    now,
    withheld,
    network,
    holder: facts,
    type: 'sign_in',
    last: requester.token,
  } as const;
  return writeCode(trx, issuing, made);
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
  const facts = await readCodeFacts(trx, email, null, false, now);
  const dueAt = facts.sent >= CODES_AN_HOUR && facts.oldest ? new Date(facts.oldest.getTime() + HOUR) : now;
  const made = { email, now, withheld: false, network: null, holder: facts, type: 'invite', dueAt } as const;
  await writeCode(trx, issuing, made);
}

async function readCodeFacts(
  trx: Knex.Transaction,
  email: string,
  network: Buffer | null,
  signIn: boolean,
  now: Date,
): Promise<CodeFacts> {
  const since = new Date(now.getTime() - HOUR);
  const { rows } = await runStatement<CodeFacts>(trx, CODE_FACTS, [network, email, since, signIn, email]);
  return rows[0]!;
}

interface NewCode {
  email: string;
  now: Date;
  withheld: boolean;
  network: Buffer | null;
  holder: CodeHolder;
  type: CodeType;
  /** Of a sign-in: the token of the request whose code it replaces. */
  last?: string | undefined;
  dueAt?: Date;
}

/**
 * Codes that a new one ends. Over the limit none: the last code that was sent stays valid. Codes of sign-ins live side by
 * side, except that of the same browser and those whose time is over.
 */
async function endedCodes(
  trx: Knex.Transaction,
  keySecret: string,
  { email, now, withheld, type, last }: NewCode,
): Promise<string[]> {
  const signIn = type === 'sign_in';
  const { rows } = await runStatement<{ id: string; expires_at: Date }>(trx, LIVE, [email, signIn]);
  const replaced = ({ id, expires_at }: (typeof rows)[number]) =>
    !signIn || expires_at <= now || (last !== undefined && last === requestToken(keySecret, id));
  return withheld ? [] : rows.filter(replaced).map(({ id }) => id);
}

/** @returns the token of its request */
async function writeCode(
  trx: Knex.Transaction,
  { outbox, keySecret, registerUrl }: Issuing,
  made: NewCode,
): Promise<string> {
  const { email, now, withheld, network, holder, type, dueAt } = made;
  const ended = await endedCodes(trx, keySecret, made);
  await runStatement(trx, END, [now, ended]);
  await outbox.drop(trx, ended, now);
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
    ownAttempts: 0,
    network,
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
    ...mailOf(type, code, holder, registerUrl && `${registerUrl}#${new URLSearchParams({ email, code })}`),
    kind: MAIL_KINDS[type],
    recipient: email,
    accountId: type === 'invite' ? holder.account_id : null,
    about: id,
    expiresAt,
    dueAt,
  };
  await outbox.put(trx, mail, now, withheld);
  return requestToken(keySecret, id);
}

/** Kinds of mails, for logs and file names. */
const MAIL_KINDS: Record<CodeType, string> = { registration: 'code', invite: 'invite', sign_in: 'sign-in' };

function mailOf(type: CodeType, code: string, holder: CodeHolder, url: string | undefined): MailContent {
  const minutes = CODE_SECONDS / 60;
  if (type === 'sign_in') return signInMail({ code, minutes });
  if (type === 'registration') return codeMail({ code, minutes, known: holder.stays === true });
  const { account_name: accountName, display_name: displayName } = holder;
  return inviteMail({ code, accountName: accountName ?? '', displayName: displayName ?? '', url });
}
