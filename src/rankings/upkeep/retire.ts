import { type Clock, PeriodicTask } from '../../base/clock.js';
import { idOf, uuidOf } from '../../base/ids.js';
import type { Log } from '../../base/log.js';
import { servedHere } from '../../db/moved.js';
import type { Database } from '../../db/pool.js';
import { inTurns } from '../../jobs/in-turns.js';

const INTERVAL_MS = 1_000;
/** How often periods that are no longer kept are looked for. */
const RETIRE_INTERVAL_MS = 60_000;
/** Rankings that are dropped in one transaction, under the board's lock. */
const RANKINGS_AT_ONCE = 200;
/** Rows of an unserved generation that one statement deletes. */
const ENTRIES_AT_ONCE = 5_000;

const dropping = (served: string) => `
  select v.board_id, v.view_no, b.account_id from board_views v join boards b on b.id = v.board_id
  where v.status = 'dropping' ${served} order by v.board_id, v.view_no`;
const emptied = (served: string) =>
  `select distinct board_id from rankings where empty_since is not null and status = 'live'
    and (empty_since = 'infinity' or empty_since <= ?::timestamptz - interval '1 hour') ${served}`;
const retirable = (served: string) =>
  `select board_id from boards_to_retire(?) r(board_id) where true ${served}`;
const forgotten = (served: string) =>
  `select board_id, generation from generations_due where due_at <= ? ${served} order by due_at limit 20`;
const DROP = { name: 'clear_view', text: 'select clear_view($1, $2, $3, $4) as done' };
const FREE = {
  name: 'release_groups',
  text: 'select seen as done, freed as changed from release_groups($1, $2, $3)',
};
const RETIRE = {
  name: 'drop_rankings',
  text: 'select n as done, n as changed from drop_rankings($1, $2, $3) n',
};
const FORGET = { name: 'clear_generation', text: 'select clear_generation($1, $2, $3) as done' };

interface Dropping {
  board_id: string;
  view_no: number;
  account_id: string;
}

/**
 * Removes what boards no longer show: dropped views, groups without entries, rankings of periods that are no longer
 * kept, and entries of generations that are no longer served. In short transactions: after a crash, any process
 * continues.
 */
export class Retirement {
  readonly #task: PeriodicTask;
  readonly #served: string;
  #retiredAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly db: Database,
    private readonly clock: Clock,
    private readonly log: Log,
    /** Called with the board's id when rankings were dropped. */
    private readonly moved: (boardId: string) => void,
  ) {
    this.#served = servedHere(db.knex, 'board', 'board_id');
    this.#task = new PeriodicTask(() => this.work(), {
      everyMillis: INTERVAL_MS,
      log,
      failure: 'failed to remove old rankings',
    });
  }

  start(): void {
    this.#task.start();
  }

  /** Does all pending work, except the work of other processes. */
  async work(): Promise<void> {
    await inTurns(
      async () => (await this.db.knex.raw<{ rows: Dropping[] }>(dropping(this.#served))).rows,
      ({ board_id, view_no }) => `${board_id} ${view_no}`,
      (one) => this.#drop(one),
      () => this.#task.closed,
      ({ account_id }) => account_id,
    );
    if (this.#retiredAt + RETIRE_INTERVAL_MS <= this.clock()) {
      await this.retire();
      await this.free();
    }
    await this.#forget();
  }

  async #drop({ board_id, view_no }: Dropping): Promise<boolean> {
    const boardId = idOf('board', board_id);
    return (await this.#apart({ boardId, view: view_no }, () => this.drop(boardId, view_no))) ?? false;
  }

  /** Work on one board: an error must not block the others; it is retried. @returns undefined after an error */
  async #apart<T>(
    subject: { boardId: string; view?: number },
    work: () => Promise<T>,
  ): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      this.log.warn({ err: error, ...subject }, 'failed to remove old rankings of a board; retrying');
      return undefined;
    }
  }

  /** Removes a part of a dropped view. @returns false if nothing is left */
  async drop(boardId: string, view: number): Promise<boolean> {
    const values = [uuidOf(boardId), view, new Date(this.clock()), RANKINGS_AT_ONCE];
    const { rows } = await this.db.pool.query<{ done: number }>({ ...DROP, values });
    return rows[0]!.done > 0;
  }

  /** Drops the rankings of all periods that are no longer kept. */
  async retire(): Promise<void> {
    const now = new Date(this.clock());
    await this.#onBoards(retirable, RETIRE, now);
    this.#retiredAt = now.getTime();
  }

  /**
   * Frees groups that have had no entries for an hour, so that they no longer count towards the limit of groups.
   */
  free(): Promise<void> {
    return this.#onBoards(emptied, FREE, new Date(this.clock()));
  }

  /** Runs a statement on rankings of each board found, several at a time. */
  async #onBoards(
    find: (served: string) => string,
    statement: { name: string; text: string },
    now: Date,
  ): Promise<void> {
    const { rows } = await this.db.knex.raw<{ rows: { board_id: string }[] }>(find(this.#served), [now]);
    for (const { board_id } of rows) {
      const boardId = idOf('board', board_id);
      await this.#apart({ boardId }, async () => {
        let looked = RANKINGS_AT_ONCE;
        while (looked === RANKINGS_AT_ONCE && !this.#task.closed) {
          const values = [board_id, now, RANKINGS_AT_ONCE];
          const answer = await this.db.pool.query<{ done: number; changed: number }>({
            ...statement,
            values,
          });
          looked = answer.rows[0]!.done;
          if (answer.rows[0]!.changed > 0) this.moved(boardId);
        }
      });
    }
  }

  async #forget(): Promise<void> {
    const { rows } = await this.db.knex.raw<{ rows: { board_id: string; generation: number }[] }>(
      forgotten(this.#served),
      [new Date(this.clock())],
    );
    for (const { board_id, generation } of rows) {
      await this.#apart({ boardId: idOf('board', board_id) }, async () => {
        let deleted = 1;
        while (deleted > 0 && !this.#task.closed) {
          const values = [board_id, generation, ENTRIES_AT_ONCE];
          deleted = (await this.db.pool.query<{ done: number }>({ ...FORGET, values })).rows[0]!.done;
        }
      });
    }
  }

  close(): Promise<void> {
    return this.#task.close();
  }
}
