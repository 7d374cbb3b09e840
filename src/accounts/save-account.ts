import type { Knex } from 'knex';
import { DomainError, invalidField } from '../base/errors.js';
import { idOf, uuid7, uuidOf } from '../base/ids.js';
import { type GeoPlace, NOWHERE } from '../base/ip-address.js';
import { checkedSlug, slugify } from '../base/slug.js';
import { nameFault } from '../base/text.js';
import { deletionOf, freeSlug, insertRecord, lockRecord, saveRecord, writeUnique } from '../db/save.js';
import { requireAccount, requireSuperadmin } from '../graphql/access.js';
import { type Acting, auditedWrite } from '../graphql/author.js';
import type { Context } from '../graphql/context.js';
import { changedColumns } from '../graphql/records/record.js';
import { Account, accountFields, type CreateAccountInput, type UpdateAccountInput } from './account.js';
import { requireFreshSignIn } from './keys/lasting-access.js';
import { keepSuperadminKey } from './keys/superadmin-key.js';
import { User } from './users/user.js';

/** Minimum length of a new name here; registration accepts shorter ones. */
const SHORTEST_NAME = 2;

/** @throws DomainError INVALID_SLUG, CONFLICT (name or slug taken) */
export function createAccount(
  acting: Acting & Pick<Context, 'db'>,
  input: CreateAccountInput,
): Promise<Account> {
  return auditedWrite(acting, (trx) => insertAccount(trx, input, NOWHERE, new Date(acting.clock())));
}

/**
 * @param place geographic origin of the registration
 * @throws DomainError INVALID_SLUG, CONFLICT (name or slug taken)
 */
export function insertAccount(
  trx: Knex.Transaction,
  input: CreateAccountInput,
  place: GeoPlace,
  now: Date,
): Promise<Account> {
  const name = input.name.trim();
  const insert = (db: Knex.Transaction, slug: string) =>
    insertRecord(db, Account, {
      id: idOf('account', uuid7(now.getTime())),
      name,
      slug,
      status: 'active',
      ...place,
      passkeysDemandedAt: null,
      passkeyHours: 24,
      createdAt: now,
      updatedAt: now,
    });
  if (input.slug != null) return insert(trx, checkedSlug(input.slug));
  const wanted = slugify(name, 'account');
  const taken = Account.query(trx).whereNull('deleted_at');
  return writeUnique(
    trx,
    'accounts_slug_key',
    () => freeSlug(taken, wanted, { db: trx, kind: 'account_slug' }),
    insert,
  );
}

/**
 * Changes, suspends, deletes or restores an account and notifies its readers.
 * @throws DomainError VALIDATION_FAILED (status together with deleted), NOT_FOUND, FORBIDDEN, INVALID_SLUG,
 * INVALID_TRANSITION, CONFLICT, PASSKEY_REQUIRED
 */
export async function updateAccount(
  context: Context,
  id: string,
  update: UpdateAccountInput,
  hasPasskeys: boolean,
): Promise<Account> {
  const input = accountChanges(update);
  const now = new Date(context.clock());
  const account = await auditedWrite(context, async (trx) => {
    const account = await lockRecord(Account, Account.query(trx), id, 'Account');
    const deletion = deletionOf(account, input, now, 'Account');
    requireAccount(context, { accountId: account.id, gameId: null });
    const name = input.name?.trim() ?? account.name;
    const fault = name === account.name ? undefined : nameFault(name, SHORTEST_NAME, 100);
    if (fault !== undefined) throw invalidField(['name'], fault, 'length');
    const switched = input.status !== undefined && input.status !== account.status;
    const ruling =
      (switched || deletion.deletedAt !== undefined) && (await hasSuperadmin(trx, context, account));
    if (input.demandsPasskeys && !hasPasskeys) throw noPasskeys();
    if (input.demandsPasskeys === false && account.demandsPasskeys) requireFreshSignIn(context);
    const changes = {
      ...changedColumns(accountFields, input),
      slug: input.slug === undefined ? undefined : checkedSlug(input.slug),
      timezone: input.timeZone,
      passkeysDemandedAt: demandOf(account, input, now),
    };
    await saveRecord(trx, account, { ...changes, ...deletion }, now);
    if (ruling && (account.status !== 'active' || account.deletedAt)) await keepSuperadminKey(trx);
    return account;
  });
  context.changed(account.id);
  return account;
}

function demandOf(
  account: Account,
  { demandsPasskeys }: UpdateAccountInput,
  now: Date,
): Date | null | undefined {
  if (demandsPasskeys === undefined || demandsPasskeys === account.demandsPasskeys) return undefined;
  return demandsPasskeys ? now : null;
}

function noPasskeys(): DomainError {
  return new DomainError(
    'INVALID_TRANSITION',
    'Passkeys are off on this server, so they cannot be required. Its operator can set CONSOLE_URL.',
  );
}

/** The status `deleted` is `deleted: true`. @throws DomainError VALIDATION_FAILED */
function accountChanges({ status, ...input }: UpdateAccountInput) {
  if (status !== 'deleted') return { ...input, status };
  if (input.deleted === false) throw invalidField(['deleted'], 'conflicts with the status "deleted"');
  return { ...input, deleted: true, status: undefined };
}

/**
 * True if a superadmin belongs to the account: closing it would lock the superadmin out.
 * @throws DomainError FORBIDDEN when the caller is no superadmin then
 */
async function hasSuperadmin(trx: Knex.Transaction, context: Context, account: Account): Promise<boolean> {
  const chief = await User.query(trx)
    .where({ account_id: uuidOf(account.id), super_admin: true })
    .whereNull('deleted_at')
    .first();
  if (chief) {
    requireSuperadmin(
      context,
      'FORBIDDEN',
      'This account has a superadmin in it. Only a superadmin can suspend, delete or restore it.',
    );
  }
  return chief !== undefined;
}
