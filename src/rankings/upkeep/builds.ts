import { type Clock, PeriodicTask } from '../../base/clock.js';
import { idOf, uuidOf } from '../../base/ids.js';
import type { Log } from '../../base/log.js';
import { servedHere } from '../../db/moved.js';
import type { Database } from '../../db/pool.js';
import { queryUnhurried } from '../../db/statements/unhurried.js';
import { inTurns } from '../../jobs/in-turns.js';

const INTERVAL_MS = 1_000;
/** Players in one step: one or two tenths of a second, so that no snapshot lives long. */
const STEP = 2_000;

const unbuilt = (served: string) => `
  select u.board_id, b.account_id from boards b join (
    select board_id from board_rankings where build is not null ${served}
    union select board_id from board_views where status = 'building' ${served}) u on u.board_id = b.id order by 1`;

interface Unbuilt {
  board_id: string;
  account_id: string;
}

// Uses the pool of fixed plans: derivations walk primary keys.
const BUILD = { name: 'advance_build', text: 'select advance_build($1, $2, $3, false) as outcome' };

/** A step of an abandoned build was rolled back. */
const GIVEN_UP = 'LB001';

type StepOutcome = 'idle' | 'busy' | 'step' | 'turned';

/**
 * Builds rankings while others are served: after changes of rules, after imports, and for new views
 * (migrations/functions/8_steps.sql). Each step is a short transaction that stores its progress: after a crash, any
 * process continues from there.
 */
export class Builds {
  readonly #task: PeriodicTask;
  readonly #served: string;

  constructor(
    private readonly db: Database,
    private readonly clock: Clock,
    private readonly log: Log,
    /** Called with the board's id once the new build is served. */
    private readonly moved: (boardId: string) => void,
  ) {
    this.#served = servedHere(db.knex, 'board', 'board_id');
    this.#task = new PeriodicTask(() => this.work(), {
      everyMillis: INTERVAL_MS,
      log,
      failure: 'rankings could not be built',
    });
  }

  /** Starts new and unfinished builds immediately, then periodically. */
  start(): void {
    this.#task.start();
  }

  /** Does all pending work in turns, except the work of other processes. @returns the number of boards */
  async work(): Promise<number> {
    return inTurns(
      async () => (await this.db.knex.raw<{ rows: Unbuilt[] }>(unbuilt(this.#served))).rows,
      ({ board_id }) => board_id,
      ({ board_id }) => this.#advance(idOf('board', board_id)),
      () => this.#task.closed,
      ({ account_id }) => account_id,
    );
  }

  /** Takes a step for a board. @returns false if there are no more steps now */
  async #advance(boardId: string): Promise<boolean> {
    try {
      const outcome = await this.step(boardId);
      return outcome === 'step' || outcome === 'turned';
    } catch (error) {
      // An error on one board must not block the others; it is retried.
      this.log.warn({ err: error, boardId }, 'failed to build rankings of a board; retrying');
      return false;
    }
  }

  /** Builds whatever one board is waiting for, to the end or until another process works on it. */
  async build(boardId: string): Promise<void> {
    while (!this.#task.closed) {
      const outcome = await this.step(boardId);
      if (outcome === 'idle' || outcome === 'busy') return;
    }
  }

  /** The next step of a board. @param most players at most */
  async step(boardId: string, most = STEP): Promise<StepOutcome> {
    try {
      const values = [uuidOf(boardId), new Date(this.clock()), most];
      const [row] = await queryUnhurried<{ outcome: StepOutcome }>(this.db.pool, BUILD, values);
      if (row!.outcome === 'turned') this.moved(boardId);
      return row!.outcome;
    } catch (error) {
      if ((error as { code?: string }).code === GIVEN_UP) return 'step';
      throw error;
    }
  }

  close(): Promise<void> {
    return this.#task.close();
  }
}
