import { setImmediate } from 'node:timers/promises';
import type pg from 'pg';
import type { Clock } from '../clock.js';
import type { Database } from '../db/pool.js';
import { DomainError, isDatabaseAway, OutcomeUnknown, present, unavailable } from '../errors.js';
import type { Log } from '../log.js';
import { Distribution, Metrics } from '../metrics.js';
import type { Result } from './claims.js';
import { type FairPlay, UNCHECKED } from './fair-play.js';
import { ingest, UnknownOutcome } from './ingest.js';
import { type Batch, isDue, type Lane, takeBatch, type Waiting } from './lane.js';
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

/** Answers to submissions between two looks at what the database has sent. */
const TOLD_AT_ONCE = 8;

const BATCH_SIZES = [1, 2, 4, 8, 16, 32, 64, 128, 256];

/** How often a batch whose transaction the database gave up (deadlock, lock timeout, a claim lost) is tried. */
const ATTEMPTS = 3;

/**
 * One batch of a board at a time; what arrives while it is being committed forms the next one. There is no timer: an idle
 * board answers in one transaction's time, a hot one amortises it. Once as many submissions wait as the batch under way
 * holds, they are sent ahead, so that the database has the next batch at hand when it has committed this one, however busy
 * this process is by then.
 */
export class Batcher {
  readonly #lanes = new Map<string, Lane>();
  /** Boards with submissions for a writer, in the order they got them. */
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
      const lane = this.#lane(item.boardId);
      lane.waiting.push({ item, resolve, reject });
      this.#queue(item.boardId, lane);
    });
  }

  /** Refuses what comes from now on and resolves when everything accepted is answered. */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#size > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
    await this.#statistics.settled();
  }

  #lane(boardId: string): Lane {
    const known = this.#lanes.get(boardId);
    if (known) return known;
    const lane: Lane = { waiting: [], writing: undefined, ahead: undefined, queued: false, blocked: false };
    this.#lanes.set(boardId, lane);
    return lane;
  }

  /** Asks for a writer where the board may have one. */
  #queue(boardId: string, lane: Lane): void {
    if (lane.queued || lane.waiting.length === 0 || !isDue(lane)) return;
    lane.queued = true;
    this.#ready.push(boardId);
    this.#start();
  }

  #start(): void {
    while (this.#writers < this.options.writers && this.#ready.length > 0) {
      const boardId = this.#ready.shift()!;
      const lane = this.#lanes.get(boardId)!;
      lane.queued = false;
      const [entries, later] = takeBatch(lane.waiting, this.options.batch, lane.writing?.entries ?? []);
      lane.waiting = later;
      lane.blocked = entries.length === 0;
      if (lane.blocked) continue;
      const batch = { entries, locked: false };
      if (lane.writing) lane.ahead = batch;
      else lane.writing = batch;
      this.#writers += 1;
      void this.#write(boardId, lane, batch);
    }
  }

  async #write(boardId: string, lane: Lane, batch: Batch): Promise<void> {
    const locked = () => {
      batch.locked = true;
      this.#queue(boardId, lane);
    };
    const { entries } = batch;
    this.#batchSize.observe(entries.length);
    const items = entries.map(({ item }) => item);
    await this.fairPlay.prepare(boardId, [...new Set(items.map(({ isTest }) => isTest))]);
    const results = await this.#results(items, locked);
    this.fairPlay.ended(boardId);
    const written = results.filter((result) => !(result instanceof DomainError || result.replayed)).length;
    if (written > 0) {
      this.committed(boardId);
      this.#statistics.wrote(written);
    }
    this.#writers -= 1;
    if (lane.writing === batch) lane.writing = lane.ahead;
    lane.ahead = undefined;
    lane.blocked = false;
    if (!lane.writing && lane.waiting.length === 0) this.#lanes.delete(boardId);
    else this.#queue(boardId, lane);
    this.#start();
    await tell(entries, results);
    this.#size -= entries.length;
    if (this.#size === 0) for (const resolve of this.#idle.splice(0)) resolve();
  }

  /** A result an item, whatever happens: one bad submission never takes the batch with it. */
  async #results(items: Submission[], locked: () => void): Promise<Result[]> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#transaction((client) => ingest(client, this.clock, items, this.fairPlay, locked));
      } catch (error) {
        if (error instanceof UnknownOutcome) return this.#resolveUnknown(items);
        if (isRetryable(error) && attempt < ATTEMPTS) continue;
        if (isDatabaseAway(error)) return items.map(() => unavailable());
        if (items.length > 1) return this.#oneByOne(items, locked);
        this.log.error({ err: error, eventId: items[0]!.eventId }, 'a submission could not be written');
        return [present(error)];
      }
    }
  }

  async #oneByOne(items: Submission[], locked: () => void): Promise<Result[]> {
    const results: Result[] = [];
    for (const item of items) results.push(...(await this.#results([item], locked)));
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

/** A portion at a time: the board's next batch waits for this process to decide on it, not for answers of the last to be written. */
async function tell(entries: readonly Waiting[], results: readonly Result[]): Promise<void> {
  for (const [i, { resolve, reject }] of entries.entries()) {
    if (i > 0 && i % TOLD_AT_ONCE === 0) await setImmediate();
    const result = results[i]!;
    if (result instanceof DomainError) reject(result);
    else resolve(result);
  }
}

/** Deadlock, serialization failure, lost claim, lock timeout: the database gave the work up, and nothing is wrong with it. */
function isRetryable(error: unknown): boolean {
  return /^(40...|55P03)$/.test((error as { code?: string }).code ?? '');
}
