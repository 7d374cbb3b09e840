import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../../../base/clock.js';
import { DomainError, unavailable } from '../../../base/errors.js';
import type { Log } from '../../../base/log.js';
import { Distribution, Metrics } from '../../../base/metrics.js';
import type { Database } from '../../../db/pool.js';
import { FirstStatistics } from '../../upkeep/statistics.js';
import type { Result } from '../claims.js';
import { type FairPlay, UNCHECKED } from '../fair-play.js';
import type { Outcome, Submission } from '../submission.js';
import {
  type Batch,
  isDueAhead,
  type Lane,
  newBatch,
  newLane,
  takeBatch,
  type Waiting,
} from './board-queue.js';
import { Attempts } from './executor.js';
import { type Taken, takeTurn } from './write-group.js';

export interface BatcherOptions {
  /** Submissions in one transaction at most. */
  batch: number;
  /** Submissions that may wait in this process; beyond it callers get 503 at once. */
  queue: number;
  /** Transactions at the same time: connections of the score pool that writes may take. */
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

/** Beside boards that are written together others wait until there are so many of them: small batches one after the other are quicker. */
const LEAST_BESIDE = 6;

const BATCH_SIZES = [1, 2, 4, 8, 16, 32, 64, 128, 256];

/**
 * One batch of a board at a time; what arrives while it is being committed forms the next one. There is no timer: an idle
 * board answers in one transaction's time, a hot one amortises it. Once as many submissions wait as the batch under way
 * holds, they are decided on and sent behind it, so that the database goes on with them as soon as it has committed this one.
 * Boards of which few wait are written together.
 */
export class Batcher {
  readonly #lanes = new Map<string, Lane>();
  /** Boards with submissions for a writer, in the order they got them. */
  readonly #ready: string[] = [];
  #writers = 0;
  /** Of the writers, those that write several boards together: they wait for no lock of a board, and are soon done. */
  #together = 0;
  /** Whether it is looked after this turn of the event loop who can be written. */
  #starting = false;
  #size = 0;
  #closed = false;
  #idle: (() => void)[] = [];
  readonly #statistics: FirstStatistics;
  readonly #attempts: Attempts;
  readonly #batchSize = new Distribution(BATCH_SIZES);

  constructor(
    db: Database,
    clock: Clock,
    log: Log,
    /** Called after the commit of every batch that wrote something, with the board's id. */
    private readonly committed: (boardId: string) => void,
    private readonly options: BatcherOptions = BATCHER_DEFAULTS,
    /** Read by nobody when it is not given. */
    metrics: Metrics = new Metrics(),
    private readonly fairPlay: FairPlay = UNCHECKED,
  ) {
    this.#statistics = new FirstStatistics(db, log);
    this.#attempts = new Attempts(db, clock, log, fairPlay);
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
    const lane = newLane();
    this.#lanes.set(boardId, lane);
    return lane;
  }

  /** Sends the board's next batch ahead, or asks for a writer where it has none. */
  #queue(boardId: string, lane: Lane): void {
    if (lane.queued || lane.waiting.length === 0) return;
    if (lane.writing) {
      // Others wait for a writer: they come first.
      if (this.#ready.length === 0 && isDueAhead(lane)) this.#sendAhead(boardId, lane, lane.writing);
      return;
    }
    lane.queued = true;
    this.#ready.push(boardId);
    if (this.#starting) return;
    this.#starting = true;
    // Requests that have arrived together are parsed first: what they submit can be written together.
    setImmediate(() => {
      this.#starting = false;
      this.#start();
    });
  }

  #start(): void {
    while (this.#writers < this.options.writers && this.#ready.length >= this.#least()) {
      const isShy = (boardId: string) => this.#attempts.needsLock(boardId);
      const turn = takeTurn(this.#ready, this.#lanes, this.options.batch, isShy);
      this.#writers += 1;
      for (const { lane, entries } of turn) {
        lane.connection = undefined;
        lane.broken = false;
        lane.writing = newBatch(entries);
      }
      const [{ boardId, lane }] = turn as [Taken];
      if (turn.length > 1) void this.#writeTogether(turn);
      else lane.writing!.done = this.#write(boardId, lane, lane.writing!);
    }
  }

  /** How many boards have to wait for a writer before they get one. */
  #least(): number {
    return this.#together > 0 ? LEAST_BESIDE : 1;
  }

  #sendAhead(boardId: string, lane: Lane, before: Batch): void {
    const [entries, later] = takeBatch(lane.waiting, this.options.batch, before.entries);
    lane.blocked = entries.length === 0;
    if (lane.blocked) return;
    lane.waiting = later;
    lane.ahead = newBatch(entries);
    lane.ahead.done = this.#write(boardId, lane, lane.ahead, before);
  }

  /** @param before the batch that is being written, if this one is sent ahead */
  async #write(boardId: string, lane: Lane, batch: Batch, before?: Batch): Promise<void> {
    const { entries } = batch;
    this.#batchSize.observe(entries.length);
    await this.#prepare(boardId, entries);
    const decided = () => this.#queue(boardId, lane);
    const results = await this.#attempts.atBoard(boardId, lane, batch, before, decided);
    this.#ended(boardId, results);
    await before?.done;
    this.#follow(boardId, lane);
    void this.#tell(entries, results);
  }

  /** Batches of several boards in one transaction. What that does not do comes again, board by board. */
  async #writeTogether(turn: readonly Taken[]): Promise<void> {
    this.#batchSize.observe(turn.reduce((sum, { entries }) => sum + entries.length, 0));
    await Promise.all(turn.map(({ boardId, entries }) => this.#prepare(boardId, entries)));
    this.#together += 1;
    const results = await this.#attempts.together(turn);
    this.#together -= 1;
    this.#writers -= 1;
    for (const [i, { boardId, lane, entries }] of turn.entries()) {
      this.#ended(boardId, results[i] ?? []);
      lane.writing = undefined;
      lane.alone = !results[i];
      if (lane.alone) lane.waiting.unshift(...entries);
      if (lane.waiting.length === 0) this.#lanes.delete(boardId);
      this.#queue(boardId, lane);
    }
    this.#start();
    const told = turn.flatMap(({ entries }, i) => (results[i] ? entries : []));
    void this.#tell(
      told,
      results.flatMap((own) => own ?? []),
    );
  }

  async #prepare(boardId: string, entries: readonly Waiting[]): Promise<void> {
    await this.fairPlay.prepare(boardId, [...new Set(entries.map(({ item }) => item.isTest))]);
  }

  #ended(boardId: string, results: readonly Result[]): void {
    this.fairPlay.ended(boardId);
    const written = results.filter((result) => !(result instanceof DomainError || result.replayed)).length;
    if (written === 0) return;
    this.committed(boardId);
    this.#statistics.wrote(written);
  }

  /** What comes after a batch that is done: the one that was sent ahead of it, or whoever waits for a writer. */
  #follow(boardId: string, lane: Lane): void {
    lane.writing = lane.ahead;
    lane.ahead = undefined;
    lane.blocked = false;
    if (!lane.writing) {
      this.#writers -= 1;
      const { connection, broken } = lane;
      void connection?.then(
        (client) => client.release(broken),
        () => undefined,
      );
      if (lane.waiting.length === 0) this.#lanes.delete(boardId);
    }
    this.#queue(boardId, lane);
    this.#start();
  }

  async #tell(entries: readonly Waiting[], results: readonly Result[]): Promise<void> {
    await tell(entries, results);
    this.#size -= entries.length;
    if (this.#size === 0) for (const resolve of this.#idle.splice(0)) resolve();
  }
}

/** A portion at a time: the board's next batch waits for this process to decide on it, not for answers of the last to be written. */
async function tell(entries: readonly Waiting[], results: readonly Result[]): Promise<void> {
  for (const [i, { resolve, reject }] of entries.entries()) {
    if (i > 0 && i % TOLD_AT_ONCE === 0) await nextTurn();
    const result = results[i]!;
    if (result instanceof DomainError) reject(result);
    else resolve(result);
  }
}
