import type { Knex } from 'knex';
import { notFound } from '../../base/errors.js';
import { uuidOf } from '../../base/ids.js';
import { recordColumns } from '../../db/sort.js';
import type { Game } from '../../games/game.js';
import { inLiveGame, loadGame } from '../../games/read.js';
import { accountScope, listedRows, requireAccount, withinGames } from '../../graphql/access.js';
import { readRecords, type SortedRequest } from '../../graphql/connection.js';
import type { Context } from '../../graphql/context.js';
import { recordsById } from '../../graphql/loader.js';
import { PlayerProvider } from './provider.js';

export const reachableProviders = (db: Knex) =>
  PlayerProvider.query(db).whereRaw(inLiveGame('player_providers'));
export const liveProviders = (db: Knex) => reachableProviders(db).whereNull('player_providers.deleted_at');

const providerById = recordsById(PlayerProvider, liveProviders);

/** @throws DomainError NOT_FOUND, FORBIDDEN */
export async function loadProvider(context: Context, id: string): Promise<PlayerProvider> {
  const provider = await context.loaders.of(providerById).load(id);
  if (!provider) throw notFound('Player provider');
  requireAccount(context, provider);
  return provider;
}

/** The provider of a game that clients name. @param gameId prefixed */
export function providerOfGame(db: Knex, gameId: string, slug: string): Promise<PlayerProvider | undefined> {
  return liveProviders(db)
    .where({ game_id: uuidOf(gameId), slug })
    .first()
    .then();
}

export const sortableProviders = recordColumns('player_providers', 'playerProvider', {
  slug: { column: 'player_providers.slug', kind: 'text' },
});

interface ProviderFilters {
  accountId?: string | null;
  gameId?: string | null;
  /** The loaded game, if there is one: it may have been deleted just now. */
  game?: Game;
  isDeleted?: boolean | null;
}

/**
 * Providers of the caller's account; a superadmin may name another or see all.
 * @throws DomainError NOT_FOUND, FORBIDDEN (the game)
 */
export async function listProviders(context: Context, page: SortedRequest, filters: ProviderFilters) {
  const { game, isDeleted } = filters;
  const scope = accountScope(context, game?.accountId ?? filters.accountId);
  if (filters.gameId != null && !game) await loadGame(context, filters.gameId);
  const gameId = game?.id ?? filters.gameId;
  const rows = listedRows(context, isDeleted, liveProviders, reachableProviders, 'player_providers');
  if (scope) rows.where('player_providers.account_id', uuidOf(scope));
  withinGames(context, rows, 'player_providers.game_id');
  if (gameId != null) rows.where('player_providers.game_id', uuidOf(gameId));
  const effective = { account_id: scope, game_id: gameId, deleted: isDeleted || undefined };
  return readRecords(
    context.db,
    { type: PlayerProvider, sortable: sortableProviders, rows, filters: effective },
    page,
  );
}
