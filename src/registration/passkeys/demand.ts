import type { Knex } from 'knex';
import { Account } from '../../accounts/account.js';
import { ApiKey } from '../../accounts/keys/api-key.js';
import { requireFreshSignIn } from '../../accounts/keys/lasting-access.js';
import { canAddFirst, demandsPasskey } from '../../accounts/keys/passkey-demand.js';
import type { User } from '../../accounts/users/user.js';
import { DomainError } from '../../base/errors.js';
import { uuidOf } from '../../base/ids.js';
import { adminOf } from '../../graphql/access.js';
import type { Context } from '../../graphql/context.js';
import { passkeysOf } from './passkey.js';

const TOO_LATE = 'The time to add your first one is over. Ask an administrator to reset your passkeys.';
const LOST = 'If you cannot, ask an administrator to reset your passkeys.';

function required(sentence: string): DomainError {
  return new DomainError('PASSKEY_REQUIRED', `Your account requires a passkey. ${sentence}`);
}

/** A mailed code signs in only to add the first passkey, where passkeys are demanded. @throws DomainError PASSKEY_REQUIRED */
export async function requireFirstPasskey(
  trx: Knex.Transaction,
  account: Account,
  user: User,
  now: Date,
): Promise<void> {
  if (!demandsPasskey(account, user)) return;
  if (await passkeysOf(trx, user.id).first()) throw required(`Sign in with yours. ${LOST}`);
  if (canAddFirst(account, user, now)) return;
  throw required(TOO_LATE);
}

/** A key that is limited to a part of its user's rights may not make a sign-in that is not. @throws DomainError FORBIDDEN */
async function requireWholeKey(db: Knex, context: Context): Promise<ApiKey> {
  const key = await ApiKey.query(db).findById(uuidOf(adminOf(context).keyId));
  if (key && !key.scopes && !key.onlyGameId) return key;
  throw new DomainError(
    'FORBIDDEN',
    'A key with scopes or for one game cannot change how its user signs in.',
  );
}

/**
 * Who may connect and disconnect an issuer's person, which signs in for good: where passkeys are demanded, a session that was made by
 * one or by an issuer.
 * @param adds undefined: one is removed
 * @throws DomainError FORBIDDEN, PASSKEY_REQUIRED
 */
export async function requireLinkChange(
  db: Knex,
  context: Context,
  user: User,
  adds?: 'adds',
): Promise<void> {
  if (adds) requireFreshSignIn(context);
  const { signedInWith } = await requireWholeKey(db, context);
  const account = await Account.query(db).findById(uuidOf(user.accountId)).throwIfNotFound();
  if (!demandsPasskey(account, user) || signedInWith === 'passkey' || signedInWith === 'provider') return;
  throw required(`Sign in with one to change your connections. ${LOST}`);
}

/**
 * Who may change passkeys: no key that is limited to a part of its user's rights and, where passkeys are demanded, a session
 * that was made by one. The first is also added by another session, for a day.
 * @param adds undefined: one that is there is changed
 * @throws DomainError FORBIDDEN, PASSKEY_REQUIRED
 */
export async function requirePasskeyChange(
  db: Knex,
  context: Context,
  user: User,
  adds?: 'adds',
): Promise<Account> {
  if (adds) requireFreshSignIn(context);
  const key = await requireWholeKey(db, context);
  const account = await Account.query(db).findById(uuidOf(user.accountId)).throwIfNotFound();
  if (!demandsPasskey(account, user) || key.signedInWith === 'passkey') return account;
  if (!adds || (await passkeysOf(db, user.id).first())) {
    throw required(`Sign in with one to change your passkeys. ${LOST}`);
  }
  if (key.signedInWith === null) throw required('Sign in with an emailed code to add your first one.');
  if (!canAddFirst(account, user, new Date(context.clock()))) {
    throw required(TOO_LATE);
  }
  return account;
}
