import { type Clock, PeriodicTask } from '../../base/clock.js';
import { idOf, kindOf } from '../../base/ids.js';
import type { Log } from '../../base/log.js';
import type { Changes } from '../../db/changes.js';
import type { Database } from '../../db/pool.js';
import type { Rebuilds } from '../upkeep/rebuilds.js';

const IMPORTS_INTERVAL_MS = 1_000;
/** Rows of one step: while it lasts, some tenths of a second, submissions to the board wait. */
const ROWS_AT_ONCE = 2_000;

const DUE = `
  select id, board_id from score_imports
  where status in ('writing', 'ranking') or (has_rows and status in ('finished', 'cancelled')) order by created_at`;
const STEP = { name: 'import_step', text: 'select import_step($1, $2, $3) as outcome' };

type Outcome = 'busy' | 'step' | 'build' | 'wait' | 'done';

/**
 * Turns the rows of finished imports into events and has their boards ranked anew. Each step is a short transaction that
 * stores its progress: after a crash, any process continues from there.
 */
export class Imports {
  readonly #task: PeriodicTask;
  readonly #stopListening: () => void;

  constructor(
    private readonly db: Database,
    private readonly clock: Clock,
    private readonly log: Log,
    changes: Changes,
    private readonly rebuilds: Rebuilds,
    /** Called with the id of an import that has moved on. */
    private readonly moved: (importId: string) => void,
  ) {
    this.#task = new PeriodicTask(() => this.work(), {
      everyMillis: IMPORTS_INTERVAL_MS,
      log,
      failure: 'imports could not go on',
    });
    this.#stopListening = changes.listen((topic) => {
      if (kindOf(topic) === 'scoreImport') this.#task.wake();
    });
  }

  start(): void {
    this.#task.start();
  }

  /** Does all pending work, except the work of other processes. */
  async work(): Promise<void> {
    const { rows } = await this.db.knex.raw<{ rows: { id: string; board_id: string }[] }>(DUE);
    for (const { id, board_id: boardId } of rows) {
      try {
        await this.#bringIn(id, idOf('board', boardId));
      } catch (error) {
        // An error of one import must not block the others; it is tried again.
        this.log.warn(
          { err: error, importId: idOf('scoreImport', id) },
          'an import could not go on; it is tried again',
        );
      }
    }
  }

  async #bringIn(id: string, boardId: string): Promise<void> {
    let built = false;
    while (!this.#task.closed) {
      const { rows } = await this.db.pool.query<{ outcome: Outcome }>({
        ...STEP,
        values: [id, new Date(this.clock()), ROWS_AT_ONCE],
      });
      const { outcome } = rows[0]!;
      if (outcome === 'build' && !built) await this.rebuilds.build(boardId);
      else if (outcome !== 'step') break;
      // Another process ranks the board: this one looks again in the next round.
      built = outcome === 'build';
    }
    this.moved(idOf('scoreImport', id));
  }

  async close(): Promise<void> {
    this.#stopListening();
    await this.#task.close();
  }
}
