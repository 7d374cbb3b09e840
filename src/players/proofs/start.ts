import type { Knex } from 'knex';
import { idOf, uuid7 } from '../../base/ids.js';
import { platformOf } from '../../boards/views/tag-value.js';
import { runStatement } from '../../db/pool.js';
import type { StartDeviceSessionInput } from '../inputs.js';
import type { FollowMerge } from '../merges/by-client.js';
import type { ProofVerifier, VerifiedProof } from '../providers/prove/verify.js';
import {
  actsFor,
  type BeginProven,
  type Found,
  keepsDevice,
  lifetimes,
  SHOWN,
  type StartedRow,
  sessionOfDevice,
  shortened,
} from '../sessions/begun.js';
import type { TokenSettings } from '../sessions/tokens.js';
import { actFor, lockForMerge, noteActing } from './act.js';
import { type ReadStanding, withStandings } from './conflict.js';
import { expectedPlayer, playerOfProof, useProof } from './settle.js';

/** The device is not as it was found: nothing is written. */
class DeviceChanged extends Error {}

/** The device's own player, which a session without a proof acts for. */
const OWN = `
  with merged as (
    select i.id, m.id as merged_from from identities m join identities i on i.id = m.merged_into and i.deleted_at is null
    where m.game_id = :game::uuid and m.kind = 'device' and m.external_key = :fingerprint and m.merged_into is not null
      and ${keepsDevice('m')}),
  found as (
    insert into identities (id, account_id, game_id, kind, external_key, display_name, created_at, updated_at)
    select :guest::uuid, :account::uuid, :game::uuid, 'device', :fingerprint, '', :at::timestamptz, :at
    where not exists (select from merged)
    on conflict (game_id, kind, external_key) where deleted_at is null do update set kind = excluded.kind
    returning id)
  select id, merged_from from merged union all select id, null from found`;

const NEW_DEVICE = `
  insert into devices (id, account_id, game_id, identity_id, client_fingerprint, platform, status, metadata, first_seen_at,
    last_seen_at, created_at, updated_at, merged_from)
  values (:device::uuid, :account::uuid, :game::uuid, :own::uuid, :fingerprint, :platform, 'active', coalesce(:metadata::jsonb, '{}'),
    :at::timestamptz, :at, :at, :at, :mergedFrom::uuid)
  on conflict (game_id, client_fingerprint) where deleted_at is null do nothing
  returning id, identity_id as player`;

const KNOWN_DEVICE = `
  update devices set identity_id = :own::uuid, merged_from = case when identity_id = :own then merged_from else :mergedFrom::uuid end,
    platform = case when platform = '' then :platform else platform end,
    metadata = coalesce(:metadata::jsonb, metadata), last_seen_at = greatest(last_seen_at, :at::timestamptz),
    updated_at = greatest(updated_at, :at::timestamptz)
  where id = :device::uuid and client_fingerprint = :fingerprint and identity_id = :found::uuid and status = 'active' and deleted_at is null
  returning id, ${actsFor('devices')} as player`;

const SESSION = `
  with device as (select * from devices where id = :device::uuid),
  session as (${sessionOfDevice({
    id: ':session::uuid',
    testMode: ':testMode::boolean',
    expiresAt: ':expiresAt::timestamptz',
    refreshExpiresAt: ':refreshExpiresAt::timestamptz',
    ip: ':ip',
    userAgent: ':agent',
    at: ':at::timestamptz',
    startedBy: 'null::uuid',
    player: ':player::uuid',
    provenAt: ':provenAt::timestamptz',
  })})
  select ${SHOWN} from session join device d on d.id = session.device_id join identities i on i.id = :player`;

/**
 * Starts sessions for players of proofs. A proof is checked once, by the first call of what it returns; each call writes in one
 * transaction, so that a proof that a refusal follows can be sent again (a code that its issuer has used up can't).
 * @throws DomainError RATE_LIMITED, PROOF_REFUSED, PROVIDER_UNAVAILABLE, PLAYER_CONFLICT, DEVICE_BLOCKED
 */
export function provenStarts(
  proofs: ProofVerifier,
  settings: TokenSettings,
  { standing, followMerge }: { standing: ReadStanding; followMerge: FollowMerge },
): BeginProven {
  return (context, input) => {
    const { provider, token, onConflict, boardIds } = input.proof!;
    const asked = { gameId: input.gameId, boardIds, isTest: input.testMode ?? false };
    let checking: Promise<VerifiedProof> | undefined;
    return async (found, sessionId, now) => {
      checking ??= proofs.verify(context, input.gameId, provider, token);
      const verified = await checking;
      const write = async (trx: Knex.Transaction) => {
        const at = new Date(now);
        const expected = await expectedPlayer(trx, verified);
        const { device_id, identity_id } = found;
        await lockForMerge(trx, onConflict, { own: identity_id, device: device_id, expected });
        await useProof(trx, verified);
        const { own, device } = await placeOf(trx, input, found, now);
        const player = await playerOfProof(trx, verified, null, at);
        const acting = { own, device, session: null, account: found.account_id, onConflict, now: at };
        const { merge, mergeRefused, isNew } = await actFor(trx, player.id, acting);
        // Nobody hears of a player that was made now.
        const isChanged = merge !== null || (!player.isMade && (isNew || player.isNewlyProven));
        const session = {
          ...{ session: sessionId, testMode: input.testMode ?? false, ...lifetimes(settings, now) },
          ...{ ip: context.ip ?? null, agent: shortened(context.userAgent), at, device, player: player.id },
          provenAt: player.isProven ? at : null,
        };
        const { rows } = await runStatement<StartedRow>(trx, SESSION, session);
        return {
          row: { ...rows[0]!, merge_refused: mergeRefused },
          changed: isChanged ? [own, player.id] : [],
          merge,
        };
      };
      try {
        const { row, changed, merge } = await context.db.transaction(write);
        noteActing(
          context,
          changed.map((player) => idOf('identity', player)),
          merge !== null,
        );
        if (merge) followMerge(merge);
        return row;
      } catch (error) {
        if (error instanceof DeviceChanged) return undefined;
        const refusal = await proofs.refusalOf(context, verified.provider, error);
        throw await withStandings(context.db, standing, refusal, asked);
      }
    };
  };
}

interface Place {
  /** The player that the device acts for without a proof. Bare uuids. */
  own: string;
  device: string;
}

/** Finds or creates the device; its lock orders this after its bans and resets. */
async function placeOf(
  trx: Knex.Transaction,
  { clientFingerprint: fingerprint, platform, metadata }: StartDeviceSessionInput,
  { account_id: account, game_id: game, device_id, device_identity_id, identity_id }: Found,
  now: number,
): Promise<Place> {
  const at = new Date(now);
  const of = { account, game, fingerprint, at };
  const found = identity_id ? undefined : await placed(trx, OWN, { ...of, guest: uuid7(now) });
  const own = identity_id ?? found?.id;
  if (!own) throw new DeviceChanged();
  const device = await placed(trx, device_id === null ? NEW_DEVICE : KNOWN_DEVICE, {
    ...{ ...of, own, device: device_id ?? uuid7(now), found: device_identity_id },
    ...{ platform: platformOf(platform), metadata: metadata ? JSON.stringify(metadata) : null },
    mergedFrom: found?.merged_from ?? null,
  });
  if (!device) throw new DeviceChanged();
  return { own: device.player, device: device.id };
}

async function placed(trx: Knex.Transaction, sql: string, values: Record<string, unknown>) {
  const { rows } = await runStatement<{ id: string; player: string; merged_from: string | null }>(
    trx,
    sql,
    values as Record<string, string>,
  );
  return rows[0];
}
