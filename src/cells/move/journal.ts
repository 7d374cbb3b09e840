import type pg from 'pg';
import { SetupError } from '../../base/errors.js';
import type { Queryable } from '../../db/pool.js';
import type { Directory } from '../directory.js';
import { settleClaims } from '../settle.js';

/** Each is written when it is done, `freezing` before it begins. */
type Step = 'begun' | 'copied' | 'freezing' | 'moved' | 'done' | 'cleaned' | 'cancelled';

/** A move in the directory. Bare uuid. */
export interface AccountMove {
  account: string;
  /** The one the account has after it. */
  epoch: number;
  source: string;
  target: string;
  step: Step;
  /** The account's status, from `freezing` on. */
  status: string | null;
  frozenMillis: number | null;
  /** Goes up whenever a mover takes the move up, and when another process takes it from one that ended. */
  attempt: number;
}

const COLUMNS = `account_id as account, epoch, source, target, step, status, frozen_millis as "frozenMillis", attempt`;
const IS_OPEN = `step not in ('done', 'cleaned', 'cancelled')`;
const OPEN = `select ${COLUMNS} from moves where account_id = $1 and ${IS_OPEN}`;
const OPEN_ON = `select ${COLUMNS} from moves where (source = $1 or target = $1) and ${IS_OPEN}`;
const LAST = `select ${COLUMNS} from moves where account_id = $1 and step in ('done', 'cleaned') order by epoch desc limit 1`;
const PLACE = 'select cell, epoch from accounts where id = $1 for update';
const BEGIN = `
  insert into moves (account_id, epoch, source, target, step) values ($1, $2, $3, $4, 'begun') returning ${COLUMNS}`;
const TAKE_UP = `
  update moves set attempt = attempt + 1 where account_id = $1 and epoch = $2 and ${IS_OPEN} returning ${COLUMNS}`;
/** From here on the mover can no longer turn the account over. */
const TAKE_BACK = `
  update moves set attempt = attempt + 1, failed = $3, step = case step when 'freezing' then 'copied' else step end
  where account_id = $1 and epoch = $2 and step in ('begun', 'copied', 'freezing')`;
const TURN = `
  update moves set step = 'moved', failed = null
  where account_id = $1 and epoch = $2 and step = 'freezing' and attempt = $3`;
const UNSETTLED = `
  select from names where (account_id = $1 or heir_account_id = $1) and cell = $2 and state <> 'held' limit 1`;
const NOTE = `
  update moves set step = $3, failed = null, ended_at = case when $3 in ('done', 'cancelled') then now() else ended_at end
  where account_id = $1 and epoch = $2 and step not in ('cancelled', 'cleaned') and attempt = $4`;

/** The directory's part of a move. */
export class Journal {
  readonly #pool: pg.Pool;

  constructor(private readonly directory: Directory) {
    this.#pool = directory.database.pool;
  }

  async open(account: string): Promise<AccountMove | undefined> {
    return (await this.#pool.query<AccountMove>(OPEN, [account])).rows[0];
  }

  /** Those from or to a cell. */
  async openOn(cell: string): Promise<AccountMove[]> {
    return (await this.#pool.query<AccountMove>(OPEN_ON, [cell])).rows;
  }

  /** Begins an attempt, and reads how far the move is. @throws SetupError */
  async takeUp(move: AccountMove): Promise<void> {
    const { rows } = await this.#pool.query<AccountMove>(TAKE_UP, [move.account, move.epoch]);
    if (!rows[0]) throw new SetupError('The move has already ended.');
    Object.assign(move, rows[0]);
  }

  /** Takes the move from a mover that ended while the account was frozen. @returns false: it has turned the account over */
  async takeBack(move: AccountMove, why: string): Promise<boolean> {
    const { rowCount } = await this.#pool.query(TAKE_BACK, [move.account, move.epoch, why]);
    return rowCount === 1;
  }

  /** The newest move that is over. */
  async last(account: string): Promise<AccountMove | undefined> {
    return (await this.#pool.query<AccountMove>(LAST, [account])).rows[0];
  }

  /** @throws SetupError when the account or the cell is unknown, or the account is already there */
  async begin(account: string, target: string): Promise<AccountMove> {
    return this.#together(async (client) => {
      const { rows } = await client.query<{ cell: string; epoch: string }>(PLACE, [account]);
      const place = rows[0];
      if (!place) throw new SetupError('This account is not in the directory.');
      if (place.cell === target) throw new SetupError(`The account is already on the cell ${target}.`);
      const known = await client.query('select from cells where id = $1', [target]);
      if (known.rowCount === 0) throw new SetupError(`The directory has no cell ${target}.`);
      await client.query(`update accounts set state = 'moving' where id = $1`, [account]);
      const made = await client.query<AccountMove>(BEGIN, [
        account,
        Number(place.epoch) + 1,
        place.cell,
        target,
      ]);
      return made.rows[0]!;
    });
  }

  /** @throws SetupError when another attempt has begun */
  async note(move: AccountMove, step: Step): Promise<void> {
    const { rowCount } = await this.#pool.query(NOTE, [move.account, move.epoch, step, move.attempt]);
    if (rowCount !== 1) throw takenUp();
    move.step = step;
  }

  async noteStatus(move: AccountMove, status: string): Promise<void> {
    await this.#pool.query(
      'update moves set status = $3 where account_id = $1 and epoch = $2 and step = $4',
      [move.account, move.epoch, status, move.step],
    );
    move.status = status;
  }

  async noteFailure(move: AccountMove, why: string): Promise<void> {
    await this.#pool.query(
      'update moves set failed = $3 where account_id = $1 and epoch = $2 and step = $4',
      [move.account, move.epoch, why.slice(0, 1_000), move.step],
    );
  }

  async noteFrozen(move: AccountMove, millis: number): Promise<void> {
    const most = Math.min(millis, 2 ** 31 - 1);
    await this.#pool.query(
      'update moves set frozen_millis = $3 where account_id = $1 and epoch = $2 and step = $4',
      [move.account, move.epoch, most, move.step],
    );
    move.frozenMillis = most;
  }

  /** The move itself: the account is on the other cell from this commit on. */
  async turnOver(move: AccountMove): Promise<void> {
    const { account, epoch, source, target, attempt } = move;
    await this.#together(async (client) => {
      const turned = await client.query(
        `update accounts set cell = $2, epoch = $3, state = 'serving' where id = $1 and cell = $4 and epoch = $3 - 1`,
        [account, target, epoch, source],
      );
      if (turned.rowCount !== 1) throw new SetupError('The directory now has the account on another cell.');
      await this.#bringNames(client, move);
      const noted = await client.query(TURN, [account, epoch, attempt]);
      if (noted.rowCount !== 1) throw takenUp();
    });
    move.step = 'moved';
  }

  /** The account stays: as it was before. */
  async cancel(move: AccountMove): Promise<void> {
    await this.#together(async (client) => {
      await client.query(`update accounts set state = 'serving' where id = $1 and cell = $2`, [
        move.account,
        move.source,
      ]);
      await client.query(NOTE, [move.account, move.epoch, 'cancelled', move.attempt]);
    });
    move.step = 'cancelled';
  }

  /** Settles claims of the account's names that writers of the source left, and gives the names to the account's cell. */
  async settleNames(move: AccountMove, source: Queryable): Promise<void> {
    const { rows } = await this.#pool.query<{ claim_id: string }>(
      `select claim_id from names where (account_id = $1 or heir_account_id = $1) and cell = $2 and state <> 'held'`,
      [move.account, move.source],
    );
    await settleClaims(
      source,
      this.directory,
      rows.map((row) => row.claim_id),
    );
    if (move.step === 'moved') await this.#bringNames(this.#pool, move);
  }

  /** Gives those of the account's names that are settled to its cell. @returns true if all are */
  async bringSettledNames(move: AccountMove): Promise<boolean> {
    const { rowCount } = await this.#pool.query(UNSETTLED, [move.account, move.source]);
    await this.#bringNames(this.#pool, move);
    return rowCount === 0;
  }

  async #bringNames(database: Queryable, { account, source, target }: AccountMove): Promise<void> {
    await database.query(
      `update names set cell = $2 where account_id = $1 and cell = $3 and state = 'held'`,
      [account, target, source],
    );
  }

  async #together<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect();
    try {
      await client.query('begin');
      const result = await work(client);
      await client.query('commit');
      return result;
    } catch (error) {
      await client.query('rollback').catch(() => undefined);
      throw error;
    } finally {
      client.release();
    }
  }
}

function takenUp(): SetupError {
  return new SetupError('Another process has taken over this move. Run the command again.');
}
