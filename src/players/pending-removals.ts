import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { uuidOf } from '../base/ids.js';
import type { Context } from '../graphql/context.js';

/** How long whoever took a player's boards on is left alone with them; after it, any process may go on. */
export const LEASE_MILLIS = 30_000;

/**
 * What became of a request: `settled`, every board agrees with it; `conflict`, a restored player's key or device was
 * taken by another meanwhile, so it is deleted as before.
 */
export type Settled = 'settled' | 'conflict';

/**
 * Makes all boards of a player (prefixed id) agree with its deletion or restoration, as far as anything is due.
 * Rejects when that could not be finished now: it stays due, and some process will.
 */
export type Settle = (identityId: string) => Promise<Settled>;

export interface Due {
  identityId: string;
  effect: 'exclude' | 'include';
  /** A device that comes back with the player. */
  deviceId?: string;
}

/** Notes in the transaction of a deletion or restoration that the player's boards have to follow. Ids prefixed. */
export async function noteDue(trx: Knex.Transaction, context: Context, due: Due): Promise<void> {
  const { caller, clock } = context;
  const row = {
    identity_id: uuidOf(due.identityId),
    effect: due.effect,
    device_id: due.deviceId ? uuidOf(due.deviceId) : null,
    ticket: randomUUID(),
    requested_by: caller.kind === 'admin' ? uuidOf(caller.userId) : null,
    leased_until: new Date(clock() + LEASE_MILLIS),
  };
  await trx('identities_due').insert(row).onConflict('identity_id').merge();
}

/** Whether a restoration of what these columns name is under way. Bare uuids. */
export async function isReturning(
  trx: Knex.Transaction,
  named: { identity_id: string } | { device_id: string },
): Promise<boolean> {
  const row: object | undefined = await trx('identities_due')
    .where({ ...named, effect: 'include' })
    .first('identity_id');
  return row !== undefined;
}
