import type { Clock } from '../../base/clock.js';
import { idOf, uuidOf } from '../../base/ids.js';
import type { Log } from '../../base/log.js';
import { PeriodicTask } from '../../base/periodic.js';
import type { Database } from '../../db/pool.js';

const POLL_INTERVAL_MS = 1_000;
/** Players of one step: some tenths of a second, so that no snapshot lives long. */
const STEP = 5_000;
/** Rows of a generation nobody serves that are deleted at once. */
const CHUNK = 5_000;

const BUILDING = 'select board_id from board_rankings where build is not null order by board_id';
const FORGOTTEN =
  'select board_id, generation from generations_due where due_at <= ? order by due_at limit 20';
// On the pool of fixed plans: derivations walk primary keys.
const BUILD = { name: 'build_step', text: 'select build_step($1, $2, $3, false) as outcome' };
const FORGET = { name: 'forget_generation', text: 'select forget_generation($1, $2, $3) as deleted' };

/** A step of a generation that nobody wants any more was undone. */
const SUPERSEDED = 'LB001';

type Outcome = 'idle' | 'busy' | 'step' | 'turned';

/**
 * Ranks boards anew whose rules have changed, in a generation of their own beside the one that is served, and deletes
 * generations that are served no more (migrations/014_generations.sql). Each step is a short transaction that stores how far it
 * came: after a crash, any process goes on from there.
 */
export class Rebuilds {
  readonly #task: PeriodicTask;

  constructor(
    private readonly db: Database,
    private readonly clock: Clock,
    private readonly log: Log,
    /** Called when a board has turned to its new order, with its id. */
    private readonly moved: (boardId: string) => void,
  ) {
    this.#task = new PeriodicTask(() => this.work(), {
      everyMillis: POLL_INTERVAL_MS,
      log,
      failure: 'boards are still to be ranked anew',
    });
  }

  /** Looks at once for what is to be done or was left, then again and again. */
  start(): void {
    this.#task.start();
  }

  /** Does all there is to do, except what others are doing: the whole of the periodic work. @returns the number of boards */
  async work(): Promise<number> {
    const { rows } = await this.db.knex.raw<{ rows: { board_id: string }[] }>(BUILDING);
    for (const { board_id } of rows) {
      try {
        await this.build(idOf('board', board_id));
      } catch (error) {
        // One board's fault must not keep the others waiting; it is tried again.
        this.log.warn({ err: error, boardId: idOf('board', board_id) }, 'a board is still to be ranked anew');
      }
    }
    await this.#forget();
    return rows.length;
  }

  /** Ranks one board anew, to the end, or as far as nobody else is doing it. */
  async build(boardId: string): Promise<void> {
    while (!this.#task.closed) {
      const outcome = await this.#step(boardId);
      if (outcome === 'turned') this.moved(boardId);
      if (outcome === 'idle' || outcome === 'busy') return;
    }
  }

  async #step(boardId: string): Promise<Outcome> {
    try {
      const { rows } = await this.db.pool.query<{ outcome: Outcome }>({
        ...BUILD,
        values: [uuidOf(boardId), new Date(this.clock()), STEP],
      });
      return rows[0]!.outcome;
    } catch (error) {
      if ((error as { code?: string }).code === SUPERSEDED) return 'step';
      throw error;
    }
  }

  async #forget(): Promise<void> {
    const { rows } = await this.db.knex.raw<{ rows: { board_id: string; generation: number }[] }>(FORGOTTEN, [
      new Date(this.clock()),
    ]);
    for (const { board_id, generation } of rows) {
      let deleted = 1;
      while (deleted > 0 && !this.#task.closed) {
        const answer = await this.db.pool.query<{ deleted: number }>({
          ...FORGET,
          values: [board_id, generation, CHUNK],
        });
        deleted = answer.rows[0]!.deleted;
      }
    }
  }

  close(): Promise<void> {
    return this.#task.close();
  }
}
