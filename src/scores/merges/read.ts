import type { Knex } from 'knex';
import { notFound } from '../../base/errors.js';
import { uuidOf } from '../../base/ids.js';
import { recordColumns } from '../../db/sort.js';
import { inLiveGame, loadGame } from '../../games/read.js';
import { accountScope, requireAccount, withinGames } from '../../graphql/access.js';
import { readRecords, type SortedRequest } from '../../graphql/connection.js';
import type { Context } from '../../graphql/context.js';
import { recordsById } from '../../graphql/loader.js';
import { loadMergeable } from '../../players/read.js';
import { PlayerMerge, type PlayerMergeStatus } from './merge.js';

const liveMerges = (db: Knex) => PlayerMerge.query(db).whereRaw(inLiveGame('player_merges'));

const mergeById = recordsById(PlayerMerge, liveMerges);

/** @throws DomainError NOT_FOUND, FORBIDDEN */
export async function loadMerge(context: Context, id: string): Promise<PlayerMerge> {
  const merge = await context.loaders.of(mergeById).load(id);
  if (!merge) throw notFound('Player merge');
  requireAccount(context, merge);
  return merge;
}

export const sortableMerges = recordColumns('player_merges', 'playerMerge');

interface MergeFilters {
  accountId?: string | null;
  gameId?: string | null;
  identityId?: string | null;
  status?: PlayerMergeStatus | null;
}

/** Limited to the caller's account. @throws DomainError NOT_FOUND, FORBIDDEN (a record named by the filters) */
export async function listMerges(
  context: Context,
  page: SortedRequest,
  { accountId, gameId, identityId, status }: MergeFilters,
) {
  const scope = accountScope(context, accountId);
  if (gameId != null) await loadGame(context, gameId);
  if (identityId != null) await loadMergeable(context, identityId);
  const rows = liveMerges(context.db);
  if (scope) rows.where('player_merges.account_id', uuidOf(scope));
  withinGames(context, rows, 'player_merges.game_id');
  if (gameId != null) rows.where('player_merges.game_id', uuidOf(gameId));
  if (identityId != null) {
    const player = uuidOf(identityId);
    rows.whereRaw(
      `player_merges.id in (select x.id from player_merges x where x.source_id = ?
        union all select x.id from player_merges x where x.target_id = ?)`,
      [player, player],
    );
  }
  if (status != null) rows.where('player_merges.status', status);
  const filters = { account_id: scope, game_id: gameId, identity_id: identityId, status };
  return readRecords(context.db, { type: PlayerMerge, sortable: sortableMerges, rows, filters }, page);
}
