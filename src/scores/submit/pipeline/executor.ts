import type { DatabaseError } from 'pg';
import type { Clock } from '../../../base/clock.js';
import { uuidOf } from '../../../base/ids.js';
import type { Log } from '../../../base/log.js';
import type { Database } from '../../../db/pool.js';
import type { Result } from '../claims.js';
import type { BoardHead } from '../decide.js';
import type { FairPlay } from '../fair-play.js';
import { type Approach, ingest } from '../ingest.js';
import type { Submission } from '../submission.js';
import { isBroken, UnknownOutcome, withClient } from '../transaction.js';
import type { Batch, Lane } from './board-queue.js';
import { FactsMemory } from './facts-cache.js';
import { ingestTogether } from './multi-board.js';
import { type Reliance, Reliances } from './read-mode.js';
import { Retries } from './retries.js';
import type { Taken } from './write-group.js';

/** SQLSTATE of a joint transaction that would have had to wait for the boards it names (migrations/004_ingest.sql). */
const LOCKED_ELSEWHERE = '40LB4';

/** A board's part in a joint transaction. */
interface Joint {
  boardId: string;
  items: Submission[];
  reliance: Reliance;
}

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
   * Batches of several boards in one transaction. Where something of a board is not as it is remembered, all of them are read and written once more;
   * boards that are being written to from elsewhere are left out then.
   * @returns of each its results; undefined: nothing of it was written, and it has to go by itself
   */
  async together(turn: readonly Taken[]): Promise<(Result[] | undefined)[]> {
    let joint: Joint[] = turn.map(({ boardId, entries }) => ({
      boardId,
      items: entries.map(({ item }) => item),
      reliance: this.#reliances.take(boardId),
    }));
    let results = new Map<string, Result[] | undefined>();
    while (joint.length > 1) {
      try {
        results = await this.#writeTogether(joint);
        break;
      } catch (error) {
        for (const { boardId } of joint) this.#memory.forget(uuidOf(boardId));
        if (error instanceof UnknownOutcome) {
          results = await this.#lookUp(joint, error);
          break;
        }
        joint = this.#whatCanBeTriedAgain(joint, error as DatabaseError);
      }
    }
    return turn.map(({ boardId }) => results.get(boardId));
  }

  async #writeTogether(joint: readonly Joint[]): Promise<Map<string, Result[] | undefined>> {
    const batches = joint.map(({ items, reliance }) => ({ items, anew: reliance !== 'memory' }));
    const results = await withClient(this.db.pool, (client) =>
      ingestTogether(client, this.clock, batches, this.fairPlay, this.db.pool, this.#memory),
    );
    return new Map(joint.map(({ boardId }, i) => [boardId, results[i]]));
  }

  /** One board after the other: each look-up takes a connection and waits for the lock of its board, which the lost transaction may still hold. */
  async #lookUp(joint: readonly Joint[], error: UnknownOutcome): Promise<Map<string, Result[]>> {
    const results = new Map<string, Result[]>();
    for (const { boardId, items } of joint) results.set(boardId, await this.#retries.after(error, items));
    return results;
  }

  /** Each failure takes boards out or makes them rely on less, so that there is an end. @returns none where the error names no board */
  #whatCanBeTriedAgain(joint: readonly Joint[], error: DatabaseError): Joint[] {
    const named = new Set(error.detail?.split(','));
    const isNamed = ({ boardId }: Joint) => named.has(uuidOf(boardId));
    if (!joint.some(isNamed)) return [];
    if (error.code === LOCKED_ELSEWHERE) return joint.filter((one) => !isNamed(one));
    return joint.flatMap((one) => {
      if (!isNamed(one)) return one;
      this.#reliances.failed(one.boardId, one.reliance, error);
      return one.reliance === 'memory' ? { ...one, reliance: 'reading' as const } : [];
    });
  }

  #reading(reliance: Reliance, before: Batch | undefined): Approach {
    if (reliance === 'lock') return {};
    const reading = { reader: this.db.pool, head: before?.head };
    return reliance === 'memory' ? { ...reading, memory: this.#memory } : reading;
  }
}
