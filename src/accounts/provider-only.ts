import type { Knex } from 'knex';
import { DomainError } from '../base/errors.js';
import { uuidOf } from '../base/ids.js';
import { runStatement } from '../db/pool.js';

const READ = 'select provider_only as only from accounts where id = ?';

/** True for an account whose people sign in with single sign-on alone. */
async function isProviderOnly(db: Knex, accountId: string): Promise<boolean> {
  const { rows } = await runStatement<{ only: boolean }>(db, READ, [uuidOf(accountId)]);
  return rows[0]?.only ?? false;
}

export function providerOnly(): DomainError {
  return new DomainError('FORBIDDEN', 'This account uses single sign-on. Sign in with it, in the console.');
}

/** @throws DomainError FORBIDDEN */
export async function refuseProviderOnly(db: Knex, accountId: string): Promise<void> {
  if (await isProviderOnly(db, accountId)) throw providerOnly();
}
