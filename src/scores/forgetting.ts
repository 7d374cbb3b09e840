import type { Clock } from '../clock.js';
import type { Queryable } from '../db/pool.js';
import type { Log } from '../log.js';
import { IDEMPOTENCY_MILLIS } from './ingest.js';

const EVERY_MILLIS = 60_000;
/** Uses are kept longer than their nonces live: another gateway's clock may be behind this one's. */
const GRACE_MILLIS = 3_600_000;
/** Rows of one statement: each stays far below a second. */
const CHUNK = 5_000;

const NONCES = `delete from nonce_uses where nonce in (
  select nonce from nonce_uses where expires_at < $1 order by expires_at limit ${CHUNK} for update skip locked)`;

const KEYS = `delete from idempotency_keys where (scope, key) in (
  select scope, key from idempotency_keys where created_at < $1 order by created_at limit ${CHUNK} for update skip locked)`;

/**
 * Deletes uses of nonces that have expired (a nonce is refused for its age before its use is looked up) and idempotency
 * keys older than their seven days, in chunks. Any number of processes may do it at once.
 */
export class Forgetting {
  #timer: NodeJS.Timeout | undefined;
  #working: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(
    private readonly pool: Queryable,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  start(): void {
    if (this.#closed) return;
    this.#timer = setTimeout(() => {
      this.#working = this.forget()
        .then(() => undefined)
        .catch((error) => this.log.warn({ err: error }, 'old nonces and idempotency keys were not deleted'))
        .finally(() => this.start());
    }, EVERY_MILLIS);
    this.#timer.unref();
  }

  /** Deletes all that is due. @returns the number of rows */
  async forget(): Promise<number> {
    const now = this.clock();
    const nonces = await this.#drain(NONCES, new Date(now - GRACE_MILLIS));
    return nonces + (await this.#drain(KEYS, new Date(now - IDEMPOTENCY_MILLIS)));
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#working;
  }

  async #drain(statement: string, before: Date): Promise<number> {
    let total = 0;
    for (;;) {
      const { rowCount } = await this.pool.query(statement, [before]);
      total += rowCount ?? 0;
      if (this.#closed || (rowCount ?? 0) < CHUNK) return total;
    }
  }
}
