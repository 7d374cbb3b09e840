import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises';
import type { Knex } from 'knex';
import { DomainError } from '../../base/errors.js';
import { changeRecords } from '../../db/save.js';
import { runStatement } from '../../db/statement.js';
import type { Context } from '../../graphql/context.js';
import { MOST_TRIES, TOKEN_SECONDS, VerificationCode, type VerificationType } from './code.js';
import { generateToken, hashCode, hashToken, sameHash } from './secrets.js';

/** A verified address, and the token that proves it once. */
export interface Verified {
  verificationToken: string;
  expiresIn: number;
  type: VerificationType;
}

/** Where no code is: compared with all the same. */
const NOTHING = Buffer.alloc(32);

/**
 * Commits, and so costs, as much as noting a wrong try: an answer's time does not tell whether a code was sent to the
 * address.
 */
const NOTE_NOTHING = `select pg_logical_emit_message(true, 'verification', '')`;

/** Long enough for what a refusal takes here, unless the machine is so busy that nobody could tell anything by time. */
const REFUSED_AFTER_MILLIS = 20;
/** Timers may be late by as much, by which part of a millisecond tells when they were set. */
const TIMER_MILLIS = 2;

/**
 * Exchanges the code of a mail for a token. A wrong try is noted; the fifth ends the code. All refusals take the same time.
 * @param email in canonical form
 * @throws DomainError INVALID_CODE: wrong, expired, used, or never sent
 */
export async function verifyCode(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  keySecret: string,
  email: string,
  code: string,
): Promise<Verified> {
  const now = new Date(clock());
  const refusal = performance.now() + REFUSED_AFTER_MILLIS;
  // What a wrong try writes must stay, so it is refused after the commit.
  const verified = await db.transaction((trx) => exchange(trx, keySecret, email, code, now));
  if (verified) return verified;
  await until(refusal);
  throw new DomainError(
    'INVALID_CODE',
    'The code is not valid: it is wrong, has expired or was replaced. Check it, or ask for a new one',
  );
}

/** To the fraction of a millisecond: the few tenths that a look-up takes more would show over a hundred tries. */
async function until(moment: number): Promise<void> {
  const left = moment - performance.now();
  if (left > TIMER_MILLIS) await delay(left - TIMER_MILLIS);
  while (performance.now() < moment) await turn();
}

async function exchange(
  trx: Knex.Transaction,
  keySecret: string,
  email: string,
  code: string,
  now: Date,
): Promise<Verified | undefined> {
  const sent = await VerificationCode.query(trx).where({ email, status: 'pending' }).forUpdate().first();
  const right = sameHash(sent?.codeHash ?? NOTHING, hashCode(keySecret, email, code));
  if (!sent) {
    await runStatement(trx, NOTE_NOTHING);
    return undefined;
  }
  const live = sent.expiresAt > now;
  const codes = VerificationCode.query(trx).where('id', sent.id);
  if (!right || !live) {
    const attempts = sent.attempts + (right ? 0 : 1);
    const over = !live || attempts >= MOST_TRIES;
    await changeRecords(codes, { attempts, status: over ? 'expired' : 'pending', updatedAt: now });
    return undefined;
  }
  const token = generateToken();
  await changeRecords(codes, {
    status: 'used',
    usedAt: now,
    tokenHash: hashToken(keySecret, token),
    tokenExpiresAt: new Date(now.getTime() + TOKEN_SECONDS * 1_000),
    updatedAt: now,
  });
  return { verificationToken: token, expiresIn: TOKEN_SECONDS, type: sent.type };
}
