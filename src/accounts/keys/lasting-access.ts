import { DomainError } from '../../base/errors.js';
import { adminOf } from '../../graphql/access.js';
import type { Context } from '../../graphql/context.js';

/** Time for which a sign-in without a passkey proves that its person is there. */
const FRESH_MINUTES = 15;

/**
 * What outlives a sign-in to the console (keys, addresses, passkeys, connections, people, the issuer, where webhooks go) takes one by a passkey or one
 * that has just been made: who took over a tab must not stay. Keys of programs are not limited by this.
 * @throws DomainError PASSKEY_REQUIRED
 */
export function requireFreshSignIn(context: Context): void {
  const { signedIn, needsPasskey } = adminOf(context);
  // The first passkey is what such a sign-in is for.
  if (!signedIn || needsPasskey || signedIn.method === 'passkey') return;
  if (context.clock() < signedIn.at + FRESH_MINUTES * 60_000) return;
  throw new DomainError(
    'PASSKEY_REQUIRED',
    `This gives lasting access, and you signed in more than ${FRESH_MINUTES} minutes ago. Sign in again, or with a passkey.`,
  );
}
