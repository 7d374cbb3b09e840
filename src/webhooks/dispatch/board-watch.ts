import { type Clock, PeriodicTask } from '../../base/clock.js';
import { isId, uuidOf } from '../../base/ids.js';
import type { Log } from '../../base/log.js';
import type { Changes } from '../../db/changes.js';
import type { Database } from '../../db/pool.js';
import { asksForBoards, type DispatchParts, dispatchBoards } from './dispatcher.js';

/** How often this process looks whether an endpoint asks for boards. */
const LOOK_MS = 10_000;
/** Changes within this time are looked at together: a comparison costs the same for one submission as for thousands. */
const BEAT_MS = 2_000;
/** More boards that change within a beat are left to the dispatcher's round. */
const MOST_BOARDS = 500;

interface BoardWatchParts {
  database: Database;
  clock: Clock;
  log: Log;
  changes: Changes;
  dispatch: DispatchParts;
}

/**
 * Boards that changed, here or in another process, are compared within about two seconds. What it misses, the dispatcher's round
 * of ten seconds finds.
 */
export class BoardWatch {
  readonly #changed = new Set<string>();
  readonly #task: PeriodicTask;
  readonly #unlisten: () => void;
  #isAsked = false;

  constructor(private readonly parts: BoardWatchParts) {
    this.#unlisten = parts.changes.listen((topic) => {
      if (!this.#isAsked || this.#changed.size >= MOST_BOARDS || !isId('board', topic)) return;
      this.#changed.add(uuidOf(topic));
      this.#task.wake(BEAT_MS);
    });
    this.#task = new PeriodicTask((woken) => this.#run(woken), {
      everyMillis: LOOK_MS,
      log: parts.log,
      failure: 'changed boards could not be compared for webhooks; they will be later',
    });
  }

  start(): void {
    if (this.parts.dispatch.isOn) this.#task.start();
  }

  async #run(woken: boolean): Promise<void> {
    if (!woken) this.#isAsked = await asksForBoards(this.parts.database.knex);
    const { database, dispatch, clock } = this.parts;
    const boards = [...this.#changed];
    if (boards.length === 0) return;
    this.#changed.clear();
    if (await dispatchBoards(database.knex, dispatch, new Date(clock()), boards)) return;
    for (const board of boards) this.#changed.add(board);
    this.#task.wake(BEAT_MS);
  }

  async close(): Promise<void> {
    this.#unlisten();
    await this.#task.close();
  }
}
