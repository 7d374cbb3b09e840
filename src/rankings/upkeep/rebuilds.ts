import { type Clock, PeriodicTask } from '../../base/clock.js';
import { idOf, uuidOf } from '../../base/ids.js';
import type { Log } from '../../base/log.js';
import { servedHere } from '../../db/moved.js';
import type { Database } from '../../db/pool.js';
import { queryUnhurried } from '../../db/statements/unhurried.js';
import { inTurns } from './in-turns.js';

const REBUILD_INTERVAL_MS = 1_000;
/** Players in one step: a tenth of a second or two, so that no snapshot lives long. */
const STEP = 2_000;
/** Rows of an unserved generation that one statement deletes. */
const ENTRIES_AT_ONCE = 5_000;

const building = (served: string) =>
  `select board_id from board_rankings where build is not null ${served} order by board_id`;
const forgotten = (served: string) =>
  `select board_id, generation from generations_due where due_at <= ? ${served} order by due_at limit 20`;
// On the pool of fixed plans: derivations walk primary keys.
const BUILD = { name: 'build_step', text: 'select build_step($1, $2, $3, false) as outcome' };
const FORGET = { name: 'forget_generation', text: 'select forget_generation($1, $2, $3) as deleted' };

/** A step of a superseded generation was rolled back. */
const SUPERSEDED = 'LB001';

type StepOutcome = 'idle' | 'busy' | 'step' | 'turned';

/**
 * Ranks boards anew after a change of their rules, in a new generation beside the served one, and deletes generations that
 * are not served any more (migrations/014_generations.sql). Each step is a short transaction that stores its progress: after
 * a crash, any process continues from there.
 */
export class Rebuilds {
  readonly #task: PeriodicTask;
  readonly #served: string;

  constructor(
    private readonly db: Database,
    private readonly clock: Clock,
    private readonly log: Log,
    /** Called with the board's id when its new order is served. */
    private readonly moved: (boardId: string) => void,
  ) {
    this.#served = servedHere(db.knex, 'board', 'board_id');
    this.#task = new PeriodicTask(() => this.work(), {
      everyMillis: REBUILD_INTERVAL_MS,
      log,
      failure: 'boards could not be ranked anew',
    });
  }

  /** Starts with new and unfinished rebuilds at once, then periodically. */
  start(): void {
    this.#task.start();
  }

  /** Does all pending work in turns, except the work of other processes: the whole of the periodic work. @returns the number of boards */
  async work(): Promise<number> {
    const boards = await inTurns(
      async () => (await this.db.knex.raw<{ rows: { board_id: string }[] }>(building(this.#served))).rows,
      ({ board_id }) => board_id,
      ({ board_id }) => this.#advance(idOf('board', board_id)),
      () => this.#task.closed,
    );
    await this.#forget();
    return boards;
  }

  /** Takes a step of a board. @returns false if it has no further one now */
  async #advance(boardId: string): Promise<boolean> {
    try {
      const outcome = await this.#step(boardId);
      if (outcome === 'turned') this.moved(boardId);
      return outcome !== 'idle' && outcome !== 'busy';
    } catch (error) {
      // An error on one board must not block the others; it is tried again.
      this.log.warn({ err: error, boardId }, 'failed to rebuild the ranking of a board; retrying');
      return false;
    }
  }

  /** Ranks one board anew, to the end, or until another process works on it. */
  async build(boardId: string): Promise<void> {
    while (!this.#task.closed) {
      const outcome = await this.#step(boardId);
      if (outcome === 'turned') this.moved(boardId);
      if (outcome === 'idle' || outcome === 'busy') return;
    }
  }

  async #step(boardId: string): Promise<StepOutcome> {
    try {
      const values = [uuidOf(boardId), new Date(this.clock()), STEP];
      const [row] = await queryUnhurried<{ outcome: StepOutcome }>(this.db.pool, BUILD, values);
      return row!.outcome;
    } catch (error) {
      if ((error as { code?: string }).code === SUPERSEDED) return 'step';
      throw error;
    }
  }

  async #forget(): Promise<void> {
    const { rows } = await this.db.knex.raw<{ rows: { board_id: string; generation: number }[] }>(
      forgotten(this.#served),
      [new Date(this.clock())],
    );
    for (const { board_id, generation } of rows) {
      let deleted = 1;
      while (deleted > 0 && !this.#task.closed) {
        const answer = await this.db.pool.query<{ deleted: number }>({
          ...FORGET,
          values: [board_id, generation, ENTRIES_AT_ONCE],
        });
        deleted = answer.rows[0]!.deleted;
      }
    }
  }

  close(): Promise<void> {
    return this.#task.close();
  }
}
