import type { Knex } from 'knex';
import type { KeySettings } from '../../accounts/keys/save.js';
import type { User } from '../../accounts/users/user.js';
import { DomainError } from '../../base/errors.js';
import { uuidOf } from '../../base/ids.js';
import type { Seal } from '../../mail/outbox.js';
import type { IdentityProvider } from './record/identity-provider.js';
import { liveProviders } from './record/read.js';
import type { Ticket } from './tickets.js';

/** Dependencies of signing in with a ticket. */
export interface EnterParts {
  keys: KeySettings;
  /** Of refresh tokens. */
  sessions: Seal;
  /** OIDC_ISSUER. */
  installation: string | undefined;
}

/** The account's provider of a ticket, as it is now; null: that of the installation. @throws DomainError FORBIDDEN */
export async function ownProvider(
  db: Knex,
  { installation }: Pick<EnterParts, 'installation'>,
  { providerId, issuer }: Pick<Ticket, 'providerId' | 'issuer'>,
): Promise<IdentityProvider | null> {
  if (providerId === null) {
    if (installation !== issuer) throw noProvider();
    return null;
  }
  const provider = await liveProviders(db).findById(uuidOf(providerId));
  if (provider?.kind !== 'own' || provider.issuer !== issuer) throw noProvider();
  return provider;
}

export function noProvider(): DomainError {
  return new DomainError('FORBIDDEN', 'Single sign-on is not set up here. Sign in another way.');
}

/** An account's issuer speaks for that account's users alone, and for no superadmin. @throws DomainError FORBIDDEN */
export function refuseForeignUser(user: User, { providerId }: Ticket, own: IdentityProvider | null): void {
  if (providerId === null) return;
  if (own?.accountId === user.accountId && !user.superAdmin) return;
  throw new DomainError(
    'FORBIDDEN',
    'The identity provider of an account signs in its own users, and no superadmin.',
  );
}

/** The issuer must vouch for the address of who is new to it. @throws DomainError FORBIDDEN */
export function requireVerified({ email, emailVerified }: Ticket): string {
  if (email !== null && emailVerified) return email;
  throw new DomainError(
    'FORBIDDEN',
    'The identity provider does not say that your email address is verified (email_verified).',
  );
}
