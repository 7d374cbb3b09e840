import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { uuidOf } from '../base/ids.js';
import { runStatement } from '../db/statement.js';
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

const NOTE = `
  insert into identities_due (identity_id, effect, device_id, ticket, requested_by, leased_until)
  values (?, ?, ?, ?, ?, ?)
  on conflict (identity_id) do update set
    effect = excluded.effect, device_id = excluded.device_id, ticket = excluded.ticket,
    requested_by = excluded.requested_by, leased_until = excluded.leased_until`;
const RETURNING = `
  select from identities_due where effect = 'include' and (identity_id = :identity or device_id = :device)`;

/** Notes in the transaction of a deletion or restoration that the player's boards have to follow. Ids prefixed. */
export async function noteDue(trx: Knex.Transaction, context: Context, due: Due): Promise<void> {
  const { caller, clock } = context;
  await runStatement(trx, NOTE, [
    uuidOf(due.identityId),
    due.effect,
    due.deviceId ? uuidOf(due.deviceId) : null,
    randomUUID(),
    caller.kind === 'admin' ? uuidOf(caller.userId) : null,
    new Date(clock() + LEASE_MILLIS),
  ]);
}

/** Whether a restoration of what these columns name is under way. Bare uuids. */
export async function isReturning(
  trx: Knex.Transaction,
  { identity = null, device = null }: { identity?: string | null; device?: string | null },
): Promise<boolean> {
  const { rowCount } = await runStatement(trx, RETURNING, { identity, device });
  return rowCount! > 0;
}
