import { Joined } from '../db/joined.js';
import type { Queryable } from '../db/pool.js';
import { type OwnKey, type OwnServed, scoresOfIdentities } from './own-score.js';
import { type Window, windowAfter } from './window.js';

/** The first `limit` scores of a board. */
export interface TopKey {
  boardId: string;
  isTest: boolean;
  limit: number;
}

/** How scores are read. What most players ask for at the same time is joined into few statements. */
export interface ScoreReads {
  /** Named statements of the score plane. */
  pool: Queryable;
  own: Joined<OwnKey, OwnServed | undefined>;
  /** Readers of the same page share what they get: nobody changes it. */
  top: Joined<TopKey, Window>;
}

export function scoreReads(pool: Queryable): ScoreReads {
  return {
    pool,
    own: new Joined((keys) => scoresOfIdentities(pool, keys)),
    top: new Joined((keys) => topPages(pool, keys)),
  };
}

/** One statement for each page that is asked for, however many ask. */
function topPages(pool: Queryable, keys: readonly TopKey[]): Promise<Window[]> {
  const pages = new Map<string, Promise<Window>>();
  return Promise.all(
    keys.map(({ boardId, isTest, limit }) => {
      const text = `${boardId} ${isTest} ${limit}`;
      const page = pages.get(text) ?? windowAfter(pool, boardId, isTest, undefined, limit);
      pages.set(text, page);
      return page;
    }),
  );
}
