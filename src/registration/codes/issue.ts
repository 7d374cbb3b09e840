import type { Knex } from 'knex';
import type { Addresses } from '../../accounts/addresses.js';
import { lockEmail } from '../../accounts/users/address.js';
import { uuid7 } from '../../base/ids.js';
import { runStatement } from '../../db/pool.js';
import { insertRecord } from '../../db/save.js';
import type { NewMail, Outbox } from '../../mail/outbox.js';
import { codeMail, inviteMail, signInMail } from '../messages.js';
import {
  CODE_SECONDS,
  type CodeType,
  generateCode,
  hashCode,
  hashNetwork,
  INVITE_SECONDS,
  linkCode,
  requestToken,
  VerificationCode,
} from './code.js';
import { type CodeHolder, holderOf } from './holder.js';
import { invitationOf } from './invitation.js';
import { mailFreeAt, recentRequests, refuseBeyond } from './mail-limit.js';

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
  addresses: Addresses;
}

/**
 * Sends a code to an address: for a registration, or for the console, which only active users of active accounts get, and no
 * superadmin. The work is the same for known addresses, unknown ones and those that nobody invited, so that neither the answer nor
 * its time distinguishes them. It replaces a code that the same browser or, without a token, the same network requested, and no
 * other: a stranger who requests codes ends none. Links of replaced codes stay valid.
 * @param email in canonical form
 * @returns the token of the request
 * @throws DomainError RATE_LIMITED
 */
export async function issueCode(
  trx: Knex.Transaction,
  issuing: Issuing,
  email: string,
  requester: Requester,
  purpose: 'registration' | 'sign_in',
  now: Date,
): Promise<string> {
  await lockEmail(trx, email);
  const { keySecret, invitedOnly } = issuing;
  const signsIn = purpose === 'sign_in';
  const network = hashNetwork(keySecret, email, requester.network);
  const recent = await recentRequests(trx, email, now);
  refuseBeyond(recent, { network, signsIn, invitedOnly }, now);
  const holder = await holderOf(trx, email);
  const uninvited = invitedOnly && !holder.invited;
  // The mails of registrations and sign-ins are limited together; only a user's address gets both.
  const withheld = signsIn ? !holder.may_sign_in : uninvited || mailFreeAt(recent) !== undefined;
  const type = !signsIn && holder.invited ? 'invite' : purpose;
  return writeCode(trx, issuing, { email, now, withheld, network, holder, type, token: requester.token });
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
  const dueAt = mailFreeAt(await recentRequests(trx, email, now)) ?? now;
  const holder = await holderOf(trx, email);
  await writeCode(trx, issuing, {
    ...{ email, now, withheld: false, network: null, holder, type: 'invite', token: undefined, dueAt },
  });
}

interface NewCode {
  email: string;
  now: Date;
  withheld: boolean;
  /** Null: the account of an invitation requests it. */
  network: Buffer | null;
  holder: CodeHolder;
  type: CodeType;
  /** Of the request whose code it replaces. */
  token: string | undefined;
  dueAt?: Date;
}

interface Live {
  id: string;
  network: Buffer | null;
  expires_at: Date;
}

const LIVE = `
  select id, network, expires_at from verification_codes
  where email = ? and status = 'pending' and (type = 'sign_in') = ?::boolean for update`;

const END = `update verification_codes set status = 'expired', updated_at = ? where id = any(?::uuid[])`;

/** Codes that a new one ends; one that is not sent ends none. */
async function endedCodes(
  trx: Knex.Transaction,
  keySecret: string,
  { email, now, withheld, network, type, token }: NewCode,
): Promise<string[]> {
  const signIn = type === 'sign_in';
  const { rows } = await runStatement<Live>(trx, LIVE, [email, signIn]);
  const isOwn = (code: Live) => {
    if (token !== undefined) return token === requestToken(keySecret, code.id);
    if (network === null || code.network === null) return network === code.network;
    return !signIn && network.equals(code.network);
  };
  return withheld ? [] : rows.filter((code) => code.expires_at <= now || isOwn(code)).map(({ id }) => id);
}

/** @returns the token of its request */
async function writeCode(trx: Knex.Transaction, issuing: Issuing, made: NewCode): Promise<string> {
  const { outbox, keySecret } = issuing;
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
    wrongFrom: [],
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
    ...mailOf(issuing, made, code, linkCode(keySecret, id)),
    kind: MAIL_KINDS[type],
    recipient: email,
    // Requests of strangers take no turn of the account's mails.
    accountId: network === null ? holder.account_id : null,
    about: id,
    expiresAt,
    dueAt,
  };
  await outbox.put(trx, mail, now, withheld);
  return requestToken(keySecret, id);
}

/** Kinds of mails, for logs and file names. */
const MAIL_KINDS: Record<CodeType, string> = { registration: 'code', invite: 'invite', sign_in: 'sign-in' };

/** @param long the code of its links */
function mailOf({ addresses }: Issuing, { email, type, holder }: NewCode, code: string, long: string) {
  const minutes = CODE_SECONDS / 60;
  const at = (page: string) => addresses.studio(`${page}#${new URLSearchParams({ email, code: long })}`);
  const links = { long, register: at('register'), signIn: at('console/') };
  if (type === 'sign_in') return signInMail({ code, minutes, ...links });
  if (type === 'registration') {
    return codeMail({ code, minutes, known: holder.stays, maySignIn: holder.may_sign_in, ...links });
  }
  return inviteMail({ code, ...invitationOf(holder), displayName: holder.display_name ?? '', ...links });
}
