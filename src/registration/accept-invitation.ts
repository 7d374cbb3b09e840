import type { Knex } from 'knex';
import { Account } from '../accounts/account.js';
import { insertKey, type KeySettings } from '../accounts/keys/save.js';
import { User } from '../accounts/users/user.js';
import { DomainError } from '../base/errors.js';
import { saveRecord } from '../db/save.js';
import type { VerificationCode } from './codes/code.js';
import type { RegisterCompleteInput } from './inputs.js';
import { FIRST_KEY, type Registration, registrationOf } from './registration.js';

/**
 * Activates an invited user: its address is proven, and it gets a key. The account and jam code of the request are
 * ignored.
 * @throws DomainError INVALID_TOKEN (no longer invited), ACCOUNT_SUSPENDED
 */
export async function acceptInvitation(
  trx: Knex.Transaction,
  keys: KeySettings,
  code: VerificationCode,
  input: RegisterCompleteInput,
  now: Date,
): Promise<Registration> {
  const { email, userId } = code;
  // Accounts are locked before their users, as everywhere.
  const account = await Account.query(trx)
    .whereIn('id', User.query(trx).where('id', userId).select('account_id'))
    .whereNull('deleted_at')
    .forShare()
    .first();
  const user = await User.query(trx)
    .where({ id: userId, status: 'invited', email })
    .whereNull('deleted_at')
    .forUpdate()
    .first();
  if (!account || !user) {
    throw new DomainError(
      'INVALID_TOKEN',
      'The invitation is no longer valid: it was accepted or withdrawn. Ask for a new one',
    );
  }
  if (account.status === 'suspended') throw new DomainError('ACCOUNT_SUSPENDED', 'This account is suspended');
  const displayName = input.displayName?.trim() || undefined;
  await saveRecord(trx, user, { status: 'active', emailVerifiedAt: now, displayName }, now);
  const key = await insertKey(trx, keys, { accountId: account.id, userId: user.id, name: FIRST_KEY }, now);
  return registrationOf(code, account, user, key);
}
