import { type Clock, PeriodicTask } from '../base/clock.js';
import type { Log } from '../base/log.js';
import type { Queryable } from './pool.js';

/** Clocks of machines diverge by less than a millisecond in that time. */
const CLOCK_INTERVAL_MS = 10_000;
/** A slower response is too inaccurate to use. */
const LONGEST_MS = 1_000;
/** Differences from here on are logged: a machine's clock is wrong. */
const STRANGE_MS = 5_000;

const TIME = {
  name: 'database_time',
  text: 'select (extract(epoch from clock_timestamp()) * 1000)::float8 as millis',
};

/**
 * The database's time, shared by all gateways on it, whatever the clocks of their machines show. Between two readings
 * this process' own clock continues from the last one, so that no request waits for a statement.
 */
export class DatabaseClock {
  #ahead: number | undefined;
  readonly #task: PeriodicTask;

  private constructor(
    private readonly db: Queryable,
    log: Log,
    /** Milliseconds since an arbitrary moment; monotonic. */
    private readonly local: Clock,
  ) {
    this.#task = new PeriodicTask(() => this.#look(), {
      everyMillis: CLOCK_INTERVAL_MS,
      log,
      failure: 'failed to read the database clock',
    });
  }

  /** Reads the time, and again every ten seconds until it is closed. */
  static async open(db: Queryable, log: Log, local: Clock = () => performance.now()): Promise<DatabaseClock> {
    const clock = new DatabaseClock(db, log, local);
    await clock.#look();
    const lead = Date.now() - clock.now();
    if (Math.abs(lead) > STRANGE_MS) {
      log.warn(
        { seconds: Math.round(lead / 1_000) },
        "the clocks of this machine and the database differ; using the database's",
      );
    }
    clock.#task.start();
    return clock;
  }

  readonly now: Clock = () => Math.floor(this.local() + this.#ahead!);

  async #look(): Promise<void> {
    const before = this.local();
    const { rows } = await this.db.query<{ millis: number }>(TIME);
    const took = this.local() - before;
    if (this.#ahead !== undefined && took > LONGEST_MS) return;
    const ahead = rows[0]!.millis - (before + took / 2);
    // A difference within the round trip's inaccuracy is ignored.
    if (this.#ahead === undefined || Math.abs(ahead - this.#ahead) > took / 2) this.#ahead = ahead;
  }

  close(): Promise<void> {
    return this.#task.close();
  }
}
