import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises';
import type { Knex } from 'knex';
import { DomainError } from '../../base/errors.js';
import { markedToken, namedTransaction } from '../../db/names.js';
import { runStatement } from '../../db/pool.js';
import { changeRecords } from '../../db/save.js';
import type { Context } from '../../graphql/context.js';
import {
  generateToken,
  hashCode,
  hashToken,
  MOST_TRIES,
  requestToken,
  sameHash,
  TOKEN_SECONDS,
  VerificationCode,
  type VerificationType,
} from './code.js';

/** A verified address, and the token that proves it once. */
export interface VerifiedCode {
  verificationToken: string;
  expiresIn: number;
  type: VerificationType;
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
 * Exchanges the code of a mail for a token. A wrong try is recorded; the fifth of a kind voids the code for that kind. All
 * refusals take the same time.
 * @param email in canonical form
 * @throws DomainError INVALID_CODE: wrong, expired, used, or never sent
 */
export async function verifyCode(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  keySecret: string,
  email: string,
  code: string,
  token: string | undefined,
): Promise<VerifiedCode> {
  const now = new Date(clock());
  return tryCode(db, { keySecret, email, code, token, now }, (trx, sent) =>
    exchange(trx, keySecret, sent, now),
  );
}

/** A code that is tried. */
interface Try {
  keySecret: string;
  /** In canonical form. */
  email: string;
  code: string;
  /** Of the request, where the same browser tries. */
  token: string | undefined;
  now: Date;
  /** True: a code of the console; otherwise one of a registration or an invitation. */
  signIn?: boolean;
}

/**
 * Uses the right code, in one transaction. A wrong try is recorded, see {@link noteTry}. All refusals take the same time.
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
    const sent = await rightCode(trx, tried);
    return sent && use(trx, sent);
  });
  if (done !== undefined) return done;
  await until(refusal);
  throw new DomainError(
    'INVALID_CODE',
    'Invalid code: it is wrong, expired or was replaced by a newer one. Check it, or request a new one.',
  );
}

/** Exact to a fraction of a millisecond: the few tenths that a look-up adds would show over a hundred tries. */
async function until(moment: number): Promise<void> {
  const left = moment - performance.now();
  if (left > TIMER_MS) await delay(left - TIMER_MS);
  while (performance.now() < moment) await turn();
}

/**
 * The record of a code, locked, if it is the right one; otherwise the try is recorded. With the token of a request its
 * code alone is tried; without, all codes of the address that others have not used up.
 */
async function rightCode(
  trx: Knex.Transaction,
  { keySecret, email, code, token, now, signIn = false }: Try,
): Promise<VerificationCode | undefined> {
  const live = await VerificationCode.query(trx)
    .where({ email, status: 'pending' })
    .whereRaw("(type = 'sign_in') = ?", [signIn])
    .orderBy('id')
    .forUpdate();
  const own = live.find(({ id }) => token !== undefined && token === requestToken(keySecret, id));
  const tried = own ? [own] : live.filter(({ attempts }) => attempts < MOST_TRIES);
  const hash = hashCode(keySecret, email, code);
  const [right] = tried.filter(({ codeHash }) => sameHash(codeHash, hash));
  if (right && right.expiresAt > now) return right;
  if (tried.length === 0) await runStatement(trx, NOTE_NOTHING);
  else await noteTry(trx, tried, own !== undefined, now);
  return undefined;
}

/** A code ends with the tries of its own browser; those of others end it only for others. */
async function noteTry(
  trx: Knex.Transaction,
  tried: VerificationCode[],
  own: boolean,
  now: Date,
): Promise<void> {
  for (const { id, attempts, ownAttempts, network, expiresAt } of tried) {
    const counted = own ? { ownAttempts: ownAttempts + 1 } : { attempts: attempts + 1 };
    // An invitation has no requester whose own tries could be left.
    const over = own
      ? counted.ownAttempts! >= MOST_TRIES
      : network === null && counted.attempts! >= MOST_TRIES;
    const status = over || expiresAt <= now ? 'expired' : 'pending';
    await changeRecords(VerificationCode.query(trx).where('id', id), { ...counted, status, updatedAt: now });
  }
}

async function exchange(
  trx: Knex.Transaction,
  keySecret: string,
  sent: VerificationCode,
  now: Date,
): Promise<VerifiedCode> {
  const codes = VerificationCode.query(trx).where('id', sent.id);
  const token = markedToken(trx, generateToken());
  await changeRecords(codes, {
    status: 'used',
    usedAt: now,
    tokenHash: hashToken(keySecret, token),
    tokenExpiresAt: new Date(now.getTime() + TOKEN_SECONDS * 1_000),
    updatedAt: now,
  });
  return { verificationToken: token, expiresIn: TOKEN_SECONDS, type: sent.type as VerificationType };
}
