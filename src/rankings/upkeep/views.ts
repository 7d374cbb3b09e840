import { type Clock, PeriodicTask } from '../../base/clock.js';
import { idOf, uuidOf } from '../../base/ids.js';
import type { Log } from '../../base/log.js';
import { servedHere } from '../../db/moved.js';
import type { Database } from '../../db/pool.js';
import { queryUnhurried } from '../../db/statements/unhurried.js';
import { inTurns } from './in-turns.js';

const VIEWS_INTERVAL_MS = 1_000;
/** Interval between two looks for periods that are no longer kept. */
const RETIRE_INTERVAL_MS = 60_000;
/** Players in one step of a build: some tenths of a second. */
const STEP = 2_000;
/** Rankings that are dropped in one transaction, under the board's lock. */
const RANKINGS_AT_ONCE = 200;

const unfinished = (served: string) =>
  `select board_id, view_no, status from board_views where status <> 'live' ${served} order by board_id, view_no`;
const emptied = (served: string) =>
  `select distinct board_id from rankings where empty_since is not null and status = 'live'
    and (empty_since = 'infinity' or empty_since <= ?::timestamptz - interval '1 hour') ${served}`;
const retirable = (served: string) =>
  `select board_id from boards_to_retire(?) r(board_id) where true ${served}`;
// On the pool of fixed plans: derivations walk primary keys.
const BUILD = { name: 'build_view_step', text: 'select build_view_step($1, $2, $3, $4, false) as outcome' };
const DROP = { name: 'drop_view', text: 'select drop_view($1, $2, $3, $4) as dropped' };
const FREE = { name: 'free_groups', text: 'select seen, freed from free_groups($1, $2, $3)' };
const RETIRE = { name: 'retire_rankings', text: 'select retire_rankings($1, $2, $3) as retired' };

/** A step of a build that was given up was rolled back. */
const GIVEN_UP = 'LB001';

interface Unlive {
  board_id: string;
  view_no: number;
  status: string;
}

type StepOutcome = 'idle' | 'busy' | 'step' | 'live';

/**
 * Builds new views of boards beside what is served, takes dropped ones away, frees groups without entries, and drops rankings of periods that are no longer
 * kept (migrations/functions/7_views.sql). Each step is a short transaction that stores its progress: after a crash, any
 * process continues from there. Entries of dropped rankings are deleted with old generations (rebuilds.ts).
 */
export class ViewUpkeep {
  readonly #task: PeriodicTask;
  readonly #served: string;
  #retiredAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly db: Database,
    private readonly clock: Clock,
    private readonly log: Log,
    /** Called with the board's id when it has another live view, or rankings were dropped. */
    private readonly moved: (boardId: string) => void,
  ) {
    this.#served = servedHere(db.knex, 'board', 'board_id');
    this.#task = new PeriodicTask(() => this.work(), {
      everyMillis: VIEWS_INTERVAL_MS,
      log,
      failure: 'views could not be built',
    });
  }

  /** Starts with unfinished builds at once, then periodically. */
  start(): void {
    this.#task.start();
  }

  /** Does all pending work in turns, except the work of other processes. @returns the number of views that were not live */
  async work(): Promise<number> {
    const unlive = await inTurns(
      async () => (await this.db.knex.raw<{ rows: Unlive[] }>(unfinished(this.#served))).rows,
      ({ board_id, view_no }) => `${board_id} ${view_no}`,
      (one) => this.#advance(one),
      () => this.#task.closed,
    );
    if (this.#retiredAt + RETIRE_INTERVAL_MS <= this.clock()) {
      await this.retire();
      await this.free();
    }
    return unlive;
  }

  /** Takes a step of a view. @returns false if it has no further one now */
  async #advance({ board_id, view_no, status }: Unlive): Promise<boolean> {
    const boardId = idOf('board', board_id);
    try {
      if (status === 'dropping') return await this.drop(boardId, view_no);
      const outcome = await this.step(boardId, view_no);
      if (outcome === 'live') this.moved(boardId);
      return outcome === 'step' || outcome === 'live';
    } catch (error) {
      // An error on one board must not block the others; it is tried again.
      this.log.warn({ err: error, boardId, view: view_no }, 'failed to build a view; retrying');
      return false;
    }
  }

  /** The next step of a build. @param most players */
  async step(boardId: string, view: number, most = STEP): Promise<StepOutcome> {
    try {
      const values = [uuidOf(boardId), view, new Date(this.clock()), most];
      const [row] = await queryUnhurried<{ outcome: StepOutcome }>(this.db.pool, BUILD, values);
      return row!.outcome;
    } catch (error) {
      if ((error as { code?: string }).code === GIVEN_UP) return 'step';
      throw error;
    }
  }

  /** Takes some of a dropped view away. @returns false if nothing is left */
  async drop(boardId: string, view: number): Promise<boolean> {
    const { rows } = await this.db.pool.query<{ dropped: number }>({
      ...DROP,
      values: [uuidOf(boardId), view, new Date(this.clock()), RANKINGS_AT_ONCE],
    });
    return rows[0]!.dropped > 0;
  }

  /** Drops the rankings of all periods that are no longer kept. */
  async retire(): Promise<void> {
    const now = new Date(this.clock());
    const { rows } = await this.db.knex.raw<{ rows: { board_id: string }[] }>(retirable(this.#served), [now]);
    for (const { board_id } of rows) {
      let retired = RANKINGS_AT_ONCE;
      while (retired === RANKINGS_AT_ONCE && !this.#task.closed) {
        const answer = await this.db.pool.query<{ retired: number }>({
          ...RETIRE,
          values: [board_id, now, RANKINGS_AT_ONCE],
        });
        retired = answer.rows[0]!.retired;
      }
      this.moved(idOf('board', board_id));
    }
    this.#retiredAt = now.getTime();
  }

  /** Frees groups that have had no entries for an hour, so that they do not count for the limit of groups any more. */
  async free(): Promise<void> {
    const now = new Date(this.clock());
    const { rows } = await this.db.knex.raw<{ rows: { board_id: string }[] }>(emptied(this.#served), [now]);
    for (const { board_id } of rows) {
      let looked = RANKINGS_AT_ONCE;
      while (looked === RANKINGS_AT_ONCE && !this.#task.closed) {
        const values = [board_id, now, RANKINGS_AT_ONCE];
        const answer = await this.db.pool.query<{ seen: number; freed: number }>({ ...FREE, values });
        const { seen, freed } = answer.rows[0]!;
        looked = seen;
        if (freed > 0) this.moved(idOf('board', board_id));
      }
    }
  }

  close(): Promise<void> {
    return this.#task.close();
  }
}
