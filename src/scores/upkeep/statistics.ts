import type { Log } from '../../base/log.js';
import type { Database } from '../../db/pool.js';

/** Below so many rows the planner cannot tell a primary key from any index that begins with board_id. */
const TELLING_ROWS = 1_000;

const TABLES = 'entries, states, score_events, rank_runs, rank_tops, identities, devices, device_sessions';

/**
 * Prepared statements keep the plans they got on nearly empty tables, until statistics change. Autovacuum would see to
 * that within a minute, which is too long for a launch: the first thousand events call for statistics at once.
 */
export class FirstStatistics {
  #written = 0;
  #running: Promise<void> | undefined;

  constructor(
    private readonly db: Database,
    private readonly log: Log,
  ) {}

  /** To be told of every batch. */
  wrote(events: number): void {
    const before = this.#written;
    this.#written += events;
    if (before < TELLING_ROWS && this.#written >= TELLING_ROWS) this.#running = this.#analyze();
  }

  /** Resolves when nothing is under way. */
  async settled(): Promise<void> {
    await this.#running;
  }

  async #analyze(): Promise<void> {
    try {
      await this.db.knex.raw(`analyze ${TABLES}`);
    } catch (error) {
      this.log.warn({ err: error }, 'statistics could not be gathered; autovacuum will do it');
    }
  }
}
