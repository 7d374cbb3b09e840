import type pg from 'pg';
import { SetupError } from '../../base/errors.js';
import type { Directory } from '../directory.js';
import { installCapture, removeCapture } from './capture.js';
import { deleteRows } from './clean.js';
import { compareAll, compareHeads, Difference } from './compare.js';
import { copyAll, type Ends, follow } from './follow.js';
import { activate, freeze, isFrozen, noteCleaned, thaw } from './freeze.js';
import { type AccountMove, Journal } from './journal.js';
import { anotherMoves, lockAlone, openSession } from './session.js';
import { requireSettings } from './settings.js';
import { readShapes, requireSameSchema } from './shapes.js';

/** Changes that a round leaves behind while the account is still served: few, so that the freeze is short. */
const FEW_CHANGES = 300;
const MOST_ROUNDS = 50;
const COMPARISONS = 3;

export interface MoveParts {
  directory: Directory;
  /** Connection string of a cell. @throws SetupError */
  urlOf(cell: string): string;
  signal: AbortSignal;
  report(line: string): void;
  /** Called when a step is done; tests end the process there. */
  reached?(step: string): void | Promise<void>;
}

/** Moves one account, and takes a move back. Every step can be run again after a kill. */
export class AccountMover {
  readonly #journal: Journal;

  constructor(private readonly parts: MoveParts) {
    this.#journal = new Journal(parts.directory);
  }

  /** @param account bare uuid @throws SetupError, Difference */
  async move(account: string, target: string): Promise<AccountMove> {
    const open = await this.#journal.open(account);
    if (open && open.target !== target) {
      throw new SetupError(
        `The account is already being moved from ${open.source} to ${open.target}. Let that move finish, or cancel it with --back.`,
      );
    }
    const move = open ?? (await this.#journal.begin(account, target));
    if (open) this.parts.report(`Resuming the move after the step "${open.step}".`);
    await this.#reached('begun');
    await this.#withEnds(move, async (ends) => {
      try {
        await this.#journal.takeUp(move);
        if (move.step !== 'moved') await this.#bring(ends, move);
        await this.#finish(ends, move);
      } catch (error) {
        await this.#journal.noteFailure(move, (error as Error).message).catch(() => undefined);
        throw error;
      }
    });
    return move;
  }

  /** Takes back a move that has not reached its point of no return. @throws SetupError */
  async back(account: string): Promise<void> {
    const move = await this.#journal.open(account);
    if (!move) throw new SetupError('This account is not being moved.');
    if (move.step === 'moved') throw isThere(move);
    await this.#withEnds(move, async (ends) => {
      await this.#journal.takeUp(move);
      if (move.step === 'moved') throw isThere(move);
      await this.#thaw(ends, move);
      await this.#deleteCopy(ends);
      await ends.target.query('delete from account_moves where account_id = $1', [account]);
      await removeCapture(ends.target, ends.shapes, ends.signal);
      await ends.source.query(
        `with gone as (delete from account_moves where account_id = '${account}' and state <> 'incoming')
         delete from account_changes where account_id = '${account}'`,
      );
      await removeCapture(ends.source, ends.shapes, ends.signal);
      await this.#journal.cancel(move);
    });
  }

  /** Deletes the rows that a move has left on its source. The account's own row stays, and says that it has moved. */
  async clean(account: string): Promise<void> {
    const open = await this.#journal.open(account);
    const move = await this.#journal.last(account);
    if (open || !move) throw new SetupError('This account has no finished move.');
    await this.#withEnds(move, (ends) => this.#clean(ends, move));
  }

  async #clean({ source, ...ends }: Ends, move: AccountMove): Promise<void> {
    const { account } = move;
    const { rows } = await source.query('select status from accounts where id = $1', [account]);
    if (rows[0]?.status !== 'moved')
      throw new SetupError(`The account is in use on the cell ${move.source}.`);
    await deleteRows(source, ends, new Set(['accounts']), (table, count) =>
      this.#count(table, count, 'deleted'),
    );
    await source.query('delete from account_moves where account_id = $1', [account]);
    await source.query('delete from account_changes where account_id = $1', [account]);
    await removeCapture(source, ends.shapes, ends.signal);
    if (move.step !== 'cleaned') await noteCleaned(ends.target, move);
    await this.#journal.note(move, 'cleaned');
  }

  /** Copies, follows, freezes and turns the account over. */
  async #bring(ends: Ends, move: AccountMove): Promise<void> {
    const { source, target, account, shapes, signal } = ends;
    const { report } = this.parts;
    await requireSettings(ends, move.target);
    if (!(await this.#isCopied(ends, move))) {
      await installCapture(source, shapes, signal);
      await installCapture(target, shapes, signal);
      await this.#deleteCopy(ends);
      await enter(source, account, 'capturing', move.epoch);
      await enter(target, account, 'incoming', move.epoch);
      // Writers that were under way when the account was entered noted nothing: they have ended when this lock is had.
      await this.#waitForWriters(ends);
      await this.#reached('capturing');
      await copyAll(ends, move.epoch, (table, rows) => this.#count(table, rows, 'copied'));
    }
    if (move.step === 'begun') await this.#journal.note(move, 'copied');
    await this.#reached('copied');
    if (!(await isFrozen(ends))) await this.#catchUp(ends);
    await this.#reached('compared');
    if (move.step !== 'freezing') await this.#journal.note(move, 'freezing');
    const status = await this.#statusOf(ends, move);
    await this.#reached('freezing');
    const frozen = await freeze(ends);
    await this.#reached('frozen');
    try {
      // The first tickets may have been set during the move.
      await requireSettings(ends, move.target);
      await follow(ends);
      await compareHeads(ends);
      await this.#reached('same');
    } catch (error) {
      await source.query('rollback');
      await thaw(ends, status);
      throw error;
    }
    await this.#journal.settleNames(move, source);
    await this.#journal.turnOver(move);
    await this.#reached('moved');
    await activate(ends.target, move);
    await this.#journal.noteFrozen(move, Date.now() - frozen);
    report(`The account is now on the cell ${move.target}. It was frozen for ${move.frozenMillis} ms.`);
  }

  async #finish(ends: Ends, move: AccountMove): Promise<void> {
    // After a kill behind the point of no return this is where the account begins to be served.
    await activate(ends.target, move);
    await this.#reached('active');
    await this.#journal.settleNames(move, ends.source);
    await removeCapture(ends.target, ends.shapes, ends.signal);
    await this.#journal.note(move, 'done');
    await this.#reached('done');
  }

  /** Follows until little is left, with one comparison of everything on the way. */
  async #catchUp(ends: Ends): Promise<void> {
    for (let round = 1; round <= MOST_ROUNDS; round += 1) {
      ends.signal.throwIfAborted();
      const changes = await follow(ends);
      this.parts.report(`${changes} changes applied`);
      if (changes <= FEW_CHANGES) break;
    }
    for (let attempt = 1; ; attempt += 1) {
      try {
        await follow(ends, () => compareAll(ends));
        break;
      } catch (error) {
        await ends.source.query('rollback');
        if (!(error instanceof Difference) || attempt === COMPARISONS) throw error;
        this.parts.report(`${error.message}; comparing again`);
      }
    }
    this.parts.report('All rows are identical on both cells.');
    for (let round = 1; round <= MOST_ROUNDS; round += 1) {
      if ((await follow(ends)) <= FEW_CHANGES) return;
    }
  }

  /** The status that the account had, which is not to be known any more once it is frozen. */
  async #statusOf({ source, account }: Ends, move: AccountMove): Promise<string> {
    const { rows } = await source.query<{ status: string }>('select status from accounts where id = $1', [
      account,
    ]);
    const status = rows[0]!.status;
    if (status !== 'moved') await this.#journal.noteStatus(move, status);
    return move.status ?? 'active';
  }

  async #thaw(ends: Ends, move: AccountMove): Promise<void> {
    if (await isFrozen(ends)) await thaw(ends, move.status ?? 'active');
  }

  async #isCopied({ target, account }: Ends, move: AccountMove): Promise<boolean> {
    const { rows } = await target.query(
      'select from account_moves where account_id = $1 and epoch = $2 and copied_at is not null',
      [account, move.epoch],
    );
    return rows.length > 0;
  }

  /** Deletes what an attempt before, or the account's former stay, has left on the target. */
  async #deleteCopy(ends: Ends): Promise<void> {
    const { target, account } = ends;
    const { rows } = await target.query<{ status: string }>('select status from accounts where id = $1', [
      account,
    ]);
    if (rows.length > 0 && rows[0]!.status !== 'moved') {
      throw new SetupError(
        'The account is in use on the other cell. Run "leaderboard cells check" to compare the directory with both cells.',
      );
    }
    if (rows.length > 0) await deleteRows(target, ends, new Set(), () => undefined);
    await target.query('delete from account_changes where account_id = $1', [account]);
  }

  async #waitForWriters({ source, signal }: Ends): Promise<void> {
    // Transactions that started before the account's row existed wrote without it.
    const { rows } = await source.query<{ upto: string }>('select pg_current_xact_id()::text as upto');
    for (;;) {
      signal.throwIfAborted();
      const { rowCount } = await source.query(
        'select pg_sleep(0.05) where pg_snapshot_xmin(pg_current_snapshot()) <= $1::text::xid8',
        [rows[0]!.upto],
      );
      if (rowCount === 0) return;
    }
  }

  #count(table: string, rows: number, verb: string): void {
    if (rows > 0) this.parts.report(`${table}: ${rows} rows ${verb}`);
  }

  async #reached(step: string): Promise<void> {
    await this.parts.reached?.(step);
  }

  async #withEnds(move: AccountMove, work: (ends: Ends) => Promise<void>): Promise<void> {
    const { signal, urlOf } = this.parts;
    const source = await openSession(urlOf(move.source));
    let target: pg.Client | undefined;
    try {
      target = await openSession(urlOf(move.target));
      for (const client of [source, target]) {
        if (!(await lockAlone(client))) throw anotherMoves();
      }
      await requireSameSchema(source, target);
      await work({ source, target, account: move.account, shapes: await readShapes(source), signal });
    } finally {
      await Promise.all([source, target].map((client) => client?.end().catch(() => undefined)));
    }
  }
}

function isThere({ source, target }: AccountMove): SetupError {
  return new SetupError(
    `The account is already on the cell ${target}. Let this move finish, then move it to ${source}.`,
  );
}

async function enter(client: pg.Client, account: string, state: string, epoch: number): Promise<void> {
  await client.query(
    `insert into account_moves as m (account_id, state, epoch) values ($1, $2, $3)
     on conflict (account_id) do update set epoch = excluded.epoch, copied_at = null,
       state = case when m.state = 'frozen' and m.epoch = excluded.epoch then m.state else excluded.state end`,
    [account, state, epoch],
  );
}
