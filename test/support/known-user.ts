import { uuid7, uuidOf } from '../../src/base/ids.js';
import type { TestApp } from './app.js';

/** A user with this address, written directly to the database. */
export async function knownUser(
  { database, clock }: TestApp,
  email: string,
  accountId: string,
  status: string,
): Promise<void> {
  const at = new Date(clock.now());
  await database.knex('users').insert({
    ...{ id: uuid7(), account_id: uuidOf(accountId), email, display_name: 'Known', status },
    ...{ email_verified_at: status === 'invited' ? null : at, created_at: at, updated_at: at },
    ...{ super_admin: false, is_owner: false },
  });
}
