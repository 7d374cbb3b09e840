import type { Knex } from 'knex';
import { Account } from '../accounts/account.js';
import { makeConsoleKey, type SignIn } from '../accounts/keys/console-key.js';
import type { KeySettings } from '../accounts/keys/save.js';
import { User } from '../accounts/users/user.js';
import { uuidOf } from '../base/ids.js';
import { changeRecords, saveRecord, UNNOTED } from '../db/save.js';
import type { Context } from '../graphql/context.js';
import { VerificationCode } from './codes/code.js';
import { type Try, tryCode } from './codes/verify.js';
import { requireFirstPasskey } from './passkeys/demand.js';

/**
 * Exchanges a code of the console, or of a mail's link, for a key that ends after 12 hours. The code proves the user's address.
 * @throws DomainError INVALID_CODE: wrong, expired, used, never sent, or its user may no longer sign in; PASSKEY_REQUIRED
 */
export async function signIn(context: Context, keys: KeySettings, tried: Try): Promise<SignIn> {
  const { now } = tried;
  const done = await tryCode(context.db, tried, async (trx, sent) => {
    const found = await signingInUser(trx, sent);
    if (!found) return undefined;
    const { account, user } = found;
    await changeRecords(VerificationCode.query(trx).where('id', sent.id), {
      type: 'sign_in',
      userId: uuidOf(user.id),
      status: 'used',
      usedAt: now,
      completedAt: now,
      updatedAt: now,
    });
    await requireFirstPasskey(trx, account, user, now);
    if (user.emailVerifiedAt === null) await saveRecord(trx, user, { emailVerifiedAt: now }, now, UNNOTED);
    return makeConsoleKey(trx, context, keys, user, 'code', now);
  });
  for (const id of done.ended) context.changed(id);
  return done;
}

/** Accounts are locked before their users, as everywhere. Who has the address may have changed since the code was sent. */
async function signingInUser(
  trx: Knex.Transaction,
  { email }: VerificationCode,
): Promise<{ account: Account; user: User } | undefined> {
  const account = await Account.query(trx)
    .whereIn('id', User.query(trx).where({ email }).whereNull('deleted_at').select('account_id'))
    .where({ status: 'active', provider_only: false })
    .whereNull('deleted_at')
    .forShare()
    .first();
  const user = await User.query(trx)
    .where({ email, status: 'active', super_admin: false })
    .whereNull('deleted_at')
    .forUpdate()
    .first();
  return account && user && { account, user };
}
