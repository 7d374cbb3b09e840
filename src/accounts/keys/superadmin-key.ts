import type { Knex } from 'knex';
import { DomainError } from '../../base/errors.js';
import { runStatement } from '../../db/pool.js';
import { matchesHash, prefixOf } from './api-key.js';

/** Advisory lock that serialises creating the first superadmin and ending the last one. */
const SUPERADMIN_LOCK = 0x6c62_6273;

/** Keys of active superadmins of active accounts, without expiry, scopes or a game. */
const USABLE = `
  select k.prefix, k.hash
  from api_keys k join users u on u.id = k.user_id join accounts a on a.id = u.account_id
  where k.status = 'active' and k.deleted_at is null and k.expires_at is null and k.scopes is null and k.only_game_id is null
    and u.super_admin and u.status = 'active' and u.deleted_at is null
    and a.status = 'active' and a.deleted_at is null`;

/** Held until the transaction ends; taken after all other locks. */
export async function lockSuperadmins(trx: Knex.Transaction): Promise<void> {
  await runStatement(trx, 'select pg_advisory_xact_lock(?)', [SUPERADMIN_LOCK]);
}

/** True if there is such a key. */
export async function hasSuperadminKey(db: Knex): Promise<boolean> {
  const { rows } = await runStatement(db, `${USABLE} limit 1`);
  return rows.length > 0;
}

/** True if this text is such a key's. */
export async function isSuperadminKey(db: Knex, keySecret: string, key: string): Promise<boolean> {
  const { rows } = await runStatement<{ hash: Buffer }>(db, `${USABLE} and k.prefix = ?`, [prefixOf(key)]);
  return rows.some(({ hash }) => matchesHash(keySecret, key, hash));
}

/**
 * Called in the transaction of a write that may have ended the last superadmin key: concurrent writes see one another.
 * @throws DomainError INVALID_TRANSITION
 */
export async function keepSuperadminKey(trx: Knex.Transaction): Promise<void> {
  await lockSuperadmins(trx);
  if (await hasSuperadminKey(trx)) return;
  throw new DomainError(
    'INVALID_TRANSITION',
    'This would lock out every superadmin. At least one active superadmin in an active account needs an ' +
      'active API key that does not expire. Create another key first.',
  );
}
