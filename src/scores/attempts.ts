import type { DatabaseError } from 'pg';
import type { Clock } from '../clock.js';
import type { Database } from '../db/pool.js';
import { uuidOf } from '../ids.js';
import type { Log } from '../log.js';
import type { Result } from './claims.js';
import type { BoardHead } from './decide.js';
import { FactsMemory } from './facts-memory.js';
import type { FairPlay } from './fair-play.js';
import { type Approach, ingest } from './ingest.js';
import { ingestTogether } from './ingest-together.js';
import type { Batch, Lane } from './lane.js';
import { type Reliance, Reliances } from './reliance.js';
import { Retries } from './retries.js';
import { isBroken, UnknownOutcome, withClient } from './transaction.js';
import type { Taken } from './turn.js';

/** Gets batches written, by what this process knows of their boards, and what becomes of those that fail. */
export class Attempts {
  readonly #memory = new FactsMemory();
  readonly #reliances = new Reliances();
  readonly #retries: Retries;

  constructor(
    private readonly db: Database,
    private readonly clock: Clock,
    log: Log,
    private readonly fairPlay: FairPlay,
  ) {
    this.#retries = new Retries(db, clock, log, fairPlay);
  }

  /** Whether the board's next batch begins with its lock. */
  needsLock(boardId: string): boolean {
    return this.#reliances.of(boardId) === 'lock';
  }

  /**
   * @param before the batch that is being written, if this one is sent ahead
   * @param decided called when it is known what the batch leaves
   * @returns a result an item, whatever happens
   */
  async atBoard(
    boardId: string,
    lane: Lane,
    batch: Batch,
    before: Batch | undefined,
    decided: () => void,
  ): Promise<Result[]> {
    const items = batch.entries.map(({ item }) => item);
    let sent: () => void = () => undefined;
    batch.sent = new Promise((resolve) => {
      sent = resolve;
    });
    const left = (head: BoardHead) => {
      batch.head = head;
      decided();
    };
    const reliance = this.#reliances.take(boardId);
    const approach = { ...this.#reading(reliance, before), turn: before?.sent, decided: left, sent };
    try {
      lane.connection ??= this.db.pool.connect();
      return await ingest(await lane.connection, this.clock, items, this.fairPlay, approach);
    } catch (error) {
      lane.broken ||= isBroken(error);
      this.#memory.forget(uuidOf(boardId));
      this.#reliances.failed(boardId, reliance, error);
      sent();
      return this.#retries.after(error, items);
    }
  }

  /**
   * Batches of several boards in one transaction.
   * @returns of each its results; undefined: nothing of it was written, and it has to go by itself
   */
  async together(turn: readonly Taken[]): Promise<(Result[] | undefined)[]> {
    const reliances = turn.map(({ boardId }) => this.#reliances.take(boardId));
    const batches = turn.map(({ entries }, i) => ({
      items: entries.map(({ item }) => item),
      anew: reliances[i] !== 'memory',
    }));
    try {
      return await withClient(this.db.pool, (client) =>
        ingestTogether(client, this.clock, batches, this.fairPlay, this.db.pool, this.#memory),
      );
    } catch (error) {
      for (const { boardId } of turn) this.#memory.forget(uuidOf(boardId));
      if (error instanceof UnknownOutcome) {
        return Promise.all(batches.map(({ items }) => this.#retries.after(error, items)));
      }
      const changed = turn.findIndex(({ boardId }) => uuidOf(boardId) === (error as DatabaseError).detail);
      if (changed >= 0) this.#reliances.failed(turn[changed]!.boardId, reliances[changed]!, error);
      return turn.map(() => undefined);
    }
  }

  #reading(reliance: Reliance, before: Batch | undefined): Approach {
    if (reliance === 'lock') return {};
    const reading = { reader: this.db.pool, head: before?.head };
    return reliance === 'memory' ? { ...reading, memory: this.#memory } : reading;
  }
}
