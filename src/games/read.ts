import type { Knex } from 'knex';
import { inLiveAccount, LIVE_ACCOUNT } from '../accounts/read.js';
import { notFound } from '../base/errors.js';
import { uuidOf } from '../base/ids.js';
import { refuseMoved } from '../db/moved.js';
import { recordColumns } from '../db/sort.js';
import { accountScope, listedRows, ofGame, requireAccount, withinGames } from '../graphql/access.js';
import { readRecords, type SortedRequest } from '../graphql/connection.js';
import type { Context } from '../graphql/context.js';
import { recordsById } from '../graphql/loader.js';
import { Game } from './game.js';

/** Condition that a row's game, and the account above it, is not deleted. */
export function inLiveGame(table: string): string {
  return `exists (select from games g join accounts a on a.id = g.account_id
    where g.id = ${table}.game_id and g.deleted_at is null and ${LIVE_ACCOUNT})`;
}

export const reachableGames = (db: Knex) => Game.query(db).whereRaw(inLiveAccount('games'));
export const liveGames = (db: Knex) => reachableGames(db).whereNull('games.deleted_at');

/** True if any game exists. */
export async function hasGames(db: Knex): Promise<boolean> {
  return (await liveGames(db).select('games.id').first()) !== undefined;
}

export const gameById = recordsById(Game, liveGames);

/** @throws DomainError NOT_FOUND, FORBIDDEN */
export async function loadGame(context: Context, id: string): Promise<Game> {
  const game = await context.loaders.of(gameById).load(id);
  if (!game) throw notFound('Game');
  requireAccount(context, ofGame(game));
  return game;
}

/**
 * The id of the live game with this slug, among those that the caller can see: a slug reveals nothing about other
 * accounts.
 * @param scope the only account to look in; undefined: all
 * @throws DomainError NOT_FOUND
 */
export async function gameIdOfSlug(
  context: Context,
  slug: string,
  scope: string | undefined,
): Promise<string> {
  const rows = liveGames(context.db).where('games.slug', slug);
  if (scope) rows.where('games.account_id', uuidOf(scope));
  withinGames(context, rows, 'games.id');
  const game = await rows.select('games.id').first();
  if (!game) {
    await refuseMoved(context.db, 'games', 't.slug = ? and t.deleted_at is null', [slug]);
    throw notFound('Game');
  }
  return game.id;
}

export const gameSort = recordColumns('games', 'game', {
  name: { column: 'games.name', kind: 'text' },
  slug: { column: 'games.slug', kind: 'text' },
});

interface GameFilters {
  accountId?: string | null;
  slug?: string | null;
  isDeleted?: boolean | null;
}

/** Games of the caller's account; a superadmin may name another or see all. @throws DomainError NOT_FOUND (slug) */
export async function listGames(
  context: Context,
  page: SortedRequest,
  { accountId, slug, isDeleted }: GameFilters,
) {
  const scope = accountScope(context, accountId);
  const rows = listedRows(context, isDeleted, liveGames, reachableGames, 'games');
  if (scope) rows.where('games.account_id', uuidOf(scope));
  withinGames(context, rows, 'games.id');
  if (slug != null) {
    if (!isDeleted) await gameIdOfSlug(context, slug, scope);
    rows.where('games.slug', slug);
  }
  const filters = { account_id: scope, slug, deleted: isDeleted || undefined };
  return readRecords(context.db, { type: Game, sortable: gameSort, rows, filters }, page);
}
