import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { AuditAction, recordAudit } from '../../accounts/audit/entry.js';
import { notFound } from '../../base/errors.js';
import { uuidOf } from '../../base/ids.js';
import type { Dimension } from '../../boards/views/dimension.js';
import { invalidView } from '../../boards/views/rules.js';
import { runStatement } from '../../db/pool.js';
import { lockRecord } from '../../db/save.js';
import { requireAccount } from '../../graphql/access.js';
import { isByHand } from '../../graphql/author.js';
import type { Context } from '../../graphql/context.js';
import { LEASE_MS } from '../../jobs/claim.js';
import { Identity } from '../identities/identity.js';
import { reachableIdentities } from '../read.js';
import type { UseNonce } from '../sessions/client-write.js';
import type { NewGroups } from './new-groups.js';
import type { PlayerTags } from './player-tags.js';
import { readPlayerTags } from './read.js';

/** Makes the boards of a player (prefixed id) rank by its present tags, if a change is pending. */
export type FollowTags = (identityId: string) => Promise<void>;

/** Tags of players that boards and templates of a game declare. */
const DECLARED = `
  select b.name as owner, d as dimension
  from (select b.name, b.dimensions from boards b where b.game_id = :game and b.deleted_at is null
    and b.board_type <> 'ratio' and b.dimensions @> '[{"source": "player"}]'
    union all select t.name, t.dimensions from board_templates t
      where t.game_id = :game and t.deleted_at is null and t.dimensions @> '[{"source": "player"}]') b
  cross join lateral jsonb_array_elements(b.dimensions) d
  where d ->> 'source' = 'player'`;
const SET = `
  insert into player_tags as t (identity_id, name, value, updated_at)
  select ?::uuid, u.name, u.value, ?::timestamptz from jsonb_each_text(?::jsonb) u(name, value) where u.value is not null
  on conflict (identity_id, name) do update set value = excluded.value, updated_at = excluded.updated_at where t.value <> excluded.value`;
/**
 * How many values begin groups, at most: those that the player gets and that no present ranking of a view is of. Views that have
 * the tag first are looked at: their keys begin with the value.
 */
const NEW_GROUPS = `
  select count(*)::int as groups
  from jsonb_each_text(:tags::jsonb) u(name, value)
  left join player_tags t on t.identity_id = :player and t.name = u.name
  where u.value is not null and u.value is distinct from t.value and not exists (
    select from boards b
    join board_views v on v.board_id = b.id and v.status = 'live' and v.by_tags[1] = u.name
    left join lateral (select p.number from view_periods p
      where p.board_id = v.board_id and p.view_no = v.view_no and p.starts_at <= :now::timestamptz order by p.starts_at desc
        limit 1) p on v.period is not null
    join rankings r on r.board_id = v.board_id and r.view_no = v.view_no and r.period_number = coalesce(p.number, 0)
      and (r.group_key = u.value or cardinality(v.by_tags) > 1 and r.group_key > u.value || ',' and r.group_key < u.value || '-')
    where b.game_id = :game and b.deleted_at is null)`;
const REMOVE = 'delete from player_tags where identity_id = ? and name = any(?::text[])';
const NOTE_DUE = `
  insert into player_tags_due (identity_id, ticket, leased_until) values (?, ?, ?)
  on conflict (identity_id) do update set ticket = excluded.ticket, leased_until = excluded.leased_until`;

/**
 * Changes tags of a player, a game client's own or any of the account. Resolves when all its boards rank all its events by them.
 * @throws DomainError NOT_FOUND, FORBIDDEN, INVALID_VIEW, NONCE_*; RATE_LIMITED: the values of a game client are new
 * ones too often; UNAVAILABLE: the change is stored, and boards will be updated
 */
export async function setPlayerTags(
  context: Context,
  follow: FollowTags,
  newGroups: NewGroups,
  useNonce: UseNonce,
  tags: Record<string, string | null>,
  identityId: string,
): Promise<PlayerTags> {
  const now = new Date(context.clock());
  const changed = await context.db.transaction(async (trx) => {
    const identity = await lockRecord(Identity, reachableIdentities(trx), identityId, 'Identity');
    if (identity.deletedAt) throw notFound('Identity');
    requireAccount(context, identity);
    checkPlayerTags(await declaredPlayerTags(trx, identity.gameId), tags, context.caller.kind === 'client');
    await useNonce(trx, identity.accountId);
    const player = uuidOf(identityId);
    if (context.caller.kind === 'client') {
      const { rows } = await runStatement<{ groups: number }>(trx, NEW_GROUPS, {
        ...{ player, game: uuidOf(identity.gameId), now, tags: JSON.stringify(tags) },
      });
      await newGroups.of(context, identityId)(rows[0]!.groups);
    }
    const before = isByHand(context) ? await readPlayerTags(trx, identityId) : undefined;
    const set = await runStatement(trx, SET, [player, now, JSON.stringify(tags)]);
    const gone = Object.keys(tags).filter((name) => tags[name] === null);
    const removed = await runStatement(trx, REMOVE, [player, gone]);
    if (set.rowCount! + removed.rowCount! === 0) return false;
    if (before) await recordTags(trx, context, identity, before);
    const until = new Date(now.getTime() + LEASE_MS);
    await runStatement(trx, NOTE_DUE, [player, randomUUID(), until]);
    return true;
  });
  if (changed) context.changed(identityId);
  // A change that is still pending is finished by a repeated request, too.
  await follow(identityId);
  return readPlayerTags(context.db, identityId);
}

async function recordTags(
  trx: Knex.Transaction,
  context: Context,
  { id: subjectId, accountId, gameId }: Identity,
  { tags: was }: PlayerTags,
): Promise<void> {
  const { tags } = await readPlayerTags(trx, subjectId);
  const [before, after] = [{ tags: was }, { tags }];
  const action = AuditAction.PLAYER_TAGS_CHANGED;
  await recordAudit(trx, context, { accountId, gameId, subjectId, action, before, after });
}

/** A tag of players, and the board or template that declares it. */
export interface DeclaredTag {
  owner: string;
  dimension: Dimension;
}

/** Tags of players that boards and templates of a game declare. @param gameId prefixed */
export async function declaredPlayerTags(db: Knex, gameId: string): Promise<DeclaredTag[]> {
  return (await runStatement<DeclaredTag>(db, DECLARED, { game: uuidOf(gameId) })).rows;
}

/**
 * Each board that declares a tag has to take its value.
 * @param isClient a game client sets them
 * @throws DomainError INVALID_VIEW
 */
export function checkPlayerTags(
  rows: readonly DeclaredTag[],
  tags: Record<string, string | null>,
  isClient: boolean,
): void {
  for (const [name, value] of Object.entries(tags)) {
    const declared = rows.filter(({ dimension }) => dimension.name === name);
    // An administrator can remove a value that no board declares any more.
    if (declared.length === 0 && (value !== null || isClient)) {
      const known = [...new Set(rows.map(({ dimension }) => dimension.name))].sort().join(', ') || 'none';
      throw invalidView(`Unknown player tag ${name}. Player tags declared by boards of this game: ${known}`);
    }
    if (isClient && declared.some(({ dimension }) => dimension.setBy === 'server')) {
      throw invalidView(`The tag ${name} can only be set by game servers.`);
    }
    const strict = declared.find(
      ({ dimension: { values } }) => values && value !== null && !values.includes(value),
    );
    if (strict) {
      const values = strict.dimension.values!.join(', ');
      throw invalidView(`The tag ${name} has no value ${value} on ${strict.owner}. Valid values: ${values}`);
    }
  }
}
