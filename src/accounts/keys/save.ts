import type { Knex } from 'knex';
import { DomainError, invalidField, notFound } from '../../base/errors.js';
import { idOf, uuid7, uuidOf } from '../../base/ids.js';
import { deletionOf, insertRecord, lockRecord, saveRecord, writeUnique } from '../../db/save.js';
import {
  adminOf,
  requireAccount,
  requireOwnSession,
  requireRight,
  requireSuperadmin,
} from '../../graphql/access.js';
import { auditedWrite } from '../../graphql/author.js';
import type { Context } from '../../graphql/context.js';
import { changedColumns, newColumns } from '../../graphql/records/record.js';
import { reportEvent } from '../../outbox/report.js';
import { accountForWrite, reachableKeys, refusedTransition } from '../read.js';
import { givenGames, requireGranting, requirePerson } from '../users/grant.js';
import { gamesOf } from '../users/role.js';
import { User } from '../users/user.js';
import {
  ApiKey,
  apiKeyFields,
  type CreateApiKeyInput,
  generateKey,
  hashKey,
  prefixOf,
  type UpdateApiKeyInput,
} from './api-key.js';
import { requireFreshSignIn } from './lasting-access.js';
import type { SignInMethod } from './sign-in-method.js';
import { keepSuperadminKey } from './superadmin-key.js';

/** Settings of key generation. `keySecret` keys the stored hashes: when it changes, all keys are void. */
export interface KeySettings {
  keySecret: string;
  keyPrefix: string;
}

/**
 * Creates a key for a user of the account. Only the returned record carries the whole key.
 * @throws DomainError NOT_FOUND, FORBIDDEN, BAD_REQUEST (user of another account), SUPERADMIN_REQUIRED,
 * VALIDATION_FAILED (expiry in the past), PASSKEY_REQUIRED
 */
export async function createApiKey(
  context: Context,
  settings: KeySettings,
  input: CreateApiKeyInput,
): Promise<ApiKey> {
  const now = new Date(context.clock());
  if (input.expiresAt && input.expiresAt <= now) throw invalidField(['expiresAt'], 'must be in the future');
  // One that ends with the session, too: a key makes keys, and is no session.
  requireFreshSignIn(context);
  return auditedWrite(context, async (trx) => {
    await accountForWrite(trx, context, { accountId: input.accountId });
    const user = await User.query(trx).findById(uuidOf(input.userId)).whereNull('deleted_at').forShare();
    if (!user) throw notFound('User');
    if (user.accountId !== input.accountId) {
      throw new DomainError(
        'BAD_REQUEST',
        'This user belongs to another account. A key must belong to the account of its user.',
      );
    }
    // Otherwise any user of a superadmin's account could create a superadmin key.
    if (user.superAdmin) {
      requireSuperadmin(
        context,
        'SUPERADMIN_REQUIRED',
        'Only a superadmin can create keys for a superadmin.',
      );
    }
    if (user.id !== adminOf(context).userId) {
      requireRight(context, 'people');
      requirePerson(context, user);
    }
    const { scopes = null, gameId = null } = input;
    if (gameId !== null) await givenGames(trx, user.accountId, [gameId]);
    requireGranting(context, { role: user.role, scopes, gameIds: gamesOf(user.gameIds, gameId) });
    return insertKey(trx, settings, input, now);
  });
}

/** Where and how a user signed in to the console. */
interface SignedIn {
  method: SignInMethod | null;
  ip: string | undefined;
  userAgent: string | undefined;
}

const LONGEST_AGENT = 400;

/** A key to be written. */
interface NewKey extends CreateApiKeyInput {
  /** Set for sign-ins to the console. */
  signedIn?: SignedIn;
}

/** @param key the whole key, if it is given from outside (bootstrap); otherwise it is generated */
export function insertKey(
  trx: Knex.Transaction,
  settings: KeySettings,
  input: NewKey,
  now: Date,
  key?: string,
): Promise<ApiKey> {
  const next = () => key ?? generateKey(settings.keyPrefix);
  return writeUnique(trx, 'api_keys_prefix_key', next, async (savepoint, text) => {
    const values = {
      id: idOf('apiKey', uuid7(now.getTime())),
      ...newColumns(apiKeyFields, input),
      prefix: prefixOf(text),
      hash: hashKey(settings.keySecret, text),
      lastUsedAt: null,
      lastUsedFrom: null,
      onlyGameId: input.gameId ?? null,
      isConsole: input.signedIn !== undefined,
      signedInWith: input.signedIn?.method ?? null,
      signedInFrom: input.signedIn?.ip ?? null,
      signedInAgent: input.signedIn?.userAgent?.slice(0, LONGEST_AGENT) ?? null,
      createdAt: now,
      updatedAt: now,
    };
    // A sign-in has an entry of its own.
    const record = await insertRecord(savepoint, ApiKey, values, { noted: !values.isConsole });
    if (!values.isConsole) await reportKey(savepoint, 'key.created', record, now);
    return Object.assign(record, { key: text });
  });
}

function reportKey(trx: Knex, type: string, key: ApiKey, at: Date): Promise<void> {
  const { id, accountId, userId, name, prefix } = key;
  const subject = { key_id: id, user_id: userId, name, prefix };
  return reportEvent(trx, { accountId, type, subject, at });
}

/** Revokes (permanently), deletes or restores a key. @throws DomainError NOT_FOUND, FORBIDDEN, INVALID_TRANSITION */
export async function updateApiKey(context: Context, id: string, input: UpdateApiKeyInput): Promise<ApiKey> {
  const now = new Date(context.clock());
  const saved = await auditedWrite(context, async (trx) => {
    const key = await lockRecord(ApiKey, reachableKeys(trx), id, 'API key');
    const deletion = deletionOf(key, input, now, 'API key');
    requireAccount(context, { accountId: key.accountId });
    requireOwnSession(context, key.id);
    const user = await User.query(trx).findById(uuidOf(key.userId)).throwIfNotFound();
    requirePerson(context, user);
    // Everyone may end its own keys.
    if (input.deleted === false) {
      requireFreshSignIn(context);
      if (user.id !== adminOf(context).userId) requireRight(context, 'people');
      const gameIds = gamesOf(user.gameIds, key.onlyGameId);
      requireGranting(context, { role: user.role, scopes: key.scopes, gameIds });
    }
    if (user.superAdmin) {
      requireSuperadmin(context, 'FORBIDDEN', "Only a superadmin can change a superadmin's keys.");
    }
    if (key.status === 'revoked' && input.status === 'active') {
      throw refusedTransition('A revoked key cannot be reactivated. Create a new one.');
    }
    const wasUsable = key.status === 'active' && !key.deletedAt;
    const changes = changedColumns(apiKeyFields, input);
    const changed = await saveRecord(trx, key, { ...changes, ...deletion }, now);
    const ended = wasUsable && (key.status !== 'active' || key.deletedAt);
    if (ended && !key.isConsole) await reportKey(trx, 'key.revoked', key, now);
    if (changed && user.superAdmin && (key.status !== 'active' || key.deletedAt))
      await keepSuperadminKey(trx);
    return key;
  });
  context.changed(saved.id);
  return saved;
}
