import type { Knex } from 'knex';
import { canonicalEmail } from '../../base/email-address.js';
import { invalidField } from '../../base/errors.js';
import { idOf, uuid7, uuidOf } from '../../base/ids.js';
import { deletionOf, insertRecord, lockRecord, saveRecord } from '../../db/save.js';
import { adminOf, requireAccount, requireRight, requireSuperadmin } from '../../graphql/access.js';
import { auditedWrite } from '../../graphql/author.js';
import type { Context } from '../../graphql/context.js';
import { changedColumns, newColumns } from '../../graphql/records/record.js';
import { Account } from '../account.js';
import { endSessions } from '../keys/end-session.js';
import { requireFreshSignIn } from '../keys/lasting-access.js';
import { keepSuperadminKey } from '../keys/superadmin-key.js';
import { accountForWrite, reachableUsers, refusedTransition } from '../read.js';
import { givenEmail, lockEmail } from './address.js';
import { givenGames, requireGranting, requirePerson } from './grant.js';
import { type CreateUserInput, type UpdateUserInput, User, userFields } from './user.js';

/** The first user of an account becomes its owner. @throws DomainError NOT_FOUND, FORBIDDEN, CONFLICT (email), PASSKEY_REQUIRED */
export async function createUser(context: Context, input: CreateUserInput): Promise<User> {
  requireFreshSignIn(context);
  const now = new Date(context.clock());
  const email = givenEmail(input.email);
  return auditedWrite(context, async (trx) => {
    await lockEmail(trx, email);
    await accountForWrite(trx, context, { accountId: input.accountId }, 'alone');
    const gameIds = await givenGames(trx, input.accountId, input.gameIds);
    requireGranting(context, { role: input.role ?? 'admin', gameIds });
    const user = { ...input, gameIds, superAdmin: false, status: 'active', emailVerifiedAt: null } as const;
    return insertUser(trx, user, now);
  });
}

/** The caller must hold an exclusive lock on the account's row: this function decides whether the user is the first. */
export async function insertUser(
  trx: Knex.Transaction,
  input: CreateUserInput &
    Pick<User, 'superAdmin' | 'status' | 'emailVerifiedAt'> &
    Partial<Pick<User, 'invitedBy'>>,
  now: Date,
): Promise<User> {
  const accountId = uuidOf(input.accountId);
  const first = await User.query(trx).where('account_id', accountId).whereNull('deleted_at').first();
  return insertRecord(trx, User, {
    id: idOf('user', uuid7(now.getTime())),
    ...newColumns(userFields, input),
    email: givenEmail(input.email),
    emailVerifiedAt: input.emailVerifiedAt,
    status: input.status,
    passkeysDueFrom: null,
    invitedBy: input.invitedBy ?? null,
    signedInAt: null,
    superAdmin: input.superAdmin,
    isOwner: first === undefined,
    digestDueAt: null,
    digestSeenAt: null,
    createdAt: now,
    updatedAt: now,
  });
}

/**
 * Changes, suspends, deletes or restores a user; this applies to its keys immediately, and ends its sessions.
 * @throws DomainError NOT_FOUND, FORBIDDEN, SUPERADMIN_REQUIRED, INVALID_TRANSITION, CONFLICT, PASSKEY_REQUIRED
 */
export async function updateUser(context: Context, id: string, input: UpdateUserInput): Promise<User> {
  const now = new Date(context.clock());
  const wanted = input.email === undefined ? undefined : canonicalEmail(input.email);
  const saved = await auditedWrite(context, async (trx) => {
    if (wanted !== undefined) await lockEmail(trx, wanted);
    await lockAccountOf(trx, id);
    const user = await lockRecord(User, reachableUsers(trx), id, 'User');
    const deletion = deletionOf(user, input, now, 'User');
    requireAccount(context, { accountId: user.accountId });
    requirePerson(context, user);
    requireGranting(context, user);
    refuseEscalation(context, user, input);
    const { role = user.role } = input;
    const gameIds =
      input.gameIds === undefined ? user.gameIds : await givenGames(trx, user.accountId, input.gameIds);
    if (isManaged(input)) requireRight(context, 'people');
    requireGranting(context, { role, gameIds });
    const leaves = deletion.deletedAt != null || (input.status !== undefined && input.status !== 'active');
    const isDemoted = isFullAdmin(user) && !isFullAdmin({ role, gameIds });
    if (leaves || isDemoted) await refuseLockingOut(trx, context, user, leaves);
    const { superAdmin: ruled } = user;
    const before = accessOf(user);
    const email = input.email === undefined ? user.email : givenEmail(input.email, user.email);
    if (email !== user.email || (isManaged(input) && !leaves)) requireFreshSignIn(context);
    const changes = {
      ...changedColumns(userFields, input),
      email,
      emailVerifiedAt: email === user.email ? undefined : null,
      gameIds,
      // A demand of passkeys begins for it now.
      passkeysDueFrom: user.role === 'viewer' && role !== 'viewer' ? now : undefined,
      ...digestOf(user, input, now),
    };
    const changed = await saveRecord(trx, user, { ...changes, ...deletion }, now);
    if (accessOf(user) !== before) await endSessions(trx, user.id, now);
    const rules = user.superAdmin && user.status === 'active' && !user.deletedAt;
    if (changed && ruled && !rules) await keepSuperadminKey(trx);
    return user;
  });
  context.changed(saved.id);
  return saved;
}

/** What a user may do, as a text: a change ends its sessions, also a change back. */
function accessOf({ status, role, gameIds, superAdmin, deletedAt }: User): string {
  return JSON.stringify([status, role, gameIds, superAdmin, deletedAt]);
}

/**
 * The first digest is due with the next run of the job. What earlier ones told is kept, so that turning them off and on
 * repeats nothing.
 */
function digestOf(user: User, { flagDigest }: UpdateUserInput, now: Date) {
  if (flagDigest === undefined || flagDigest === user.flagDigest) return { flagDigest: undefined };
  if (flagDigest !== 'none' && user.emailVerifiedAt === null && !user.superAdmin) {
    const sentence = 'needs a verified email address. Sign in to the console once with an emailed code.';
    throw invalidField(['flagDigest'], sentence, 'email');
  }
  return { flagDigest, digestDueAt: flagDigest === 'none' ? null : now };
}

/**
 * Accounts are locked before their users, as everywhere. The checks on the last owner and on superadmins depend on
 * other users of the account.
 */
async function lockAccountOf(trx: Knex.Transaction, userId: string): Promise<void> {
  const owner = User.query(trx).findById(uuidOf(userId)).select('account_id');
  await Account.query(trx).whereIn('id', owner).forNoKeyUpdate();
}

/** True for changes of what a user may do, which it does not make itself. */
function isManaged({ role, gameIds, status, superAdmin, deleted }: UpdateUserInput): boolean {
  return [role, gameIds, status, superAdmin, deleted].some((value) => value !== undefined);
}

function isFullAdmin({ role, gameIds }: Pick<User, 'role' | 'gameIds'>): boolean {
  return role === 'admin' && gameIds === null;
}

/** Only a superadmin may change a superadmin: its address, status or keys would let another user act as it. */
function refuseEscalation(context: Context, user: User, input: UpdateUserInput): void {
  const grants = input.superAdmin !== undefined && input.superAdmin !== user.superAdmin;
  const { role = user.role, gameIds = user.gameIds, superAdmin = user.superAdmin } = input;
  if (superAdmin && !isFullAdmin({ role, gameIds })) {
    throw refusedTransition('A superadmin has the role admin and all games.');
  }
  if (grants || user.superAdmin) {
    requireSuperadmin(context, 'SUPERADMIN_REQUIRED', 'Only a superadmin can create or change superadmins.');
  }
}

/**
 * A regular user cannot end its own access, nor that of the last one who owns the account, nor leave the account without an
 * administrator of all games.
 * @param leaves suspended or deleted, rather than given a lesser role
 */
async function refuseLockingOut(
  trx: Knex.Transaction,
  context: Context,
  user: User,
  leaves: boolean,
): Promise<void> {
  const caller = adminOf(context);
  if (caller.superAdmin || user.status === 'suspended') return;
  if (leaves && caller.userId === user.id) throw refusedTransition('You cannot suspend or delete yourself.');
  const what = leaves ? 'cannot be suspended or deleted' : 'keeps the role admin and all games';
  const last = await lastOfItsKind(trx, user);
  if (last) throw refusedTransition(`The last active ${last} of an account ${what}.`);
}

/** What an account would lack without a user: its last active owner, or its last active administrator of all games. */
export async function lastOfItsKind(
  trx: Knex.Transaction,
  user: User,
): Promise<'owner' | 'administrator' | undefined> {
  const others = () =>
    User.query(trx)
      .where({ account_id: uuidOf(user.accountId), status: 'active' })
      .whereNull('deleted_at')
      .whereNot('id', uuidOf(user.id))
      .first();
  if (user.isOwner && !(await others().where('is_owner', true))) return 'owner';
  if (isFullAdmin(user) && !(await others().where('role', 'admin').whereNull('game_ids')))
    return 'administrator';
  return undefined;
}
