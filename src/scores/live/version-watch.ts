import { PeriodicTask } from '../../base/clock.js';
import { isId } from '../../base/ids.js';
import type { Log } from '../../base/log.js';
import type { Changes } from '../../db/changes.js';
import type { Queryable } from '../../db/pool.js';
import { boardVersions } from '../read/read.js';

/** How often the versions of watched boards are compared: the maximum delay of a change whose announcement was lost. */
export const VERSION_INTERVAL_MS = 1_000;

/**
 * Marks watched boards whose version is not the one last seen. Compensates for every loss between processes: a notification,
 * a listener's connection, a process killed between its commit and its announcement.
 */
export class VersionWatch {
  #seen = new Map<string, number>();
  readonly #task: PeriodicTask;

  constructor(
    private readonly pool: Queryable,
    private readonly changes: Changes,
    log: Log,
  ) {
    this.#task = new PeriodicTask(() => this.look(), {
      everyMillis: VERSION_INTERVAL_MS,
      log,
      failure: 'board versions could not be read',
      level: 'debug',
    });
  }

  start(): void {
    this.#task.start();
  }

  /** Compares the versions once. */
  async look(): Promise<void> {
    const boards = this.changes.topics().filter((topic) => isId('board', topic));
    const seen = await boardVersions(this.pool, boards);
    for (const [board, version] of seen) {
      // Seen for the first time: its watchers may have read an older state.
      if (this.#seen.get(board) !== version) this.changes.mark(board);
    }
    this.#seen = seen;
  }

  close(): Promise<void> {
    return this.#task.close();
  }
}
