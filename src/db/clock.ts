import { type Clock, PeriodicTask } from '../base/clock.js';
import type { Log } from '../base/log.js';
import type { Queryable } from './pool.js';

/** Clocks of machines diverge by less than a millisecond in that time. */
const CLOCK_INTERVAL_MS = 10_000;
/** A slower response is too inaccurate to use. */
const LONGEST_MS = 1_000;
/** Differences from here on are logged: a machine's clock is wrong. */
const STRANGE_MS = 5_000;
/** Round trips of a reading, of which the median counts: one may have waited for anything. */
const ROUND_TRIPS = 3;
/** A difference from here on is a jump: it counts once the next reading confirms it. */
const JUMP_MS = 1_000;

const TIME = {
  name: 'database_time',
  text: 'select (extract(epoch from clock_timestamp()) * 1000)::float8 as millis',
};

interface Reading {
  /** Milliseconds from the local clock to the database's. */
  ahead: number;
  took: number;
}

/**
 * The database's time, shared by all gateways on it, whatever the clocks of their machines show. Between two readings
 * this process' own clock continues from the last one, so that no request waits for a statement.
 */
export class DatabaseClock {
  #ahead: number | undefined;
  /** A jump that no second reading has confirmed. */
  #jumped: number | undefined;
  #offsetMillis = 0;
  readonly #task: PeriodicTask;

  private constructor(
    private readonly db: Queryable,
    log: Log,
    /** Milliseconds since an arbitrary moment; monotonic. */
    private readonly local: Clock,
    /** Epoch milliseconds by the machine's clock. */
    private readonly machine: Clock,
  ) {
    this.#task = new PeriodicTask(() => this.look(), {
      everyMillis: CLOCK_INTERVAL_MS,
      log,
      failure: 'failed to read the database clock',
    });
  }

  /** Reads the time, and again every ten seconds until it is closed. */
  static async open(
    db: Queryable,
    log: Log,
    local: Clock = () => performance.now(),
    machine: Clock = Date.now,
  ): Promise<DatabaseClock> {
    const clock = new DatabaseClock(db, log, local, machine);
    await clock.look();
    if (Math.abs(clock.#offsetMillis) > STRANGE_MS) {
      log.warn(
        { seconds: Math.round(clock.#offsetMillis / 1_000) },
        "the clocks of this machine and the database differ; using the database's",
      );
    }
    clock.#task.start();
    return clock;
  }

  readonly now: Clock = () => Math.floor(this.local() + this.#ahead!);

  /** Seconds by which the machine's clock was ahead of the database's when it was last read. */
  readonly offset = (): number => this.#offsetMillis / 1_000;

  /** Reads the database's clock now, and not only every ten seconds. */
  async look(): Promise<void> {
    const readings: Reading[] = [];
    for (let trip = 0; trip < ROUND_TRIPS; trip += 1) readings.push(await this.#read());
    readings.sort((a, b) => a.ahead - b.ahead);
    const { ahead, took } = readings[ROUND_TRIPS >> 1]!;
    if (this.#ahead !== undefined && took > LONGEST_MS) return;
    this.#offsetMillis = this.machine() - (this.local() + ahead);
    const change = Math.abs(ahead - (this.#ahead ?? ahead));
    const isJump = change > JUMP_MS && !(Math.abs(ahead - (this.#jumped ?? Infinity)) <= JUMP_MS);
    this.#jumped = isJump ? ahead : undefined;
    // A difference within the round trip's inaccuracy is ignored.
    if (this.#ahead === undefined || (!isJump && change > took / 2)) this.#ahead = ahead;
  }

  async #read(): Promise<Reading> {
    const before = this.local();
    const { rows } = await this.db.query<{ millis: number }>(TIME);
    const took = this.local() - before;
    return { ahead: rows[0]!.millis - (before + took / 2), took };
  }

  close(): Promise<void> {
    return this.#task.close();
  }
}
