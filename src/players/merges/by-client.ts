import type { Knex } from 'knex';
import { DomainError } from '../../base/errors.js';
import { idOf } from '../../base/ids.js';
import { runStatement } from '../../db/pool.js';
import { BLOCKED } from '../devices/acting.js';
import { blockedDevice } from '../sessions/authenticate.js';
import { beginMerge, cannotMerge } from './begin.js';

/** How long what proves a player stays fresh. */
const FRESH_MINUTES = 10;
const DAY_MS = 86_400_000;

/**
 * A player with an account is proven by that, sent by this session (at a start: by a session of the device). Any other by a session that
 * its device started, because the text of that device is all there is; not on a device that acts for it by a code, linked or merged.
 */
const FACTS = `
  select g.players_merge,
    case when exists (select from player_proofs p where p.identity_id = :own and not p.is_lent)
      then exists (select from device_sessions s where s.device_id = d.id and s.identity_id = :own and s.proven_at >= :since
        and s.status = 'active' and s.deleted_at is null and s.id = coalesce(:session::uuid, s.id))
      else d.identity_id = :own and d.merged_from is null and (:session::uuid is null
        or exists (select from device_sessions s where s.id = :session and s.created_at >= :since)) end as is_fresh,
    (select max(m.created_at) from player_merges m where m.requested_by is null and m.created_at > :dayAgo
      and (m.source_id in (:own, :target) or m.target_id in (:own, :target))) as last_merged_at
  from devices d join games g on g.id = d.game_id where d.id = :device`;

/**
 * Makes the boards follow a merge that was committed, with players and their sessions told. The answer doesn't wait: it has the tokens
 * that are the only good ones from the commit on.
 */
export type FollowMerge = (mergeId: string) => void;

/** Bare uuids. */
export interface ClientMerge {
  /** The player that the session has, or would have without the proof or code. */
  own: string;
  /** The player of the proof or code. */
  target: string;
  device: string;
  /** Null: it starts now. */
  session: string | null;
  now: Date;
}

/**
 * Merges a session's player into the one of a proof or code, whose proof that is. Both are locked with their devices.
 * @returns the merge's id
 * @throws DomainError INVALID_TRANSITION (also where the game doesn't let players merge), PROOF_REQUIRED, DEVICE_BLOCKED (another device
 * of the own player is banned, and the ban would come along), RATE_LIMITED, CONFLICT
 */
export async function mergeByClient(
  trx: Knex.Transaction,
  { own, target, ...of }: ClientMerge,
): Promise<string> {
  const since = new Date(of.now.getTime() - FRESH_MINUTES * 60_000);
  const dayAgo = new Date(of.now.getTime() - DAY_MS);
  const { device, session, now } = of;
  const { rows } = await runStatement<Facts>(trx, FACTS, { own, target, device, session, since, dayAgo });
  const [facts] = rows;
  if (!facts?.players_merge) {
    throw cannotMerge('In this game players cannot merge themselves. Choose SWITCH or REFUSE.');
  }
  if (!facts.is_fresh) throw notFresh();
  if ((await runStatement(trx, BLOCKED, { player: own, device })).rows.length > 0) throw blockedDevice();
  if (facts.last_merged_at) throw mergedToday(facts.last_merged_at, now);
  return beginMerge(trx, idOf('identity', own), idOf('identity', target), { by: null, reason: null, now });
}

interface Facts {
  players_merge: boolean;
  is_fresh: boolean;
  last_merged_at: Date | null;
}

function notFresh(): DomainError {
  return new DomainError(
    'PROOF_REQUIRED',
    `Merging needs a fresh proof of this session's player: one of its own accounts, sent by this session, or, if it has none, a new ` +
      `session on the device that it began on. Send it within ${FRESH_MINUTES} minutes before.`,
  );
}

function mergedToday(last: Date, now: Date): DomainError {
  const seconds = Math.ceil((last.getTime() + DAY_MS - now.getTime()) / 1_000);
  return new DomainError(
    'RATE_LIMITED',
    'A player can be merged once a day. Try again later.',
    undefined,
    Math.max(seconds, 1),
  );
}
