import type { Knex } from 'knex';
import { uuidOf } from '../../base/ids.js';
import { runStatement } from '../../db/pool.js';

const USE =
  'insert into nonce_uses (nonce, expires_at, account_id) values (?, ?, ?) on conflict (nonce) do nothing';

/**
 * Notes the use of what may be used once: a nonce, a proof.
 * @param once what it is known by, a bare uuid
 * @param until when it expires by itself
 * @returns false: it was used before
 */
export async function noteUse(
  trx: Knex.Transaction,
  once: string,
  until: Date,
  accountId: string,
): Promise<boolean> {
  const { rowCount } = await runStatement(trx, USE, [once, until, uuidOf(accountId)]);
  return rowCount === 1;
}
