import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { uuidOf } from '../base/ids.js';
import { runStatement } from '../db/pool.js';
import type { Context } from '../graphql/context.js';
import { LEASE_MS } from '../jobs/claim.js';

/**
 * Result of a request: `reconciled`, all boards agree with it; `conflict`, another player or device took the key or
 * fingerprint of a restored one in the meantime, so it stays deleted.
 */
export type Reconciled = 'reconciled' | 'conflict';

/**
 * Makes all boards of a player (prefixed id) agree with its deletion or restoration, if one is pending. Rejects when it
 * could not be finished now: it stays pending, and some process will finish it.
 */
export type Reconcile = (identityId: string) => Promise<Reconciled>;

interface Due {
  identityId: string;
  effect: 'exclude' | 'include';
  /** The device that is restored with the player. */
  deviceId?: string;
}

const RECORD_REMOVAL = `
  insert into identities_due (identity_id, effect, device_id, ticket, requested_by, leased_until)
  values (?, ?, ?, ?, ?, ?)
  on conflict (identity_id) do update set
    effect = excluded.effect, device_id = excluded.device_id, ticket = excluded.ticket,
    requested_by = excluded.requested_by, leased_until = excluded.leased_until`;
const RETURNING = `
  select from identities_due where effect = 'include' and (identity_id = :identity or device_id = :device)`;

/** Records, in the transaction of a deletion or restoration, that the player's boards have to follow. Ids prefixed. */
export async function noteDue(trx: Knex.Transaction, context: Context, due: Due): Promise<void> {
  const { caller, clock } = context;
  await runStatement(trx, RECORD_REMOVAL, [
    uuidOf(due.identityId),
    due.effect,
    due.deviceId ? uuidOf(due.deviceId) : null,
    randomUUID(),
    caller.kind === 'admin' ? uuidOf(caller.userId) : null,
    new Date(clock() + LEASE_MS),
  ]);
}

/** True if a restoration of this identity or device is pending. Bare uuids. */
export async function isReturning(
  trx: Knex.Transaction,
  { identity = null, device = null }: { identity?: string | null; device?: string | null },
): Promise<boolean> {
  const { rowCount } = await runStatement(trx, RETURNING, { identity, device });
  return rowCount! > 0;
}
