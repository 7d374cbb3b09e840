import type pg from 'pg';
import { isDatabaseAway } from '../errors.js';

/** How a transaction ended, as far as its client knows. */
export type Ending = 'open' | 'committed' | 'rolled back' | 'unknown';

/**
 * The COMMIT of a transaction, which may be sent right behind its last write: a round trip less. Where that write fails, the
 * server answers ROLLBACK, and nothing was written.
 */
export class Commit {
  #answer: Promise<pg.QueryResult> | undefined;

  constructor(private readonly client: pg.PoolClient) {}

  /** Does nothing when it was sent before. */
  send(): void {
    if (this.#answer) return;
    this.#answer = this.client.query('commit');
    // Whoever sends it waits for the write first; `done` and `ending` tell.
    this.#answer.catch(() => undefined);
  }

  /** Sends it unless it was sent. @throws what the server said */
  async done(): Promise<void> {
    this.send();
    await this.#answer;
  }

  async ending(): Promise<Ending> {
    if (!this.#answer) return 'open';
    try {
      return (await this.#answer).command === 'COMMIT' ? 'committed' : 'rolled back';
    } catch (error) {
      return isDatabaseAway(error) ? 'unknown' : 'rolled back';
    }
  }
}
