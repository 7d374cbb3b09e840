import type { Knex } from 'knex';
import { Account } from '../accounts/account.js';
import { recordAudit } from '../accounts/audit/entry.js';
import { ApiKey } from '../accounts/keys/api-key.js';
import { endOldest } from '../accounts/keys/end-session.js';
import { insertKey, type KeySettings } from '../accounts/keys/save.js';
import type { SignInMethod } from '../accounts/keys/sign-in-method.js';
import { User } from '../accounts/users/user.js';
import { changeRecords, saveRecord, UNNOTED } from '../db/save.js';
import type { Context } from '../graphql/context.js';
import { VerificationCode } from './codes/code.js';
import { tryCode } from './codes/verify.js';

/** Lifetime of a key of the console. */
const SIGN_IN_MS = 12 * 3_600_000;

/** A sign-in to the console. Only it carries the whole key. */
export interface SignIn {
  apiKey: ApiKey;
  /** Prefixed ids of the keys that it ended. */
  ended: string[];
}

/**
 * Exchanges a code of the console for a key that ends after 12 hours. The code proves the user's address.
 * @param email in canonical form
 * @throws DomainError INVALID_CODE: wrong, expired, used, never sent, or its user may no longer sign in
 */
export async function signIn(
  context: Context,
  keys: KeySettings,
  email: string,
  code: string,
  token: string | undefined,
): Promise<SignIn> {
  const now = new Date(context.clock());
  const tried = { keySecret: keys.keySecret, email, code, token, now, signIn: true };
  const done = await tryCode(context.db, tried, async (trx, sent) => {
    await changeRecords(VerificationCode.query(trx).where('id', sent.id), {
      status: 'used',
      usedAt: now,
      completedAt: now,
      updatedAt: now,
    });
    const user = await signingInUser(trx, sent);
    if (!user) return undefined;
    if (user.emailVerifiedAt === null) await saveRecord(trx, user, { emailVerifiedAt: now }, now, UNNOTED);
    return makeConsoleKey(trx, context, keys, user, 'code', now);
  });
  for (const id of done.ended) context.changed(id);
  return done;
}

/**
 * Makes a key of the console for a user that proved to be the one, and ends the oldest ones beyond five.
 * @param user locked and active
 * @param method null: none of those that people use
 */
export async function makeConsoleKey(
  trx: Knex.Transaction,
  context: Context,
  keys: KeySettings,
  user: User,
  method: SignInMethod | null,
  now: Date,
): Promise<SignIn> {
  const ended = await endOldest(trx, user.id, now);
  const { ip, userAgent } = context;
  const apiKey = await insertKey(
    trx,
    keys,
    { ...newKey(user, now), signedIn: { method, ip, userAgent } },
    now,
  );
  await noteSignIn(trx, context, user, apiKey);
  return { apiKey, ended };
}

/** Accounts are locked before their users, as everywhere. The user may have changed since the code was sent. */
async function signingInUser(
  trx: Knex.Transaction,
  { userId, email }: VerificationCode,
): Promise<User | undefined> {
  const account = await Account.query(trx)
    .whereIn('id', User.query(trx).where('id', userId).select('account_id'))
    .where('status', 'active')
    .whereNull('deleted_at')
    .forShare()
    .first();
  const user = await User.query(trx)
    .where({ id: userId, email, status: 'active', super_admin: false })
    .whereNull('deleted_at')
    .forUpdate()
    .first();
  return account && user;
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Named by the day of the sign-in, in UTC: "console, 24 Nov". */
function newKey({ id, accountId }: User, now: Date) {
  const name = `console, ${now.getUTCDate()} ${MONTHS[now.getUTCMonth()]}`;
  const expiresAt = new Date(now.getTime() + SIGN_IN_MS);
  return { accountId, userId: id, name, expiresAt };
}

async function noteSignIn(
  trx: Knex.Transaction,
  { clock, ip }: Context,
  { accountId, id: userId, superAdmin }: User,
  { id, name, signedInWith: method }: ApiKey,
): Promise<void> {
  const caller = {
    kind: 'admin',
    accountId,
    userId,
    keyId: id,
    superAdmin,
    role: 'viewer',
    rights: [],
    games: null,
  } as const;
  const signedIn = { accountId, gameId: null, action: 'signed_in', subjectId: id, before: null } as const;
  await recordAudit(trx, { caller, clock, ip }, { ...signedIn, after: { name, method } });
}
