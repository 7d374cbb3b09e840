import { type Clock, PeriodicTask } from '../../base/clock.js';
import { idOf, kindOf } from '../../base/ids.js';
import type { Log } from '../../base/log.js';
import { precedePeriods } from '../../boards/views/periods.js';
import type { Changes } from '../../db/changes.js';
import { servedHere } from '../../db/moved.js';
import type { Database } from '../../db/pool.js';
import { inTurns } from '../../jobs/in-turns.js';
import type { Builds } from '../../rankings/upkeep/builds.js';
import type { FairPlay } from '../../submissions/decide/fair-play.js';
import { checkStep } from './check.js';

const IMPORTS_INTERVAL_MS = 1_000;
const ROUND_MS = 1_000;
/**
 * Rows of one step: submissions to the board wait for two inserts of this many rows, a few hundredths of a second.
 */
const ROWS_AT_ONCE = 1_000;
/** An open import without a new chunk for this long is cancelled, because its rows contain player names. */
const OPEN_MS = 7 * 24 * 3_600_000;

const cancelStale = (served: string) => `
  update score_imports set status = 'cancelled', closed_at = ?, updated_at = ? where status = 'open' and updated_at < ? ${served}`;
const due = (served: string) => `
  select id, board_id, account_id from score_imports
  where (status in ('writing', 'checking', 'ranking') or (has_rows and status in ('finished', 'cancelled'))) ${served}
  order by closed_at, id`;
const STEP = { name: 'advance_import', text: 'select advance_import($1, $2, $3) as outcome' };

interface Due {
  id: string;
  board_id: string;
  account_id: string;
}

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

  /** Takes steps in turns, except those of other processes, and looks again after a while at those that had none. */
  async work(): Promise<void> {
    const { db, clock, moved } = this.parts;
    const now = clock();
    const served = servedHere(db.knex, 'account', 'account_id');
    await db.knex.raw(cancelStale(served), [new Date(now), new Date(now), new Date(now - OPEN_MS)]);
    const begun = new Set<string>();
    const until = performance.now() + ROUND_MS;
    const isOver = () => performance.now() > until;
    await inTurns(
      async () => (await db.knex.raw<{ rows: Due[] }>(due(served))).rows,
      ({ id }) => id,
      async (one) => {
        const goesOn = await this.#advance(one, !begun.has(one.id));
        begun.add(one.id);
        if (!goesOn) moved(idOf('scoreImport', one.id));
        return goesOn;
      },
      () => this.#task.closed || isOver(),
      ({ account_id }) => account_id,
    );
    if (isOver()) this.#task.wake();
  }

  /** Takes a step for an import. @returns false if there are no more steps now */
  async #advance({ id, board_id: board }: Due, isFirst: boolean): Promise<boolean> {
    const { db, clock, builds, fairPlay, log } = this.parts;
    const boardId = idOf('board', board);
    try {
      // The events may have occurred before the first period of the board's views.
      if (isFirst) await precedePeriods(db.knex, board);
      const values = [id, new Date(clock()), ROWS_AT_ONCE];
      const { rows } = await db.pool.query<{ outcome: Outcome }>({ ...STEP, values });
      const { outcome } = rows[0]!;
      if (outcome === 'check') await checkStep(db, fairPlay, clock, id, boardId);
      // Where another process ranks the board, the next round looks again.
      if (outcome === 'build') return ['step', 'turned'].includes(await builds.step(boardId));
      return outcome === 'step' || outcome === 'check';
    } catch (error) {
      // An error of one import must not block the others; it is retried.
      log.warn({ err: error, importId: idOf('scoreImport', id) }, 'an import was interrupted; retrying');
      return false;
    }
  }

  async close(): Promise<void> {
    this.#stopListening();
    await this.#task.close();
  }
}
