import type { Clock } from '../../base/clock.js';
import { isDatabaseAway, OutcomeUnknown, present, unavailable } from '../../base/errors.js';
import type { Log } from '../../base/log.js';
import type { Database } from '../../db/pool.js';
import type { Result } from './claims.js';
import type { FairPlay } from './fair-play.js';
import { ingest } from './ingest.js';
import { committedEvents } from './recovery.js';
import type { Submission } from './submission.js';
import { UnknownOutcome, withClient } from './transaction.js';

/** How often a batch is tried whose transaction the database aborted (deadlock, lock timeout, a claim lost, a board changed). */
const ATTEMPTS = 3;

/** Writes batches under the board's lock, and gives the submissions of failed batches their results. */
export class Retries {
  constructor(
    private readonly db: Database,
    private readonly clock: Clock,
    private readonly log: Log,
    private readonly fairPlay: FairPlay,
  ) {}

  /**
   * One bad submission does not fail the others.
   * @param error error of the last of that many attempts
   * @returns one result per item, after any failure, too
   */
  async after(error: unknown, items: Submission[], attempt = 1): Promise<Result[]> {
    if (error instanceof UnknownOutcome) return this.#resolveUnknown(items, error.at);
    if (isRetryable(error) && attempt < ATTEMPTS) return this.write(items, attempt + 1);
    if (isDatabaseAway(error)) return items.map(() => unavailable());
    if (items.length > 1) return this.#oneByOne(items);
    this.log.error({ err: error, eventId: items[0]!.eventId }, 'a submission could not be written');
    return [present(error)];
  }

  /**
   * Writes items of one board under its lock, on a connection of their own.
   * @returns one result per item, after any failure, too
   */
  async write(items: Submission[], attempt = 1): Promise<Result[]> {
    try {
      return await withClient(this.db.pool, (client) => ingest(client, this.clock, items, this.fairPlay));
    } catch (error) {
      return this.after(error, items, attempt);
    }
  }

  async #oneByOne(items: Submission[]): Promise<Result[]> {
    const results: Result[] = [];
    for (const item of items) results.push(...(await this.write([item])));
    return results;
  }

  /** The connection was lost while committing: looks up the stored submissions before any caller is answered. */
  async #resolveUnknown(items: Submission[], lostAt: number): Promise<Result[]> {
    try {
      const outcomes = await committedEvents(this.db, items, lostAt);
      return items.map((item) => outcomes.get(item.eventId) ?? unavailable());
    } catch (error) {
      this.log.warn({ err: error }, 'the outcome of a commit could not be found out');
      return items.map(
        () => new OutcomeUnknown('It is not known whether the submission was stored; send it again'),
      );
    }
  }
}

/** Deadlock, serialization failure, lost claim, changed board, lock timeout: the database aborted a valid transaction. */
function isRetryable(error: unknown): boolean {
  return /^(40...|55P03)$/.test((error as { code?: string }).code ?? '');
}
