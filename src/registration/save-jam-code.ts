import type { Knex } from 'knex';
import { insertRecord, lockRecord, saveRecord } from '../db/save.js';
import { DomainError, invalidField } from '../errors.js';
import type { Context } from '../graph/context.js';
import { idOf, uuid7, uuidOf } from '../ids.js';
import { JamCode } from './jam-code.js';
import type { CreateJamCodeInput, UpdateJamCodeInput } from './jam-inputs.js';

/** @throws DomainError CONFLICT (code taken), VALIDATION_FAILED (expiry in the past) */
export async function createJamCode({ db, clock }: Context, input: CreateJamCodeInput): Promise<JamCode> {
  const now = new Date(clock());
  if (input.expiresAt && input.expiresAt <= now) throw invalidField(['expiresAt'], 'must be in the future');
  return insertRecord(db, JamCode, {
    id: idOf('jamCode', uuid7(now.getTime())),
    code: input.code.toUpperCase(),
    description: input.description,
    active: true,
    expiresAt: input.expiresAt ?? null,
    maxUses: input.maxUses ?? null,
    currentUses: 0,
    features: input.features ?? {},
    createdAt: now,
    updatedAt: now,
  });
}

/** Changes a jam code for uses to come. @throws DomainError NOT_FOUND */
export async function updateJamCode(
  { db, clock }: Context,
  id: string,
  input: UpdateJamCodeInput,
): Promise<JamCode> {
  const now = new Date(clock());
  return db.transaction(async (trx) => {
    const jam = await lockRecord(JamCode, trx('jam_codes'), id, 'Jam code');
    const { active, description, expiresAt, maxUses, features } = input;
    await saveRecord(trx, jam, { active, description, expiresAt, maxUses, features }, now);
    return jam;
  });
}

/** One statement, so that `max_uses` is exact: whoever waits for the row finds it used up. */
const USE = `
  update jam_codes set current_uses = current_uses + 1, last_redeemed_at = ?
  where code = ? and active and (expires_at is null or expires_at > ?) and (max_uses is null or current_uses < max_uses)
  returning id, features`;

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
  const { rows } = await trx.raw<{ rows: { id: string; features: object }[] }>(USE, [
    now,
    code.trim().toUpperCase(),
    now,
  ]);
  const jam = rows[0];
  if (!jam) {
    throw new DomainError(
      'INVALID_CODE',
      'The jam code is not valid: it is unknown, has expired or was used up. Correct it, or leave it out',
    );
  }
  await trx('jam_code_redemptions').insert({
    id: uuid7(now.getTime()),
    jam_code_id: jam.id,
    account_id: uuidOf(accountId),
    meta: JSON.stringify(jam.features),
    redeemed_at: now,
  });
}
