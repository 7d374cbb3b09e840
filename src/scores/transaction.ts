import type pg from 'pg';
import { isDatabaseAway } from '../errors.js';

/** How the work on a connection ended, as far as its client knows. */
export type Ending = 'open' | 'committed' | 'rolled back' | 'unknown';

/** What the server answers when it has given a statement up, and lives on: deadlocks, claims lost, full disks, time that has run out. */
const GIVEN_UP = /^(40...|53...|55P03|57014)$/;

/** Whether the connection is gone, so that nobody knows what became of what was sent last. */
export function isLost(error: unknown): boolean {
  return isDatabaseAway(error) && !GIVEN_UP.test((error as { code?: string }).code ?? '');
}

/**
 * The writes of one client: a single statement, which commits by itself, or a transaction whose COMMIT is sent right behind its last
 * statement, a round trip less. Where one of them fails, the server answers ROLLBACK, and nothing was written.
 */
export class Transaction {
  #begun = false;
  #ended: Promise<{ command?: string } | undefined> | undefined;

  constructor(private readonly client: pg.PoolClient) {}

  /** Sends BEGIN, unless it was sent before. */
  async begin(): Promise<void> {
    if (this.#begun) return;
    this.#begun = true;
    await this.client.query('begin isolation level read committed');
  }

  /** Nothing follows. @param last the statement that was sent last */
  end(last: Promise<unknown>): void {
    this.#ended = this.#begun ? this.client.query('commit') : last.then(() => undefined);
    // `done` and `ending` tell.
    this.#ended.catch(() => undefined);
  }

  /** Whether what was sent last has ended it. @throws what the server said */
  async done(): Promise<void> {
    await this.#ended;
  }

  async ending(): Promise<Ending> {
    if (!this.#ended) return this.#begun ? 'open' : 'rolled back';
    try {
      return (await this.#ended)?.command === 'ROLLBACK' ? 'rolled back' : 'committed';
    } catch (error) {
      return isLost(error) ? 'unknown' : 'rolled back';
    }
  }
}
