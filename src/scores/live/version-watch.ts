import { isId } from '../../base/ids.js';
import type { Log } from '../../base/log.js';
import type { Changes } from '../../db/changes.js';
import type { Queryable } from '../../db/pool.js';
import { boardVersions } from '../read/read.js';

/** How often the versions of watched boards are compared: how late a change is seen whose announcement got lost. */
export const LOOK_MILLIS = 1_000;

/**
 * Marks watched boards whose version is not the one last seen. Makes up for everything that can be lost between
 * processes: a notification, a listener's connection, a process killed between its commit and its announcement.
 */
export class VersionWatch {
  #seen = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(
    private readonly pool: Queryable,
    private readonly changes: Changes,
    private readonly log: Log,
  ) {}

  start(): void {
    if (this.#closed) return;
    this.#timer = setTimeout(() => {
      this.#looking = this.look()
        .catch((error) => this.log.debug({ err: error }, 'board versions could not be read'))
        .finally(() => this.start());
    }, LOOK_MILLIS);
  }

  /** Compares once. */
  async look(): Promise<void> {
    const boards = this.changes.topics().filter((topic) => isId('board', topic));
    const seen = await boardVersions(this.pool, boards);
    for (const [board, version] of seen) {
      // Seen for the first time: its watchers have read a state that may be older than this look.
      if (this.#seen.get(board) !== version) this.changes.mark(board);
    }
    this.#seen = seen;
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#looking;
  }
}
