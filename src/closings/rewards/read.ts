import { isDeepStrictEqual } from 'node:util';
import type { Knex } from 'knex';
import { invalidField, notFound } from '../../base/errors.js';
import { idOf, uuidOf } from '../../base/ids.js';
import type { Rows } from '../../db/row.js';
import type { Sortable } from '../../db/sort.js';
import { inLiveGame, loadGame } from '../../games/read.js';
import { requireAccount } from '../../graphql/access.js';
import { readRecords, type SortedRequest } from '../../graphql/connection.js';
import type { Context } from '../../graphql/context.js';
import { type LoaderSpec, recordsById } from '../../graphql/loader.js';
import { playersAsOne } from '../../players/merges/read.js';
import { loadIdentity } from '../../players/read.js';
import { testsRefused } from '../../scores/visibility.js';
import { loadClosing } from '../read.js';
import { Reward, RewardStatus } from './reward.js';

/** Rewards of deleted boards are hidden, and come back with them. */
export const liveRewards = (db: Knex): Rows<Reward> =>
  Reward.query(db)
    .whereRaw(inLiveGame('rewards'))
    .whereRaw('exists (select from boards b where b.id = rewards.board_id and b.deleted_at is null)');

const rewardById = recordsById(Reward, liveRewards);

/** @throws DomainError NOT_FOUND, FORBIDDEN */
export async function loadReward(context: Context, id: string): Promise<Reward> {
  const reward = await context.loaders.of(rewardById).load(id);
  if (!reward) throw notFound('Reward');
  requireAccount(context, reward);
  return reward;
}

export const SORTABLE_REWARDS: Sortable = {
  id: { column: 'rewards.id', kind: 'id', idKind: 'reward' },
  status: { column: 'rewards.status_order', kind: 'integer' },
  created_at: { column: 'rewards.created_at', kind: 'time' },
};

const OPEN_FIRST = 'status:asc,created_at:desc';

interface RewardFilters {
  gameId?: string | null;
  closingId?: string | null;
  identityId?: string | null;
  status?: RewardStatus | null;
  isTest?: boolean | null;
}

/** The order of lists that name none: the schema has its default. */
const isUnsorted = ({ orderBy }: SortedRequest) =>
  !orderBy ||
  isDeepStrictEqual(
    orderBy.map(({ field, direction }) => [field, direction]),
    [['created_at', 'desc']],
  );

/**
 * Rewards of a game, a closing or a player; a game client's are those of its own player, and of its population.
 * @throws DomainError NOT_FOUND, FORBIDDEN, VALIDATION_FAILED
 */
export async function listRewards(context: Context, page: SortedRequest, filters: RewardFilters) {
  const { caller } = context;
  const { gameId, closingId, status } = filters;
  const isClient = caller.kind === 'client';
  if (!isClient) await checkScope(context, filters);
  if (isClient && (filters.isTest ?? caller.testMode) !== caller.testMode) throw testsRefused();
  const isTest = isClient ? caller.testMode : (filters.isTest ?? false);
  const rows = liveRewards(context.db).where('rewards.is_test', isTest);
  const player = isClient ? caller.identityId : filters.identityId;
  // Those of players that were merged into it are its own.
  if (player != null) {
    const players = await playersAsOne(context.db, player);
    if (players.length === 1) rows.where('rewards.identity_id', players[0]!);
    else rows.whereIn('rewards.identity_id', players);
  }
  if (gameId != null) rows.where('rewards.game_id', uuidOf(gameId));
  if (closingId != null) rows.where('rewards.closing_id', uuidOf(closingId));
  if (status != null) rows.where('rewards.status_order', Object.values(RewardStatus).indexOf(status));
  const effective = {
    ...{ game_id: gameId, closing_id: closingId, status, is_test: isTest },
    identity_id: player,
  };
  const list = { type: Reward, sortable: SORTABLE_REWARDS, rows, filters: effective };
  const sort = page.sort ?? (isUnsorted(page) ? OPEN_FIRST : undefined);
  return readRecords(context.db, list, { ...page, sort });
}

/** @throws DomainError NOT_FOUND, FORBIDDEN, VALIDATION_FAILED */
async function checkScope(context: Context, { gameId, closingId, identityId }: RewardFilters): Promise<void> {
  if (gameId == null && closingId == null && identityId == null) {
    throw invalidField(['gameId'], 'is required, or the closing or the player', 'missing');
  }
  if (gameId != null) await loadGame(context, gameId);
  if (closingId != null) await loadClosing(context, closingId);
  if (identityId != null) await loadIdentity(context, identityId);
}

/** Rewards of a closing by status. */
export const rewardCounts: LoaderSpec<Partial<Record<RewardStatus, number>>> = {
  batch: async (ids, db) => {
    const rows: { closing_id: string; status: RewardStatus; n: string }[] = await db('rewards')
      .whereIn('closing_id', ids.map(uuidOf))
      .groupBy('closing_id', 'status')
      .select('closing_id', 'status')
      .count('* as n');
    const counts = new Map<string, Partial<Record<RewardStatus, number>>>(ids.map((id) => [id, {}]));
    for (const { closing_id, status, n } of rows) {
      counts.get(idOf('closing', closing_id))![status] = Number(n);
    }
    return counts;
  },
};
