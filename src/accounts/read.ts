import type { Knex } from 'knex';
import { DomainError, notFound } from '../base/errors.js';
import { uuidOf } from '../base/ids.js';
import { MOVED, refuseMoved } from '../db/moved.js';
import { recordColumns } from '../db/sort.js';
import {
  type Access,
  accountScope,
  adminOf,
  listedRows,
  type Owned,
  requireAccount,
} from '../graphql/access.js';
import { readRecords, type SortedRequest } from '../graphql/connection.js';
import type { Context } from '../graphql/context.js';
import { recordsById } from '../graphql/loader.js';
import { Account } from './account.js';
import { ApiKey, type ApiKeyStatus } from './keys/api-key.js';
import { GAMES_OF_KEY, requirePerson, visiblePeople } from './users/grant.js';
import { User, type UserStatus } from './users/user.js';

/** Condition that an account, `a`, is not deleted and not on another cell. */
export const LIVE_ACCOUNT = `a.deleted_at is null and a.status <> '${MOVED}'`;

/** Condition that a row's account is live. */
export function inLiveAccount(table: string): string {
  return `exists (select from accounts a where a.id = ${table}.account_id and ${LIVE_ACCOUNT})`;
}

export const reachableUsers = (db: Knex) => User.query(db).whereRaw(inLiveAccount('users'));

// The keys of a deleted user count as deleted.
export const reachableKeys = (db: Knex) =>
  ApiKey.query(db)
    .whereRaw(inLiveAccount('api_keys'))
    .whereRaw('exists (select from users u where u.id = api_keys.user_id and u.deleted_at is null)');

export const liveAccounts = (db: Knex) =>
  Account.query(db).whereNull('accounts.deleted_at').whereNot('accounts.status', MOVED);
export const liveUsers = (db: Knex) => reachableUsers(db).whereNull('users.deleted_at');
export const liveKeys = (db: Knex) => reachableKeys(db).whereNull('api_keys.deleted_at');

export const accountById = recordsById(Account, liveAccounts);
export const userById = recordsById(User, liveUsers);
const apiKeyById = recordsById(ApiKey, liveKeys);

/** @throws DomainError NOT_FOUND, FORBIDDEN */
export async function loadAccount(context: Context, id: string): Promise<Account> {
  const account = await context.loaders.of(accountById).load(id);
  if (!account) throw notFound('Account');
  requireAccount(context, { accountId: account.id });
  return account;
}

/** @throws DomainError NOT_FOUND, FORBIDDEN */
export async function loadUser(context: Context, id: string): Promise<User> {
  const user = await context.loaders.of(userById).load(id);
  if (!user) throw notFound('User');
  requireAccount(context, { accountId: user.accountId });
  requirePerson(context, user);
  return user;
}

/** @throws DomainError NOT_FOUND, FORBIDDEN */
export async function loadApiKey(context: Context, id: string): Promise<ApiKey> {
  const key = await context.loaders.of(apiKeyById).load(id);
  if (!key) throw notFound('API key');
  if (adminOf(context).userId !== key.userId) requirePerson(context, await loadUser(context, key.userId));
  return key;
}

export const accountSort = recordColumns('accounts', 'account', {
  name: { column: 'accounts.name', kind: 'text' },
  slug: { column: 'accounts.slug', kind: 'text' },
});

interface AccountFilters {
  accountId?: string | null;
  slug?: string | null;
  text?: string | null;
}

/**
 * The caller's own account; a superadmin may name another or see all.
 * @throws DomainError NOT_FOUND when no account has the slug
 */
export async function listAccounts(
  context: Context,
  page: SortedRequest,
  { accountId, slug, text }: AccountFilters,
) {
  const { db } = context;
  const scope = accountScope(context, accountId);
  const rows = liveAccounts(db);
  if (scope) rows.where('accounts.id', uuidOf(scope));
  if (slug != null) {
    rows.where('accounts.slug', slug);
    if (!(await rows.clone().first())) {
      await refuseMoved(db, 'accounts', 't.slug = ? and t.deleted_at is null', [slug]);
      throw notFound('Account');
    }
  }
  if (text != null) {
    rows.whereRaw(
      '(strpos(name_key(accounts.name), name_key(?::text)) > 0 or strpos(accounts.slug, lower(?::text)) > 0)',
      [text, text],
    );
  }
  const list = { type: Account, sortable: accountSort, rows, filters: { account_id: scope, slug, text } };
  return readRecords(db, list, page);
}

export const userSort = recordColumns('users', 'user', {
  email: { column: 'users.email', kind: 'text' },
  display_name: { column: 'users.display_name', kind: 'text' },
});

interface UserFilters {
  accountId?: string | null;
  status?: UserStatus | null;
  isDeleted?: boolean | null;
}

/** Users of the caller's account; a superadmin may name another or see all. */
export function listUsers(
  context: Context,
  page: SortedRequest,
  { accountId, status, isDeleted }: UserFilters,
) {
  const scope = accountScope(context, accountId);
  const rows = listedRows(context, isDeleted, liveUsers, reachableUsers, 'users');
  if (scope) rows.where('users.account_id', uuidOf(scope));
  rows.whereRaw(...visiblePeople(context, 'users.id', 'users.game_ids'));
  if (status) rows.where('users.status', status);
  const filters = { account_id: scope, status, deleted: isDeleted || undefined };
  const list = { type: User, sortable: userSort, rows, filters };
  return readRecords(context.db, list, page);
}

export const keySort = recordColumns('api_keys', 'apiKey', {
  name: { column: 'api_keys.name', kind: 'text' },
});

interface ApiKeyFilters {
  accountId?: string | null;
  userId?: string | null;
  status?: ApiKeyStatus | null;
  isDeleted?: boolean | null;
}

/** Keys of the caller's account; a superadmin may name another or see all. */
export function listApiKeys(context: Context, page: SortedRequest, filters: ApiKeyFilters) {
  const scope = accountScope(context, filters.accountId);
  const { userId, status, isDeleted } = filters;
  const rows = listedRows(context, isDeleted, liveKeys, reachableKeys, 'api_keys');
  if (scope) rows.where('api_keys.account_id', uuidOf(scope));
  rows.whereRaw(...visiblePeople(context, 'api_keys.user_id', GAMES_OF_KEY));
  if (userId) rows.where('api_keys.user_id', uuidOf(userId));
  if (status) rows.where('api_keys.status', status);
  const effective = { account_id: scope, user_id: userId, status, deleted: isDeleted || undefined };
  return readRecords(context.db, { type: ApiKey, sortable: keySort, rows, filters: effective }, page);
}

/**
 * The account of a new record, locked so that it cannot be deleted in the meantime. The caller's right to name it was checked
 * before.
 * @param lock `alone` for one writer at a time: two writers that raise a share lock later deadlock
 * @throws DomainError NOT_FOUND, FORBIDDEN
 */
export async function accountForWrite(
  trx: Knex.Transaction,
  access: Access,
  owned: Owned,
  lock: 'shared' | 'alone' = 'shared',
): Promise<void> {
  const rows = Account.query(trx).findById(uuidOf(owned.accountId)).whereNull('deleted_at');
  if (!(await (lock === 'alone' ? rows.forNoKeyUpdate() : rows.forShare()))) throw notFound('Account');
  requireAccount(access, owned);
}

export function refusedTransition(sentence: string): DomainError {
  return new DomainError('INVALID_TRANSITION', sentence);
}
