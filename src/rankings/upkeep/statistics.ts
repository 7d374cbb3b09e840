import type { Log } from '../../base/log.js';
import type { Database } from '../../db/pool.js';

/** Below this number of rows the planner does not distinguish a primary key from any index that begins with board_id. */
const NOTABLE_ROWS = 1_000;

const TABLES = 'entries, states, score_events, rank_runs, rank_tops, identities, devices, device_sessions';

/**
 * Prepared statements keep the plans they got on nearly empty tables, until the planner's statistics change.
 * Autovacuum analyzes within a minute, which is too late for a launch, so the first thousand events trigger an
 * analyze immediately.
 */
export class FirstStatistics {
  #written = 0;
  #running: Promise<void> | undefined;

  constructor(
    private readonly db: Database,
    private readonly log: Log,
  ) {}

  /** Called after every batch. */
  wrote(events: number): void {
    const before = this.#written;
    this.#written += events;
    if (before < NOTABLE_ROWS && this.#written >= NOTABLE_ROWS) this.#running = this.#analyze();
  }

  /** Resolves when no analyze is running. */
  async settled(): Promise<void> {
    await this.#running;
  }

  async #analyze(): Promise<void> {
    try {
      await this.db.knex.raw(`analyze ${TABLES}`);
    } catch (error) {
      this.log.warn({ err: error }, 'failed to gather table statistics; autovacuum will do it');
    }
  }
}
