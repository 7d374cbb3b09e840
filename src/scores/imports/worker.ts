import { type Clock, PeriodicTask } from '../../base/clock.js';
import { idOf, kindOf, uuidOf } from '../../base/ids.js';
import type { Log } from '../../base/log.js';
import { precedePeriods } from '../../boards/views/periods.js';
import type { Changes } from '../../db/changes.js';
import { servedHere } from '../../db/moved.js';
import type { Database } from '../../db/pool.js';
import type { Builds } from '../../rankings/upkeep/builds.js';
import type { FairPlay } from '../../submissions/decide/fair-play.js';
import { checkStep } from './check.js';

const IMPORTS_INTERVAL_MS = 1_000;
/**
 * Rows of one step: submissions to the board wait for two inserts of this many rows, a few hundredths of a second.
 */
const ROWS_AT_ONCE = 1_000;
/** An open import without a new chunk for this long is cancelled, because its rows contain player names. */
const OPEN_MS = 7 * 24 * 3_600_000;

const cancelStale = (served: string) => `
  update score_imports set status = 'cancelled', closed_at = ?, updated_at = ? where status = 'open' and updated_at < ? ${served}`;
const due = (served: string) => `
  select id, board_id from score_imports
  where (status in ('writing', 'checking', 'ranking') or (has_rows and status in ('finished', 'cancelled'))) ${served}
  order by closed_at, id`;
const STEP = { name: 'advance_import', text: 'select advance_import($1, $2, $3) as outcome' };

type Outcome = 'busy' | 'step' | 'check' | 'build' | 'wait' | 'done';

interface ImportsParts {
  db: Database;
  clock: Clock;
  log: Log;
  changes: Changes;
  builds: Builds;
  fairPlay: FairPlay;
  /** Called with the id of an import that has progressed. */
  moved(importId: string): void;
}

/**
 * Turns the rows of finished imports into events and has their boards re-ranked. Each step is a short transaction
 * that stores its progress: after a crash, any process continues from there.
 */
export class Imports {
  readonly #task: PeriodicTask;
  readonly #stopListening: () => void;

  constructor(private readonly parts: ImportsParts) {
    const { log, changes } = parts;
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
    const { db, clock, log } = this.parts;
    const now = clock();
    const served = servedHere(db.knex, 'account', 'account_id');
    await db.knex.raw(cancelStale(served), [new Date(now), new Date(now), new Date(now - OPEN_MS)]);
    const { rows } = await db.knex.raw<{ rows: { id: string; board_id: string }[] }>(due(served));
    for (const { id, board_id: boardId } of rows) {
      try {
        await this.#bringIn(id, idOf('board', boardId));
      } catch (error) {
        // An error of one import must not block the others; it is retried.
        log.warn({ err: error, importId: idOf('scoreImport', id) }, 'an import was interrupted; retrying');
      }
    }
  }

  async #bringIn(id: string, boardId: string): Promise<void> {
    const { db, clock, builds, fairPlay, moved } = this.parts;
    // The events may have occurred before the first period of the board's views.
    await precedePeriods(db.knex, uuidOf(boardId));
    let outcome: Outcome = 'step';
    while (!this.#task.closed) {
      const before = outcome;
      const { rows } = await db.pool.query<{ outcome: Outcome }>({
        ...STEP,
        values: [id, new Date(clock()), ROWS_AT_ONCE],
      });
      outcome = rows[0]!.outcome;
      if (outcome === 'check') await checkStep(db, fairPlay, clock, id, boardId);
      else if (outcome === 'build') {
        // Another process is ranking the board: check again in the next round.
        if (before === 'build') break;
        await builds.build(boardId);
      } else if (outcome !== 'step') break;
    }
    moved(idOf('scoreImport', id));
  }

  async close(): Promise<void> {
    this.#stopListening();
    await this.#task.close();
  }
}
