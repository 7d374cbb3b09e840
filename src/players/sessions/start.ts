import { notFound, unavailable } from '../../base/errors.js';
import { idOf, uuid7, uuidOf } from '../../base/ids.js';
import { platformOf } from '../../boards/views/tag-value.js';
import type { Context } from '../../graphql/context.js';
import type { StartDeviceSessionInput } from '../inputs.js';
import { blockedDevice, unservedAccount } from './authenticate.js';
import {
  actsFor,
  type Found,
  keepsDevice,
  lifetimes,
  SHOWN,
  type StartedRow,
  type StartedSession,
  type Starting,
  sessionOfDevice,
  shortened,
  startedSession,
} from './begun.js';

const FIND = {
  name: 'session_start',
  text: `
  select g.id as game_id, a.id as account_id, a.status as account_status, d.id as device_id, d.status as device_status,
    d.identity_id as device_identity_id, i.id as identity_id
  from games g
  join accounts a on a.id = g.account_id and a.deleted_at is null
  left join lateral (select id, status, identity_id from devices
    where game_id = g.id and client_fingerprint = $2 and label is null and deleted_at is null limit 1) d on true
  left join lateral (select id from identities where id = d.identity_id and deleted_at is null limit 1) i on true
  where g.id = $1 and g.deleted_at is null`,
};

/**
 * The identity of a fingerprint, found or new. A concurrent start waits here for the first one's commit. Of a merged player, the one
 * that its runs count for.
 */
const IDENTITY = `
  merged as (
    select i.id, i.kind, i.display_name, m.id as merged_from from identities m
    join identities i on i.id = m.merged_into and i.deleted_at is null
    where m.game_id = $3::uuid and m.kind = 'device' and m.external_key = $4 and m.merged_into is not null
      and ${keepsDevice('m')}),
  found as (
    insert into identities (id, account_id, game_id, kind, external_key, display_name, created_at, updated_at)
    select $1::uuid, $2::uuid, $3::uuid, 'device', $4, '', $5::timestamptz, $5 where not exists (select from merged)
    on conflict (game_id, kind, external_key) where deleted_at is null do update set kind = excluded.kind
    returning id, kind, display_name),
  identity as (select * from merged union all select *, null from found)`;

const session = (id: string, first: number, player = 'identity_id') =>
  sessionOfDevice({
    id,
    testMode: `$${first}::boolean`,
    expiresAt: `$${first + 1}::timestamptz`,
    refreshExpiresAt: `$${first + 2}::timestamptz`,
    ip: `$${first + 3}`,
    userAgent: `$${first + 4}`,
    at: '$5',
    startedBy: 'null::uuid',
    player,
  });

/** Identity, device and session of a device that was not known; nothing if it is known by now. */
const BEGIN_DEVICE = {
  name: 'session_of_new_device',
  text: `
  with ${IDENTITY},
  device as (
    insert into devices (id, account_id, game_id, identity_id, client_fingerprint, platform, status, metadata, first_seen_at,
      last_seen_at, created_at, updated_at, merged_from)
    select $6::uuid, $2, $3, id, $4, $7, 'active', coalesce($8::jsonb, '{}'), $5, $5, $5, $5, merged_from from identity
    on conflict (game_id, client_fingerprint) where deleted_at is null do nothing
    returning *),
  session as (${session('$9::uuid', 10)})
  select ${SHOWN} from session join device d on d.id = session.device_id cross join identity i`,
};

/**
 * A session of a known device, which keeps its platform unless that is empty; given metadata replaces the old. Nothing if
 * the device is blocked, deleted, reset or, by a merge, another player's by now.
 */
const RESUME_DEVICE = {
  name: 'session_of_known_device',
  text: `
  with device as (
    update devices set identity_id = $3::uuid, merged_from = case when identity_id = $3 then merged_from else $14::uuid end,
      platform = case when platform = '' then $4 else platform end,
      metadata = coalesce($6::jsonb, metadata), last_seen_at = greatest(last_seen_at, $5::timestamptz),
      updated_at = greatest(updated_at, $5)
    where id = $1::uuid and client_fingerprint = $12 and identity_id = $13::uuid and status = 'active' and deleted_at is null
    returning *),
  session as (${session('$2::uuid', 7, actsFor('device'))})
  select ${SHOWN} from session join device d on d.id = session.device_id join identities i on i.id = session.identity_id`,
};

/** A device that appears, is deleted or blocked between the two statements: more in a row are no coincidence. */
const TRIES = 5;

/**
 * Starts a session: finds or creates the device and its identity, and issues tokens. Simultaneous starts of one device
 * make one device and a session each. Two statements: the second writes everything, or nothing if the first one's result
 * is no longer true. The session acts for the player whom the device is linked to, or with a proof for the one it proves.
 * @throws DomainError NOT_FOUND (game), ACCOUNT_SUSPENDED, RATE_LIMITED, DEVICE_BLOCKED, PROOF_REFUSED, PROVIDER_UNAVAILABLE,
 * PLAYER_CONFLICT, UNAVAILABLE
 */
export async function startSession(
  context: Context,
  starting: Starting,
  input: StartDeviceSessionInput,
): Promise<StartedSession> {
  const { pool, tokens, countWrite, countNewDevice, beginProven } = starting;
  const writeProven = input.proof ? beginProven(context, input) : undefined;
  for (let tries = 1; tries <= TRIES; tries += 1) {
    const { rows } = await pool.query<Found>({
      ...FIND,
      values: [uuidOf(input.gameId), input.clientFingerprint],
    });
    const found = rows[0];
    if (!found) throw notFound('Game');
    if (found.account_status !== 'active') throw unservedAccount(found.account_status);
    if (tries === 1) {
      await countWrite(context, found.device_id === null ? undefined : idOf('device', found.device_id));
      if (found.device_id === null) await countNewDevice(context, found.game_id);
    }
    if (found.device_status !== null && found.device_status !== 'active') throw blockedDevice();
    const now = context.clock();
    const sessionId = uuid7(now);
    const row = writeProven
      ? await writeProven(found, sessionId, now)
      : await write(context, starting, input, found, sessionId, now);
    const shown = { clientFingerprint: input.clientFingerprint, testMode: input.testMode ?? false };
    if (row) return startedSession(tokens, shown, found, row, sessionId, now);
  }
  throw unavailable('This device is being updated. Try again in a moment.');
}

/** @returns undefined if nothing was written, because the device has changed since it was found */
async function write(
  { ip, userAgent }: Context,
  { pool, settings }: Starting,
  { clientFingerprint, platform, metadata, testMode }: StartDeviceSessionInput,
  { game_id, account_id, device_id, device_identity_id, identity_id }: Found,
  sessionId: string,
  now: number,
): Promise<StartedRow | undefined> {
  const at = new Date(now);
  const { expiresAt, refreshExpiresAt } = lifetimes(settings, now);
  const identity = () => [uuid7(now), account_id, game_id, clientFingerprint, at];
  const session = [testMode ?? false, expiresAt, refreshExpiresAt, ip ?? null, shortened(userAgent)];
  const given = metadata ? JSON.stringify(metadata) : null;
  if (device_id === null) {
    const device = [uuid7(now), platformOf(platform), given];
    const values = [...identity(), ...device, sessionId, ...session];
    return (await pool.query<StartedRow>({ ...BEGIN_DEVICE, values })).rows[0];
  }
  // The player was deleted and the device was not: it gets the identity of its fingerprint.
  const own = identity_id
    ? { id: identity_id, merged_from: null }
    : (
        await pool.query<{ id: string; merged_from: string | null }>({
          text: `with ${IDENTITY} select id, merged_from from identity`,
          values: identity(),
        })
      ).rows[0]!;
  const values = [
    device_id,
    sessionId,
    own.id,
    platformOf(platform),
    at,
    given,
    ...session,
    clientFingerprint,
    device_identity_id,
    own.merged_from,
  ];
  return (await pool.query<StartedRow>({ ...RESUME_DEVICE, values })).rows[0];
}
