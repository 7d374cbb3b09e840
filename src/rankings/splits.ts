import { uuidOf } from '../base/ids.js';
import type { Queryable } from '../db/pool.js';
import type { RankingAddress } from './address.js';
import { manyRankings, readRankings } from './ranked.js';

/** An entry of a ranking. */
export interface ShownEntry {
  ranking: RankingAddress;
  /** Prefixed. */
  scoreId: string;
}

/** Entries of a view have the ids of the board's own. */
const SPLITS = manyRankings(
  'splits_of_entries',
  { score_id: 'uuid' },
  (ranked, u) => `
    select u.ord, r.splits from ${u} cross join lateral (${ranked.board}) b
    join entries e on e.id = u.score_id and e.board_id = b.board_id and e.generation = b.generation and e.ranked
    join runs r on r.board_id = e.board_id and r.event_seq = e.event_seq`,
);

/** Splits of the runs that entries show, milliseconds, in the requested order; null: the run has none. */
export async function splitsOf(db: Queryable, keys: readonly ShownEntry[]): Promise<(number[] | null)[]> {
  const requests = keys.map(({ ranking, scoreId }) => ({ ranking, values: [uuidOf(scoreId)] }));
  const rows = await readRankings<{ ord: number; splits: number[] | null }>(db, SPLITS, requests);
  return rows.map((row) => row?.splits ?? null);
}
