import type { Knex } from 'knex';
import type { KeySettings } from '../../accounts/keys/save.js';
import type { User } from '../../accounts/users/user.js';
import { DomainError, unavailable } from '../../base/errors.js';
import { uuidOf } from '../../base/ids.js';
import type { Log } from '../../base/log.js';
import type { Seal } from '../../mail/outbox.js';
import type { IdentityProvider } from './record/identity-provider.js';
import { liveProviders } from './record/read.js';
import type { Ticket } from './tickets.js';

/** Dependencies of signing in with a ticket. */
export interface EnterParts {
  log: Log;
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

const OTHERWISE =
  'Or open the link of an invitation, or sign in another way and connect single sign-on under "Your sign-ins".';

/** The issuer must vouch for the address of who is let in by its domain. @throws DomainError FORBIDDEN, UNAVAILABLE */
export function requireVerified({ email, emailVerified, infoFault }: Ticket): string {
  if (email !== null && emailVerified) return email;
  if (infoFault !== undefined) throw unsaid('your email address');
  throw new DomainError(
    'FORBIDDEN',
    email === null
      ? `The identity provider sent no email address. Whoever runs it can add the claim email. ${OTHERWISE}`
      : `The identity provider does not say that your email address is verified. Whoever runs it can add the ` +
          `claim email_verified (in Entra ID: xms_edov). ${OTHERWISE}`,
  );
}

/**
 * Refuses whom a role cannot be given because its groups are not known. Who has one keeps it, unless asking again may help.
 * @throws DomainError UNAVAILABLE, FORBIDDEN
 */
export function requireGroups(
  { groupRoles }: IdentityProvider,
  { groupsUnknown, groupsNote, infoFault }: Ticket,
  isNew: boolean,
): void {
  if (groupRoles.length === 0 || !groupsUnknown) return;
  if (infoFault !== undefined) throw unsaid('your groups');
  if (!isNew) return;
  const remedy = 'Whoever runs it can limit the claim to the groups of this application, or use app roles.';
  throw new DomainError('FORBIDDEN', `${groupsNote} ${remedy} ${OTHERWISE}`);
}

const unsaid = (what: string) =>
  unavailable(`The identity provider could not be asked for ${what}. Try again in a moment.`);
