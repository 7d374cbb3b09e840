import type { Board } from '../../boards/board/board.js';
import { viewRowsOfBoard } from '../../boards/views/read.js';
import { invalidView } from '../../boards/views/rules.js';
import { isTagValue, tagValueOf } from '../../boards/views/tag-value.js';
import type { Context } from '../../graphql/context.js';
import { type ChosenRanking, ownRanking } from '../../rankings/address.js';
import { entryCounts } from '../../rankings/read.js';
import type { Score } from '../../rankings/score.js';
import { droppedRanking } from '../../rankings/window.js';
import type { ScoreReads } from '../loaders.js';
import { Entry } from './entry.js';
import { Ranking } from './ranking.js';
import { newestTags } from './view-lists.js';
import { chosenRanking } from './view-request.js';

interface Player {
  identityId: string;
  isTest: boolean;
}

/** A player's score in a ranking, and the number of entries there. */
interface Place {
  score: Score;
  total: number;
}

/**
 * A player's place in one ranking; null: none.
 * @throws DomainError INVALID_VIEW for a ranking that is no longer kept
 */
export async function placeOf(
  { pool, own }: ScoreReads,
  { identityId, isTest }: Player,
  ranking: ChosenRanking,
): Promise<Place | null> {
  const served = await own.read({ ranking, isTest, identityId });
  if (served?.isDropped) throw droppedRanking();
  if (!served?.own) return null;
  const total = served.total ?? (await entryCounts(pool, [{ ranking, isTest }]))[0]!;
  return { score: served.own.score, total };
}

/** A player's rank and value in a board's own ranking; null: none. */
export async function standingOf(reads: ScoreReads, boardId: string, player: Player) {
  const place = await placeOf(reads, player, ownRanking(boardId));
  return place && { rank: place.score.rank, value: place.score.value };
}

/** The player's place in a ranking as an entry. */
export async function entryOf(
  reads: ScoreReads,
  board: Board,
  player: Player,
  ranking: ChosenRanking,
): Promise<Entry | null> {
  const place = await placeOf(reads, player, ranking);
  if (!place) return null;
  const { score, total } = place;
  return new Entry(score, new Ranking(board, ranking, player.isTest, total), total);
}

/**
 * A player's places in the current rankings of views; in a view by tags, in the group of the newest submission.
 * Views that are being built, have no current period, or don't rank the player are left out.
 * @param names undefined: all views
 * @throws DomainError INVALID_VIEW for an unknown name
 */
export async function placesOf(
  context: Context,
  reads: ScoreReads,
  board: Board,
  player: Player,
  names: readonly string[] | null | undefined,
): Promise<Entry[]> {
  const rows = (await context.loaders.of(viewRowsOfBoard).load(board.id)) ?? [];
  const strange = names?.find((name) => !rows.some((row) => row.name === name));
  if (strange !== undefined) throw invalidView(`The board has no view ${strange}.`);
  const served = rows.filter(({ name, status }) => status === 'live' && (names?.includes(name) ?? true));
  const isTagged = served.some(({ by_tags }) => by_tags.length > 0);
  const tags = isTagged
    ? await newestTags(context.db, board.id, player.isTest, player.identityId)
    : undefined;
  const entries = await Promise.all(
    served.map(async ({ name, by_tags }) => {
      const values = by_tags.map((tag) => [tag, tagValueOf(tags?.[tag])] as const);
      // Older devices may have an invisible platform.
      if (!values.every(([, value]) => isTagValue(value))) return null;
      const where = by_tags.length > 0 ? (Object.fromEntries(values) as Record<string, string>) : undefined;
      try {
        const ranking = await chosenRanking(context, reads.periods, board, { view: name, where });
        return await entryOf(reads, board, player, ranking);
      } catch (error) {
        if (isLeftOut(error)) return null;
        throw error;
      }
    }),
  );
  return entries.filter((entry) => entry !== null);
}

/** Between two seasons there is no current period. */
function isLeftOut(error: unknown): boolean {
  return (error as { code?: unknown }).code === 'INVALID_VIEW';
}
