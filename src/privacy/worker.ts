import { type Clock, PeriodicTask } from '../base/clock.js';
import { idOf, uuidOf } from '../base/ids.js';
import type { Log } from '../base/log.js';
import { servedHere } from '../db/moved.js';
import type { Database } from '../db/pool.js';
import { inTurns } from '../jobs/in-turns.js';
import { PatientWork } from '../jobs/patience.js';

/** Lease of the process that works on an erasure; after it, any process may continue. */
export const ERASURE_LEASE_MS = 30_000;
const ERASURE_INTERVAL_MS = 5_000;
/** Events of one step: some ten milliseconds, in which submissions to the board wait. */
const EVENTS_AT_ONCE = 1_000;

const due = (served: string) => `
  select identity_id, account_id from identity_erasures where status = 'running' and leased_until <= $1 ${served}
  order by leased_until, identity_id`;
const CLAIM = `update identity_erasures set leased_until = $2 where identity_id = $1 and status = 'running' and leased_until <= $3`;
const RENEW = 'update identity_erasures set leased_until = $2 where identity_id = $1';
// Uses the pool of fixed plans: planning a derivation takes several times as long as running it for one player.
const STEP = { name: 'advance_erasure', text: 'select * from advance_erasure($1, $2, $3)' };

interface Due {
  identity_id: string;
  account_id: string;
}

interface Step {
  board: string | null;
  finished: boolean;
  waits: boolean;
}

/**
 * Erases histories of players in steps of one short transaction each, which any process may take. How far an erasure is,
 * is stored in the database, so that another process continues the work that a process leaves behind.
 */
export class ErasureWorker {
  readonly #requested: PatientWork;
  readonly #task: PeriodicTask;
  readonly #due: string;

  constructor(
    private readonly db: Pick<Database, 'pool' | 'knex'>,
    private readonly clock: Clock,
    private readonly log: Log,
    /** Called with the id of a board or a player after the commit of each step that changed it. */
    private readonly changed: (topic: string) => void,
    private readonly eventsAtOnce = EVENTS_AT_ONCE,
  ) {
    this.#due = due(servedHere(db.knex, 'account', 'account_id'));
    this.#requested = new PatientWork((error, identityId) =>
      log.error({ err: error, identityId }, 'failed to finish an erasure; retrying'),
    );
    this.#task = new PeriodicTask(() => this.eraseDue(), {
      everyMillis: ERASURE_INTERVAL_MS,
      log,
      failure: 'failed to erase personal data',
    });
  }

  /** Resumes unfinished erasures immediately, then periodically. */
  start(): void {
    this.#task.start();
  }

  /** Finishes erasures that no process holds, in turns: the whole of the periodic work. */
  async eraseDue(): Promise<void> {
    await inTurns(
      async () => (await this.db.pool.query<Due>(this.#due, [new Date(this.clock())])).rows,
      ({ identity_id }) => identity_id,
      ({ identity_id }) => this.#advance(identity_id),
      () => this.#task.closed,
      ({ account_id }) => account_id,
    );
  }

  /** Takes a step of an erasure that no process holds, and gives it back. @returns false if there are no more steps now */
  async #advance(id: string): Promise<boolean> {
    try {
      const now = this.clock();
      const claimed = await this.db.pool.query(CLAIM, [id, new Date(now + ERASURE_LEASE_MS), new Date(now)]);
      if (claimed.rowCount === 0 || !(await this.#step(id))) return false;
      await this.db.pool.query(RENEW, [id, new Date(this.clock())]);
      return true;
    } catch (error) {
      // An error in one erasure must not block the others; its lease runs out and it is tried again.
      this.log.warn(
        { err: error, identityId: idOf('identity', id) },
        'failed to finish an erasure; retrying',
      );
      return false;
    }
  }

  /** Works on a request's erasure: resolves after a limited time, and the rest is done in the background. */
  eraseSoon(identityId: string): Promise<void> {
    return this.#requested.begin(identityId, (id) => this.erase(id));
  }

  /** Erases a player's history as far as it can be done now: not while a job with the player's id runs. */
  async erase(identityId: string): Promise<void> {
    const id = uuidOf(identityId);
    let leasedUntil = this.clock() + ERASURE_LEASE_MS;
    while (!this.#task.closed && (await this.#step(id))) {
      if (this.clock() > leasedUntil - ERASURE_LEASE_MS / 2) {
        leasedUntil = this.clock() + ERASURE_LEASE_MS;
        await this.db.pool.query(RENEW, [id, new Date(leasedUntil)]);
      }
    }
  }

  /** @returns false if there are no more steps now */
  async #step(id: string): Promise<boolean> {
    const values = [id, new Date(this.clock()), this.eventsAtOnce];
    const { rows } = await this.db.pool.query<Step>({ ...STEP, values });
    const { board, finished, waits } = rows[0]!;
    if (board) this.changed(idOf('board', board));
    if (finished) this.changed(idOf('identity', id));
    return !finished && !waits;
  }

  async close(): Promise<void> {
    await Promise.all([this.#task.close(), this.#requested.settled()]);
  }
}
