import type { Queryable } from '../db/pool.js';
import type { LoaderSpec } from '../graph/loader.js';
import { boardVersions, entryCounts, scoresById } from './read.js';
import type { Score } from './score.js';

/** The module's loaders on the pool of named statements. */
export interface ScoreLoaders {
  byId: LoaderSpec<Score>;
  /** Ranked entries by board id. */
  counts(isTest: boolean): LoaderSpec<number>;
  /** Versions by board id. */
  versions: LoaderSpec<number>;
}

export function scoreLoaders(pool: Queryable): ScoreLoaders {
  const countsOf = (isTest: boolean): LoaderSpec<number> => ({
    batch: async (boardIds) => {
      const counts = await entryCounts(
        pool,
        boardIds.map((boardId) => ({ boardId, isTest })),
      );
      return new Map(boardIds.map((boardId, i) => [boardId, counts[i]!]));
    },
  });
  const production = countsOf(false);
  const test = countsOf(true);
  return {
    byId: { batch: (ids) => scoresById(pool, ids) },
    counts: (isTest) => (isTest ? test : production),
    versions: { batch: (ids) => boardVersions(pool, ids) },
  };
}
