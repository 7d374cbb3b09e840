import type { Knex } from 'knex';
import { uuidOf } from '../../base/ids.js';
import { lockRecord, saveRecord, UNNOTED } from '../../db/save.js';
import { adminOf, requireAccount, requireOwnSession, requireSuperadmin } from '../../graphql/access.js';
import { auditedWrite } from '../../graphql/author.js';
import type { Context } from '../../graphql/context.js';
import { reachableKeys } from '../read.js';
import { requirePerson } from '../users/grant.js';
import { User } from '../users/user.js';
import { ApiKey } from './api-key.js';
import { ConsoleSession } from './session.js';

/** Sessions that work at a time for one user; a further sign-in ends the oldest. */
const MOST_SESSIONS = 5;

/** The working sessions of a user, the newest first. */
export function sessionsOf(db: Knex, userId: string, now: Date) {
  return ApiKey.query(db)
    .where({ user_id: uuidOf(userId), is_console: true, status: 'active' })
    .whereNull('deleted_at')
    .where('expires_at', '>', now)
    .orderBy([
      { column: 'created_at', order: 'desc' },
      { column: 'id', order: 'desc' },
    ]);
}

/**
 * Ends the sessions of a user, whose row the caller has locked. A mark of the user tells the readers elsewhere.
 * @returns prefixed ids
 */
export async function endSessions(trx: Knex.Transaction, userId: string, now: Date): Promise<string[]> {
  const keys = await sessionsOf(trx, userId, now).forUpdate();
  for (const key of keys) await saveRecord(trx, key, { status: 'revoked' }, now);
  return keys.map(({ id }) => id);
}

/** Makes room for a further session; the audit trail does not have it. @returns prefixed ids of the ended ones */
export async function endOldest(trx: Knex.Transaction, userId: string, now: Date): Promise<string[]> {
  const keys = await sessionsOf(trx, userId, now)
    .offset(MOST_SESSIONS - 1)
    .forUpdate();
  for (const key of keys) await saveRecord(trx, key, { status: 'revoked' }, now, UNNOTED);
  return keys.map(({ id }) => id);
}

/**
 * Ends a session: one's own, or with the right `people` another's. One that has ended stays as it is.
 * @throws DomainError NOT_FOUND, FORBIDDEN
 */
export async function endConsoleSession(context: Context, id: string): Promise<ConsoleSession> {
  const now = new Date(context.clock());
  const caller = adminOf(context);
  const ended = await auditedWrite(context, async (trx) => {
    const sessions = reachableKeys(trx).where('is_console', true).whereNull('deleted_at');
    const key = await lockRecord(ApiKey, sessions, id, 'Session');
    requireAccount(context, { accountId: key.accountId });
    requireOwnSession(context, key.id);
    if (key.userId !== caller.userId) {
      const user = await User.query(trx).findById(uuidOf(key.userId)).throwIfNotFound();
      requirePerson(context, user);
      if (user.superAdmin) {
        requireSuperadmin(context, 'FORBIDDEN', "Only a superadmin can end a superadmin's sessions.");
      }
    }
    await saveRecord(trx, key, { status: 'revoked' }, now);
    return key;
  });
  context.changed(ended.id);
  return ConsoleSession.of(ended, caller.keyId);
}
