import type { Queryable } from '../db/pool.js';
import { BatchedRead } from '../db/shared-reads.js';
import { type OwnKey, type OwnServed, scoresOfIdentities } from './read/own-score.js';

/** Read paths for scores. The most frequent reads of simultaneous requests are batched into few statements. */
export interface ScoreReads {
  /** Named statements of the score plane. */
  pool: Queryable;
  own: BatchedRead<OwnKey, OwnServed | undefined>;
}

export function scoreReads(pool: Queryable): ScoreReads {
  return {
    pool,
    own: new BatchedRead((keys) => scoresOfIdentities(pool, keys)),
  };
}
