import { type Clock, PeriodicTask } from '../base/clock.js';
import { isId, kindOf } from '../base/ids.js';
import type { Log } from '../base/log.js';
import type { Metrics } from '../base/metrics.js';
import { type Watchable, watchableBoards, watchedBoard } from '../boards/public/read.js';
import type { Changes } from '../db/changes.js';
import type { Database, Queryable } from '../db/pool.js';
import type { Watched } from '../graphql/live/watched.js';
import { boardVersions } from '../rankings/read.js';
import type { Way } from './follow.js';
import { LiveBoard } from './live-board.js';
import type { Rights, Source } from './source.js';

/** How often the service checks that quiet boards may still be watched. */
const BOARD_INTERVAL_MS = 1_000;
/** Kinds of records, besides the board itself, that decide whether a board is visible. */
const VISIBILITY_KINDS = new Set(['account', 'game']);

interface WatchRequest {
  boardId: string;
  accountId: string;
  rights: Rights;
  /** Key of the source among those of the board. */
  key: string;
  make(): Source;
}

/** The boards that are watched through this process. */
export class LiveBoards {
  readonly #boards = new Map<string, LiveBoard>();
  readonly #rounds: Record<Way, number> = { moved: 0, read: 0 };
  readonly #stopListening: () => void;
  readonly #task: PeriodicTask;

  constructor(
    private readonly db: Database,
    private readonly clock: Clock,
    private readonly changes: Changes,
    log: Log,
    metrics: Metrics,
  ) {
    metrics.counters(
      'live_rank_rounds_total',
      'Rounds of watched ranks: advanced by the moves of submissions, or read.',
      ['way'],
      () => [
        [{ way: 'moved' }, this.#rounds.moved],
        [{ way: 'read' }, this.#rounds.read],
      ],
    );
    this.#stopListening = changes.listen((topic) => {
      if (VISIBILITY_KINDS.has(kindOf(topic) ?? '') && this.#boards.size > 0) this.#task.wake();
    });
    // Feeds survive an unreachable database; the next run decides.
    this.#task = new PeriodicTask(() => this.#checkVisible(), {
      everyMillis: BOARD_INTERVAL_MS,
      log,
      failure: 'watched boards could not be checked',
      level: 'debug',
    });
  }

  watch({ boardId, accountId, rights, key, make }: WatchRequest): Watched {
    return {
      key: `${boardId} ${key}`,
      rights,
      accountId,
      follow: (listener) => this.#boardOf(boardId).follow(key, make, rights, listener),
    };
  }

  #boardOf(id: string): LiveBoard {
    const board = this.#boards.get(id);
    if (board) return board;
    const made: LiveBoard = new LiveBoard(id, {
      pool: this.db.pool,
      changes: this.changes,
      watchable: async () => (await this.#look([id])).get(id),
      board: () => watchedBoard(this.db.knex, id),
      followed: (way) => {
        this.#rounds[way] += 1;
      },
      left: () => this.#boards.get(id) === made && this.#boards.delete(id),
    });
    this.#boards.set(id, made);
    return made;
  }

  #look(ids: string[]): Promise<Map<string, Watchable>> {
    return watchableBoards(this.db.pool, new Date(this.clock()), ids);
  }

  start(): void {
    this.#task.start();
  }

  /** One statement for all boards. */
  async #checkVisible(): Promise<void> {
    const boards = [...this.#boards.values()];
    if (boards.length === 0) return;
    const now = await this.#look(boards.map(({ id }) => id));
    for (const board of boards) {
      board.checkVisible(now.get(board.id));
      board.checkPeriods(this.clock());
    }
  }

  async close(): Promise<void> {
    this.#stopListening();
    await this.#task.close();
  }
}

/**
 * How often the versions of watched boards are compared: the maximum delay of a change whose announcement is lost.
 */
const VERSION_INTERVAL_MS = 1_000;

/**
 * Marks watched boards whose version is not the one last seen. Compensates for anything lost between processes: a
 * notification, a listener's connection, a process killed between its commit and its announcement.
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
      if (this.#seen.get(board) === version) continue;
      this.changes.mark(board, { versions: [], parts: [], newest: version });
    }
    this.#seen = seen;
  }

  close(): Promise<void> {
    return this.#task.close();
  }
}
