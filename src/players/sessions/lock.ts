import type { Knex } from 'knex';
import { DomainError } from '../../base/errors.js';
import { uuidOf } from '../../base/ids.js';
import { runStatement } from '../../db/pool.js';
import type { ClientCaller } from '../../graphql/context.js';
import { invalidToken } from './authenticate.js';

const LOCK_DEVICE = `
  select identity_id, linked_identity_id, label is not null as is_named from devices
  where id = ? and status = 'active' and deleted_at is null for no key update`;

const LOCK_PLAYER = 'select from identities where id = ? and deleted_at is null for no key update';

export interface DeviceRow {
  identity_id: string;
  linked_identity_id: string | null;
  is_named: boolean;
}

/**
 * Locks the device of a session. A game server says who plays on those that it names: a link would outlast what it ends.
 * @throws DomainError INVALID_TOKEN, INVALID_TRANSITION
 */
export async function lockedDevice(trx: Knex.Transaction, { deviceId }: ClientCaller): Promise<DeviceRow> {
  const { rows } = await runStatement<DeviceRow>(trx, LOCK_DEVICE, [uuidOf(deviceId)]);
  if (!rows[0]) throw invalidToken();
  if (!rows[0].is_named) return rows[0];
  throw new DomainError(
    'INVALID_TRANSITION',
    'A game server starts the sessions of this device and says who plays. Link devices that start their own.',
  );
}

/**
 * Locks a player, after its device, as an erasure does.
 * @param player a bare uuid
 * @param refusal of one that was deleted
 * @throws DomainError
 */
export async function lockedPlayer(
  trx: Knex.Transaction,
  player: string,
  refusal: () => DomainError = invalidToken,
): Promise<void> {
  const { rows } = await runStatement(trx, LOCK_PLAYER, [player]);
  if (rows.length === 0) throw refusal();
}
