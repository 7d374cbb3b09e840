import type { Clock } from '../../src/base/clock.js';
import { DomainError, unavailable } from '../../src/base/errors.js';
import type { Log } from '../../src/base/log.js';
import type { Change } from '../../src/db/changes.js';
import type { Database } from '../../src/db/pool.js';
import { type FairPlay, UNCHECKED } from '../../src/submissions/decide/fair-play.js';
import type { Outcome, Submission, SubmissionPath } from '../../src/submissions/facts/submission.js';
import { Retries } from '../../src/submissions/retries.js';

/**
 * Each submission in a transaction of its own: lock the board, read the facts, check, decide, write, respond. The
 * pipeline must give the same results; property tests compare the two.
 */
export class PlainPath implements SubmissionPath {
  readonly #retries: Retries;
  readonly #underWay = new Set<Promise<unknown>>();
  #closed = false;

  constructor(
    db: Database,
    clock: Clock,
    log: Log,
    /**
     * Called after the commit of every submission that wrote something, with the board's id and the change, if
     * known.
     */
    private readonly committed: (boardId: string, change?: Change) => void,
    private readonly fairPlay: FairPlay = UNCHECKED,
  ) {
    this.#retries = new Retries(db, clock, log, fairPlay);
  }

  async submit(item: Submission): Promise<Outcome> {
    if (this.#closed) throw unavailable('The service is restarting. Try again in a moment.');
    const outcome = this.#write(item);
    this.#underWay.add(outcome);
    return outcome.finally(() => this.#underWay.delete(outcome));
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.allSettled(this.#underWay);
  }

  async #write(item: Submission): Promise<Outcome> {
    const { boardId, isTest } = item;
    const ended = await this.fairPlay.prepare(boardId, [isTest]);
    const [result] = await this.#retries.write([item]);
    ended();
    if (result instanceof DomainError) throw result;
    if (!result!.replayed) this.committed(boardId, result!.change);
    return result!;
  }
}
