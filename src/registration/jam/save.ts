import { invalidField } from '../../base/errors.js';
import { idOf, uuid7 } from '../../base/ids.js';
import type { PatchOf } from '../../db/row.js';
import { insertRecord, lockRecord, saveRecord } from '../../db/save.js';
import type { Context } from '../../graphql/context.js';
import type { CreateJamCodeInput, UpdateJamCodeInput } from './inputs.js';
import { JamCode } from './jam-code.js';

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
    lastRedeemedAt: null,
    features: input.features ?? {},
    createdAt: now,
    updatedAt: now,
  });
}

/** Changes a jam code; earlier uses stay as they are. @throws DomainError NOT_FOUND */
export async function updateJamCode(
  { db, clock }: Context,
  id: string,
  input: UpdateJamCodeInput,
): Promise<JamCode> {
  const now = new Date(clock());
  return db.transaction(async (trx) => {
    const jam = await lockRecord(JamCode, JamCode.query(trx), id, 'Jam code');
    const { active, description, expiresAt, maxUses, features } = input;
    const changes: PatchOf<JamCode, UpdateJamCodeInput> = {
      active,
      description,
      expiresAt,
      maxUses,
      features,
    };
    await saveRecord(trx, jam, changes, now);
    return jam;
  });
}
