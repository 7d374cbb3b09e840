import type pg from 'pg';
import type { Clock } from '../clock.js';
import type { Database } from '../db/pool.js';
import { DomainError, isDatabaseAway, OutcomeUnknown, present, unavailable } from '../errors.js';
import type { Log } from '../log.js';
import { Distribution, Metrics } from '../metrics.js';
import type { Result } from './claims.js';
import { type FairPlay, UNCHECKED } from './fair-play.js';
import { ingest, UnknownOutcome } from './ingest.js';
import { committedEvents } from './recovery.js';
import { FirstStatistics } from './statistics.js';
import type { Outcome, Submission } from './submission.js';

export interface BatcherOptions {
  /** Submissions in one transaction at most. */
  batch: number;
  /** Submissions that may wait in this process; beyond it callers get 503 at once. */
  queue: number;
  /** Boards that are written at the same time: connections of the score pool that writes may take. */
  writers: number;
}

export const BATCHER_DEFAULTS: BatcherOptions = { batch: 256, queue: 10_000, writers: 4 };

/** For a score pool of that many connections, at least half of which stay free for reads. */
export function batcherOptions(connections: number): BatcherOptions {
  const writers = Math.min(BATCHER_DEFAULTS.writers, Math.max(1, Math.floor(connections / 2)));
  return { ...BATCHER_DEFAULTS, writers };
}

interface Waiting {
  item: Submission;
  resolve(outcome: Outcome): void;
  reject(error: DomainError): void;
}

const BATCH_SIZES = [1, 2, 4, 8, 16, 32, 64, 128, 256];

/** How often a batch whose transaction the database gave up (deadlock, lock timeout) is tried. */
const ATTEMPTS = 3;

/**
 * One writer per board at a time in this process; what arrives while a board's batch is being committed forms the next
 * one. There is no timer: an idle board answers in one transaction's time, a hot one amortises it.
 */
export class Batcher {
  readonly #waiting = new Map<string, Waiting[]>();
  /** Boards with waiting submissions and no writer, in the order they got them. */
  readonly #ready: string[] = [];
  #writers = 0;
  #size = 0;
  #closed = false;
  #idle: (() => void)[] = [];
  readonly #statistics: FirstStatistics;
  readonly #batchSize = new Distribution(BATCH_SIZES);

  constructor(
    private readonly db: Database,
    private readonly clock: Clock,
    private readonly log: Log,
    /** Called after the commit of every batch that wrote something, with the board's id. */
    private readonly committed: (boardId: string) => void,
    private readonly options: BatcherOptions = BATCHER_DEFAULTS,
    /** Read by nobody when it is not given. */
    metrics: Metrics = new Metrics(),
    private readonly fairPlay: FairPlay = UNCHECKED,
  ) {
    this.#statistics = new FirstStatistics(db, log);
    metrics.histogram('submission_batch_size', 'Submissions that were committed together.', () => [
      [{}, this.#batchSize],
    ]);
    metrics.gauge('submission_queue_length', 'Submissions that wait or are being written.', () => this.#size);
  }

  /**
   * Submits one score.
   * @returns its outcome once durable.
   * @throws DomainError the refusal; UNAVAILABLE when overloaded, shutting down, or the database is away.
   */
  submit(item: Submission): Promise<Outcome> {
    if (this.#closed) return Promise.reject(unavailable('The service is shutting down; try again shortly'));
    if (this.#size >= this.options.queue) {
      return Promise.reject(unavailable('Too many submissions are waiting; try again shortly'));
    }
    this.#size += 1;
    return new Promise((resolve, reject) => {
      const waiting = this.#waiting.get(item.boardId);
      if (waiting) waiting.push({ item, resolve, reject });
      else {
        this.#waiting.set(item.boardId, [{ item, resolve, reject }]);
        this.#ready.push(item.boardId);
      }
      this.#start();
    });
  }

  /** Refuses what comes from now on and resolves when everything accepted is answered. */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#size > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
    await this.#statistics.settled();
  }

  #start(): void {
    while (this.#writers < this.options.writers && this.#ready.length > 0) {
      this.#writers += 1;
      void this.#write(this.#ready.shift()!);
    }
  }

  async #write(boardId: string): Promise<void> {
    const waiting = this.#waiting.get(boardId)!;
    const [batch, later] = takeBatch(waiting, this.options.batch);
    this.#waiting.set(boardId, later);
    this.#batchSize.observe(batch.length);
    const items = batch.map(({ item }) => item);
    await this.fairPlay.prepare(boardId, [...new Set(items.map(({ isTest }) => isTest))]);
    const results = await this.#results(items);
    this.fairPlay.ended(boardId);
    batch.forEach(({ resolve, reject }, i) => {
      const result = results[i]!;
      if (result instanceof DomainError) reject(result);
      else resolve(result);
    });
    const written = results.filter((result) => !(result instanceof DomainError || result.replayed)).length;
    if (written > 0) {
      this.committed(boardId);
      this.#statistics.wrote(written);
    }
    this.#size -= batch.length;
    this.#writers -= 1;
    if (this.#waiting.get(boardId)!.length > 0) this.#ready.push(boardId);
    else this.#waiting.delete(boardId);
    this.#start();
    if (this.#size === 0) for (const resolve of this.#idle.splice(0)) resolve();
  }

  /** A result an item, whatever happens: one bad submission never takes the batch with it. */
  async #results(items: Submission[]): Promise<Result[]> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#transaction((client) => ingest(client, this.clock, items, this.fairPlay));
      } catch (error) {
        if (error instanceof UnknownOutcome) return this.#resolveUnknown(items);
        if (isRetryable(error) && attempt < ATTEMPTS) continue;
        if (isDatabaseAway(error)) return items.map(() => unavailable());
        if (items.length > 1) return this.#oneByOne(items);
        this.log.error({ err: error, eventId: items[0]!.eventId }, 'a submission could not be written');
        return [present(error)];
      }
    }
  }

  async #oneByOne(items: Submission[]): Promise<Result[]> {
    const results: Result[] = [];
    for (const item of items) results.push(...(await this.#results([item])));
    return results;
  }

  /** The connection was lost while committing: what is there is found out before anybody is answered. */
  async #resolveUnknown(items: Submission[]): Promise<Result[]> {
    try {
      const outcomes = await committedEvents(this.db, items);
      return items.map((item) => outcomes.get(item.eventId) ?? unavailable());
    } catch (error) {
      this.log.warn({ err: error }, 'the outcome of a commit could not be found out');
      return items.map(
        () => new OutcomeUnknown('It is not known whether the submission was stored; send it again'),
      );
    }
  }

  async #transaction<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const client = await this.db.pool.connect();
    let broken = true;
    try {
      const result = await work(client);
      broken = false;
      return result;
    } catch (error) {
      broken = error instanceof UnknownOutcome || isDatabaseAway(error);
      throw error;
    } finally {
      client.release(broken);
    }
  }
}

/** Deadlock, serialization failure, lock timeout: the database gave the work up, and nothing is wrong with it. */
function isRetryable(error: unknown): boolean {
  return /^(40...|55P03)$/.test((error as { code?: string }).code ?? '');
}

/**
 * The next batch in order of arrival. An identity's second submission waits for the first one's commit, so that each is
 * decided and answered with what came before it; so does the second use of an idempotency key.
 */
function takeBatch(waiting: Waiting[], limit: number): [batch: Waiting[], later: Waiting[]] {
  const batch: Waiting[] = [];
  const later: Waiting[] = [];
  const taken = new Set<string>();
  for (const entry of waiting) {
    const { identityId, isTest, idempotency } = entry.item;
    const identity = `${identityId} ${isTest}`;
    const key = idempotency && `${idempotency.scope} ${idempotency.key}`;
    const meets = taken.has(identity) || (key !== undefined && taken.has(key));
    taken.add(identity);
    if (key !== undefined) taken.add(key);
    if (meets || batch.length >= limit) later.push(entry);
    else batch.push(entry);
  }
  return [batch, later];
}
