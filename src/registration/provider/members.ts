import type { Knex } from 'knex';
import { Account } from '../../accounts/account.js';
import { givenEmail } from '../../accounts/users/address.js';
import { insertUser } from '../../accounts/users/save.js';
import { User } from '../../accounts/users/user.js';
import { DomainError } from '../../base/errors.js';
import { uuidOf } from '../../base/ids.js';
import { noteReason } from '../../db/audit.js';
import { changeRecords } from '../../db/save.js';
import { hashToken, VerificationCode } from '../codes/code.js';
import { activateInvited, usableCode } from '../codes/invited.js';
import { displayNameOf } from '../codes/names.js';
import { type EnterParts, requireGroups, requireVerified } from './grounds.js';
import { reasonOfRole, roleOf } from './groups.js';
import type { IdentityProvider } from './record/identity-provider.js';
import { installationProviderOf } from './record/read.js';
import type { Ticket } from './tickets.js';

/**
 * The user of a person who signs in for the first time: the one that was invited, whose address the invitation has proven, or
 * a new one by the domain of an address that the issuer vouches for.
 * @param own the account's provider; null: that of the installation
 * @throws DomainError FORBIDDEN, CONFLICT (an address that a user has), INVALID_TOKEN, ACCOUNT_SUSPENDED
 */
export async function newMember(
  trx: Knex.Transaction,
  { keys }: EnterParts,
  ticket: Ticket,
  own: IdentityProvider | null,
  verificationToken: string | undefined,
  now: Date,
): Promise<User> {
  if (verificationToken === undefined) return byDomain(trx, ticket, own, now);
  const code = await usableCode(trx, hashToken(keys.keySecret, verificationToken), now);
  if (code?.type !== 'invite') {
    const sentence = 'Invalid invitation: it has expired or was already used. Open its link again.';
    throw new DomainError('INVALID_TOKEN', sentence);
  }
  await changeRecords(VerificationCode.query(trx).where('id', code.id), { completedAt: now, updatedAt: now });
  return (await activateInvited(trx, code, ticket.name, now)).user;
}

async function byDomain(
  trx: Knex.Transaction,
  ticket: Ticket,
  own: IdentityProvider | null,
  now: Date,
): Promise<User> {
  const email = givenEmail(requireVerified(ticket));
  const domain = email.slice(email.lastIndexOf('@') + 1);
  const provider = own ?? (await installationProviderOf(trx, domain));
  if (!provider?.domains.includes(domain)) {
    const sentence = 'No account lets people with your address in. Ask an administrator for an invitation.';
    throw new DomainError('FORBIDDEN', sentence);
  }
  const { accountId } = provider;
  const account = await Account.query(trx)
    .findById(uuidOf(accountId))
    .whereNull('deleted_at')
    .forNoKeyUpdate();
  if (account?.status !== 'active') throw new DomainError('ACCOUNT_SUSPENDED', 'This account is suspended.');
  // Whoever has the address is asked, also if nobody proved it.
  if (await User.query(trx).whereRaw('lower(email) = lower(?)', [email]).whereNull('deleted_at').first()) {
    throw new DomainError(
      'CONFLICT',
      'A user with this email address exists. Sign in another way and connect single sign-on under "Your ' +
        'sign-ins", or open the link of your invitation.',
    );
  }
  requireGroups(provider, ticket, true);
  const role = roleOf(provider, ticket.groups) ?? provider.defaultRole;
  const displayName = displayNameOf(ticket.name, email);
  // An account's issuer says what it likes: its addresses are not proven.
  const emailVerifiedAt = own ? null : now;
  const made = {
    accountId,
    email,
    displayName,
    role,
    superAdmin: false,
    status: 'active',
    emailVerifiedAt,
  } as const;
  const user = await insertUser(trx, made, now);
  const why = provider.groupRoles.length === 0 ? [] : [reasonOfRole(provider, ticket)];
  noteReason(trx, user, [`${domain} is a domain of single sign-on.`, ...why].join(' '));
  return user;
}
