import type pg from 'pg';
import type { Clock } from '../../base/clock.js';
import { uuidOf } from '../../base/ids.js';
import type { Queryable } from '../../db/pool.js';
import { type Decided, headAfter, type Result } from '../decide/batch.js';
import type { FairPlay } from '../decide/fair-play.js';
import type { Submission } from '../facts/submission.js';
import { type DecidedBatch, decideOn, isEffective, isFinal } from '../ingest.js';
import { type FactsRead, readCachedFacts } from '../read/facts.js';
import type { FactsCache } from '../read/facts-cache.js';
import { Transaction } from '../write/transaction.js';
import { write } from '../write/write.js';

/**
 * Writes batches of several boards in one transaction, as {@link ingest} writes one board's, each decided without a
 * lock. Fails instead of waiting for a board that another transaction is writing to. No two submissions may be of
 * the same identity or use the same nonce or key.
 * @param fairPlay prepared for the boards
 * @param batches one per board, and whether its cached facts are ignored
 * @returns results by board, durable when this resolves; undefined: the board must be written alone, because more
 * than its submissions is written
 * @throws UnknownOutcome; any other error means that nothing was written; a database error of class 40: decide
 * again.
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
  const requests = batches.map(({ items, anew }) => ({ boardId: uuidOf(items[0]!.boardId), items, anew }));
  const known = await readCachedFacts(reader, cache, requests, clock());
  const decided = await Promise.all(
    requests.map((one, i) => decideOn(known[i]!, { clock, fairPlay }, reader, one)),
  );
  const along = decided.map((one, i) => goesAlong(known[i]!, one));
  const written = decided.flatMap((part, i) =>
    along[i] && isEffective(part) ? [{ part, anew: batches[i]!.anew }] : [],
  );
  if (written.length > 0) {
    const remembered = written
      .filter(({ anew }) => !anew)
      .map(({ part }) => cache.decided(part, headAfter(part)));
    const parts = written.map(({ part }) => part);
    await transaction.run(() => write({ client, clock, fairPlay, transaction }, parts));
    for (const remember of remembered) remember();
  }
  return decided.map(({ results }, i) => (along[i] ? results : undefined));
}

/**
 * True if only submissions are written for a board; all of them may be refused. Other transactions lock a player's
 * name, too, and the boards would have to wait for them.
 */
function goesAlong(known: FactsRead, batch: DecidedBatch): boolean {
  const isPlain = ({ decision, checkResult }: Decided) =>
    checkResult.disposition === 'accepted' && !decision.rename;
  return batch.rejected.length === 0 && batch.decided.every(isPlain) && isFinal(known, batch);
}
