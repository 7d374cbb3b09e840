import type { Knex } from 'knex';
import { Account } from '../accounts/account.js';
import { insertKey, type KeySettings } from '../accounts/keys/save.js';
import { User } from '../accounts/users/user.js';
import { DomainError } from '../base/errors.js';
import { fromRow } from '../db/row.js';
import { saveRecord } from '../db/save.js';
import type { CodeRow } from './codes/code.js';
import type { RegisterCompleteInput } from './inputs.js';
import { FIRST_KEY, type Registration, registrationOf } from './registration.js';

/**
 * Lets who was invited into the account: the user is active, its address proven, with a key of its own. What the request says of an account or a
 * jam code is not looked at.
 * @throws DomainError INVALID_TOKEN (no longer invited), ACCOUNT_SUSPENDED
 */
export async function acceptInvitation(
  trx: Knex.Transaction,
  keys: KeySettings,
  code: CodeRow,
  input: RegisterCompleteInput,
  now: Date,
): Promise<Registration> {
  const { email, user_id: userId } = code;
  // Accounts are locked before their users, as everywhere.
  const accountRow: object | undefined = await trx('accounts')
    .whereIn('id', trx('users').where('id', userId).select('account_id'))
    .whereNull('deleted_at')
    .forShare()
    .first();
  const userRow: object | undefined = await trx('users')
    .where({ id: userId, status: 'invited', email })
    .whereNull('deleted_at')
    .forUpdate()
    .first();
  if (!accountRow || !userRow) {
    throw new DomainError(
      'INVALID_TOKEN',
      'The invitation is no longer valid: it was accepted or withdrawn. Ask for a new one',
    );
  }
  const account = fromRow(Account, accountRow);
  const user = fromRow(User, userRow);
  if (account.status === 'suspended') throw new DomainError('ACCOUNT_SUSPENDED', 'This account is suspended');
  const displayName = input.displayName?.trim() || undefined;
  await saveRecord(trx, user, { status: 'active', emailVerifiedAt: now, displayName }, now);
  const key = await insertKey(trx, keys, { accountId: account.id, userId: user.id, name: FIRST_KEY }, now);
  return registrationOf(code, account, user, key);
}
