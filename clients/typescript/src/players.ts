import type { Leaderboard, Page, ReadOptions } from './client.js';
import type { components } from './generated/rest.js';
import type { Camel } from './names.js';
import type { Query } from './transport.js';

type Schemas = components['schemas'];

/** Another player of the game. */
export type Friend = Camel<Schemas['ClientIdentity']>;

/** A score with its rank among the players of the list, `amongRank`; `rank` is the one on the board. */
export type ScoreAmong = Camel<Schemas['ListedClientScore']>;

/** Values by name, like `{ guild: 'Ravens' }`. */
export type PlayerTags = Record<string, string>;

/** The player's friends, page by page. The list belongs to the game server, which changes it with its API key. */
export function friends(
  leaderboard: Leaderboard,
  { limit, signal }: ReadOptions = {},
): AsyncGenerator<Page<Friend>> {
  return leaderboard.pages<Schemas['ClientIdentity']>('/v1/client/friends', { limit }, signal);
}

/** The player and its friends on a board, page by page, the best first. */
export function friendsRanking(
  leaderboard: Leaderboard,
  boardId: string,
  { limit, signal }: ReadOptions = {},
): AsyncGenerator<Page<ScoreAmong>> {
  const query = { ...population(leaderboard), board_id: boardId, among: 'friends', limit };
  return leaderboard.pages<Schemas['ListedClientScore']>('/v1/client/scores', query, signal);
}

/**
 * These players on a board, page by page, the best first; the client's own only if it is named.
 * @param playerIds up to 500
 */
export function rankingOf(
  leaderboard: Leaderboard,
  boardId: string,
  playerIds: readonly string[],
  { limit, signal }: ReadOptions = {},
): AsyncGenerator<Page<ScoreAmong>> {
  const body = { ...population(leaderboard), board_id: boardId, player_ids: playerIds, limit };
  return leaderboard.pages<Schemas['ListedClientScore']>('/v1/client/scores/among', {}, signal, body);
}

/** The player's tags. */
export async function tags(
  leaderboard: Leaderboard,
  { signal }: { signal?: AbortSignal } = {},
): Promise<PlayerTags> {
  return tagsOf(await leaderboard.read<Schemas['PlayerTags']>('/v1/client/tags', {}, signal));
}

/**
 * Changes the tags that are named; null removes one. Views by tags move all of the player's runs to its new groups.
 * @returns all tags
 * @throws LeaderboardError FORBIDDEN a tag that only the game server sets
 */
export async function setTags(
  leaderboard: Leaderboard,
  changed: Record<string, string | null>,
  { signal }: { signal?: AbortSignal } = {},
): Promise<PlayerTags> {
  const request = { method: 'PATCH', path: '/v1/client/tags', body: { tags: changed }, signal } as const;
  return tagsOf(await leaderboard.write<Schemas['PlayerTags']>(request));
}

function population({ isTest }: Leaderboard): Query {
  return isTest ? { is_test: true } : {};
}

function tagsOf({ tags: values }: Schemas['PlayerTags']): PlayerTags {
  return values as PlayerTags;
}
