import type { Knex } from 'knex';
import { Account } from '../../accounts/account.js';
import { makeConsoleKey, type SignIn } from '../../accounts/keys/console-key.js';
import { lockEmail } from '../../accounts/users/address.js';
import { User } from '../../accounts/users/user.js';
import { canonicalEmail } from '../../base/email-address.js';
import { accountMoved, DomainError } from '../../base/errors.js';
import { idOf, uuid7, uuidOf } from '../../base/ids.js';
import { auditedTransaction } from '../../db/audit.js';
import { MOVED } from '../../db/moved.js';
import { runStatement } from '../../db/pool.js';
import { insertRecord, saveRecord, UNNOTED } from '../../db/save.js';
import { authorOf } from '../../graphql/author.js';
import type { Context } from '../../graphql/context.js';
import { useOnce } from '../passkeys/challenges.js';
import type { Person } from './flow.js';
import { type EnterParts, ownProvider, refuseForeignUser, requireGroups } from './grounds.js';
import { followGroups, ROLE_FOLLOWED } from './groups.js';
import { wrongSignIn } from './issuer/faults.js';
import { newMember } from './members.js';
import { ProviderLink, subjectKeyOf } from './record/provider-link.js';
import { providerOfLink } from './record/read.js';
import { noteSession, sessionLife } from './sessions.js';
import type { Ticket } from './tickets.js';

/**
 * Signs in the person of a ticket: a user that is connected with it, an invited one, or a new one by its domain.
 * @param verificationToken of an invitation that was opened in this browser
 * @throws DomainError INVALID_CODE, INVALID_TOKEN, FORBIDDEN, CONFLICT, USER_SUSPENDED, ACCOUNT_SUSPENDED
 */
export async function enter(
  parts: EnterParts,
  context: Context,
  ticket: Ticket,
  verificationToken: string | undefined,
): Promise<SignIn> {
  const now = new Date(context.clock());
  if (ticket.linking !== null) throw wrongSignIn();
  const author = authorOf(context);
  const ended: string[] = [];
  let told: Record<string, unknown> | undefined;
  const done = await auditedTransaction(context.db, author, async (trx) => {
    const own = await ownProvider(trx, parts, ticket);
    // Of several first sign-ins of one person the others find what the first one made.
    const email = canonicalEmail(ticket.email ?? '');
    if (email !== undefined) await lockEmail(trx, email);
    const found = verificationToken === undefined ? await known(trx, ticket) : undefined;
    const { user, link } =
      found ??
      (await connected(trx, ticket, await newMember(trx, parts, ticket, own, verificationToken, now), now));
    author.userId = uuidOf(user.id);
    refuseForeignUser(user, ticket, own);
    if (!(await useOnce(trx, usageOf(ticket), user.accountId, now))) throw wrongSignIn();
    const provider = await providerOfLink(trx, link);
    if (provider) {
      requireGroups(provider, ticket, false);
      const followed = await followGroups(trx, context, user, provider, ticket);
      ended.push(...followed.ended);
      told = followed.told;
    }
    await saveRecord(trx, link, { signedInAt: now }, now, UNNOTED);
    await postponeKeys(trx, user.id, provider?.keyDays ?? null, now);
    const life = sessionLife(ticket);
    const made = await makeConsoleKey(trx, context, parts.keys, user, 'provider', now, life);
    await noteSession(trx, parts.sessions, made.apiKey, link.id, ticket, now);
    return made;
  });
  if (told) parts.log.info(told, ROLE_FOLLOWED);
  for (const id of [...ended, ...done.ended]) context.changed(id);
  return done;
}

/** Ids of tickets end with the sign-in that they belong to. */
export function usageOf({ id, expires }: Ticket) {
  return { id, expiresAt: new Date(expires) };
}

interface Connected {
  user: User;
  link: ProviderLink;
}

/** The connection of a person. */
export function linkOf(db: Knex, person: Person) {
  return ProviderLink.query(db).where('subject_key', subjectKeyOf(person)).whereNull('deleted_at').first();
}

/** The user that is connected, locked. @throws DomainError USER_SUSPENDED, ACCOUNT_SUSPENDED */
async function known(trx: Knex.Transaction, ticket: Ticket): Promise<Connected | undefined> {
  const found = await linkOf(trx, ticket);
  if (!found) return undefined;
  // Accounts are locked before their users, as everywhere: a sign-in may change a role, which depends on other users.
  const account = await Account.query(trx)
    .findById(uuidOf(found.accountId))
    .whereNull('deleted_at')
    .forNoKeyUpdate();
  const user = await User.query(trx).findById(uuidOf(found.userId)).whereNull('deleted_at').forUpdate();
  const link = await linkOf(trx, ticket).forUpdate();
  if (!account || !user || !link || user.status === 'invited')
    throw wrongSignIn('This user can no longer sign in.');
  if ((account.status as string) === MOVED) throw accountMoved();
  if (account.status === 'suspended')
    throw new DomainError('ACCOUNT_SUSPENDED', 'This account is suspended.');
  if (user.status === 'suspended') throw new DomainError('USER_SUSPENDED', 'This user is suspended.');
  return { user, link };
}

/**
 * Connects a user with the person of a ticket.
 * @throws DomainError CONFLICT when another user is
 */
export async function connected(
  trx: Knex.Transaction,
  ticket: Ticket,
  user: User,
  now: Date,
): Promise<Connected> {
  const { providerId, issuer, subject } = ticket;
  const link = await insertRecord(trx, ProviderLink, {
    id: idOf('providerLink', uuid7(now.getTime())),
    accountId: user.accountId,
    userId: user.id,
    ...{ providerId, issuer, subject, subjectKey: subjectKeyOf(ticket) },
    signedInAt: now,
    createdAt: now,
    updatedAt: now,
  });
  return { user, link };
}

const POSTPONE = `update users set keys_stop_at = ?::timestamptz + ?::int * interval '1 day'
  where id = ? and keys_stop_at is distinct from ?::timestamptz + ?::int * interval '1 day'`;

/** @param days null: its keys do not stop */
export async function postponeKeys(trx: Knex, userId: string, days: number | null, now: Date): Promise<void> {
  await runStatement(trx, POSTPONE, [now, days, uuidOf(userId), now, days]);
}
