import { type Clock, PeriodicTask } from '../../base/clock.js';
import { idOf } from '../../base/ids.js';
import type { Log } from '../../base/log.js';
import { servedHere } from '../../db/moved.js';
import type { Database } from '../../db/pool.js';
import { LEASE_MS } from '../../jobs/claim.js';

/** A table of players whose boards have to follow a change. */
interface DueList {
  table: string;
  /** The column that says from when a process may take the player. */
  dueColumn: string;
  /** What a claim sets besides: `passed_at = :now`. */
  alsoSet?: string;
  /** Players that one process takes at a time. */
  atOnce: number;
  everyMillis: number;
  /** What could not be done, for the log: `update boards with a player's tags`. */
  task: string;
}

/** Players that a claim looks at, those that wait longest: a rename by import can make a million due. */
const LOOKED_AT = 10_000;

/** Claims players: as many of each account as of any other. Rows that somebody is changing wait for the next round. */
function claimOf({ table, dueColumn, alsoSet, atOnce }: DueList, served: string): string {
  return `
  with claimed as (
    select l.identity_id from ${table} l where l.${dueColumn} <= :now and l.identity_id in (
      select x.identity_id from (
        select d.identity_id, d.${dueColumn} as due_at, row_number() over (partition by i.account_id order by d.${dueColumn}, i.id) as nth
        from (select * from ${table} q where q.${dueColumn} <= :now ${served} order by q.${dueColumn} limit ${LOOKED_AT}) d
        join identities i on i.id = d.identity_id) x
      order by x.nth, x.due_at limit ${atOnce})
    for update skip locked)
  update ${table} d set ${dueColumn} = :until${alsoSet ? `, ${alsoSet}` : ''} from claimed c where d.identity_id = c.identity_id
  returning d.identity_id`;
}

/** `moved` is called with the board's id after the commit of every board that changed. */
export type UpkeepParts = [db: Database, clock: Clock, log: Log, moved: (boardId: string) => void];

/**
 * Background work on players that a table lists: any process takes some of them for the time of a lease, and after it
 * another process may take them. The work on a player may be repeated, and run by several processes at the same time.
 */
export abstract class DuePlayers {
  protected readonly task: PeriodicTask;
  readonly #claim: string;

  constructor(
    private readonly list: DueList,
    protected readonly db: Database,
    protected readonly clock: Clock,
    protected readonly log: Log,
    protected readonly moved: UpkeepParts[3],
  ) {
    this.#claim = claimOf(list, servedHere(db.knex, 'identity', 'q.identity_id'));
    this.task = new PeriodicTask(() => this.followDue(), {
      everyMillis: list.everyMillis,
      log,
      failure: `failed to ${list.task}`,
    });
  }

  /**
   * Makes all boards of a player follow, if any have to.
   * @param unhurried true: the periodic work, which no request waits for
   */
  abstract follow(identityId: string, unhurried?: boolean): Promise<unknown>;

  /** Resumes unfinished work immediately, then periodically. */
  start(): void {
    this.task.start();
  }

  /** Works on all players that no process holds. @returns how many are done */
  async followDue(): Promise<number> {
    let done = 0;
    for (;;) {
      const now = this.clock();
      const times = { now: new Date(now), until: new Date(now + LEASE_MS) };
      const { rows } = await this.db.knex.raw<{ rows: { identity_id: string }[] }>(this.#claim, times);
      for (const { identity_id } of rows) {
        const identityId = idOf('identity', identity_id);
        try {
          await this.follow(identityId, true);
          done += 1;
        } catch (error) {
          // An error for one player must not block the others; its lease runs out and it is retried.
          this.log.warn({ err: error, identityId }, `failed to ${this.list.task}; retrying`);
        }
      }
      if (this.task.closed || rows.length < this.list.atOnce) return done;
    }
  }

  close(): Promise<void> {
    return this.task.close();
  }

  protected now(): Date {
    return new Date(this.clock());
  }
}
