import type { Knex } from 'knex';
import { DomainError } from '../../base/errors.js';
import { idOf, uuid7 } from '../../base/ids.js';
import { runStatement } from '../../db/pool.js';
import { insertRecord } from '../../db/save.js';
import { JamCode } from './jam-code.js';
import { JamCodeRedemption } from './redemption.js';

/** True if a jam code can be used at a moment. */
const USABLE =
  'code = ? and active and (expires_at is null or expires_at > ?) and (max_uses is null or current_uses < max_uses)';

/** One statement, so that `max_uses` is exact: concurrent uses wait for the row and then see the new count. */
const USE = `
  update jam_codes set current_uses = current_uses + 1, last_redeemed_at = ? where ${USABLE} returning id, features`;

function refused(): DomainError {
  return new DomainError(
    'INVALID_CODE',
    'The jam code is not valid: it is unknown, has expired or was used up. Correct it, or leave it out',
  );
}

const normal = (code: string) => code.trim().toUpperCase();

/**
 * Refuses an unusable code before anything is written, so that each of many simultaneous uses of an exhausted code
 * costs one read. The final check follows in {@link redeemJamCode}.
 * @throws DomainError INVALID_CODE
 */
export async function checkJamCode(trx: Knex.Transaction, code: string, now: Date): Promise<void> {
  const usable = await JamCode.query(trx)
    .whereRaw(USABLE, [normal(code), now])
    .first();
  if (!usable) throw refused();
}

/**
 * Uses a jam code for an account.
 * @param accountId prefixed
 * @throws DomainError INVALID_CODE: unknown, not active, expired or used up
 */
export async function redeemJamCode(
  trx: Knex.Transaction,
  code: string,
  accountId: string,
  now: Date,
): Promise<void> {
  const { rows } = await runStatement<Pick<JamCode, 'id' | 'features'>>(trx, USE, [now, normal(code), now]);
  const jam = rows[0];
  if (!jam) throw refused();
  await insertRecord(trx, JamCodeRedemption, {
    id: idOf('redemption', uuid7(now.getTime())),
    jamCodeId: idOf('jamCode', jam.id),
    accountId,
    meta: jam.features,
    redeemedAt: now,
  });
}
