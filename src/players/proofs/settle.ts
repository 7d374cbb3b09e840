import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import { idOf, uuid7, uuidOf } from '../../base/ids.js';
import { runStatement } from '../../db/pool.js';
import { reportEvent } from '../../outbox/report.js';
import { ProofRefusal } from '../providers/prove/proof.js';
import type { VerifiedProof } from '../providers/prove/verify.js';
import { noteUse } from '../sessions/nonce.js';

/** Whose proof it is. Bare uuids. */
interface ProvenPlayer {
  id: string;
  /** True if the player was there without a proof: what boards know of it is read again. */
  isNewlyProven: boolean;
  /** True: it was not there before. */
  isMade: boolean;
  /** False: the account is that of a player merged into it, or a lent device added it. */
  isProven: boolean;
}

/** A session that adds a proof to its player. Bare uuids. */
interface Adding {
  own: string;
  device: string;
  session: string;
}

/** Proofs of one account at a provider are settled and removed one after the other. */
const LOCK = 'select pg_advisory_xact_lock(hashtextextended(?, 121))';

const FIND = `
  select i.id as identity_id, i.deleted_at is not null as is_gone, p.identity_id = i.id and not p.is_lent as is_proven
  from player_proofs p join identities m on m.id = p.identity_id
  join identities i on i.id = coalesce(m.merged_into, m.id)
  where p.provider_id = ? and p.subject = ?`;

/** An erasure of the player that goes on at the same time has ended before, or begins after: it ends the session that follows. */
const FIND_LOCKED = `${FIND} for share of i`;

const SEEN = 'update player_proofs set last_proven_at = ? where provider_id = ? and subject = ?';

/** Its player, or the one that this is merged into, was deleted: the account proves another one from now on. */
const FORGET = `
  with gone as (
    delete from player_proofs where provider_id = :provider and subject = :subject
    returning (select coalesce(m.merged_into, m.id) from identities m where m.id = identity_id) as player)
  update identities i set proven_at = null from gone
  where (i.id = gone.player or i.merged_into = gone.player)
    and not exists (select from player_proofs p join identities o on o.id = p.identity_id
      where (o.id = gone.player or o.merged_into = gone.player) and (p.provider_id, p.subject) <> (:provider, :subject))`;

/** Also of a player that is merged into it. */
const HAS_OTHER = `
  select from player_proofs where provider_id = :provider
    and identity_id in (select id from identities where id = :own or merged_into = :own)`;

/**
 * A player of that key who has no proof, such as an imported one, becomes that of the first who proves it. Of a merged one, the
 * player that its runs count for.
 */
const ADOPTED = `
  select i.id, m.proven_at is not null as is_proven from identities m
  join identities i on i.id = coalesce(m.merged_into, m.id) and i.deleted_at is null
  where m.game_id = ? and m.kind = 'platform' and m.external_key = ? and (m.deleted_at is null or m.merged_into is not null)
  for update of i`;

/** A merged player keeps its key, also when the one that it is merged into is deleted. */
const TAKEN = `
  select from identities where game_id = ? and kind = 'platform' and external_key = ? and (deleted_at is null or merged_into is not null)`;

const CREATE = `
  insert into identities (id, account_id, game_id, kind, external_key, display_name, proven_at, trust_tier, trust_tier_given,
    trust_tier_given_at, created_at, updated_at)
  values (:id, :account, :game, 'platform', :key, '', :now, :tier, :tier, case when :tier::text is not null then :now::timestamptz end,
    :now, :now)`;

const ADD = `
  insert into player_proofs (provider_id, subject, account_id, game_id, identity_id, proven_at, last_proven_at, is_lent)
  values (:provider, :subject, :account, :game, :player, :now, :now, :isLent)`;

/** A device of another player, or of one that was merged, whose session no account has proven: a code made it act. */
const IS_LENT = `
  select from devices d where d.id = :device and (d.identity_id <> :own or d.merged_from is not null)
    and not exists (select from device_sessions s where s.id = :session and s.proven_at is not null)`;

/** A tier that an administrator gave, or that a confirmed cheat led to, stays. */
const PROVE = `
  update identities i set proven_at = coalesce(i.proven_at, :now), updated_at = :now,
    trust_tier = case when x.gets_tier then :tier::text else i.trust_tier end,
    trust_tier_given = case when x.gets_tier then :tier::text else i.trust_tier_given end,
    trust_tier_given_at = case when x.gets_tier then :now else i.trust_tier_given_at end
  from (select :tier::text is not null and trust_tier is null and trust_tier_reason is null and trust_tier_given_at is null as gets_tier
    from identities where id = :player for update) x
  where i.id = :player`;

const COUNT_STANDINGS = 'select count_standings(array[?::uuid])';

const LONGEST_KEY = 128;

/** `steam:76561197960287930`: the key under which an import can bring a player whom a proof is to find. */
export function keyOf(slug: string, subject: string): string {
  const key = `${slug}:${subject}`;
  return [...key].length <= LONGEST_KEY ? key : `${slug}:${digestOf(subject)}`;
}

const digestOf = (text: string) => createHash('sha256').update(text).digest('base64url');

/**
 * Uses up a proof. @throws ProofRefusal if it was used before
 */
export async function useProof(
  trx: Knex.Transaction,
  { provider, use, usableUntil }: VerifiedProof,
): Promise<void> {
  const isFirst = await noteUse(trx, use, usableUntil, provider.accountId);
  if (!isFirst) throw new ProofRefusal('The proof was used before.');
}

/** Locks an account at a provider, before any device or player. @param provider a bare uuid */
export async function lockAccount(trx: Knex.Transaction, provider: string, subject: string): Promise<void> {
  await runStatement(trx, LOCK, [`${provider} ${subject}`]);
}

/** The player that a proof belongs to so far, under a lock of its account. @returns a bare uuid */
export async function expectedPlayer(
  trx: Knex.Transaction,
  { provider, subject }: VerifiedProof,
): Promise<string | undefined> {
  await lockAccount(trx, uuidOf(provider.id), subject);
  const { rows } = await runStatement<{ identity_id: string }>(trx, FIND, [uuidOf(provider.id), subject]);
  return rows[0]?.identity_id;
}

/**
 * Finds or creates the player of a proof, whose account `expectedPlayer` has locked.
 * @param adding the session whose player gets a proof that belongs to nobody; null: a new player does
 */
export async function playerOfProof(
  trx: Knex.Transaction,
  { provider, subject }: VerifiedProof,
  adding: Adding | null,
  now: Date,
): Promise<ProvenPlayer> {
  const of = { provider: uuidOf(provider.id), subject };
  const { rows } = await runStatement<ProofRow>(trx, FIND_LOCKED, [of.provider, subject]);
  const [found] = rows;
  if (found && !found.is_gone) {
    await runStatement(trx, SEEN, [now, of.provider, subject]);
    return { id: found.identity_id, isNewlyProven: false, isMade: false, isProven: found.is_proven };
  }
  if (found) await runStatement(trx, FORGET, of);
  const facts = {
    account: uuidOf(provider.accountId),
    game: uuidOf(provider.gameId),
    tier: provider.trustTier,
    now,
  };
  const own = await ownPlayer(trx, of.provider, adding?.own ?? null);
  const isLent = own !== undefined && (await runStatement(trx, IS_LENT, { ...adding! })).rows.length > 0;
  const known = own ?? (await adopted(trx, of.provider, provider.slug, subject, facts.game));
  const player = known ?? uuid7(now.getTime());
  if (known === undefined) {
    await runStatement(trx, CREATE, {
      ...facts,
      id: player,
      key: await freeKey(trx, provider.slug, of, facts.game),
    });
  } else {
    await runStatement(trx, PROVE, { ...facts, player });
    // Submissions that know the player without a proof are decided again.
    await runStatement(trx, COUNT_STANDINGS, [facts.game]);
  }
  await runStatement(trx, ADD, { ...of, ...facts, player, isLent });
  const { accountId, gameId, slug, kind } = provider;
  const told = { player_id: idOf('identity', player), provider: slug, kind };
  await reportEvent(trx, { accountId, type: 'player.proven', gameId, subject: told, at: now });
  return { id: player, isNewlyProven: known !== undefined, isMade: known === undefined, isProven: !isLent };
}

interface ProofRow {
  identity_id: string;
  is_gone: boolean;
  is_proven: boolean;
}

/** A player has one account of each provider: a second one would be another person's, on a shared device. */
async function ownPlayer(
  trx: Knex.Transaction,
  provider: string,
  own: string | null,
): Promise<string | undefined> {
  if (own === null) return undefined;
  const { rows } = await runStatement(trx, HAS_OTHER, { own, provider });
  return rows.length === 0 ? own : undefined;
}

async function adopted(
  trx: Knex.Transaction,
  provider: string,
  slug: string,
  subject: string,
  game: string,
): Promise<string | undefined> {
  const { rows } = await runStatement<Adopted>(trx, ADOPTED, [game, keyOf(slug, subject)]);
  return rows[0] && !rows[0].is_proven ? ownPlayer(trx, provider, rows[0].id) : undefined;
}

interface Adopted {
  id: string;
  is_proven: boolean;
}

/** A player whom another provider of that name proved keeps the key. */
async function freeKey(
  trx: Knex.Transaction,
  slug: string,
  { provider, subject }: { provider: string; subject: string },
  game: string,
): Promise<string> {
  const key = keyOf(slug, subject);
  const { rows } = await runStatement(trx, TAKEN, [game, key]);
  return rows.length === 0 ? key : `${provider}:${digestOf(subject)}`;
}
