import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises';
import type { Knex } from 'knex';
import { DomainError } from '../../base/errors.js';
import { markedToken, namedTransaction } from '../../db/names.js';
import { runStatement } from '../../db/pool.js';
import { changeRecords } from '../../db/save.js';
import {
  generateToken,
  hashCode,
  hashNetwork,
  hashToken,
  idOfLinkCode,
  LINK_CODE_LENGTH,
  linkEndsAt,
  MOST_TRIES,
  MOST_TRIES_OF_OTHERS,
  requestToken,
  sameHash,
  TOKEN_SECONDS,
  VerificationCode,
  type VerificationType,
} from './code.js';
import { holderOf } from './holder.js';
import { type Invitation, invitationOf } from './invitation.js';

/** A verified address, and the token that proves it once. */
export interface VerifiedCode {
  verificationToken: string;
  expiresIn: number;
  type: VerificationType;
  /** Of the type `invite`. */
  invitation: Invitation | null;
}

/**
 * Commits, and so costs as much as recording a wrong try: the answer's time does not show whether a code was sent to
 * the address.
 */
const NOTE_NOTHING = `select pg_logical_emit_message(true, 'verification', '')`;

/** Longer than a refusal takes here, except on a machine so busy that its response times reveal nothing. */
const REFUSED_AFTER_MS = 20;
/**
 * Timers may fire late by up to this; the exact delay depends on the fraction of the millisecond at which they were
 * set.
 */
const TIMER_MS = 2;

/**
 * Exchanges the code of a mail, or of its link, for a token. All refusals take the same time.
 * @throws DomainError INVALID_CODE: wrong, expired, used, or never sent
 */
export async function verifyCode(db: Knex, tried: Try): Promise<VerifiedCode> {
  return tryCode(db, tried, (trx, sent) => exchange(trx, tried, sent));
}

/** A code that is tried. */
export interface Try {
  keySecret: string;
  /** In canonical form. */
  email: string;
  /** Of 6 characters, or that of a link. */
  code: string;
  /** Of the request, where the same browser tries. */
  token: string | undefined;
  /** That limits count, see subscriberOf; empty where the address is not known. */
  network: string;
  now: Date;
  /** True: to sign in; otherwise to register or to accept an invitation. */
  signIn: boolean;
}

/**
 * Uses the right code, in one transaction. A wrong try is recorded, that of a link is not. All refusals take the same time.
 * @param use does the code's work with its locked record; undefined: the code is refused after all
 * @throws DomainError INVALID_CODE: wrong, expired, used, or never sent
 */
export async function tryCode<T>(
  db: Knex,
  tried: Try,
  use: (trx: Knex.Transaction, sent: VerificationCode) => Promise<T | undefined>,
): Promise<T> {
  const refusal = performance.now() + REFUSED_AFTER_MS;
  // The record of a wrong try must persist, so the error is thrown after the commit.
  const done = await namedTransaction(db, async (trx) => {
    const isLink = tried.code.length === LINK_CODE_LENGTH;
    const sent = await (isLink ? codeOfLink(trx, tried) : rightCode(trx, tried));
    return sent && use(trx, sent);
  });
  if (done !== undefined) return done;
  await until(refusal);
  throw new DomainError(
    'INVALID_CODE',
    'Invalid code: it is wrong, expired or was replaced by a newer one. Check it, open the link in the newest email, or request a new one.',
  );
}

/** Exact to a fraction of a millisecond: the few tenths that a look-up adds would show over a hundred tries. */
async function until(moment: number): Promise<void> {
  const left = moment - performance.now();
  if (left > TIMER_MS) await delay(left - TIMER_MS);
  while (performance.now() < moment) await turn();
}

/**
 * The record of a link's code, locked. The mail proves the address: that of a registration also signs in a user of the
 * address, who may have no other mail of the hour.
 */
async function codeOfLink(
  trx: Knex.Transaction,
  { keySecret, email, code, now, signIn }: Try,
): Promise<VerificationCode | undefined> {
  const id = idOfLinkCode(keySecret, code);
  const sent = id && (await VerificationCode.query(trx).where({ id, email }).forUpdate().first());
  const fits = sent && sent.type !== (signIn ? 'invite' : 'sign_in');
  if (fits && !sent.withheld && sent.usedAt === null && linkEndsAt(sent) > now) return sent;
  await runStatement(trx, NOTE_NOTHING);
  return undefined;
}

/**
 * The record of a code, locked, if it is the right one; otherwise the try is recorded. With the token of a request its
 * code alone is tried; without, all codes of the address that the caller's network has tries left for.
 */
async function rightCode(
  trx: Knex.Transaction,
  { keySecret, email, code, token, network, now, signIn }: Try,
): Promise<VerificationCode | undefined> {
  const live = await VerificationCode.query(trx)
    .where({ email, status: 'pending' })
    .whereRaw("(type = 'sign_in') = ?", [signIn])
    .where('expires_at', '>', now)
    .orderBy('id')
    .forUpdate();
  const from = hashNetwork(keySecret, email, network);
  const own = live.find(({ id }) => token !== undefined && token === requestToken(keySecret, id));
  const tried = own ? [own] : live.filter(hasTries(from));
  const hash = hashCode(keySecret, email, code);
  const right = tried.find(({ codeHash }) => sameHash(codeHash, hash));
  if (right) return right;
  if (tried.length === 0) await runStatement(trx, NOTE_NOTHING);
  for (const { id, ownAttempts, wrongFrom } of tried) {
    const counted = own ? { ownAttempts: ownAttempts + 1 } : { wrongFrom: [...wrongFrom, from] };
    // With the tries of its own browser a code ends.
    const status = own && ownAttempts + 1 >= MOST_TRIES ? 'expired' : 'pending';
    await changeRecords(VerificationCode.query(trx).where('id', id), { ...counted, status, updatedAt: now });
  }
  return undefined;
}

/** True for codes that a network may still try: it uses up its own tries and, of codes of others, their part. */
function hasTries(from: Buffer): (code: VerificationCode) => boolean {
  return ({ network, wrongFrom }) => {
    if (wrongFrom.filter((one) => one.equals(from)).length >= MOST_TRIES) return false;
    if (network?.equals(from)) return true;
    return wrongFrom.filter((one) => !network?.equals(one)).length < MOST_TRIES_OF_OTHERS;
  };
}

/** Who was invited since the mail was sent accepts the invitation with it. */
async function exchange(
  trx: Knex.Transaction,
  { keySecret, now }: Try,
  sent: VerificationCode,
): Promise<VerifiedCode> {
  const holder = await holderOf(trx, sent.email);
  const type = holder.invited ? 'invite' : (sent.type as VerificationType);
  const codes = VerificationCode.query(trx).where('id', sent.id);
  const token = markedToken(trx, generateToken());
  await changeRecords(codes, {
    type,
    userId: holder.invited ? holder.user_id : sent.userId,
    status: 'used',
    usedAt: now,
    tokenHash: hashToken(keySecret, token),
    tokenExpiresAt: new Date(now.getTime() + TOKEN_SECONDS * 1_000),
    updatedAt: now,
  });
  const invitation = holder.invited ? invitationOf(holder) : null;
  return { verificationToken: token, expiresIn: TOKEN_SECONDS, type, invitation };
}
