import { LRUCache } from 'lru-cache';
import type { DatabaseError } from 'pg';
import type { Clock } from '../../base/clock.js';
import { uuidOf } from '../../base/ids.js';
import type { Log } from '../../base/log.js';
import type { Database } from '../../db/pool.js';
import type { Result } from '../decide/batch.js';
import type { BoardHead } from '../decide/decide.js';
import type { FairPlay } from '../decide/fair-play.js';
import type { Submission } from '../facts/submission.js';
import { type FactsReading, ingest, lockBoard } from '../ingest.js';
import { FactsCache } from '../read/facts-cache.js';
import { Retries } from '../retries.js';
import { isBroken, Transaction, UnknownOutcome, withClient } from '../write/transaction.js';
import type { Batch, BoardBatch, BoardQueue } from './board-queue.js';
import { ingestMultiBoard } from './multi-board.js';

type ReadMode = FactsReading['mode'];

/** The board, a player, a nonce or a key differed from the facts of the batch (migrations/functions/2_submissions.sql). */
const CHANGED = /^40LB/;
/** After that, this many batches of the board read more: another process writes to it, too. */
const CAREFUL_BATCHES = 32;
/** The number doubles up to this while batches keep failing. */
const MOST_CAREFUL_BATCHES = 1_024;
/** Boards with such batches in memory. */
const MOST_CAREFUL = 10_000;

interface Careful {
  mode: ReadMode;
  /** How many more batches read more; after that, the board's facts come from the cache again. */
  left: number;
  /** Their number after the last failure. */
  batches: number;
}

/** The read mode of each board's next batch: the more often others change the board, the more is read. */
class ReadModes {
  readonly #careful = new LRUCache<string, Careful>({ max: MOST_CAREFUL });

  /** The mode of the board's next batch. */
  of(boardId: string): ReadMode {
    const careful = this.#careful.get(boardId);
    return careful && careful.left > 0 ? careful.mode : 'cache';
  }

  /** The same, called when that batch begins. */
  take(boardId: string): ReadMode {
    const mode = this.of(boardId);
    const careful = this.#careful.get(boardId);
    if (careful) careful.left -= 1;
    // As many batches used the cache as had read more before, and none failed.
    if (careful && careful.left < -careful.batches) this.#careful.delete(boardId);
    return mode;
  }

  /** @param mode of the failed batch */
  failed(boardId: string, mode: ReadMode, error: unknown): void {
    if (!CHANGED.test((error as { code?: string }).code ?? '')) return;
    const before = this.#careful.get(boardId)?.batches ?? CAREFUL_BATCHES / 2;
    const batches = Math.min(2 * before, MOST_CAREFUL_BATCHES);
    this.#careful.set(boardId, { mode: mode === 'cache' ? 'reading' : 'lock', left: batches, batches });
  }
}

/** SQLSTATE of a joint transaction that would have to wait for the boards it names (migrations/functions/2_submissions.sql). */
const LOCKED_ELSEWHERE = '40LB4';

/** The lock of a board, or the error instead. */
export type Locked =
  | { transaction: Transaction; error?: undefined }
  | { transaction?: undefined; error: unknown };

/** A board's part of a joint transaction. */
interface Joint {
  boardId: string;
  items: Submission[];
  mode: ReadMode;
}

/** Writes batches with the facts in this process's cache, and gives the submissions of failed batches their results. */
export class BatchExecutor {
  readonly #cache = new FactsCache();
  readonly #readModes = new ReadModes();
  readonly #retries: Retries;

  constructor(
    private readonly db: Database,
    private readonly clock: Clock,
    log: Log,
    private readonly fairPlay: FairPlay,
  ) {
    this.#retries = new Retries(db, clock, log, fairPlay);
  }

  /** True if the board's next batch starts with its lock and is written alone. */
  isContended(boardId: string): boolean {
    return this.#readModes.of(boardId) === 'lock';
  }

  /**
   * Waits for the board's lock. The queue's connection keeps it until its next batch is written.
   * @returns the transaction with the lock, or the error of trying to get it
   */
  async lock(queue: BoardQueue): Promise<Locked> {
    try {
      queue.broken = false;
      queue.connection = this.db.pool.connect();
      const client = await queue.connection;
      const transaction = new Transaction(client);
      await lockBoard(client, transaction, uuidOf(queue.boardId));
      return { transaction };
    } catch (error) {
      // The transaction ends with the connection.
      queue.broken = true;
      return { error };
    }
  }

  /**
   * @param before the batch being written, if this one is pipelined
   * @param decided called with the head that the batch leaves
   * @param locked the board's lock, if the queue has waited for it
   * @returns one result per item, even after a failure
   */
  async write(
    queue: BoardQueue,
    batch: Batch,
    before: Batch | undefined,
    decided: () => void,
    locked?: Locked,
  ): Promise<Result[]> {
    const { boardId } = queue;
    const items = batch.entries.map(({ item }) => item);
    let sent: () => void = () => undefined;
    batch.sent = new Promise((resolve) => {
      sent = resolve;
    });
    const left = (head: BoardHead) => {
      batch.head = head;
      decided();
    };
    const mode = this.#readModes.take(boardId);
    try {
      if (locked?.error) throw locked.error;
      queue.connection ??= this.db.pool.connect();
      const client = await queue.connection;
      const reading = locked?.transaction
        ? { mode: 'lock' as const, locked: locked.transaction }
        : this.#reading(mode);
      const link = { head: before?.head, turn: before?.sent, decided: left, sent };
      return await ingest(client, this.clock, items, this.fairPlay, reading, link);
    } catch (error) {
      queue.broken ||= isBroken(error);
      this.#cache.forget(uuidOf(boardId));
      this.#readModes.failed(boardId, mode, error);
      sent();
      return this.#retries.after(error, items);
    }
  }

  /**
   * Writes batches of several boards in one transaction. If a board differs from the cached one, all boards are
   * read and written once more; boards that another process is writing to are then left out.
   * @returns results by board; undefined: nothing was written, and the board must be written alone
   */
  async writeGroup(group: readonly BoardBatch[]): Promise<(Result[] | undefined)[]> {
    let joint: Joint[] = group.map(({ queue: { boardId }, batch }) => ({
      boardId,
      items: batch.entries.map(({ item }) => item),
      mode: this.#readModes.take(boardId),
    }));
    let results = new Map<string, Result[] | undefined>();
    while (joint.length > 1) {
      try {
        results = await this.#writeMultiBoard(joint);
        break;
      } catch (error) {
        for (const { boardId } of joint) this.#cache.forget(uuidOf(boardId));
        if (error instanceof UnknownOutcome) {
          results = await this.#lookUp(joint, error);
          break;
        }
        joint = this.#retryable(joint, error as DatabaseError);
      }
    }
    return group.map(({ queue }) => results.get(queue.boardId));
  }

  async #writeMultiBoard(joint: readonly Joint[]): Promise<Map<string, Result[] | undefined>> {
    const batches = joint.map(({ items, mode }) => ({ items, anew: mode !== 'cache' }));
    const results = await withClient(this.db.pool, (client) =>
      ingestMultiBoard(client, this.clock, batches, this.fairPlay, this.db.pool, this.#cache),
    );
    return new Map(joint.map(({ boardId }, i) => [boardId, results[i]]));
  }

  /**
   * One board after another: each look-up takes a connection and waits for the lock of its board, which the lost
   * transaction may still hold.
   */
  async #lookUp(joint: readonly Joint[], error: UnknownOutcome): Promise<Map<string, Result[]>> {
    const results = new Map<string, Result[]>();
    for (const { boardId, items } of joint) results.set(boardId, await this.#retries.after(error, items));
    return results;
  }

  /** Each failure removes boards or makes them read more, so that the retries end. @returns none if the error names no board */
  #retryable(joint: readonly Joint[], error: DatabaseError): Joint[] {
    const named = new Set(error.detail?.split(','));
    const isNamed = ({ boardId }: Joint) => named.has(uuidOf(boardId));
    if (!joint.some(isNamed)) return [];
    if (error.code === LOCKED_ELSEWHERE) return joint.filter((one) => !isNamed(one));
    return joint.flatMap((one) => {
      if (!isNamed(one)) return one;
      this.#readModes.failed(one.boardId, one.mode, error);
      return one.mode === 'cache' ? { ...one, mode: 'reading' as const } : [];
    });
  }

  #reading(mode: ReadMode): FactsReading {
    const reader = this.db.pool;
    if (mode === 'lock') return { mode };
    return mode === 'cache' ? { mode, reader, cache: this.#cache } : { mode, reader };
  }
}
