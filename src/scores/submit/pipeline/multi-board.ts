import type pg from 'pg';
import type { Clock } from '../../../base/clock.js';
import { uuidOf } from '../../../base/ids.js';
import type { Queryable } from '../../../db/pool.js';
import type { Result } from '../claims.js';
import { type FactsRead, readCachedFacts } from '../facts.js';
import type { FairPlay } from '../fair-play.js';
import { forgottenAt, isSettled, type JudgedBatch, judgeBy } from '../ingest.js';
import type { Submission } from '../submission.js';
import { Transaction } from '../transaction.js';
import { headAfter, isFlagged, type Part, writeMultiBoard } from '../write.js';
import type { FactsCache } from './facts-cache.js';

/**
 * Takes batches of several boards through one transaction, as {@link ingest} does one board's, each decided on without a lock. It waits for
 * no board that somebody else is writing to: it fails then. No two submissions may be of the same identity or use the same nonce or key.
 * @param fairPlay prepared for the boards
 * @param batches each of a board, with whether nothing that is remembered of it is relied on
 * @returns of each board its results, durable when this resolves; undefined: it has to go by itself, since more than its submissions is written
 * @throws UnknownOutcome; anything else thrown means that nothing was written; a database error of class 40: decide again.
 */
export async function ingestMultiBoard(
  client: pg.PoolClient,
  clock: Clock,
  batches: readonly { items: Submission[]; anew: boolean }[],
  fairPlay: FairPlay,
  reader: Queryable,
  cache: FactsCache,
): Promise<(Result[] | undefined)[]> {
  const transaction = new Transaction(client);
  const forgotten = forgottenAt(clock);
  const asked = batches.map(({ items, anew }) => ({ boardId: uuidOf(items[0]!.boardId), items, anew }));
  const known = await readCachedFacts(reader, cache, asked, forgotten);
  const judged = await Promise.all(
    asked.map((one, i) => judgeBy(known[i]!, { clock, fairPlay }, reader, one)),
  );
  const along = judged.map((one, i) => goesAlong(known[i]!, one));
  const written = judged.flatMap((one, i) =>
    along[i] && one.decided.length > 0 ? { part: one as Part, anew: batches[i]!.anew } : [],
  );
  if (written.length > 0) {
    const remembered = written
      .filter(({ anew }) => !anew)
      .map(({ part }) => cache.decided(part.boardId, part.board, headAfter(part.board, part.at, part), part));
    const parts = written.map(({ part }) => part);
    await transaction.run(() => writeMultiBoard({ client, clock, fairPlay, transaction }, parts, forgotten));
    for (const remember of remembered) remember();
  }
  return judged.map(({ results }, i) => (along[i] ? results : undefined));
}

/**
 * Whether nothing but its submissions is to be written for a board; all may be refused. A player's name is locked by others, too, and the boards would
 * have to wait for them.
 */
function goesAlong(known: FactsRead, judged: JudgedBatch): boolean {
  const { decided, rejected } = judged;
  const isPlain =
    rejected.length === 0 && !isFlagged(judged) && !decided.some(({ decision }) => decision.rename);
  return isPlain && isSettled(known, judged);
}
