import { randomBytes } from 'node:crypto';
import type { Knex } from 'knex';
import { AuditAction, recordAudit } from '../../accounts/audit/entry.js';
import { requireFreshSignIn } from '../../accounts/keys/lasting-access.js';
import { notFound, unavailable } from '../../base/errors.js';
import { idOf, uuid7, uuidOf } from '../../base/ids.js';
import { platformOf } from '../../boards/views/tag-value.js';
import { runStatement } from '../../db/pool.js';
import { adminOf, requireAccount } from '../../graphql/access.js';
import { isByHand } from '../../graphql/author.js';
import type { Context } from '../../graphql/context.js';
import { actingDeviceIds } from '../devices/acting.js';
import type { DeviceStatus } from '../devices/device.js';
import type { StartPlayerSessionInput } from '../inputs.js';
import { blockedDevice, unservedAccount } from './authenticate.js';
import {
  lifetimes,
  SHOWN,
  type StartedRow,
  type StartedSession,
  sessionOfDevice,
  shortened,
  startedSession,
} from './begun.js';
import type { CountPlayerSession } from './player-sessions.js';
import type { TokenSettings, Tokens } from './tokens.js';

export interface PlayerStarting {
  settings: TokenSettings;
  tokens: Tokens;
  /** Called before anything is read. */
  count: CountPlayerSession;
}

/** Devices of a player whose sessions a game server starts. With a further one the one that was unused the longest ends. */
const MOST_DEVICES = 20;
const RANDOM_BYTES = 24;

/** A player with its game. Bare uuids. */
interface Found {
  /** The player that the runs of the given one count for. */
  id: string;
  /** The given one, if it is merged. */
  merged_from: string | null;
  account_id: string;
  game_id: string;
  account_status: string;
  /** Of the device with this label; null: there is none. */
  device_status: DeviceStatus | null;
  /** True if a device of the player is banned or suspended, or the one that starts its own sessions with the label's text. */
  is_blocked: boolean;
  is_banned_here: boolean;
}

const FIND = `
  select i.id, case when q.merged_into is not null then q.id end as merged_from, i.account_id, i.game_id,
    a.status as account_status, d.status as device_status,
    exists (select from devices x
      where x.id in (${actingDeviceIds('i.id')}) and x.deleted_at is null and x.status <> 'active') as is_blocked,
    exists (select from devices x where x.game_id = i.game_id and x.client_fingerprint = :label and x.label is null
      and x.deleted_at is null and x.status <> 'active') as is_banned_here
  from identities q
  join identities i on i.id = coalesce(q.merged_into, q.id)
  join games g on g.id = i.game_id and g.deleted_at is null
  join accounts a on a.id = i.account_id and a.deleted_at is null
  left join devices d on d.identity_id = i.id and d.label = :label and d.deleted_at is null
  where q.id = :player and i.deleted_at is null and i.erased_at is null`;

/**
 * The device of a label with a session; nothing if the player was deleted or the device blocked since. Its fingerprint is random, and
 * nobody gets to know it: what the game server calls a device must not open sessions for whoever guesses it.
 */
const WRITE = `
  with device as (
    insert into devices (id, account_id, game_id, identity_id, client_fingerprint, label, platform, status, metadata, first_seen_at,
      last_seen_at, created_at, updated_at, merged_from)
    select :device::uuid, i.account_id, i.game_id, i.id, :secret, :label, :platform, 'active', coalesce(:metadata::jsonb, '{}'),
      :at::timestamptz, :at, :at, :at, :mergedFrom::uuid
    from identities i where i.id = :player and i.deleted_at is null
    on conflict (identity_id, label) where label is not null and deleted_at is null do update
      set platform = case when devices.platform = '' then excluded.platform else devices.platform end,
        metadata = coalesce(:metadata::jsonb, devices.metadata), last_seen_at = greatest(devices.last_seen_at, excluded.last_seen_at),
        updated_at = greatest(devices.updated_at, excluded.updated_at)
      where devices.status = 'active'
    returning *),
  session as (${sessionOfDevice({
    id: ':session::uuid',
    testMode: ':testMode::boolean',
    expiresAt: ':expiresAt::timestamptz',
    refreshExpiresAt: ':refreshExpiresAt::timestamptz',
    ip: ':ip',
    userAgent: ':agent',
    at: ':at::timestamptz',
    startedBy: ':user::uuid',
    player: 'identity_id',
  })})
  select ${SHOWN} from session join device d on d.id = session.device_id join identities i on i.id = d.identity_id`;

const END_UNUSED = `
  update devices set deleted_at = :at, updated_at = :at
  where id in (select d.id from devices d where d.identity_id = :player and d.label is not null and d.deleted_at is null
    order by d.last_seen_at desc, d.id desc offset ${MOST_DEVICES})
  returning id`;

/**
 * Starts a session for a player, whatever kind it is: the studio's own login has said who plays. It acts for that player on a device
 * that the game server names.
 * @throws DomainError NOT_FOUND, FORBIDDEN, ACCOUNT_SUSPENDED, DEVICE_BLOCKED (also a new device of a player who has a blocked
 * one), RATE_LIMITED, PASSKEY_REQUIRED, UNAVAILABLE
 */
export async function startPlayerSession(
  context: Context,
  { settings, tokens, count }: PlayerStarting,
  identityId: string,
  input: StartPlayerSessionInput,
): Promise<StartedSession> {
  requireFreshSignIn(context);
  const { accountId, userId } = adminOf(context);
  return count(accountId, identityId, async () => {
    const label = input.clientFingerprint ?? randomBytes(RANDOM_BYTES).toString('base64url');
    const player = await foundPlayer(context, identityId, label);
    const now = context.clock();
    const at = new Date(now);
    const sessionId = uuid7(now);
    const values = {
      ...{ device: uuid7(now), secret: randomBytes(RANDOM_BYTES).toString('base64url'), label },
      ...{
        platform: platformOf(input.platform),
        metadata: input.metadata ? JSON.stringify(input.metadata) : null,
      },
      ...{ session: sessionId, testMode: input.testMode ?? false, ...lifetimes(settings, now) },
      ...{ ip: context.ip ?? null, agent: shortened(context.userAgent), user: uuidOf(userId) },
      ...{ at, player: player.id, mergedFrom: player.merged_from },
    };
    const { row, ended } = await context.db.transaction(async (trx) => {
      const { rows } = await runStatement<StartedRow>(trx, WRITE, values);
      if (!rows[0]) throw unavailable('This player is being updated. Try again in a moment.');
      const unused = await runStatement<{ id: string }>(trx, END_UNUSED, { at, player: player.id });
      await recordStart(trx, context, player, rows[0].device_id);
      return { row: rows[0], ended: unused.rows };
    });
    for (const { id } of ended) context.changed(idOf('device', id));
    const shown = { clientFingerprint: label, testMode: values.testMode };
    return startedSession(tokens, shown, player, row, sessionId, now);
  });
}

async function foundPlayer({ db, ...context }: Context, identityId: string, label: string): Promise<Found> {
  const { rows } = await runStatement<Found>(db, FIND, { player: uuidOf(identityId), label });
  const [found] = rows;
  if (!found) throw notFound('Identity');
  const { account_id, game_id, account_status, device_status, is_blocked, is_banned_here } = found;
  requireAccount(context, { accountId: idOf('account', account_id), gameId: idOf('game', game_id) });
  if (account_status !== 'active') throw unservedAccount(account_status);
  const isNew = device_status === null;
  if (is_banned_here || (isNew ? is_blocked : device_status !== 'active')) throw blockedDevice();
  return found;
}

/** Game servers start sessions all day; only what a person starts is in the audit trail. */
async function recordStart(
  trx: Knex.Transaction,
  context: Context,
  { id, account_id, game_id }: Found,
  device: string,
): Promise<void> {
  if (!isByHand(context)) return;
  await recordAudit(trx, context, {
    ...{
      accountId: idOf('account', account_id),
      gameId: idOf('game', game_id),
      subjectId: idOf('identity', id),
    },
    action: AuditAction.PLAYER_SESSION_STARTED,
    before: null,
    after: { deviceId: idOf('device', device) },
  });
}
