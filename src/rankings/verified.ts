import { NIL_UUID, uuidOf } from '../base/ids.js';
import type { Queryable } from '../db/pool.js';
import { manyRankings, readRankings } from './ranked.js';
import type { ShownEntry } from './splits.js';

/** The first verdict that clears the run, unless another one rejects it. Those of passes count once they were applied. */
const VERIFIED = manyRankings(
  'verified_entries',
  { score_id: 'uuid' },
  (ranked, u) => `
    select u.ord, v.at from ${u} cross join lateral (${ranked.board}) b
    join entries e on e.id = u.score_id and e.board_id = b.board_id and e.generation = b.generation and e.ranked
    join lateral (
      select min(x.created_at) filter (where x.verdict = 'verified') as at from verdicts x
      where x.board_id = e.board_id and x.event_seq = e.event_seq and x.undone_at is null
        and (x.pass_id = '${NIL_UUID}' or exists (select from verification_passes p where p.id = x.pass_id and p.status = 'applied'))
      having not bool_or(x.verdict = 'rejected')) v on true`,
);

/** When the runs that entries show were verified, in the requested order; null: they were not, or the verifiers disagree. */
export async function verifiedAtOf(db: Queryable, keys: readonly ShownEntry[]): Promise<(Date | null)[]> {
  const requests = keys.map(({ ranking, scoreId }) => ({ ranking, values: [uuidOf(scoreId)] }));
  const rows = await readRankings<{ ord: number; at: Date | null }>(db, VERIFIED, requests);
  return rows.map((row) => row?.at ?? null);
}
