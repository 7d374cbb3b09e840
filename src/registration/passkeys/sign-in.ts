import type { verifyAuthenticationResponse } from '@simplewebauthn/server';
import type { Knex } from 'knex';
import { Account } from '../../accounts/account.js';
import { makeConsoleKey, type SignIn } from '../../accounts/keys/console-key.js';
import type { KeySettings } from '../../accounts/keys/save.js';
import { refuseProviderOnly } from '../../accounts/provider-only.js';
import { User } from '../../accounts/users/user.js';
import { accountMoved, DomainError } from '../../base/errors.js';
import { uuidOf } from '../../base/ids.js';
import { MOVED } from '../../db/moved.js';
import { namedTransaction } from '../../db/names.js';
import { saveRecord, UNNOTED } from '../../db/save.js';
import type { Context } from '../../graphql/context.js';
import { type Challenges, wrongPasskey } from './challenges.js';
import { parsedCredential } from './credential.js';
import { Passkey, userHandle } from './passkey.js';
import type { RelyingParty } from './relying-party.js';

interface SignInParts {
  verify: typeof verifyAuthenticationResponse;
  party: RelyingParty;
  challenges: Challenges;
  keys: KeySettings;
}

/**
 * Exchanges a browser's response for a key of the console. Unknown, removed and foreign passkeys, wrong signatures and used
 * challenges are refused alike.
 */
export async function signInWithPasskey(
  { verify, party, challenges, keys }: SignInParts,
  context: Context,
  { accountId, response }: { accountId: string; response: string },
): Promise<SignIn> {
  const now = new Date(context.clock());
  const given = parsedCredential(response, ['clientDataJSON', 'authenticatorData', 'signature']);
  const challenge = challenges.open({ kind: 'sign-in' }, given.challenge, now.getTime());
  const known = await passkeyOf(context.db, given.id);
  if (!challenge || !known || known.accountId !== accountId) throw wrongPasskey();
  if (!userHandle(known).equals(given.userHandle)) throw wrongPasskey();
  const verified = await verify({
    response: given.json as never,
    expectedChallenge: given.challenge,
    expectedOrigin: party.origin,
    expectedRPID: party.id,
    requireUserVerification: true,
    credential: {
      id: known.credentialId.toString('base64url'),
      publicKey: new Uint8Array(known.publicKey),
      counter: Number(known.signCount),
    },
  }).catch(() => undefined);
  if (!verified?.verified) throw wrongPasskey();
  const { newCounter, credentialDeviceType } = verified.authenticationInfo;
  const done = await namedTransaction(context.db, async (trx) => {
    const user = await lockedUser(trx, known);
    const passkey = await passkeyOf(trx, given.id).forUpdate();
    // Another sign-in may have been first: a counter that does not grow is of a copy.
    if (!passkey || (newCounter > 0 && newCounter <= Number(passkey.signCount))) throw wrongPasskey();
    await challenges.use(trx, challenge, accountId, now);
    const used = { lastUsedAt: now, signCount: newCounter, isSynced: credentialDeviceType === 'multiDevice' };
    await saveRecord(trx, passkey, used, now, UNNOTED);
    return makeConsoleKey(trx, context, keys, user, 'passkey', now);
  });
  for (const id of done.ended) context.changed(id);
  return done;
}

function passkeyOf(db: Knex, credentialId: Buffer) {
  return Passkey.query(db).where('credential_id', credentialId).whereNull('deleted_at').first();
}

/** Accounts are locked before their users, as everywhere. @throws DomainError USER_SUSPENDED, ACCOUNT_SUSPENDED */
async function lockedUser(trx: Knex.Transaction, passkey: Passkey): Promise<User> {
  const account = await Account.query(trx)
    .findById(uuidOf(passkey.accountId))
    .whereNull('deleted_at')
    .forShare();
  const user = await User.query(trx).findById(uuidOf(passkey.userId)).whereNull('deleted_at').forUpdate();
  if (!account || !user || user.status === 'invited') throw wrongPasskey();
  if ((account.status as string) === MOVED) throw accountMoved();
  if (account.status === 'suspended')
    throw new DomainError('ACCOUNT_SUSPENDED', 'This account is suspended.');
  if (user.role !== 'admin' && !user.superAdmin) await refuseProviderOnly(trx, account.id);
  if (user.status === 'suspended') throw new DomainError('USER_SUSPENDED', 'This user is suspended.');
  return user;
}
