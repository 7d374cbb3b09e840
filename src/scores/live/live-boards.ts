import type { Knex } from 'knex';
import type { Clock } from '../../clock.js';
import type { Changes } from '../../db/changes.js';
import type { Database } from '../../db/pool.js';
import { type WatchedBoard, watchedBoards } from '../../games/boards/public-read.js';
import type { Watched } from '../../graph/live/watched.js';
import { kindOf } from '../../ids.js';
import type { Log } from '../../log.js';
import { LiveBoard } from './live-board.js';
import type { Rights, Source } from './source.js';

/** How often it is looked whether quiet boards may still be watched. */
const LOOK_MILLIS = 1_000;
/** Kinds of records that a board stands on beside itself. */
const GROUNDS = new Set(['account', 'game']);

export interface WatchRequest {
  boardId: string;
  accountId: string;
  rights: Rights;
  /** Names the source among those of the board. */
  key: string;
  make(): Source;
}

/** The boards that are watched through this process. */
export class LiveBoards {
  readonly #boards = new Map<string, LiveBoard>();
  readonly #stopListening: () => void;
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> = Promise.resolve();
  #soon = false;
  #closed = false;

  constructor(
    private readonly db: Database,
    private readonly clock: Clock,
    private readonly changes: Changes,
    private readonly log: Log,
  ) {
    this.#stopListening = changes.listen((topic) => {
      if (GROUNDS.has(kindOf(topic) ?? '')) this.#lookSoon();
    });
  }

  get #knex(): Knex {
    return this.db.knex;
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
    const known = this.#boards.get(id);
    if (known) return known;
    const made: LiveBoard = new LiveBoard(id, {
      pool: this.db.pool,
      changes: this.changes,
      board: async () => (await this.#read([id])).get(id),
      left: () => this.#boards.get(id) === made && this.#boards.delete(id),
    });
    this.#boards.set(id, made);
    return made;
  }

  #read(ids: string[]): Promise<Map<string, WatchedBoard>> {
    return watchedBoards(this.#knex, new Date(this.clock()), ids);
  }

  start(): void {
    if (this.#closed) return;
    this.#timer = setTimeout(() => {
      this.#looking = this.#look().finally(() => this.start());
    }, LOOK_MILLIS);
  }

  #lookSoon(): void {
    if (this.#soon || this.#closed || this.#boards.size === 0) return;
    this.#soon = true;
    setImmediate(() => {
      this.#soon = false;
      this.#looking = this.#looking.then(() => this.#look());
    });
  }

  /** One statement for all of them. */
  async #look(): Promise<void> {
    const boards = [...this.#boards.values()];
    if (boards.length === 0 || this.#closed) return;
    try {
      const now = await this.#read(boards.map(({ id }) => id));
      for (const board of boards) board.judge(now.get(board.id));
    } catch (error) {
      // A database that is away ends nothing; the next look tells.
      this.log.debug({ err: error }, 'watched boards could not be looked at');
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#stopListening();
    await this.#looking;
  }
}
