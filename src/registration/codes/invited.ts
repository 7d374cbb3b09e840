import type { Knex } from 'knex';
import { Account } from '../../accounts/account.js';
import { User } from '../../accounts/users/user.js';
import { accountMoved, DomainError } from '../../base/errors.js';
import { MOVED } from '../../db/moved.js';
import { saveRecord } from '../../db/save.js';
import { VerificationCode } from './code.js';

/** Locked: a token is used once. */
export async function usableCode(
  trx: Knex.Transaction,
  tokenHash: Buffer,
  now: Date,
): Promise<VerificationCode | undefined> {
  const code = await VerificationCode.query(trx).where('token_hash', tokenHash).forUpdate().first();
  return code && code.completedAt === null && code.tokenExpiresAt! > now ? code : undefined;
}

/** Its address is proven by the code. @throws DomainError INVALID_TOKEN (no longer invited), ACCOUNT_SUSPENDED */
export async function activateInvited(
  trx: Knex.Transaction,
  { email, userId }: VerificationCode,
  name: string | null | undefined,
  now: Date,
): Promise<{ account: Account; user: User }> {
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
      'This invitation is no longer valid: it was accepted or withdrawn. Ask for a new one.',
    );
  }
  if ((account.status as string) === MOVED) throw accountMoved();
  if (account.status === 'suspended')
    throw new DomainError('ACCOUNT_SUSPENDED', 'This account is suspended.');
  const displayName = name?.trim() || undefined;
  await saveRecord(trx, user, { status: 'active', emailVerifiedAt: now, displayName }, now);
  return { account, user };
}
