import type { Clock } from '../../src/base/clock.js';
import { uuidOf } from '../../src/base/ids.js';
import type { Database } from '../../src/db/pool.js';
import type { ScoreChecker } from '../../src/fairplay/checks/score-checker.js';
import type { Result } from '../../src/submissions/decide/batch.js';
import type { Submission } from '../../src/submissions/facts/submission.js';
import { type FactsReading, ingest } from '../../src/submissions/ingest.js';
import { FactsCache } from '../../src/submissions/read/facts-cache.js';

/** Writes batches like a process that caches facts: on one board at a time, under its lock. */
export class RememberingWriter {
  readonly cache = new FactsCache();
  /** Batches for which something was read. */
  reads = 0;

  constructor(
    private readonly db: Database,
    private readonly clock: Clock,
    private readonly judge?: ScoreChecker,
  ) {}

  async write(items: Submission[], reading = this.remembering()): Promise<Result[]> {
    const ended = await this.judge?.prepare(items[0]!.boardId, [true, false]);
    const client = await this.db.pool.connect();
    try {
      return await ingest(client, this.clock, items, this.judge, reading);
    } catch (error) {
      this.cache.forget(uuidOf(items[0]!.boardId));
      throw error;
    } finally {
      client.release();
      ended?.();
    }
  }

  private remembering(): FactsReading {
    const query = (statement: never) => {
      this.reads += 1;
      return this.db.pool.query(statement);
    };
    return { mode: 'cache', reader: { query } as never, cache: this.cache };
  }
}
