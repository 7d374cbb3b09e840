import type pg from 'pg';
import { PeriodicTask } from '../../base/clock.js';
import { idOf } from '../../base/ids.js';
import type { Log } from '../../base/log.js';
import type { Queryable } from '../../db/pool.js';
import type { Directory } from '../directory.js';
import { removeCapture } from './capture.js';
import { activate, isFrozen, thaw } from './freeze.js';
import { type AccountMove, Journal } from './journal.js';
import { connect, lockAlone } from './session.js';
import { readShapes } from './shapes.js';

const WATCH_INTERVAL_MS = 5_000;

interface WatchParts {
  cell: string;
  directory: Directory;
  /** The cell's pool, and its direct connection string. */
  pool: Queryable;
  connectionString: string;
  log: Log;
}

const FROZEN = `select account_id as id from account_moves where state = 'frozen' and account_id = any($1::uuid[])`;
const ENDED = 'The process that moved it ended while the account was frozen.';

/**
 * Ends the time in which an account is refused because its mover has ended between freeze and the end of the move: on the
 * source it is served again, on the target the move is brought to its end. Each cell needs only itself and the directory.
 */
export class MoveWatch {
  readonly #journal: Journal;
  readonly #task: PeriodicTask;

  constructor(private readonly parts: WatchParts) {
    this.#journal = new Journal(parts.directory);
    this.#task = new PeriodicTask(() => this.look(), {
      everyMillis: WATCH_INTERVAL_MS,
      log: parts.log,
      failure: 'failed to look for abandoned moves',
    });
  }

  start(): void {
    this.#task.start();
  }

  /** @returns the number of accounts that are served again */
  async look(): Promise<number> {
    const stopped = await this.#stopped();
    if (stopped.length === 0) return 0;
    const { connectionString, cell } = this.parts;
    const client = await connect(connectionString, 'leaderboard watch of moves');
    try {
      // Had by a mover that is at work.
      if (!(await lockAlone(client))) return 0;
      let served = 0;
      for (const move of stopped) {
        const isServed = move.target === cell ? this.#finish(client, move) : this.#takeBack(client, move);
        if (await isServed) served += 1;
      }
      return served;
    } finally {
      await client.end().catch(() => undefined);
    }
  }

  /** Moves at the steps in which the account is refused: few, and for a moment, if a mover is at work. */
  async #stopped(): Promise<AccountMove[]> {
    const { cell, pool } = this.parts;
    const open = await this.#journal.openOn(cell);
    const before = open.filter(({ source, step }) => source === cell && step !== 'moved');
    const after = open.filter(({ target, step }) => target === cell && step === 'moved');
    if (before.length === 0) return after;
    const { rows } = await pool.query<{ id: string }>(FROZEN, [before.map(({ account }) => account)]);
    const isStopped = ({ account, step }: AccountMove) =>
      step === 'freezing' || rows.some(({ id }) => id === account);
    return [...after, ...before.filter(isStopped)];
  }

  /** First in the directory: a mover that lives on without its lock can then no longer turn the account over. */
  async #takeBack(client: pg.Client, move: AccountMove): Promise<boolean> {
    const { account, target } = move;
    if (!(await this.#journal.takeBack(move, ENDED))) return false;
    const source = { source: client, account };
    // Killed just before the freeze: only the step had to be taken back.
    if (!(await isFrozen(source))) return false;
    await thaw(source, move.status ?? 'active');
    this.parts.log.warn(
      { account: idOf('account', account), to: target },
      'the process moving a frozen account has ended; the account is served here again. Run the move again, or cancel it with --back',
    );
    return true;
  }

  /** @returns false while names wait for the source */
  async #finish(client: pg.Client, move: AccountMove): Promise<boolean> {
    const { account, source } = move;
    await activate(client, move);
    // Those that a writer left on the source are settled there first.
    if (!(await this.#journal.bringSettledNames(move))) return false;
    await removeCapture(client, await readShapes(client), this.#signal());
    await this.#journal.note(move, 'done');
    this.parts.log.warn(
      { account: idOf('account', account), from: source },
      'the process moving an account ended after the switch; the account is served here and the move is complete',
    );
    return true;
  }

  #signal(): AbortSignal {
    return AbortSignal.timeout(WATCH_INTERVAL_MS);
  }

  close(): Promise<void> {
    return this.#task.close();
  }
}
