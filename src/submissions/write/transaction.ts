import pg from 'pg';
import { isDatabaseAway } from '../../base/errors.js';

/** How the transaction on a connection ended, as far as the client knows. */
type Ending = 'open' | 'committed' | 'rolled back' | 'unknown';

/** Errors after which the session lives on: deadlocks, lost claims, full disks, timeouts. */
const GIVEN_UP = /^(40...|53...|55P03|57014)$/;

/** True if the connection is lost, so that the outcome of the last statement is unknown. */
function isLost(error: unknown): boolean {
  return isDatabaseAway(error) && !GIVEN_UP.test((error as { code?: string }).code ?? '');
}

/** The server ends the session with these errors: the outcome of the last statement is unknown. */
const SESSION_ENDED = /^(08...|57P0.)$/;

/**
 * True if the server reported that the statement failed, so that nothing was written. After any other failure the
 * outcome is unknown.
 */
function isRefused(error: unknown): boolean {
  return error instanceof pg.DatabaseError && !SESSION_ENDED.test(error.code ?? '');
}

/** The committing statement was sent, but its response never arrived: the outcome is still unknown. */
export class UnknownOutcome extends Error {
  /** When the connection was lost. */
  readonly at = Date.now();
}

/**
 * The writes of one client: a single statement, which commits by itself, or a transaction whose COMMIT is sent
 * right behind its last statement, which saves a round trip. If one of them fails, the server rolls back, and
 * nothing was written.
 */
export class Transaction {
  #begun = false;
  #ended: Promise<{ command?: string } | undefined> | undefined;

  constructor(private readonly client: pg.PoolClient) {}

  /**
   * Sends the work's statements, and commits them.
   * @param send resolves when all its statements are sent, to the response of the last one
   * @param sent called when the COMMIT is sent, too
   * @returns that response, durable when this resolves
   * @throws UnknownOutcome; any other error means that nothing was written
   */
  async run<T>(send: () => Promise<{ results: Promise<T> }>, sent?: () => void): Promise<T> {
    try {
      const { results } = await send();
      this.#end(results);
      sent?.();
      const all = await results;
      await this.#ended;
      return all;
    } catch (error) {
      const ending = await this.#ending();
      if (ending === 'committed' || ending === 'unknown') throw new UnknownOutcome();
      if (ending === 'open' && !isLost(error)) await this.client.query('rollback');
      throw error;
    }
  }

  /** Sends BEGIN, unless it was sent before. */
  async begin(): Promise<void> {
    if (this.#begun) return;
    this.#begun = true;
    await this.client.query('begin isolation level read committed');
  }

  /** Ends the transaction; no more statements follow. @param last the last statement */
  #end(last: Promise<unknown>): void {
    this.#ended = this.#begun ? this.client.query('commit') : last.then(() => undefined);
    // `run` and `#ending` report the error.
    this.#ended.catch(() => undefined);
  }

  async #ending(): Promise<Ending> {
    if (!this.#ended) return this.#begun ? 'open' : 'rolled back';
    try {
      return (await this.#ended)?.command === 'ROLLBACK' ? 'rolled back' : 'committed';
    } catch (error) {
      return isRefused(error) ? 'rolled back' : 'unknown';
    }
  }
}

/** Runs work on a connection of its own. */
export async function withClient<T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let broken = true;
  try {
    const result = await work(client);
    broken = false;
    return result;
  } catch (error) {
    broken = isBroken(error);
    throw error;
  } finally {
    client.release(broken);
  }
}

/** True if the connection can no longer be used. */
export function isBroken(error: unknown): boolean {
  return error instanceof UnknownOutcome || isLost(error);
}
