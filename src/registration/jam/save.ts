import type { Knex } from 'knex';
import { DomainError, invalidField } from '../../base/errors.js';
import { idOf, uuid7 } from '../../base/ids.js';
import { runStatement } from '../../db/pool.js';
import { insertRecord, lockRecord, saveRecord } from '../../db/save.js';
import { auditedWrite } from '../../graphql/author.js';
import type { Context } from '../../graphql/context.js';
import { changedColumns, newColumns } from '../../graphql/records/record.js';
import {
  type CreateJamCodeInput,
  JamCode,
  JamCodeRedemption,
  jamCodeFields,
  type UpdateJamCodeInput,
} from './jam-code.js';

/** @throws DomainError CONFLICT (code taken), VALIDATION_FAILED (expiry in the past) */
export async function createJamCode(context: Context, input: CreateJamCodeInput): Promise<JamCode> {
  const now = new Date(context.clock());
  if (input.expiresAt && input.expiresAt <= now) throw invalidField(['expiresAt'], 'must be in the future');
  return auditedWrite(context, (trx) =>
    insertRecord(trx, JamCode, {
      id: idOf('jamCode', uuid7(now.getTime())),
      ...newColumns(jamCodeFields, input),
      currentUses: 0,
      lastRedeemedAt: null,
      features: input.features ?? {},
      createdAt: now,
      updatedAt: now,
    }),
  );
}

/** Changes a jam code; earlier uses stay as they are. @throws DomainError NOT_FOUND */
export async function updateJamCode(
  context: Context,
  id: string,
  input: UpdateJamCodeInput,
): Promise<JamCode> {
  const now = new Date(context.clock());
  return auditedWrite(context, async (trx) => {
    const jam = await lockRecord(JamCode, JamCode.query(trx), id, 'Jam code');
    await saveRecord(trx, jam, changedColumns(jamCodeFields, input), now);
    return jam;
  });
}

/** True if a jam code can be used at a moment. */
const USABLE_CODE =
  'code = ? and active and (expires_at is null or expires_at > ?) and (max_uses is null or current_uses < max_uses)';

/** One statement, so that `max_uses` is exact: concurrent uses wait for the row and then see the new count. */
const USE = `
  update jam_codes set current_uses = current_uses + 1, last_redeemed_at = ? where ${USABLE_CODE} returning id, features`;

function refused(): DomainError {
  return new DomainError(
    'INVALID_CODE',
    'Invalid jam code: it is unknown, expired or used up. Correct it, or leave it out.',
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
    .whereRaw(USABLE_CODE, [normal(code), now])
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
