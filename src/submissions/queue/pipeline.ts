import { LRUCache } from 'lru-cache';
import type { Clock } from '../../base/clock.js';
import { DomainError, unavailable } from '../../base/errors.js';
import type { Log } from '../../base/log.js';
import { BucketCounts, Metrics } from '../../base/metrics.js';
import { type Change, joined } from '../../db/changes.js';
import type { Database } from '../../db/pool.js';
import { FirstStatistics } from '../../rankings/upkeep/statistics.js';
import type { Result } from '../decide/batch.js';
import { type FairPlay, UNCHECKED } from '../decide/fair-play.js';
import type { Outcome, Submission, SubmissionPath } from '../facts/submission.js';
import { type Batch, type BoardBatch, BoardQueue, takeWriteGroup, type Waiting } from './board-queue.js';
import { BatchExecutor, type Locked } from './executor.js';
import { Gathering } from './gathering.js';

export interface PipelineOptions {
  /** Maximum number of submissions in one transaction. */
  batch: number;
  /** Maximum number of waiting submissions in this process; beyond that, callers get 503 immediately. */
  queue: number;
  /** Simultaneous transactions: connections of the score pool that writes may take. */
  writers: number;
}

export const PIPELINE_DEFAULTS: PipelineOptions = { batch: 256, queue: 10_000, writers: 4 };

/** Options for a score pool of that many connections, at least half of which stay free for reads. */
export function pipelineOptions(connections: number): PipelineOptions {
  const writers = Math.min(PIPELINE_DEFAULTS.writers, Math.max(1, Math.floor(connections / 2)));
  return { ...PIPELINE_DEFAULTS, writers };
}

/** While a write group is being written, other boards wait until there are this many: small batches are faster one after the other. */
const LEAST_BESIDE = 6;

/** How many of the waiting submissions may be of one board, so that it doesn't lock out the others. */
const BOARD_SHARE = 0.75;

/** Boards whose newest batch is remembered. */
const MOST_REMEMBERED = 1_000;

const BATCH_SIZES = [1, 2, 4, 8, 16, 32, 64, 128, 256];

/**
 * Writes submissions in batches; the plain path of the tests (test/support/plain-path.ts) does the same without batches. One batch of a
 * board is written at a time, and submissions that arrive in the meantime form the next one. An idle board responds in the
 * time of one transaction, a busy board shares one among many submissions; the next batch may wait two milliseconds for
 * players who have just been answered (gathering.ts). Once as many submissions wait as the batch that is being written
 * holds, they are decided and pipelined behind it, so that the
 * database continues with them right after its commit. Boards with few waiting submissions are written in one
 * transaction.
 */
export class SubmissionPipeline implements SubmissionPath {
  readonly #queues = new Map<string, BoardQueue>();
  readonly #gatherings = new LRUCache<string, Gathering>({ max: MOST_REMEMBERED });
  /** Boards waiting for a writer, in order of request. */
  readonly #ready: BoardQueue[] = [];
  #writers = 0;
  /** Writers that write several boards: they never wait for a board's lock, and finish soon. */
  #multiBoard = 0;
  /** True if a writer starts after this turn of the event loop. */
  #starting = false;
  #size = 0;
  #closed = false;
  #idle: (() => void)[] = [];
  readonly #statistics: FirstStatistics;
  readonly #executor: BatchExecutor;
  readonly #batchSize = new BucketCounts(BATCH_SIZES);

  constructor(
    db: Database,
    clock: Clock,
    log: Log,
    /**
     * Called after the commit of every batch that wrote something, with the board's id and the change, if known.
     */
    private readonly committed: (boardId: string, change?: Change) => void,
    private readonly options: PipelineOptions = PIPELINE_DEFAULTS,
    /** The default metrics are not exported. */
    metrics: Metrics = new Metrics(),
    private readonly fairPlay: FairPlay = UNCHECKED,
  ) {
    this.#statistics = new FirstStatistics(db, log);
    this.#executor = new BatchExecutor(db, clock, log, fairPlay);
    metrics.histogram('submission_batch_size', 'Submissions that were committed together.', () => [
      [{}, this.#batchSize],
    ]);
    metrics.gauge('submission_queue_length', 'Submissions that wait or are being written.', () => this.#size);
  }

  /** @throws DomainError additionally: UNAVAILABLE when overloaded */
  submit(item: Submission): Promise<Outcome> {
    if (this.#closed) return Promise.reject(unavailable('The service is restarting. Try again in a moment.'));
    if (this.#size >= this.options.queue) {
      return Promise.reject(unavailable('Too many submissions are waiting. Try again in a moment.'));
    }
    const known = this.#queues.get(item.boardId);
    if (known && known.waiting.length >= this.options.queue * BOARD_SHARE) {
      return Promise.reject(
        unavailable('Too many submissions to this board are waiting. Try again in a moment.'),
      );
    }
    this.#size += 1;
    return new Promise((resolve, reject) => {
      const queue = this.#queueOf(item.boardId);
      queue.waiting.push({ item, resolve, reject });
      this.#advance(queue);
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    if (this.#size > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
    await this.#statistics.settled();
  }

  #queueOf(boardId: string): BoardQueue {
    const known = this.#queues.get(boardId);
    if (known) return known;
    const queue = new BoardQueue(boardId);
    this.#queues.set(boardId, queue);
    return queue;
  }

  /** Pipelines the board's next batch, or requests a writer if the board has none. */
  #advance(queue: BoardQueue): void {
    // Boards waiting for a writer come before a second batch of this one.
    if (this.#mayPipeline(queue)) this.#sendAhead(queue);
    if (queue.isEmpty) this.#queues.delete(queue.boardId);
    if (queue.state !== 'idle' || queue.waiting.length === 0 || this.#holds(queue)) return;
    queue.queue();
    this.#ready.push(queue);
    if (this.#starting) return;
    this.#starting = true;
    // All requests that arrive in one turn of the event loop are parsed first, so that their submissions can be
    // written in one group.
    setImmediate(() => {
      this.#starting = false;
      this.#start();
    });
  }

  /** A contended board waits for its lock anyway. */
  #holds(queue: BoardQueue): boolean {
    const gathering = this.#gatherings.get(queue.boardId);
    if (!gathering || this.#closed || this.#executor.isContended(queue.boardId)) return false;
    const waiting = () => queue.waiting.length;
    return gathering.holds(waiting, performance.now(), () => this.#advance(queue));
  }

  #start(): void {
    while (this.#writers < this.options.writers && this.#ready.length >= this.#least()) {
      this.#writers += 1;
      if (this.#executor.isContended(this.#ready[0]!.boardId)) {
        void this.#writeContended(this.#ready.shift()!);
        continue;
      }
      const isContended = (boardId: string) => this.#executor.isContended(boardId);
      const group = takeWriteGroup(this.#ready, this.options.batch, isContended);
      const [{ queue, batch }] = group as [BoardBatch];
      if (group.length > 1) void this.#writeGroup(group);
      else batch.done = this.#write(queue, batch);
    }
  }

  /** How many boards must wait before a writer is started. */
  #least(): number {
    return this.#multiBoard > 0 ? LEAST_BESIDE : 1;
  }

  /** A pipelined batch would take the lock of a contended board before the other processes, which wait for it. */
  #mayPipeline(queue: BoardQueue): boolean {
    return queue.isDueAhead && this.#ready.length === 0 && !this.#executor.isContended(queue.boardId);
  }

  /**
   * Other processes write to the board, too: its batch is formed once they release the lock, from all submissions
   * that have arrived by then.
   */
  async #writeContended(queue: BoardQueue): Promise<void> {
    // What the checks read is read before the lock, not while other processes wait for it.
    const prepared = await this.#prepare(queue.boardId, queue.waiting);
    const locked = await this.#executor.lock(queue);
    const batch = queue.begin(this.options.batch, [], true)!;
    batch.done = this.#write(queue, batch, undefined, locked);
    prepared();
  }

  #sendAhead(queue: BoardQueue): void {
    const before = queue.writing;
    const batch = queue.sendAhead(this.options.batch);
    if (batch) batch.done = this.#write(queue, batch, before);
  }

  /**
   * @param before the batch being written, if this one is pipelined
   * @param locked the board's lock, if the queue has waited for it
   */
  async #write(queue: BoardQueue, batch: Batch, before?: Batch, locked?: Locked): Promise<void> {
    const { entries } = batch;
    this.#batchSize.observe(entries.length);
    const checked = await this.#prepare(queue.boardId, entries);
    const decided = () => this.#advance(queue);
    const results = await this.#executor.write(queue, batch, before, decided, locked);
    checked();
    this.#ended(queue, batch, results);
    await before?.done;
    if (!queue.finish()) this.#release(queue);
    this.#advance(queue);
    this.#start();
    this.#respond(entries, results);
  }

  /**
   * Writes batches of several boards in one transaction. A board that cannot be written this way is queued again,
   * to be written alone.
   */
  async #writeGroup(group: readonly BoardBatch[]): Promise<void> {
    this.#batchSize.observe(group.reduce((sum, { batch }) => sum + batch.entries.length, 0));
    const checked = await Promise.all(
      group.map(({ queue, batch }) => this.#prepare(queue.boardId, batch.entries)),
    );
    this.#multiBoard += 1;
    const results = await this.#executor.writeGroup(group);
    this.#multiBoard -= 1;
    this.#writers -= 1;
    for (const [i, { queue, batch }] of group.entries()) {
      checked[i]!();
      this.#ended(queue, batch, results[i] ?? []);
      queue.finish();
      if (!results[i]) queue.putBack(batch.entries);
      this.#advance(queue);
    }
    this.#start();
    const written = group.flatMap(({ batch }, i) => (results[i] ? batch.entries : []));
    this.#respond(
      written,
      results.flatMap((own) => own ?? []),
    );
  }

  #prepare(boardId: string, entries: readonly Waiting[]): Promise<() => void> {
    return this.fairPlay.prepare(boardId, [...new Set(entries.map(({ item }) => item.isTest))]);
  }

  #ended({ boardId, waiting }: BoardQueue, { entries }: Batch, results: readonly Result[]): void {
    const gathering = this.#gatherings.get(boardId) ?? new Gathering();
    this.#gatherings.set(boardId, gathering);
    gathering.ended(entries.length + waiting.length, performance.now());
    const written = results.filter(
      (result): result is Outcome => !(result instanceof DomainError || result.replayed),
    );
    if (written.length === 0) return;
    // One, unless the batch was split.
    this.committed(boardId, joined([...new Set(written.map(({ change }) => change))]));
    this.#statistics.wrote(written.length);
  }

  /** Frees the writer and the connection of a board once none of its batches is being written. */
  #release({ connection, broken }: BoardQueue): void {
    this.#writers -= 1;
    void connection?.then(
      (client) => client.release(broken),
      () => undefined,
    );
  }

  #respond(entries: readonly Waiting[], results: readonly Result[]): void {
    for (const [i, { resolve, reject }] of entries.entries()) {
      const result = results[i]!;
      if (result instanceof DomainError) reject(result);
      else resolve(result);
    }
    this.#size -= entries.length;
    if (this.#size === 0) for (const resolve of this.#idle.splice(0)) resolve();
  }
}
